/* Goal: children get the C library's tunable beside the user's own, and a better place in the queue
 * where that is permitted, both only for as long as asked. Method: this process's own environment
 * and nice level. */
#include "os/environment.h"
#include "os/priority.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const char *tuned(struct arena *arena)
{
    struct environment environment = environment_copy(arena);
    environment_tune(&environment, "glibc.malloc.hugetlb", "1");
    const char *found = NULL;
    for (ptrdiff_t i = 0; i < environment.count; i++) {
        if (strncmp(environment.variables[i], "GLIBC_TUNABLES=", 15) == 0) {
            assert_null(found);
            found = environment.variables[i] + 15;
        }
    }
    return found;
}

static void test_tunable_joins_the_users(void **state)
{
    (void)state;
    struct arena arena = {0};
    unsetenv("GLIBC_TUNABLES");
    assert_string_equal(tuned(&arena), "glibc.malloc.hugetlb=1");
    setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=1", 1);
    assert_string_equal(tuned(&arena), "glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1");
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0", 1);
    assert_string_equal(tuned(&arena), "glibc.malloc.hugetlb=0"); /* the user's word counts */
    unsetenv("GLIBC_TUNABLES");
    arena_free(&arena);
}

static void test_priority_is_given_back(void **state)
{
    (void)state;
    int before = getpriority(PRIO_PROCESS, 0);
    struct priority priority = priority_raise();
    assert_int_equal(priority.before, before);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), priority.now);
    assert_true(priority.is_raised ? priority.now < before : priority.now == before);
    priority_restore(&priority);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}

/* Where it is not permitted nothing changes; also not when the level is better already. */
static void test_priority_without_permission(void **state)
{
    (void)state;
    int before = getpriority(PRIO_PROCESS, 0);
    if (setpriority(PRIO_PROCESS, 0, -15) == 0) {
        struct priority priority = priority_raise();
        assert_false(priority.is_raised);
        priority_restore(&priority);
        assert_int_equal(getpriority(PRIO_PROCESS, 0), -15);
        assert_int_equal(setpriority(PRIO_PROCESS, 0, before), 0);
    } else {
        struct priority priority = priority_raise();
        priority_restore(&priority);
        assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tunable_joins_the_users),
        cmocka_unit_test(test_priority_is_given_back),
        cmocka_unit_test(test_priority_without_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
