/* revision_prune.c: keeps the cache of built worktrees within its limits; revision.c has its
 * layout. */
#include "base/text.h"
#include "cli/revision.h"
#include "os/clock.h"
#include "os/folder.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_DIGITS = 16 };

/* Two weeks, as git itself keeps objects that nobody refers to. */
static const int64_t OBJECT_AGE_MAX_NS = INT64_C(14) * 86400 * 1000000000;

struct prune_item {
    const char *name;
    int64_t used_ns; /* INT64_MIN: not finished */
    bool is_salted;
};

/* "0123456789abcdef-000" and nothing else. */
static bool is_entry_name(const char *name)
{
    return strlen(name) == KEY_DIGITS + 4 && strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           name[KEY_DIGITS] == '-' && strspn(name + KEY_DIGITS + 1, "0123456789") == 3;
}

static int newest_first(const void *a, const void *b)
{
    const struct prune_item *left = a;
    const struct prune_item *right = b;
    return (left->used_ns < right->used_ns) - (left->used_ns > right->used_ns);
}

/* Unless somebody uses or builds it. */
static void drop_entry(struct arena *arena, const char *cache, const char *name)
{
    const char *path = arena_printf(arena, "%s/%s", cache, name);
    const char *lock_path = arena_printf(arena, "%s.lock", path);
    int fd = -1;
    if (folder_lock_try(lock_path, FOLDER_LOCK_EXCLUSIVE, &fd, NULL) != TARE_OK || fd < 0) {
        return;
    }
    /* What cannot be removed now is tried again the next time. */
    if (folder_discard(path, NULL) == TARE_OK) {
        (void)folder_remove(arena_printf(arena, "%s.log", path), NULL);
        (void)folder_remove(lock_path, NULL);
    }
    folder_unlock(fd);
}

static void drop_old_objects(struct arena *arena, const char *objects)
{
    int64_t now_ns = clock_unix_ns();
    const struct folder_names folders = folder_list(arena, objects);
    for (ptrdiff_t i = 0; i < folders.count; i++) {
        const char *folder = arena_printf(arena, "%s/%s", objects, folders.items[i]);
        const struct folder_names files = folder_list(arena, folder);
        for (ptrdiff_t j = 0; j < files.count; j++) {
            const char *file = arena_printf(arena, "%s/%s", folder, files.items[j]);
            int64_t modified_ns = folder_modified_ns(file);
            if (modified_ns != INT64_MIN && now_ns - modified_ns > OBJECT_AGE_MAX_NS) {
                (void)folder_remove(file, NULL);
            }
        }
    }
}

void revision_prune(struct arena *arena, const char *cache)
{
    struct arena_mark mark = arena_mark(arena);
    const struct folder_names names = folder_list(arena, cache);
    struct prune_item *items = ARENA_ARRAY(arena, struct prune_item, names.count + 1);
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        const char *path = arena_printf(arena, "%s/%s", cache, name);
        bool is_old = clock_unix_ns() - folder_modified_ns(path) > OBJECT_AGE_MAX_NS;
        if (folder_is_discarded(name) || (text_starts_with(name, "objects.index-") && is_old)) {
            (void)folder_remove(path, NULL);
        } else if (is_entry_name(name)) {
            items[count++] = (struct prune_item){
                .name = name,
                .used_ns = folder_modified_ns(arena_printf(arena, "%s/%s/ready", cache, name)),
                .is_salted = strcmp(name + KEY_DIGITS, "-000") != 0};
        }
    }
    qsort(items, (size_t)count, sizeof *items, newest_first);
    int kept[2] = {0, 0};
    static const int limits[2] = {REVISION_PLAIN_KEPT, REVISION_SALTED_KEPT};
    for (ptrdiff_t i = 0; i < count; i++) {
        bool is_salted = items[i].is_salted;
        if (items[i].used_ns == INT64_MIN || ++kept[is_salted] > limits[is_salted]) {
            drop_entry(arena, cache, items[i].name);
        }
    }
    drop_old_objects(arena, arena_printf(arena, "%s/objects", cache));
    arena_reset(arena, mark);
}
