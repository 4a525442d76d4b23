/* team.c: the threads of one case, kept between slices and released together.
 *
 * The calling thread is member 0. The others sleep until there is a call to make. In it each
 * prepares, then meets the others at the loop; the last to arrive lets all go at once. Waiting
 * spins first, so that on free CPUs the starts lie within a fraction of a microsecond, then sleeps,
 * so that threads beyond the CPUs do not keep each other from arriving. A body that returns without
 * having reached its loop is counted as arrived: the others must not wait for it. */
#include "client/client.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* About 10 µs of polling, several times what a running thread needs to arrive after another. */
enum { SPINS_MAX = 4000 };

struct member {
    struct client_team *team;
    struct tare_state *state;
    pthread_t thread;
    bool is_started;
};

struct client_team {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* of everything below */
    uint64_t call_number;   /* grows with each call; under the mutex */
    uint64_t iterations;
    int running;      /* members other than 0 still in the body; under the mutex */
    bool is_quitting; /* under the mutex */
    _Atomic int arrived;
    _Atomic int left;
    _Atomic bool is_released;
    int count;
    struct client_heap heap_before;
    struct member members[];
};

static void *member_main(void *argument);
static struct tare_state *member_state_new(const struct tare_state *leader, int index);

struct client_team *client_team_new(struct tare_state *leader, int thread_count)
{
    struct client_team *team =
        calloc(1, sizeof *team + (size_t)thread_count * sizeof *team->members);
    if (team == NULL) {
        tare_fail(leader, "out of memory for %d threads", thread_count);
        return NULL;
    }
    team->count = thread_count;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->changed, NULL);
    team->members[0].state = leader;
    for (int i = 1; i < thread_count; i++) {
        struct member *member = &team->members[i];
        member->team = team;
        member->state = member_state_new(leader, i);
        int error = member->state == NULL
                        ? ENOMEM
                        : pthread_create(&member->thread, NULL, member_main, member);
        member->is_started = error == 0;
        if (error != 0) {
            tare_fail(leader, "cannot start thread %d of %d: %s", i + 1, thread_count,
                      strerror(error));
            client_team_free(team);
            return NULL;
        }
        member->state->team = team;
    }
    return team;
}

static struct tare_state *member_state_new(const struct tare_state *leader, int index)
{
    struct tare_state *state = client_state_new(leader->client, leader->subject);
    if (state == NULL) {
        return NULL;
    }
    state->thread_index = index;
    state->histogram = malloc(sizeof *state->histogram);
    if (state->histogram == NULL) {
        free(state);
        return NULL;
    }
    return state;
}

static void wait_for_release(struct client_team *team);

void client_team_arrive(struct client_team *team)
{
    if (atomic_fetch_add(&team->arrived, 1) + 1 < team->count) {
        wait_for_release(team);
        return;
    }
    if (team->members[0].state->count == CLIENT_COUNT_ALLOCATIONS) {
        client_heap_begin(&team->heap_before);
    }
    pthread_mutex_lock(&team->mutex);
    atomic_store(&team->is_released, true);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

static void wait_for_release(struct client_team *team)
{
    for (int i = 0; i < SPINS_MAX; i++) {
        if (atomic_load_explicit(&team->is_released, memory_order_acquire)) {
            return;
        }
    }
    pthread_mutex_lock(&team->mutex);
    while (!atomic_load(&team->is_released)) {
        pthread_cond_wait(&team->changed, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
}

/* The last loop to end closes the counted region: a heap belongs to all threads. */
void client_team_leave(struct client_team *team)
{
    struct tare_state *leader = team->members[0].state;
    if (atomic_fetch_add(&team->left, 1) + 1 == team->count &&
        leader->count == CLIENT_COUNT_ALLOCATIONS) {
        client_heap_end(&team->heap_before, &leader->heap);
    }
}

static void member_call(struct client_team *team, struct tare_state *state)
{
    client_body_call_here(state, team->iterations);
    if (!state->is_arrived) {
        client_team_arrive(team);
    }
}

void client_team_call(struct client_team *team, uint64_t iterations)
{
    const struct tare_state *leader = team->members[0].state;
    pthread_mutex_lock(&team->mutex);
    atomic_store(&team->arrived, 0);
    atomic_store(&team->left, 0);
    atomic_store(&team->is_released, false);
    for (int i = 1; i < team->count; i++) {
        struct tare_state *state = team->members[i].state;
        state->data = leader->data;
        state->count = leader->count;
        state->is_checking = leader->is_checking;
    }
    team->iterations = iterations;
    team->running = team->count - 1;
    team->call_number++;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);

    member_call(team, team->members[0].state);

    pthread_mutex_lock(&team->mutex);
    while (team->running > 0) {
        pthread_cond_wait(&team->changed, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
}

static void *member_main(void *argument)
{
    struct member *member = argument;
    struct client_team *team = member->team;
    uint64_t done_number = 0;
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        while (!team->is_quitting && team->call_number == done_number) {
            pthread_cond_wait(&team->changed, &team->mutex);
        }
        if (team->is_quitting) {
            break;
        }
        done_number = team->call_number;
        pthread_mutex_unlock(&team->mutex);
        member_call(team, member->state);
        pthread_mutex_lock(&team->mutex);
        team->running--;
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

struct tare_state *client_team_member(struct client_team *team, int index)
{
    return team->members[index].state;
}

void client_team_free(struct client_team *team)
{
    if (team == NULL) {
        return;
    }
    pthread_mutex_lock(&team->mutex);
    team->is_quitting = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
    for (int i = 1; i < team->count; i++) {
        struct member *member = &team->members[i];
        if (member->is_started) {
            pthread_join(member->thread, NULL);
        }
        if (member->state != NULL) {
            free(member->state->histogram);
            free(member->state->result.bytes);
            free(member->state);
        }
    }
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}
