/* The arena: alignment, zeroing, growth, marks, and what happens when memory runs out. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Blocks of odd sizes are aligned for any type, zeroed, and do not overlap. */
static void test_alignment_and_zero(void **state)
{
    (void)state;
    struct arena arena = {0};
    unsigned char *places[200];
    for (int i = 0; i < 200; i++) {
        places[i] = arena_alloc(&arena, i + 1, 1);
        assert_int_equal((uintptr_t)places[i] % alignof(max_align_t), 0);
        for (int j = 0; j <= i; j++) {
            assert_int_equal(places[i][j], 0);
        }
        memset(places[i], i + 1, (size_t)i + 1);
    }
    for (int i = 0; i < 200; i++) {
        assert_int_equal(places[i][0], i + 1);
        assert_int_equal(places[i][i], i + 1);
    }
    arena_free(&arena);
    assert_null(arena.block);
}

/* A request larger than any block gets a block of its own; zero bytes are allowed. */
static void test_large_and_empty(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *large = arena_alloc(&arena, 5000000, 1);
    large[4999999] = 'x';
    assert_non_null(arena_alloc(&arena, 0, 8));
    assert_int_equal(large[4999999], 'x');
    arena_free(&arena);
}

/* Memory given back by a reset is zeroed again when it is handed out anew; older memory stays. */
static void test_mark_and_reset(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *kept = arena_strdup(&arena, "kept");
    struct arena_mark mark = arena_mark(&arena);
    for (int i = 0; i < 100; i++) {
        memset(arena_alloc(&arena, 10000, 1), 0xFF, 10000);
    }
    arena_reset(&arena, mark);
    const char *fresh = arena_alloc(&arena, 5000, 1);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(fresh[i], 0);
    }
    assert_string_equal(kept, "kept");
    arena_free(&arena);
}

/* A mark of an empty arena takes everything away. */
static void test_reset_to_empty(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct arena_mark mark = arena_mark(&arena);
    arena_alloc(&arena, 100, 100);
    arena_reset(&arena, mark);
    assert_null(arena.block);
    arena_free(&arena);
}

/* Growing keeps the content, doubles, and leaves an array that is large enough alone. */
static void test_grow(void **state)
{
    (void)state;
    struct arena arena = {0};
    ptrdiff_t capacity = 0;
    int *numbers = arena_grow(&arena, NULL, &capacity, 1, sizeof(int));
    assert_int_equal(capacity, 8);
    for (int i = 0; i < 1000; i++) {
        numbers = arena_grow(&arena, numbers, &capacity, i + 1, sizeof(int));
        numbers[i] = i;
    }
    assert_int_equal(capacity, 1024);
    assert_ptr_equal(arena_grow(&arena, numbers, &capacity, 1024, sizeof(int)), numbers);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], i);
    }
    numbers = arena_grow(&arena, numbers, &capacity, 5000, sizeof(int));
    assert_int_equal(capacity, 5000);
    arena_free(&arena);
}

/* Text helpers copy exactly what they are told, and formatted text of any length arrives whole. */
static void test_text(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_strdup(&arena, ""), "");
    char *text = arena_printf(&arena, "%0*d|%s", 100000, 7, "end");
    assert_int_equal(strlen(text), 100004);
    assert_string_equal(text + 99999, "7|end");
    arena_free(&arena);
}

static jmp_buf out_of_memory;

static void hook(void)
{
    longjmp(out_of_memory, 1);
}

/* The n-th block that fails calls the hook, for each n a command of several blocks has; the arena
 * can be freed afterwards. */
static void test_nth_failure(void **state)
{
    (void)state;
    arena_set_failure_hook(hook);
    volatile int failures = 0;
    for (volatile int nth = 1; nth <= 6; nth++) {
        struct arena arena = {0};
        arena_fail_nth_block(nth);
        if (setjmp(out_of_memory) == 0) {
            for (int i = 0; i < 4; i++) {
                arena_alloc(&arena, 2000000, 1);
            }
        } else {
            failures++;
        }
        arena_fail_nth_block(0);
        arena_free(&arena);
    }
    arena_set_failure_hook(NULL);
    assert_int_equal(failures, 4);
}

/* A product that overflows is out of memory, not a small block. */
static void test_overflow(void **state)
{
    (void)state;
    struct arena arena = {0};
    arena_set_failure_hook(hook);
    volatile int failures = 0;
    if (setjmp(out_of_memory) == 0) {
        arena_alloc(&arena, PTRDIFF_MAX / 2, 3);
    } else {
        failures++;
    }
    if (setjmp(out_of_memory) == 0) {
        arena_alloc(&arena, PTRDIFF_MAX, 1);
    } else {
        failures++;
    }
    arena_set_failure_hook(NULL);
    assert_int_equal(failures, 2);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment_and_zero),
        cmocka_unit_test(test_large_and_empty),
        cmocka_unit_test(test_mark_and_reset),
        cmocka_unit_test(test_reset_to_empty),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_nth_failure),
        cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
