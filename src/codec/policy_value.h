/* policy_value.h: what the tables of policy_yaml.c read single values with. Of no use elsewhere. */
#ifndef TARE_CODEC_POLICY_VALUE_H
#define TARE_CODEC_POLICY_VALUE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct policy_reader {
    struct arena *arena;
    yaml_document_t *document;
    const char *file_name;
    struct tare_error *error;
    ptrdiff_t nodes_left;
    struct model_policy *policy; /* as read so far */
};

struct model_policy;
struct policy_key;

typedef tare_status policy_read_function(struct policy_reader *reader, yaml_node_t *node,
                                         const struct policy_key *key, void *target);

struct policy_key {
    const char *name;
    policy_read_function *read;
    size_t offset;        /* of the result in the mapping's struct */
    const char *expected; /* "a time such as 60s": ends "budget wants …" */
    size_t said_offset;   /* of a bool that is set when the key is there; 0: none */
};

policy_read_function policy_read_text, policy_read_name, policy_read_bool, policy_read_time,
    policy_read_confidence, policy_read_share, policy_read_level, policy_read_outcome,
    policy_read_date, policy_read_quantity, policy_read_threshold, policy_read_preset,
    policy_read_conditions, policy_read_bench_from, policy_read_revision, policy_read_age,
    policy_read_retries, policy_read_keep, policy_read_days;

/* One of a few words, the list ends in NULL; *choice is its number. */
tare_status policy_read_choice(struct policy_reader *reader, yaml_node_t *node,
                               const struct policy_key *key, const char *const *words, int *choice);

/* The text of a scalar. Refused: other kinds of node, nothing at all, NUL bytes, too much. */
tare_status policy_scalar(struct policy_reader *reader, const yaml_node_t *node,
                          const struct policy_key *key, const char **text);

/* Sets the error "file:line:column: message". */
tare_status policy_complain(struct policy_reader *reader, const yaml_mark_t *mark,
                            const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As in base/error.h: the static analyser must know that this is never TARE_OK. */
#ifdef __clang_analyzer__
#define policy_complain(...) ((policy_complain)(__VA_ARGS__), TARE_ERROR_USAGE)
#endif

const char *policy_shown(struct policy_reader *reader, const char *text);
const char *policy_node_kind(const yaml_node_t *node);

#endif
