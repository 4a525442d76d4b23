#include "cli/receipt_file.h"

#include "base/text.h"
#include "codec/receipt_read.h"
#include "os/file.h"

#include <string.h>

tare_status receipt_file_read(struct arena *arena, const char *path, struct receipt *receipt,
                              struct tare_error *error)
{
    char *text = NULL;
    ptrdiff_t length = 0;
    const char *what = strcmp(path, "-") == 0
                           ? "standard input"
                           : arena_printf(arena, "'%s'", text_printable(arena, path, 200));
    tare_status status = file_read(arena, path, RECEIPT_BYTES_MAX, &text, &length, error);
    return status == TARE_OK ? receipt_read(arena, text, length, what, receipt, error) : status;
}

int64_t receipt_file_samples(const struct model_run *run)
{
    int64_t count = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        for (ptrdiff_t j = 0; j < run->benchmarks[i].metric_count; j++) {
            count += run->benchmarks[i].metrics[j].count;
        }
    }
    return count;
}
