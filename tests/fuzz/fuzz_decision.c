/* Arbitrary bytes as a kept comparison: read, and shown when it could be read.
 *
 * Seeds: what `tare ab --json` and `tare compare --json` print. */
#include "codec/decision_read.h"
#include "report/comparison_json.h"
#include "report/comparison_text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct decision_document document;
    char *text = arena_strndup(&arena, (const char *)data, (ptrdiff_t)size);
    if (decision_read(&arena, text, "input", &document, &error) == TARE_OK) {
        struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
        const struct report_style style = {.columns = 80, .is_verbose = true};
        report_comparison_text(&out, &document.decision, &document.machine, &style);
        report_comparison_json(&out, &document.decision, &document.machine, document.exit_code);
    }
    arena_free(&arena);
    return 0;
}
