/* figures.h: samples of a metric → the few numbers that comparisons of runs need
 * (struct model_figures). Pure.
 *
 * They are derived: kept beside the samples so that 50,000 metrics can be judged in a second, and
 * made anew wherever they are missing. */
#ifndef TARE_DETECT_FIGURES_H
#define TARE_DETECT_FIGURES_H

#include "model/model.h"

/* Samples of a launch from which a worst tenth can be spoken of. */
enum { DETECT_TAIL_SAMPLES_MIN = 10 };

/* Without samples, or with one that is not a finite number, they are not known. */
struct model_figures detect_figures(const struct model_metric *metric, struct arena *scratch);
/* Of every metric of a benchmark. */
void detect_figures_fill(struct model_benchmark *benchmark);

/* Degrees of freedom of a centre's variance: values kept by the trim, less one. */
double detect_figures_freedom(ptrdiff_t launches);

#endif
