/* tare.h: benchmarks in C and C++, measured by themselves or by the command `tare`.
 *
 *     #include <tare/tare.h>
 *     #include <stdlib.h>
 *
 *     TARE_BENCHMARK(sort)                       // "t" is this benchmark's struct tare_state *
 *     {
 *         size_t n = (size_t)tare_param(t, "n");
 *         int *numbers = make_numbers(n);        // not timed: the clock starts at TARE_LOOP
 *         TARE_LOOP(t) {
 *             sort_numbers(numbers, n);
 *             tare_keep(numbers);                // the result must really be computed
 *         }
 *         free(numbers);                         // not timed
 *     }
 *
 *     TARE_DESCRIBE(sort)                        // optional; "d" is its struct tare_description *
 *     {
 *         tare_params(d, "n", "1k..1M*10");      // 1000, 10000, 100000, 1000000
 *         tare_fit_size(d, "n");                 // say how the cost grows with n
 *     }
 *
 *     TARE_MAIN()
 *
 *     cc -O2 bench.c $(pkg-config --cflags --libs tare) -o bench
 *     ./bench                                    # a table, from one process
 *     tare run ./bench                           # several launches, intervals, kept in a store
 *
 * Contents
 *     1  A benchmark and its loop
 *     2  Keeping the optimiser honest
 *     3  What a benchmark may say about itself (TARE_DESCRIBE)
 *     4  What a body may ask and report
 *     5  Checks
 *     6  Variants
 *     7  main
 *
 * Rules
 *   - A body has one loop and reaches its end. Leaving the loop by break, return or goto makes the
 *     benchmark fail, with a message; `continue` is fine.
 *   - What ends the process ends it: a signal (SIGSEGV, abort), an exception that nobody catches,
 *     exit. Under `tare` the benchmark has then failed, with the program's last output, and the
 *     others go on. Alone the program ends; the rows so far are printed, and exit says which
 *     benchmark called it, with exit code 3. _exit and quick_exit cannot be noticed from within: a
 *     program run alone that ends early without a word has called one of them.
 *   - Nothing in the loop of this library allocates, locks, prints or makes a system call.
 *   - Names and texts given to the library must live as long as the program: string literals do.
 *   - Needs libc only (POSIX threads included). C11 or C++11, gcc or clang, Linux. */
#ifndef TARE_TARE_H
#define TARE_TARE_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__GNUC__)
#error "tare.h needs gcc or clang: its loop and barriers are inline assembly"
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* A program compiled with -fvisibility=hidden still finds the library's functions. */
#pragma GCC visibility push(default)

struct tare_state;       /* a benchmark with its parameters, being measured: `t` in a body */
struct tare_description; /* a benchmark being described: `d` in TARE_DESCRIBE */

/* ==== 1  A benchmark and its loop ====
 *
 * TARE_BENCHMARK(name) { body } defines and registers a benchmark; TARE_BENCHMARK_NAMED(identifier,
 * "group/name") when the name is not an identifier. They may stand in any number of files.
 *
 * A body is called once per slice, a batch of iterations that is timed as a whole. What stands
 * before the loop prepares and what stands behind it tidies up; neither is timed.
 *
 * TARE_LOOP(t) { … } repeats its block. One pass costs one decrement and one branch on a register;
 * that cost is measured at start-up and subtracted. A block that costs no more than an empty one
 * has no figure: the compiler has removed it, or its one instruction hides behind the loop's own.
 * It is called deleted. (Not looked for with several threads, nor in latency mode.)
 *
 * TARE_LOOP_LATENCY(t) { … } times every pass on its own into a histogram: p50 … p99.99 and max
 * instead of a mean. Reading the clock costs some 20 to 60 ns a pass (the floor, printed along):
 * use it for calls that take longer. */
#define TARE_BENCHMARK(identifier) TARE_BENCHMARK_NAMED(identifier, #identifier)
#define TARE_BENCHMARK_NAMED(identifier, name)                                                     \
    TARE_REGISTER_BODY(tare_body_##identifier, TARE_IS_BENCHMARK, #identifier, name)

#define TARE_LOOP(t)                                                                               \
    for (uint64_t tare_left = tare_loop_start(t); tare_left != 0 || (tare_loop_end(t), 0);         \
         tare_left = tare_next_pass(tare_left))

#define TARE_LOOP_LATENCY(t)                                                                       \
    for (uint64_t tare_left = tare_latency_start(t); tare_left != 0 || (tare_latency_end(t), 0);   \
         tare_latency_pass(t), tare_left = tare_next_pass(tare_left))

/* ==== 2  Keeping the optimiser honest ====
 *
 * - tare_keep(value): the value is computed, as if someone looked at it. A number or a pointer of
 *   any type, in C++ anything. After tare_keep(pointer) the compiler must also assume that someone
 *   reads and changes what it points to.
 *
 * - tare_opaque(value): the same value, of which the compiler knows nothing any more. For inputs:
 *   without it, f(42) in a loop may be computed once, before the loop. In C a pointer comes back
 *   as a void pointer.
 *
 * - tare_clobber(): all memory may have been read and changed. Pending writes happen before it, and
 *   what was read before must be read again.
 *
 * None of them adds an instruction beyond bringing the value into a register. */

/* ==== 3  What a benchmark may say about itself (TARE_DESCRIBE) ====
 *
 * TARE_DESCRIBE(identifier) { … } runs once, at start-up, for the benchmark of that identifier in
 * the same file. A mistake in it (a range that cannot be read) is said at start-up, and nothing is
 * measured. */
#define TARE_DESCRIBE(identifier)                                                                  \
    static void tare_body_##identifier(struct tare_state *t); /* not there: no such benchmark */   \
    TARE_REGISTER_DESCRIPTION(tare_describe_##identifier, tare_body_##identifier, #identifier)

/* A parameter and its values. Several parameters: every combination of them.
 *   "1,2,4"       a list; texts too: "gzip,zstd"
 *   "4..64*2"     powers: 4, 8, 16, 32, 64
 *   "10..50+10"   steps: 10, 20, 30, 40, 50
 *   "1,8..64*2"   both
 * k, M, G are 10^3, 10^6, 10^9; Ki, Mi, Gi are 2^10, 2^20, 2^30. The end belongs to the range when
 * it is hit. */
void tare_params(struct tare_description *d, const char *name, const char *values);

/* How the cost grows with this parameter: O(1), O(log n), O(n), O(n log n), O(n^2) or O(n^3), with
 * the residual of the fit. */
void tare_fit_size(struct tare_description *d, const char *parameter);

/* At most this many iterations per call of the body, so that code before the loop can prepare
 * tare_iterations(t) inputs, untimed, for a loop that uses each of them up. This replaces pausing
 * and resuming the clock, which costs more than most of what one wants to measure. */
void tare_batch(struct tare_description *d, uint64_t iterations_max);

typedef void tare_function(struct tare_state *t);
/* `setup` before this benchmark (with given parameters) is first run, `teardown` after its last
 * run; either may be NULL. tare_set_data and tare_data hand over what was made. */
void tare_setup(struct tare_description *d, tare_function *setup, tare_function *teardown);
/* Once per process, before the first benchmark that names this function; teardown when the program
 * ends. */
void tare_launch_setup(struct tare_description *d, void (*setup)(void), void (*teardown)(void));

/* Adds the parameter "threads": the body runs in that many threads, whose loops are released
 * together; each does all iterations, and the time is that from the first start to the last end. */
void tare_threads(struct tare_description *d, const char *counts);

enum tare_better { TARE_LOWER, TARE_HIGHER }; /* which is better */
/* A metric of one's own, to be reported in the body with tare_report. An exact one is a count that
 * must repeat bit for bit. Units: "ns", "B", "B/s", "1", "items/s", or any text. */
void tare_metric(struct tare_description *d, const char *name, const char *unit,
                 enum tare_better better);
void tare_metric_exact(struct tare_description *d, const char *name, const char *unit,
                       enum tare_better better);

/* ==== 4  What a body may ask and report ==== */

int64_t tare_param(const struct tare_state *t, const char *name); /* an integer parameter's value */
const char *tare_param_text(const struct tare_state *t, const char *name); /* any parameter's */

uint64_t tare_iterations(const struct tare_state *t); /* passes the loop will make in this call */
int tare_thread_index(const struct tare_state *t);    /* 0 … count − 1 */
int tare_thread_count(const struct tare_state *t);
void tare_set_data(struct tare_state *t, void *data); /* shared by all threads of the benchmark */
void *tare_data(const struct tare_state *t);

/* Work of one iteration, of this thread; shown as throughput (B/s), item_rate (items/s), flop_rate
 * (flop/s). */
void tare_bytes(struct tare_state *t, double bytes_per_iteration);
void tare_items(struct tare_state *t, double items_per_iteration);
void tare_flops(struct tare_state *t, double flops_per_iteration);
/* The value of a metric declared with tare_metric: per iteration or for the slice, as its name
 * says. Of several calls in one slice (batches, threads) the last counts. */
void tare_report(struct tare_state *t, const char *metric, double value);

/* Declines to run ("needs AVX2") or fails ("cannot read corpus.txt"). In a body: return right
 * afterwards. In set-up: nothing else of the benchmark is called but teardown. */
void tare_skip(struct tare_state *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tare_fail(struct tare_state *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ==== 5  Checks ====
 *
 * A figure for a wrong result is worth nothing. tare_check names a function that is called after
 * the body ran once, untimed; it looks at what the body left (in tare_data) with the functions
 * below. One failed expectation makes every figure of the benchmark invalid, and the program's exit
 * code 3. Expectations may also stand in the body, behind the loop, and are then looked at in every
 * slice. Each returns 1 when it holds, else 0. */
void tare_check(struct tare_description *d, tare_function *check);

/* |got − want| ≤ tolerance · max(1, |want|); a NaN is never near anything. */
int tare_expect_near(struct tare_state *t, const char *what, double got, double want,
                     double tolerance);
int tare_expect_near_array(struct tare_state *t, const char *what, const double *got,
                           const double *want, size_t count, double tolerance);
int tare_expect_near_floats(struct tare_state *t, const char *what, const float *got,
                            const float *want, size_t count, double tolerance);
int tare_expect_equal_bytes(struct tare_state *t, const char *what, const void *got,
                            const void *want, size_t size_bytes);
int tare_expect(struct tare_state *t, int condition, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ==== 6  Variants ====
 *
 *     TARE_BENCHMARK(dot)       { …; TARE_LOOP(t) { sum = dot_plain(a, b, n); tare_keep(sum); }
 *                                 tare_result_near(t, &sum, 1, 1e-12); }
 *     TARE_VARIANT(dot, avx2)   { …; TARE_LOOP(t) { sum = dot_avx2(a, b, n); tare_keep(sum); }
 *                                 tare_result_near(t, &sum, 1, 1e-12); }
 *
 * Several implementations of one benchmark: they share its description (parameters, set-up, check).
 * The body of TARE_BENCHMARK is the reference; tare_reference(d, "plain") gives it a name other
 * than "reference". The table shows each one's speed-up over it, and whether the results are equal:
 * a body hands its result over behind the loop, and a variant's is compared with the reference's,
 * for the same parameters, before anything is timed. A differing result is a failed check. */
#define TARE_VARIANT(identifier, variant)                                                          \
    static void tare_body_##identifier(struct tare_state *t); /* not there: no such benchmark */   \
    TARE_REGISTER_VARIANT(tare_body_##identifier##_##variant, tare_body_##identifier, #identifier, \
                          #variant)
void tare_reference(struct tare_description *d, const char *name);
void tare_result(struct tare_state *t, const void *bytes, size_t size_bytes); /* bit for bit */
void tare_result_near(struct tare_state *t, const double *values, size_t count, double tolerance);

/* ==== 7  main ====
 *
 * TARE_MAIN() is a main that measures. A program with a main of its own writes TARE_NOTE once, in
 * any file, and returns tare_main(argc, argv). Either leaves a note in the executable by which
 * `tare` knows it.
 *
 *   ./bench                   measure all, print a table
 *   ./bench --list            what there is
 *   ./bench --filter REGEX    only names (with parameters) that match, POSIX extended
 *   ./bench --json            results as JSON
 *   ./bench --min-time 1s     time per benchmark (200ms)
 *
 * Exit codes: 0 measured, 2 wrong arguments or description, 3 nothing measured, failed, or invalid.
 */
int tare_main(int argc, char **argv);
const char *tare_version(void); /* of the library; TARE_VERSION is the header's */
#define TARE_VERSION "0.1.0"

#define TARE_MAIN()                                                                                \
    TARE_NOTE;                                                                                     \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return tare_main(argc, argv);                                                              \
    }

/* An ELF note: name "Tare", type 1, and the protocol's version as a 32-bit integer. Notes survive
 * --gc-sections and stripping. */
#define TARE_NOTE                                                                                  \
    __asm__(".pushsection .note.tare,\"a\",%note\n"                                                \
            "\t.balign 4\n\t.long 5, 4, 1\n\t.asciz \"Tare\"\n\t.balign 4\n\t.long 1\n"            \
            ".popsection")

/* ==== How it works (not to be used directly) ==== */

/* Layout is fixed: a program may be linked with a newer library. New kinds may be added. */
enum tare_registration_kind { TARE_IS_BENCHMARK = 1, TARE_IS_DESCRIPTION, TARE_IS_VARIANT };
struct tare_registration {
    enum tare_registration_kind kind;
    int line;
    const char *file;
    const char *identifier; /* with `file`, what belongs together */
    const char *name;       /* the benchmark's or the variant's */
    tare_function *body;
    void (*describe)(struct tare_description *d);
    const char *compiler;
    int is_optimized;
    struct tare_registration *next;
};
void tare_register(struct tare_registration *registration);

#if defined(__clang__)
#define TARE_COMPILER "clang " __clang_version__
#else
#define TARE_COMPILER "gcc " __VERSION__
#endif
#if defined(__OPTIMIZE__)
#define TARE_IS_OPTIMIZED 1
#else
#define TARE_IS_OPTIMIZED 0
#endif

#define TARE_REGISTER_BODY(function, kind, identifier, name)                                       \
    static void function(struct tare_state *t);                                                    \
    TARE_REGISTER(function##_register, kind, identifier, name, function, NULL)                     \
    static void function(struct tare_state *t)

#define TARE_REGISTER_VARIANT(function, reference, identifier, variant)                            \
    static void function(struct tare_state *t);                                                    \
    __attribute__((unused)) static tare_function *function##_of(void)                              \
    {                                                                                              \
        return reference;                                                                          \
    }                                                                                              \
    TARE_REGISTER(function##_register, TARE_IS_VARIANT, identifier, variant, function, NULL)       \
    static void function(struct tare_state *t)

#define TARE_REGISTER_DESCRIPTION(function, body, identifier)                                      \
    static void function(struct tare_description *d);                                              \
    TARE_REGISTER(function##_register, TARE_IS_DESCRIPTION, identifier, identifier, body,          \
                  function)                                                                        \
    static void function(struct tare_description *d)

#define TARE_REGISTER(function, kind, identifier, name, body, describe)                            \
    __attribute__((constructor)) static void function(void)                                        \
    {                                                                                              \
        static struct tare_registration registration = {                                           \
            kind, __LINE__, __FILE__,      identifier,        name,                                \
            body, describe, TARE_COMPILER, TARE_IS_OPTIMIZED, NULL};                               \
        tare_register(&registration);                                                              \
    }

uint64_t tare_loop_start(struct tare_state *t);
void tare_loop_end(struct tare_state *t);
uint64_t tare_latency_start(struct tare_state *t);
void tare_latency_pass(struct tare_state *t);
void tare_latency_end(struct tare_state *t);
#pragma GCC visibility pop

#define TARE_INLINE static inline __attribute__((always_inline, unused))

/* The barrier stands before the decrement, so that the branch can use the decrement's flags; the
 * counter passes through a register there, so no pass can be dropped, merged or vectorised. */
TARE_INLINE uint64_t tare_next_pass(uint64_t left)
{
    __asm__ volatile("" : "+r"(left));
    return left - 1;
}

TARE_INLINE void tare_clobber(void)
{
    __asm__ volatile("" : : : "memory");
}

/* The kind of register a floating-point number lives in, so that keeping it moves nothing. */
#if defined(__x86_64__)
#define TARE_FLOAT_REGISTER "x"
#elif defined(__aarch64__)
#define TARE_FLOAT_REGISTER "w"
#else
#define TARE_FLOAT_REGISTER "m"
#endif

#ifdef __cplusplus
} /* extern "C" */

/* Numbers and pointers are kept in a register; everything else where it lies, in memory. */
namespace tare_detail
{
template <typename T> struct is_word {
    static const bool value = __is_enum(T);
};
template <typename T> struct is_word<T *> {
    static const bool value = true;
};
template <typename T> struct is_float {
    static const bool value = false;
};
#define TARE_TYPE(type)                                                                            \
    template <> struct is_word<type> {                                                             \
        static const bool value = true;                                                            \
    };
TARE_TYPE(bool)
TARE_TYPE(char)
TARE_TYPE(signed char)
TARE_TYPE(unsigned char)
TARE_TYPE(wchar_t)
TARE_TYPE(short)
TARE_TYPE(unsigned short)
TARE_TYPE(int)
TARE_TYPE(unsigned)
TARE_TYPE(long)
TARE_TYPE(unsigned long)
TARE_TYPE(long long)
TARE_TYPE(unsigned long long)
#undef TARE_TYPE
template <> struct is_float<float> {
    static const bool value = true;
};
template <> struct is_float<double> {
    static const bool value = true;
};
template <int kind> struct barrier { /* in memory */
    template <typename T> TARE_INLINE void keep(const T &value)
    {
        __asm__ volatile("" : : "m"(value) : "memory");
    }
    template <typename T> TARE_INLINE T opaque(T value)
    {
        __asm__ volatile("" : "+m"(value));
        return value;
    }
};
template <> struct barrier<1> { /* in a general register */
    template <typename T> TARE_INLINE void keep(T value)
    {
        __asm__ volatile("" : : "r"(value) : "memory");
    }
    template <typename T> TARE_INLINE T opaque(T value)
    {
        __asm__ volatile("" : "+r"(value));
        return value;
    }
};
template <> struct barrier<2> { /* in a floating-point register */
    template <typename T> TARE_INLINE void keep(T value)
    {
        __asm__ volatile("" : : TARE_FLOAT_REGISTER(value) : "memory");
    }
    template <typename T> TARE_INLINE T opaque(T value)
    {
        __asm__ volatile("" : "+" TARE_FLOAT_REGISTER(value));
        return value;
    }
};
template <typename T> struct choose {
    typedef barrier<is_word<T>::value ? 1 : is_float<T>::value ? 2 : 0> type;
};
} // namespace tare_detail

template <typename T> TARE_INLINE void tare_keep(const T &value)
{
    tare_detail::choose<T>::type::keep(value);
}
template <typename T> TARE_INLINE T tare_opaque(T value)
{
    return tare_detail::choose<T>::type::opaque(value);
}
#else

/* One pair of functions per type: a cast to a common type would cost an instruction in the loop. */
#define TARE_BARRIERS(suffix, type, constraint)                                                    \
    TARE_INLINE void tare_keep_##suffix(type value)                                                \
    {                                                                                              \
        __asm__ volatile("" : : constraint(value) : "memory");                                     \
    }                                                                                              \
    TARE_INLINE type tare_opaque_##suffix(type value)                                              \
    {                                                                                              \
        __asm__ volatile("" : "+" constraint(value));                                              \
        return value;                                                                              \
    }
TARE_BARRIERS(bool, _Bool, "r")
TARE_BARRIERS(char, char, "r")
TARE_BARRIERS(schar, signed char, "r")
TARE_BARRIERS(uchar, unsigned char, "r")
TARE_BARRIERS(short, short, "r")
TARE_BARRIERS(ushort, unsigned short, "r")
TARE_BARRIERS(int, int, "r")
TARE_BARRIERS(uint, unsigned, "r")
TARE_BARRIERS(long, long, "r")
TARE_BARRIERS(ulong, unsigned long, "r")
TARE_BARRIERS(llong, long long, "r")
TARE_BARRIERS(ullong, unsigned long long, "r")
TARE_BARRIERS(float, float, TARE_FLOAT_REGISTER)
TARE_BARRIERS(double, double, TARE_FLOAT_REGISTER)
TARE_BARRIERS(ldouble, long double, "m")
#undef TARE_BARRIERS
TARE_INLINE void tare_keep_pointer(const volatile void *value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}
TARE_INLINE void *tare_opaque_pointer(const volatile void *value)
{
    __asm__ volatile("" : "+r"(value));
    return (void *)(uintptr_t)value;
}
#define TARE_BY_TYPE(prefix, value)                                                                \
    _Generic((value), _Bool                                                                        \
             : prefix##bool, char                                                                  \
             : prefix##char, signed char                                                           \
             : prefix##schar, unsigned char                                                        \
             : prefix##uchar, short                                                                \
             : prefix##short, unsigned short                                                       \
             : prefix##ushort, int                                                                 \
             : prefix##int, unsigned                                                               \
             : prefix##uint, long                                                                  \
             : prefix##long, unsigned long                                                         \
             : prefix##ulong, long long                                                            \
             : prefix##llong, unsigned long long                                                   \
             : prefix##ullong, float                                                               \
             : prefix##float, double                                                               \
             : prefix##double, long double                                                         \
             : prefix##ldouble, default                                                            \
             : prefix##pointer)(value)
#define tare_keep(value) TARE_BY_TYPE(tare_keep_, value)
#define tare_opaque(value) TARE_BY_TYPE(tare_opaque_, value)
#endif

#endif
