#include "measure/pair.h"

#include "base/assert.h"
#include "measure/slice.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

/* Rounds of one slow call each are fewer, so that a launch takes about so long a side. */
static const double LAUNCH_SIDE_NS = 20e6;
/* The machine slept: the launch is thrown away. */
static const int64_t SUSPENDED_NS_MIN = 1000000;
/* Real changes are rarely so large; lost work is. */
static const double QUICK_FACTOR = 20;
/* A call that takes longer is not made once more just to have a look. */
static const double DEAR_NS = 100e6;

/* What one launch gave, before it is known to be good. */
struct pair_record {
    struct model_launch launches[PAIR_SIDES_MAX];
    struct protocol_slice *slices[PAIR_SIDES_MAX];
    ptrdiff_t rounds;
};

struct pair_work {
    struct arena *arena;
    struct arena *scratch;
    struct pair *pair;
    const struct pair_plan *plan;
    const struct measure_clock *clock;
    struct random *random;
    mono_time started;
    struct pair_record record;
    double rounds_ns; /* all rounds, with the waiting between slices */
    int failed_side;  /* the side an error belongs to */
};

static tare_status begin_sides(struct pair_work *w, struct tare_error *error);
static tare_status prepare_sides(struct pair_work *w, struct tare_error *error);
static tare_status run_rounds(struct pair_work *w, struct tare_error *error);
static tare_status end_sides(struct pair_work *w, tare_status status, struct tare_error *error);
static tare_status keep_record(struct pair_work *w, struct tare_error *error);

struct pair_plan pair_plan_default(bool is_command)
{
    return (struct pair_plan){
        /* Twenty rounds until it is known what rounds and launches are worth (pace.h); slices of
         * 0.2 ms: few are interrupted, and the neighbour's phases last longer, so that both sides
         * of a round meet the same one (docs/decisions/0005). */
        .rounds = is_command ? 1 : 20,
        .is_paced = !is_command,
        .slice_ns = 0.2e6,
        .warmup_ns = 2e6,
        .limit_ns = 60e9,
        .wants_huge_pages = !is_command,
    };
}

bool pair_is_sound(const struct pair *pair)
{
    for (int i = 0; i < pair->side_count; i++) {
        if (pair->sides[i].benchmark->state != MODEL_STATE_OK) {
            return false;
        }
    }
    return true;
}

/* A failure of a program ends this comparison, not the whole command. */
static tare_status fail_side(struct pair_work *w, tare_status status, struct tare_error *error)
{
    if (status != TARE_ERROR_MEASURE) {
        return status;
    }
    struct pair_side *side = &w->pair->sides[w->failed_side];
    measure_slice_fail(w->arena, &side->target, side->benchmark, error);
    return TARE_OK;
}

tare_status pair_launch(struct arena *arena, struct pair *pair, const struct pair_plan *plan,
                        const struct measure_clock *clock, struct random *random,
                        struct tare_error *error)
{
    TARE_ASSERT(pair->side_count >= 2 && pair->side_count <= PAIR_SIDES_MAX);
    TARE_ASSERT(pair_is_sound(pair));
    struct arena scratch = {0};
    struct pair_work w = {.arena = arena,
                          .scratch = &scratch,
                          .pair = pair,
                          .plan = plan,
                          .clock = clock,
                          .random = random};
    mono_time started = clock->now(clock->context);
    w.started = started;
    int64_t suspended_ns = clock->suspended_ns(clock->context);
    clock->steal_ratio(clock->context);
    tare_status status = begin_sides(&w, error);
    if (status == TARE_OK && pair_is_sound(pair)) {
        status = prepare_sides(&w, error);
    }
    if (status == TARE_OK && pair_is_sound(pair)) {
        status = run_rounds(&w, error);
    }
    status = end_sides(&w, status, error);
    bool has_slept = clock->suspended_ns(clock->context) - suspended_ns > SUSPENDED_NS_MIN;
    if (status == TARE_OK && pair_is_sound(pair) && w.record.rounds > 0 && !has_slept) {
        double steal_ratio = clock->steal_ratio(clock->context);
        for (int i = 0; i < pair->side_count; i++) {
            w.record.launches[i].steal_ratio = steal_ratio;
            w.record.launches[i].duration_ns = (double)(clock->now(clock->context).ns - started.ns);
        }
        status = keep_record(&w, error);
    }
    pair->spent_ns += (double)(clock->now(clock->context).ns - started.ns);
    arena_free(&scratch);
    return fail_side(&w, status, error);
}

/* A random order of the sides. */
static void shuffle(struct random *random, int *order, int count)
{
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
        int k = (int)random_below(random, (uint64_t)i + 1);
        int swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
}

static tare_status begin_sides(struct pair_work *w, struct tare_error *error)
{
    struct pair *pair = w->pair;
    int order[PAIR_SIDES_MAX];
    shuffle(w->random, order, pair->side_count);
    int cpu = -1;
    if (w->plan->cpu_count > 0) {
        cpu = w->plan->cpus[random_below(w->random, (uint64_t)w->plan->cpu_count)];
    }
    for (int i = 0; i < pair->side_count; i++) {
        struct pair_side *side = &pair->sides[order[i]];
        struct measure_variation variation = {
            .environment_padding_bytes =
                (int32_t)random_below(w->random, MEASURE_PADDING_BYTES_MAX),
            .is_aslr_off = w->plan->is_aslr_off,
            .cpu = cpu,
            .wants_huge_pages = w->plan->wants_huge_pages,
        };
        w->record.launches[order[i]] = (struct model_launch){
            .kind = MODEL_LAUNCH_TIMED,
            .started_unix_ns = clock_unix_ns(),
            .environment_padding_bytes = variation.environment_padding_bytes,
            .is_aslr_on = !variation.is_aslr_off,
        };
        w->failed_side = order[i];
        tare_status status = side->target.begin(side->target.context, w->arena, MODEL_LAUNCH_TIMED,
                                                &variation, side->benchmark, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}

static tare_status look_at_quick_sides(struct pair_work *w,
                                       const struct measure_calibration *calibration,
                                       struct tare_error *error);
/* A count near this one that suits all sides. */
static double suit_sides(const struct pair *pair, double iterations)
{
    const double factor_max = 10;
    double suited = iterations;
    for (int i = 0; i < pair->side_count; i++) {
        const struct measure_target *target = &pair->sides[i].target;
        if (target->suit != NULL) {
            suited = target->suit(target->context, suited, iterations * factor_max);
        }
    }
    return suited;
}

/* A neighbour that takes the CPU while iterations are counted makes them look slow, and slices
 * would be too short for the whole comparison: the fastest of a few slices tells. */
static tare_status settle_iterations(struct pair_work *w, double slice_ns,
                                     struct protocol_slice *last, struct tare_error *error)
{
    enum { TRIES = 5 };
    struct pair *pair = w->pair;
    if (pair->iterations == 1 || last->is_deleted) {
        return TARE_OK; /* a slow call is too dear to repeat */
    }
    double fastest_ns = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        tare_status status = measure_slice_run(&pair->sides[0].target, w->scratch, pair->iterations,
                                               PROTOCOL_COUNT_NONE, last, error);
        if (status != TARE_OK) {
            return status;
        }
        fastest_ns = fmin(fastest_ns, last->time_ns);
    }
    if (fastest_ns > 0) {
        double one_ns = fastest_ns / pair->iterations;
        pair->iterations = suit_sides(pair, fmax(1, round(slice_ns / one_ns)));
        last->time_ns = one_ns * pair->iterations;
    }
    return TARE_OK;
}

/* The count of iterations is found on old and holds for all, so that both sides do the same work.
 */
static tare_status calibrate(struct pair_work *w, struct tare_error *error)
{
    struct pair *pair = w->pair;
    const struct measure_calibration calibration = {.slice_ns = pair->sides[0].target.slice_ns > 0
                                                                    ? pair->sides[0].target.slice_ns
                                                                    : w->plan->slice_ns,
                                                    .limit_ns = w->plan->limit_ns,
                                                    .clock = w->clock};
    struct protocol_slice last;
    w->failed_side = 0;
    tare_status status = measure_calibrate(&pair->sides[0].target, w->scratch, &calibration,
                                           &pair->iterations, &last, error);
    if (status != TARE_OK) {
        return status;
    }
    if (!pair->sides[0].target.is_self_paced && pair->sides[0].target.slices_left == NULL) {
        status = settle_iterations(w, calibration.slice_ns, &last, error);
        pair->has_lead_in = pair->iterations > 1;
    }
    if (status != TARE_OK) {
        return status;
    }
    for (int i = 0; i < pair->side_count; i++) {
        pair->sides[i].benchmark->iterations = pair->iterations;
    }
    pair->slice_cost_ns = last.time_ns;
    double launch_ns = fmax(LAUNCH_SIDE_NS, w->plan->slice_ns * (double)w->plan->rounds);
    bool is_slow = pair->iterations == 1 && last.time_ns > w->plan->slice_ns;
    double rounds = is_slow ? fmax(1, floor(launch_ns / last.time_ns)) : INFINITY;
    pair->rounds = (ptrdiff_t)fmin(rounds, (double)w->plan->rounds);
    bool is_dear = pair->sides[0].target.slices_left != NULL || last.time_ns > DEAR_NS;
    return is_dear ? TARE_OK : look_at_quick_sides(w, &calibration, error);
}

/* A side that is done at once with what takes old a whole slice may have lost its work, which its
 * program can only tell in a slice of some length: it gets such a slice of its own. */
static tare_status look_at_quick_sides(struct pair_work *w,
                                       const struct measure_calibration *calibration,
                                       struct tare_error *error)
{
    struct pair *pair = w->pair;
    for (int i = 1; i < pair->side_count; i++) {
        struct protocol_slice slice;
        double own_iterations = 0;
        w->failed_side = i;
        tare_status status = measure_slice_run(&pair->sides[i].target, w->scratch, pair->iterations,
                                               PROTOCOL_COUNT_NONE, &slice, error);
        if (status == TARE_OK && slice.time_ns * QUICK_FACTOR < calibration->slice_ns) {
            status = measure_calibrate(&pair->sides[i].target, w->scratch, calibration,
                                       &own_iterations, &slice, error);
        }
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}

/* Sides warm up in turns, so that none has rested longer than the others. */
static tare_status warm_up(struct pair_work *w, struct tare_error *error)
{
    struct pair *pair = w->pair;
    mono_time started = w->clock->now(w->clock->context);
    double limit_ns = w->plan->warmup_ns * pair->side_count;
    do {
        for (int i = 0; i < pair->side_count; i++) {
            struct protocol_slice slice;
            w->failed_side = i;
            tare_status status =
                measure_slice_run(&pair->sides[i].target, w->scratch, pair->iterations,
                                  PROTOCOL_COUNT_NONE, &slice, error);
            if (status != TARE_OK) {
                return status;
            }
        }
    } while ((double)(w->clock->now(w->clock->context).ns - started.ns) < limit_ns);
    return TARE_OK;
}

/* One side that chooses its own iterations leaves the choice to the others too. */
static bool is_self_paced(const struct pair *pair)
{
    bool is_any = false;
    for (int i = 0; i < pair->side_count; i++) {
        is_any = is_any || pair->sides[i].target.is_self_paced;
    }
    return is_any;
}

/* Has a side's process no slice left? */
static bool is_used_up(const struct pair *pair)
{
    bool is_any = false;
    for (int i = 0; i < pair->side_count; i++) {
        const struct measure_target *target = &pair->sides[i].target;
        is_any =
            is_any || (target->slices_left != NULL && target->slices_left(target->context) == 0);
    }
    return is_any;
}

static tare_status prepare_sides(struct pair_work *w, struct tare_error *error)
{
    if (w->pair->sides[0].target.is_command) {
        w->pair->iterations = 1;
        w->pair->rounds = 1;
        return TARE_OK;
    }
    if (w->pair->iterations == 0 && is_self_paced(w->pair)) {
        w->pair->iterations = 1;
        w->pair->rounds = w->plan->rounds;
    } else if (w->pair->iterations == 0) {
        tare_status status = calibrate(w, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    /* A call that takes long warms itself up, and is too dear to throw away. */
    bool is_slow = w->pair->iterations == 1 && w->pair->slice_cost_ns > 10 * w->plan->warmup_ns;
    bool needs_warmup = w->pair->sides[0].target.slices_left == NULL && !is_slow;
    return needs_warmup ? warm_up(w, error) : TARE_OK;
}

/* Is there time for one more round, as far as can be told from the slices seen? */
static bool has_time(const struct pair_work *w)
{
    double elapsed_ns = (double)(w->clock->now(w->clock->context).ns - w->started.ns);
    double round_ns = w->pair->slice_cost_ns * w->pair->side_count * (w->pair->has_lead_in ? 2 : 1);
    return w->plan->left_ns <= 0 || elapsed_ns + round_ns <= w->plan->left_ns;
}

/* Orders are balanced: of two rounds that follow each other, the second has the first's order
 * reversed. */
static void choose_order(struct pair_work *w, ptrdiff_t round, int *order)
{
    int count = w->pair->side_count;
    if (round % 2 == 0) {
        shuffle(w->random, order, count);
        return;
    }
    for (int i = 0; i < count / 2; i++) {
        int swapped = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = swapped;
    }
}

/* A side's slice of a round, behind its lead-in if it has one. */
static tare_status run_turn(struct pair_work *w, int side, struct protocol_slice *slice,
                            struct tare_error *error)
{
    struct pair *pair = w->pair;
    struct measure_target *target = &pair->sides[side].target;
    struct protocol_slice lead_in = {0};
    tare_status status = TARE_OK;
    if (pair->has_lead_in) {
        status = measure_slice_run(target, w->scratch, pair->iterations, PROTOCOL_COUNT_NONE,
                                   &lead_in, error);
    }
    if (status == TARE_OK) {
        status = measure_slice_run(target, w->scratch, pair->iterations, PROTOCOL_COUNT_NONE, slice,
                                   error);
    }
    if (lead_in.time_ns > 0 && slice->time_ns > 0 && pair->cold_count < PAIR_COLD_MAX) {
        pair->cold_logs[pair->cold_count++] = log(lead_in.time_ns / slice->time_ns);
    }
    return status;
}

static tare_status run_rounds(struct pair_work *w, struct tare_error *error)
{
    struct pair *pair = w->pair;
    const int sides = pair->side_count;
    for (int i = 0; i < sides; i++) {
        w->record.slices[i] = ARENA_ARRAY(w->scratch, struct protocol_slice, pair->rounds);
    }
    int order[PAIR_SIDES_MAX];
    mono_time started = w->clock->now(w->clock->context);
    for (ptrdiff_t round = 0; round < pair->rounds && has_time(w); round++) {
        choose_order(w, round, order);
        for (int i = 0; i < sides; i++) {
            w->failed_side = order[i];
            tare_status status = run_turn(w, order[i], &w->record.slices[order[i]][round], error);
            if (status != TARE_OK) {
                return status;
            }
        }
        w->record.rounds = round + 1;
        pair->slice_cost_ns = 0;
        for (int i = 0; i < sides; i++) {
            pair->slice_cost_ns = fmax(pair->slice_cost_ns, w->record.slices[i][round].time_ns);
        }
        if (is_used_up(pair)) {
            break;
        }
    }
    w->rounds_ns = (double)(w->clock->now(w->clock->context).ns - started.ns);
    pair->is_out_of_time = w->record.rounds == 0;
    return TARE_OK;
}

/* Ends every process; the first error wins. */
static tare_status end_sides(struct pair_work *w, tare_status status, struct tare_error *error)
{
    for (int i = 0; i < w->pair->side_count; i++) {
        struct pair_side *side = &w->pair->sides[i];
        int exit_status = 0;
        tare_status ended = side->target.end(side->target.context, &exit_status, error);
        w->record.launches[i].exit_status = exit_status;
        if (status == TARE_OK && ended != TARE_OK) {
            w->failed_side = i;
            status = ended;
        }
    }
    return status;
}

/* A slice that costs more when the other side ran just before it contains the filling of caches,
 * which does not grow with the work: without lead-ins 3 % more of a walk over 1 MB read +1.9 %
 * (docs/decisions/0005). Where the first launches show none of that, lead-ins are only dear. */
static void judge_lead_in(struct pair_work *w)
{
    enum { LAUNCHES = 4 };
    const double cold_ratio_min = 1.03;
    struct pair *pair = w->pair;
    if (pair->has_lead_in && pair->launches == LAUNCHES) {
        pair->has_lead_in = pair->cold_count > 0 && stats_median(pair->cold_logs, pair->cold_count,
                                                                 w->scratch) > log(cold_ratio_min);
    }
}

/* The next launch may deserve another number of rounds. A launch cut short by the budget says
 * nothing about that, nor do those of whole runs. */
static void learn_pace(struct pair_work *w)
{
    struct pair *pair = w->pair;
    const struct measure_target *target = &pair->sides[0].target;
    ptrdiff_t rounds = w->record.rounds;
    if (!w->plan->is_paced || is_self_paced(pair) || target->slices_left != NULL ||
        rounds < pair->rounds) {
        return;
    }
    double *times[2] = {ARENA_ARRAY(w->scratch, double, rounds),
                        ARENA_ARRAY(w->scratch, double, rounds)};
    for (ptrdiff_t round = 0; round < rounds; round++) {
        /* With several new sides the first speaks for all. */
        times[0][round] = w->record.slices[0][round].time_ns;
        times[1][round] = w->record.slices[1][round].time_ns;
    }
    if (pair->pace.launches == 0) {
        pair->rounds_min = rounds;
    }
    pace_add(&pair->pace, times[0], times[1], rounds, w->rounds_ns,
             w->record.launches[0].duration_ns - w->rounds_ns, w->scratch);
    const struct pace_limits limits = {.rounds_min = pair->rounds_min,
                                       .launch_ns_max = w->plan->launch_ns_max};
    pair->rounds = pace_rounds(&pair->pace, &limits, w->scratch);
}

static tare_status keep_record(struct pair_work *w, struct tare_error *error)
{
    struct pair *pair = w->pair;
    for (int i = 0; i < pair->side_count; i++) {
        struct pair_side *side = &pair->sides[i];
        w->failed_side = i;
        int32_t launch = model_launch_add(w->arena, side->benchmark, w->record.launches[i]);
        ptrdiff_t deleted = 0;
        for (ptrdiff_t round = 0; round < w->record.rounds; round++) {
            tare_status status =
                measure_slice_keep(w->arena, &side->target, side->benchmark, pair->iterations,
                                   &w->record.slices[i][round], launch, error);
            if (status != TARE_OK) {
                return status;
            }
            deleted += w->record.slices[i][round].is_deleted;
        }
        if (deleted * 2 > w->record.rounds) {
            side->benchmark->state = MODEL_STATE_INVALID;
            side->benchmark->reason = measure_deleted_reason;
        }
    }
    pair->launches++;
    judge_lead_in(w);
    learn_pace(w);
    return TARE_OK;
}
