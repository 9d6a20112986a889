// SPDX-License-Identifier: Apache-2.0
// test_tensor_huge.c - a tensor of more than 2^31 elements: filled, written in place behind element 2^31, seen through
// views, reduced, indexed. Also sizes that no memory can have, which are refused by name.
#include "chaac/chaac.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t N = 2200000000; // above 2^31 = 2147483648

// What no machine has is refused here, so that sanitizers, which end the program then, are not asked.
static void *bounded(void *user, void *p, size_t old_bytes, size_t bytes) {
    (void)user, (void)old_bytes;
    if (bytes > (size_t)1 << 40) return NULL;
    if (bytes > 0) return realloc(p, bytes);
    free(p);
    return NULL;
}

static void ok(ch_status s) {
    if (s != CH_OK) fail_msg("%s", ch_error_message());
}

static int64_t available_mib(void) {
    char line[256];
    long long kib = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lld", &kib) == 1) break;
    if (f) fclose(f);
    return kib / 1024;
}

static void more_than_31_bits(void **state) {
    (void)state;
    if (available_mib() < 6000) CH_SKIP("less than 6 GB of memory are available");
    ch_tensor *x = ch_keep(ch_full(CH_U8, 3, 1, &N));
    ok(ch_realize(x));
    ch_scope s = ch_scope_begin();
    ok(ch_assign(ch_slice_axis(x, 0, N - 3, N), ch_from_data(CH_U8, (uint8_t[]){7, 8, 9}, 1, (int64_t[]){3})));
    ok(ch_realize(x)); // in place: another 2.2 GB would show
    ok(ch_scope_end(s));
    uint8_t tail[5];
    ok(ch_read_bytes(ch_slice_axis(x, 0, N - 5, N), tail, sizeof tail));
    assert_memory_equal(tail, ((uint8_t[]){3, 3, 7, 8, 9}), sizeof tail);
    uint8_t first[3]; // every 2^30th element, backwards: the last, and those 2^30 and 2^31 before it
    ch_tensor *back =
        ch_slice(ch_reverse(x, 1, (int[]){0}), 1, (int64_t[]){0}, (int64_t[]){CH_END}, (int64_t[]){(int64_t)1 << 30});
    assert_int_equal(ch_tensor_numel(back), 3);
    ok(ch_read_bytes(back, first, sizeof first));
    assert_memory_equal(first, ((uint8_t[]){9, 3, 3}), sizeof first);
    double value;
    ok(ch_item(ch_amax(x, 0, NULL), &value));
    assert_true(value == 9);
    ok(ch_item(ch_argmax(x, 0), &value));
    assert_true(value == (double)(N - 1));
    const int64_t at = N - 2;
    ch_tensor *index = ch_from_i64(&at, 0, NULL);
    ok(ch_item(ch_get(x, 1, &index), &value));
    assert_true(value == 8);
    uint8_t column[2];
    const int64_t last = N / 2 - 1;
    ok(ch_read_bytes(ch_take(ch_reshape(x, 2, (int64_t[]){2, N / 2}), ch_from_i64(&last, 0, NULL), 1), column, 2));
    assert_true(column[0] == 3 && column[1] == 9);
    ch_release(x);
    ch_thread_end();
    assert_int_equal(ch_tensors_alive(), 0);
}

static void sizes_without_memory(void **state) {
    (void)state;
    const int64_t half[2] = {INT64_C(1) << 32, INT64_C(1) << 32}, big[1] = {INT64_C(1) << 61};
    assert_int_not_equal(ch_realize(ch_ones(CH_F32, 2, half)), CH_OK);
    assert_string_equal(ch_error_id(), "dim_overflow");
    assert_int_not_equal(ch_realize(ch_ones(CH_F64, 1, big)), CH_OK);
    const int64_t many[1] = {INT64_C(1) << 46};
    ch_tensor *x = ch_zeros(CH_F32, 1, many);
    assert_int_equal(ch_realize(x), CH_RESOURCE_EXHAUSTED);
    assert_int_not_equal(ch_check(ch_reshape(ch_zeros(CH_F32, 1, many), 2, half)), CH_OK);
    float one = 1;
    ch_tensor *seen = ch_broadcast_to(ch_from_f32(&one, 0, NULL), 1, many); // a view of one element
    ok(ch_realize(seen));
    float last;
    ok(ch_read_f32(ch_slice_axis(seen, 0, -1, CH_END), &last, 1));
    assert_true(last == 1);
    assert_null(ch_data(seen));
    assert_string_equal(ch_error_id(), "out_of_memory");
    assert_int_equal(ch_realize(ch_add(seen, seen)), CH_RESOURCE_EXHAUSTED);
    ch_thread_end();
    assert_int_equal(ch_tensors_alive(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_without_memory),
        cmocka_unit_test(more_than_31_bits),
    };
    if (ch_set_allocator(bounded, NULL) != CH_OK) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
