// SPDX-License-Identifier: Apache-2.0
// hlo/take_index.c - StableHLO to IR: gather, top_k; dimension numbers.
//
// The IR's gather and scatter are StableHLO's under other attribute names (src/ir/infer_indexed.c).
#include "hlo/hlo.h"

#include <string.h>

enum { CH__HLO_NUMBERS = 5 };
typedef struct {
    const char *name;
    ch__attr_id id;
    bool always; // also when it is empty
} hlo_index_list;

static const hlo_index_list hlo_index_gather[CH__HLO_NUMBERS] = {
    {"offset_dims", CH__ATTR_offset_dims, true},
    {"collapsed_slice_dims", CH__ATTR_collapsed, true},
    {"operand_batching_dims", CH__ATTR_operand_batch, false},
    {"start_indices_batching_dims", CH__ATTR_indices_batch, false},
    {"start_index_map", CH__ATTR_index_map, true},
};
static const hlo_index_list hlo_index_scatter[CH__HLO_NUMBERS] = {
    {"update_window_dims", CH__ATTR_window_dims, true},
    {"inserted_window_dims", CH__ATTR_inserted, true},
    {"input_batching_dims", CH__ATTR_operand_batch, false},
    {"scatter_indices_batching_dims", CH__ATTR_indices_batch, false},
    {"scatter_dims_to_operand_dims", CH__ATTR_index_map, true},
};

// The dimension numbers as attributes; gives how many.
static int hlo_index_numbers(ch__hlo_take *t, const ch__hlo_attr *numbers, const hlo_index_list *lists,
                             ch__attr *attrs) {
    if (!numbers || numbers->kind != CH__HA_DICT) ch__hlo_fail(t, CH__E_attribute, "its dimension numbers are missing");
    int n = 0, count;
    for (int i = 0; i < CH__HLO_NUMBERS; i++) {
        int64_t *v = ch__hlo_ints_of(t, ch__hlo_dict_get(numbers, lists[i].name), &count);
        if (!v) v = CH_NEW_ARRAY(t->scratch, int64_t, 1);
        if (count || lists[i].always) attrs[n++] = ch__attr_ints(lists[i].id, count, v);
    }
    int64_t *v = ch__hlo_ints_of(t, ch__hlo_dict_get(numbers, "index_vector_dim"), &count);
    attrs[n++] = ch__attr_int(CH__ATTR_index_dim, count ? v[0] : 0);
    return n;
}

int ch__hlo_scatter_numbers(ch__hlo_take *t, ch__attr *attrs) {
    return hlo_index_numbers(t, ch__hlo_attr_of(t, "scatter_dimension_numbers"), hlo_index_scatter, attrs);
}

void ch__hlo_take_gather(ch__hlo_take *t, const ch__hlo_row *row) {
    const ch__hlo_attr *numbers = ch__hlo_attr_of(t, "dimension_numbers");
    ch__attr attrs[8];
    int n = hlo_index_numbers(t, numbers, hlo_index_gather, attrs), count;
    int64_t *sizes = ch__hlo_ints(t, "slice_sizes", NULL, &count);
    if (!sizes) ch__hlo_fail(t, CH__E_attribute, "slice_sizes is missing");
    ch__dim *dims = CH_NEW_ARRAY(t->scratch, ch__dim, count + 1);
    for (int i = 0; i < count; i++) dims[i] = ch__dim_const(sizes[i]);
    attrs[n++] = ch__attr_dims(CH__ATTR_sizes, count, dims);
    ch__value *in[2] = {ch__hlo_in(t, 0), NULL};
    in[1] = ch__hlo_in(t, 1);
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, 2, in, n, attrs, NULL));
}

void ch__hlo_take_top_k(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0);
    const ch__type *types[2] = {ch__hlo_result_type(t, 0), ch__hlo_result_type(t, 1)};
    ch__attr a = ch__attr_dim(CH__ATTR_k, ch__dim_const(ch__hlo_int(t, "k", NULL, 0)));
    ch__op *op = ch__build(&t->b, row->code, 1, &x, 1, &a, 2, types, 0, NULL);
    ch__hlo_out(t, 0, &op->results[0]);
    ch__hlo_out(t, 1, &op->results[1]);
}
