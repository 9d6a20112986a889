// SPDX-License-Identifier: Apache-2.0
// test_native_composites.c - the composites of the library, forward and gradients, on the native engine against the
// interpreter. The compiler runs four times.
#include "native_main.h"

#include "composites.h"

static void composites_of_f64(void **state) {
    (void)state;
    composites("native", "f64");
}

static void composites_of_f32(void **state) {
    (void)state;
    composites("native", "f32");
}

static int run_all(void) {
    static const int64_t empty_one_odd_prime[] = {0, 1, 3, 7, 13};
    engine = "native";
    rows = empty_one_odd_prime;
    n_rows = 5;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composites_of_f64),
        cmocka_unit_test(composites_of_f32),
    };
    return cmocka_run_group_tests_name("native_composites", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
