#include "report/strip.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "stats/order.h"

#include <math.h>

enum { STRIP_WIDTH_MAX = 64 };

char *report_strip(struct arena *arena, const double *values, ptrdiff_t count, int width)
{
    static const char *const levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    TARE_ASSERT(width > 0 && width <= STRIP_WIDTH_MAX);
    if (count == 0) {
        return arena_strdup(arena, "");
    }
    struct arena scratch = {0};
    double *sorted = stats_sort_copy(&scratch, values, count);
    ptrdiff_t cut = count / 100;
    double low = sorted[cut];
    double high = sorted[count - 1 - cut];
    ptrdiff_t cells[STRIP_WIDTH_MAX] = {0};
    ptrdiff_t fullest = 0;
    for (ptrdiff_t i = cut; i < count - cut; i++) {
        double place = high > low ? (sorted[i] - low) / (high - low) * width : 0;
        int cell = place >= width ? width - 1 : (int)place;
        cells[cell]++;
        fullest = cells[cell] > fullest ? cells[cell] : fullest;
    }
    struct buffer strip = buffer_new(arena, 1024);
    for (int i = 0; i < width; i++) {
        int level = (int)ceil((double)cells[i] / (double)fullest * 8);
        buffer_text(&strip, levels[level]);
    }
    arena_free(&scratch);
    return arena_strdup(arena, buffer_string(&strip));
}
