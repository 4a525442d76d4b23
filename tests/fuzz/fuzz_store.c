/* Arbitrary bytes as a store's file: opened for reading and for writing, read in every way there
 * is; errors are fine, crashes are not.
 *
 * Seeds: any store.db (store_seed makes one). The file lies in /dev/shm, so that a disk is not in
 * the way. */
#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_file(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        perror(path);
        exit(1);
    }
    close(fd);
}

static void read_everything(struct store *store, struct arena *arena)
{
    struct tare_error error = {0};
    struct model_run run;
    struct store_run_rows rows;
    struct store_baselines baselines;
    struct store_promotions promotions;
    struct store_check check;
    store_run_load(store, arena, "latest", true, &run, &error);
    store_run_load(store, arena, "main", false, &run, &error);
    store_runs_list(store, arena, &(struct store_filter){.limit = 100}, &rows, &error);
    store_baselines_list(store, arena, NULL, &baselines, &error);
    store_baseline_history(store, arena, "main", NULL, &promotions, &error);
    store_check(store, arena, &check, &error);
    struct store_reruns reruns;
    struct store_document document;
    struct store_document_rows documents;
    struct store_noises noises;
    bool is_found;
    store_run_figures(store, arena, "latest", &run, &error);
    store_reruns_list(store, arena, run.machine.id, run.project, 100, &reruns, &error);
    store_documents_list(store, arena, NULL, 100, &documents, &error);
    store_document_load(store, arena, "01hf", &document, &is_found, &error);
    store_noise_list(store, arena, run.machine.id, "fixture", NULL, NULL, 0, &noises, &error);
}

static void change_something(struct store *store, struct arena *arena)
{
    struct tare_error error = {0};
    struct store_prune_result result;
    const struct store_change change = {
        .name = "main", .selector = "latest", .by = "", .reason = "", .is_forced = true};
    store_baseline_save(store, &change, &error);
    error_clear(&error);
    store_runs_prune(store, arena, &(struct store_prune){.keep = 1}, &result, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    char other[80];
    snprintf(path, sizeof path, "/dev/shm/tare-fuzz-%d.db", (int)getpid());
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        struct arena arena = {0};
        struct tare_error error = {0};
        struct store *store = NULL;
        put_file(path, data, size);
        if (store_open(&arena, path, (enum store_mode)mode, &store, &error) == TARE_OK) {
            read_everything(store, &arena);
            if (mode == STORE_WRITE) {
                change_something(store, &arena);
            }
        }
        store_close(store);
        arena_free(&arena);
        static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
        for (int i = 0; i < 4; i++) {
            snprintf(other, sizeof other, "%s%s", path, endings[i]);
            unlink(other);
        }
    }
    return 0;
}
