/* replay_main.c: runs a fuzz target over the files of its corpus, without a fuzzer.
 *
 * Usage: fuzz_NAME FOLDER-OR-FILE…  A missing or empty corpus is a failure: a test that looked at
 * nothing has not passed. Each file is handed over as an allocation of exactly its size, so that
 * the address sanitizer sees a read past its end; then also cut at every length up to CUT_MAX,
 * because half a file is the commonest damage. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A seed is a few hundred bytes; the first kibibyte covers nearly all of its prefixes. */
enum { CUT_MAX = 1024, FILE_BYTES_MAX = 1 << 24 };

static void replay_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(FILE_BYTES_MAX);
    if (file == NULL || bytes == NULL) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    size_t size = fread(bytes, 1, FILE_BYTES_MAX, file);
    fclose(file);
    replay_bytes(bytes, size);
    for (size_t cut = 0; cut < size && cut < CUT_MAX; cut++) {
        replay_bytes(bytes, cut);
    }
    free(bytes);
    return 1;
}

static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        exit(1);
    }
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[4096];
        struct stat status;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &status) == 0 && S_ISREG(status.st_mode)) {
            count += replay_file(name);
        }
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) != 0) {
            fprintf(stderr, "replay: no corpus at %s\n", argv[i]);
            return 1;
        }
        count += S_ISDIR(status.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
