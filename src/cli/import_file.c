#include "cli/import_file.h"

#include "base/text.h"
#include "os/file.h"

#include <string.h>

static tare_status read_bytes(struct import_source *source, char *bytes, ptrdiff_t capacity,
                              ptrdiff_t *length, struct tare_error *error)
{
    struct import_file *file = source->context;
    return input_read(&file->input, bytes, capacity, length, error);
}

static tare_status rewind_bytes(struct import_source *source, struct tare_error *error)
{
    struct import_file *file = source->context;
    source->line = 0;
    return input_rewind(&file->input, error);
}

static tare_status open_beside(struct import_source *source, const char *path,
                               struct import_source **other, struct tare_error *error)
{
    struct import_file *file = source->context;
    const char *slash = strrchr(source->path, '/');
    const char *whole = path[0] == '/' || slash == NULL
                            ? path
                            : arena_printf(&file->arena, "%.*s/%s", (int)(slash - source->path),
                                           source->path, path);
    *other = NULL;
    if (source->path[0] == '\0' || !file_exists(whole) || file_is_directory(whole)) {
        return TARE_OK;
    }
    struct import_file *opened = ARENA_NEW(&file->arena, struct import_file);
    tare_status status = import_file_open(opened, whole, error);
    if (status == TARE_OK) {
        opened->next = file->beside;
        file->beside = opened;
        *other = opened->source;
    }
    return status;
}

tare_status import_file_open(struct import_file *file, const char *path, struct tare_error *error)
{
    *file = (struct import_file){0};
    const char *kept = arena_strdup(&file->arena, path);
    tare_status status = input_open(kept, &file->input, error);
    if (status != TARE_OK) {
        arena_free(&file->arena);
        return status;
    }
    file->raw = (struct import_source){
        .name = file->input.name,
        .path = strcmp(path, "-") == 0 ? "" : kept,
        .context = file,
        .read = read_bytes,
        .rewind = rewind_bytes,
        .open_beside = open_beside,
    };
    bool is_packed = false;
    file->source = &file->raw;
    status = import_gzip_is(&file->raw, &is_packed, error);
    if (status == TARE_OK && is_packed) {
        file->gzip = import_gzip_new(&file->raw);
        status = file->gzip != NULL
                     ? TARE_OK
                     : error_set(error, TARE_ERROR_MEMORY, "out of memory while reading %s", path);
        file->source = file->gzip != NULL ? import_gzip_source(file->gzip) : &file->raw;
    }
    if (status != TARE_OK) {
        import_file_close(file);
    }
    return status;
}

tare_status import_file_check(const struct import_file *file, struct tare_error *error)
{
    tare_status status = input_check_unchanged(&file->input, error);
    for (const struct import_file *other = file->beside; status == TARE_OK && other != NULL;
         other = other->next) {
        status = import_file_check(other, error);
    }
    return status;
}

void import_file_close(struct import_file *file)
{
    for (struct import_file *other = file->beside; other != NULL;) {
        struct import_file *next = other->next;
        import_file_close(other);
        other = next;
    }
    file->beside = NULL;
    import_gzip_free(file->gzip);
    input_close(&file->input);
    arena_free(&file->arena);
}
