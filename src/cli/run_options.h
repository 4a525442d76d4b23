/* run_options.h: what `tare run` can be told. */
#ifndef TARE_CLI_RUN_OPTIONS_H
#define TARE_CLI_RUN_OPTIONS_H

#include "cli/options.h"
#include "model/policy.h"

struct run_options {
    struct common_options common;
    const char *filter;
    double budget_ns;
    double precision;
    double confidence;
    double timeout_ns;
    double runs;
    double warmup;
    double seed;
    double cpu;
    bool has_no_aslr;
    bool is_protocol;
    bool is_shell;
    bool is_no_shell;
    bool has_samples;
    bool is_list;
    bool ignores_failure;
    const char *project;
    struct text_list names;
    struct text_list params;
    struct text_list metrics;
    struct text_list exit_codes;
    struct text_list counts; /* --count, each a word or several with commas */
    const char *prepare;
    const char *conclude;
    const char *setup;
    const char *cleanup;
    const char *input;
    const char *output;
    const char *expect_output;
    const char *directory; /* to run in, for what tare.yaml names; NULL: here */
};

extern const struct option run_option_table[];

/* Everything unset, so that what was said can be told from what was not. */
struct run_options run_options_unset(void);
/* What was not said comes from tare.yaml, or from the defaults. */
void run_options_complete(struct run_options *options, const struct model_policy *policy);

/* Says what is wrong with the values together. */
tare_status run_options_check(struct run_options *options, struct tare_error *error);

#endif
