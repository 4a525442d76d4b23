/* fuzz_shell_words.c: any line. What is split, joined and split again gives the same words. */
#include "base/assert.h"
#include "codec/shell_words.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    const char *line = arena_strndup(&arena, (const char *)data, (ptrdiff_t)size);
    struct shell_words words;
    struct shell_words again;
    if (shell_words_split(&arena, line, &words, &error) != TARE_OK) {
        TARE_ASSERT(error.status == TARE_ERROR_USAGE && error.message[0] != '\0');
        arena_free(&arena);
        return 0;
    }
    const char *joined = shell_words_join(&arena, words.items);
    if (strlen(joined) <= SHELL_LINE_BYTES_MAX) {
        TARE_ASSERT(shell_words_split(&arena, joined, &again, &error) == TARE_OK);
        TARE_ASSERT(again.count == words.count);
        for (ptrdiff_t i = 0; i < words.count; i++) {
            TARE_ASSERT(strcmp(words.items[i], again.items[i]) == 0);
        }
    }
    arena_free(&arena);
    return 0;
}
