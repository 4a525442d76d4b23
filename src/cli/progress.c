#include "cli/progress.h"

#include "base/text.h"
#include "base/unit.h"
#include "os/terminal.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Ten times a second is smooth for people and free for the machine that measures. */
static const int64_t REDRAW_NS = 100000000;

struct progress progress_new(const struct common_options *common, ptrdiff_t total)
{
    return (struct progress){
        .is_live = !common->quiet && terminal_is(STDERR_FILENO),
        .is_quiet = common->quiet,
        .columns = terminal_columns(STDERR_FILENO),
        .total = total,
    };
}

static void draw(struct progress *progress, const struct measure_progress *status);

/* The first launch may take long and says nothing meanwhile, so the line stands there from the
 * start. */
void progress_begin(struct progress *progress, const char *label)
{
    progress->label = label;
    if (progress->is_live) {
        draw(progress, &(struct measure_progress){
                           .phase = "starting", .estimate = NAN, .relative_half_width = NAN});
    }
    progress->shown = (mono_time){0}; /* the first update is shown at once */
}

static void describe(struct arena *arena, const struct progress *progress,
                     const struct measure_progress *status, struct buffer *line)
{
    buffer_printf(line, "[%td/%td] %s: %s", progress->done + 1, progress->total,
                  text_printable(arena, progress->label, 30), status->phase);
    if (isfinite(status->estimate)) {
        buffer_printf(line, "  %s", unit_format(arena, status->estimate, "ns", 3));
    } else if (status->elapsed_ns > 0) {
        buffer_printf(line, "  %.0f s so far", status->elapsed_ns / 1e9);
    }
    if (isfinite(status->relative_half_width)) {
        buffer_printf(line, " ± %.1f %%", status->relative_half_width * 100);
    }
    if (status->launches > 0) {
        buffer_printf(line, "  %td launch%s", status->launches, status->launches == 1 ? "" : "es");
        buffer_printf(line, "  %.0f s left", ceil(status->left_ns / 1e9));
    }
}

void progress_update(void *context, const struct measure_progress *status)
{
    struct progress *progress = context;
    if (!progress->is_live || clock_since_ns(progress->shown) < REDRAW_NS) {
        return;
    }
    progress->shown = clock_now();
    draw(progress, status);
}

static void draw(struct progress *progress, const struct measure_progress *status)
{
    struct arena arena = {0};
    struct buffer line = buffer_new(&arena, 4096);
    describe(&arena, progress, status, &line);
    fprintf(stderr, "\r\033[K%s",
            text_printable(&arena, buffer_string(&line), progress->columns - 1));
    fflush(stderr);
    progress->is_drawn = true;
    arena_free(&arena);
}

void progress_clear(struct progress *progress)
{
    if (progress->is_drawn) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
        progress->is_drawn = false;
    }
}

void progress_finish(struct progress *progress, const char *line)
{
    progress_clear(progress);
    progress->done++;
    if (!progress->is_live && !progress->is_quiet) {
        fprintf(stderr, "[%td/%td] %s\n", progress->done, progress->total, line);
    }
}
