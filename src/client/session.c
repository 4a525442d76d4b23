/* session.c: open a case (set-up, correctness check), close it, end the program.
 *
 * Opening runs the body once, untimed, with one iteration, when there is something to check: an own
 * check, or results of several variants to compare. A variant's result is held against the
 * reference's for the same parameters, made afresh with its own set-up, so that cases can be opened
 * in any order. */
#include "client/client.h"

#include <stdlib.h>
#include <string.h>

static void launch_prepare(struct client *client, const struct client_benchmark *benchmark);
static void check_case(struct tare_state *state);
static void state_setup(struct tare_state *state);

struct client_opened client_open(struct client *client, ptrdiff_t index)
{
    client_close(client, index);
    const struct client_case *subject = &client->cases[index];
    launch_prepare(client, subject->benchmark);
    struct tare_state *state = client_state_new(client, subject);
    if (state == NULL) {
        return (struct client_opened){.outcome = CLIENT_OUTCOME_FAILED, .text = "out of memory"};
    }
    client->states[index] = state;
    state_setup(state);
    if (state->outcome == CLIENT_OUTCOME_OK) {
        check_case(state);
    }
    struct client_opened opened = {.outcome = state->outcome, .text = state->reason};
    if (state->outcome == CLIENT_OUTCOME_OK && state->is_check_failed) {
        opened.check = CLIENT_CHECK_FAILED;
        opened.text = state->detail;
    } else if (state->outcome == CLIENT_OUTCOME_OK && state->is_check_made) {
        opened.check = CLIENT_CHECK_PASSED;
    }
    return opened;
}

/* A launch set-up runs before the first case that names it, and once. */
static void launch_prepare(struct client *client, const struct client_benchmark *benchmark)
{
    void (*setup)(void) = benchmark->launch_setup;
    if (setup == NULL && benchmark->launch_teardown == NULL) {
        return;
    }
    for (ptrdiff_t i = 0; i < client->launched_count; i++) {
        if (client->launched[i]->launch_setup == setup &&
            client->launched[i]->launch_teardown == benchmark->launch_teardown) {
            return;
        }
    }
    client->launched = arena_grow(client->arena, client->launched, &client->launched_capacity,
                                  client->launched_count + 1, (ptrdiff_t)sizeof *client->launched);
    client->launched[client->launched_count++] = benchmark;
    if (setup != NULL) {
        setup();
    }
}

static int thread_count_of(const struct client_case *subject)
{
    const struct client_benchmark *benchmark = subject->benchmark;
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        const struct client_parameter *parameter = &benchmark->parameters[i];
        if (strcmp(parameter->name, "threads") == 0 && parameter->values != NULL &&
            parameter->is_threads) {
            return (int)parameter->values[subject->choices[i]];
        }
    }
    return 1;
}

struct tare_state *client_state_new(struct client *client, const struct client_case *subject)
{
    struct tare_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return NULL;
    }
    state->client = client;
    state->subject = subject;
    state->thread_count = thread_count_of(subject);
    return state;
}

/* Set-up may take long and start threads of its own; the team's are made after it. */
static void state_setup(struct tare_state *state)
{
    state->is_setup_done = true;
    if (state->subject->benchmark->setup != NULL) {
        state->subject->benchmark->setup(state);
    }
    if (state->outcome != CLIENT_OUTCOME_OK) {
        return;
    }
    /* The body decides by its loop whether it is in latency mode, so the buffer must be there. It
     * is only touched, and so only takes memory, when the mode is used. */
    state->histogram = malloc(sizeof *state->histogram);
    if (state->histogram == NULL) {
        tare_fail(state, "out of memory for a histogram of %zu bytes", sizeof *state->histogram);
        return;
    }
    if (state->thread_count > 1) {
        state->team = client_team_new(state, state->thread_count);
    }
}

static void check_against_reference(struct tare_state *state);

static void check_case(struct tare_state *state)
{
    const struct client_benchmark *benchmark = state->subject->benchmark;
    bool is_compared = benchmark->variant_count > 1;
    if (benchmark->check == NULL && !is_compared) {
        return;
    }
    state->is_checking = true;
    bool is_done = client_body_call(state, 1);
    state->is_checking = false;
    if (!is_done) {
        return;
    }
    if (benchmark->check != NULL) {
        benchmark->check(state);
    }
    if (is_compared && !state->subject->variant->is_reference &&
        state->outcome == CLIENT_OUTCOME_OK && state->result.is_given) {
        check_against_reference(state);
    }
}

static void check_against_reference(struct tare_state *state)
{
    struct client_case subject = *state->subject;
    subject.variant = &subject.benchmark->variants[0];
    struct tare_state *reference = client_state_new(state->client, &subject);
    if (reference == NULL) {
        tare_fail(state, "out of memory for the reference's state");
        return;
    }
    state_setup(reference);
    reference->is_checking = true;
    if (reference->outcome == CLIENT_OUTCOME_OK && client_body_call(reference, 1)) {
        client_result_compare(state, &reference->result);
    }
    if (reference->outcome != CLIENT_OUTCOME_OK) {
        tare_fail(state, "the reference '%s' could not be run: %s", subject.variant->name,
                  reference->reason);
    }
    client_state_free(reference);
}

void client_state_free(struct tare_state *state)
{
    client_team_free(state->team);
    state->team = NULL;
    if (state->is_setup_done && state->subject->benchmark->teardown != NULL) {
        state->subject->benchmark->teardown(state);
    }
    free(state->histogram);
    free(state->result.bytes);
    free(state);
}

void client_close(struct client *client, ptrdiff_t index)
{
    if (client->states[index] != NULL) {
        client_state_free(client->states[index]);
        client->states[index] = NULL;
    }
}

void client_end(struct client *client)
{
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        client_close(client, i);
    }
    while (client->launched_count > 0) {
        const struct client_benchmark *newest = client->launched[--client->launched_count];
        if (newest->launch_teardown != NULL) {
            newest->launch_teardown();
        }
    }
}
