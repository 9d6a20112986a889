// SPDX-License-Identifier: Apache-2.0
// hlo/take_collective.c - operations between replicas, and shardings.
//
// Replicas are what runs the program side by side; groups and pairs number them. A channel (channel_handle,
// use_global_device_ids) is passed over where there is one partition, since then the number of a device is that of its
// replica: JAX writes one so. Several arrays in one operation become one operation each.
#include "hlo/hlo.h"

#include <string.h>

static void check_channel(ch__hlo_take *t) {
    const ch__hlo_attr *n = ch__hlo_dict_get(t->r->module_attrs, "mhlo.num_partitions");
    if (n != NULL && n->kind == CH__HA_INT && n->i > 1 && ch__hlo_attr_of(t, "channel_handle") != NULL)
        ch__hlo_fail(t, CH__E_unsupported,
                     "a channel between %d partitions — replicas are in the IR, partitions are not", (int)n->i);
}

// Rows of replica_groups, -1 being no member.
static ch__attr take_groups(ch__hlo_take *t) {
    check_channel(t);
    const ch__hlo_attr *a = ch__hlo_attr_of(t, "replica_groups");
    int n;
    if (!a) ch__hlo_fail(t, CH__E_attribute, "replica_groups is missing");
    int64_t *v = ch__hlo_ints_of(t, a, &n);
    if (a->kind != CH__HA_DENSE || a->type->type->rank != 2)
        ch__hlo_fail(t, CH__E_attribute, "replica_groups is no dense<[[0, 1]]> : tensor<1x2xi64>");
    int64_t rows = a->type->type->dims[0].val, columns = a->type->type->dims[1].val;
    int64_t *out = CH_NEW_ARRAY(t->scratch, int64_t, n + rows + 1);
    int m = 0;
    for (int64_t i = 0; i < rows; i++) {
        int head = m++;
        for (int64_t k = 0; k < columns; k++)
            if (v[i * columns + k] != -1) out[m++] = v[i * columns + k];
        out[head] = m - head - 1;
    }
    if (rows == 0)
        ch__hlo_fail(t, CH__E_unsupported, "replica_groups is empty: how many replicas there are is not said");
    return ch__attr_rows(CH__ATTR_replicas, m, out);
}

// Of a region that combines two numbers by one operation.
static ch__attr take_kind(ch__hlo_take *t, ch_dtype d) {
    int kind = ch__hlo_reduce_kind(t->op->n_regions == 1 ? ch__hlo_region_op(t->op->regions[0]) : NULL, d);
    if (kind >= 0) return ch__attr_int(CH__ATTR_kind, kind);
    ch__hlo_fail(t, CH__E_unsupported,
                 "its region is not one of add, multiply, maximum, minimum, and, or of its two params");
}

static void take_each(ch__hlo_take *t, ch__opcode code, int n, ch__attr *attrs) {
    if (t->op->n_results != t->op->n_operands)
        ch__hlo_fail(t, CH__E_arity, "%d results are written for %d operands", t->op->n_results, t->op->n_operands);
    for (int i = 0; i < t->op->n_operands; i++) {
        ch__value *x = ch__hlo_in(t, i);
        ch__hlo_out(t, i, ch__hlo_build1(t, code, 1, &x, n, attrs, NULL));
    }
}

void ch__hlo_take_replica_id(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, 0, NULL, 0, NULL, NULL));
}

void ch__hlo_take_all_reduce(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__attr attrs[4] = {take_groups(t), take_kind(t, ch__hlo_in(t, 0)->type->dtype)};
    int n = 2;
    if (row->code == CH_OP_reduce_scatter)
        attrs[n++] = ch__attr_int(CH__ATTR_dim, ch__hlo_int(t, "scatter_dimension", NULL, 0));
    if (attrs[1].i == CH__MIN || attrs[1].i == CH__MAX) n = ch__hlo_tie(t, attrs, n);
    take_each(t, row->code, n, attrs);
}

void ch__hlo_take_all_gather(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__attr attrs[2] = {take_groups(t), ch__attr_int(CH__ATTR_dim, ch__hlo_int(t, "all_gather_dim", NULL, 0))};
    take_each(t, row->code, 2, attrs);
}

void ch__hlo_take_all_to_all(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__attr attrs[3] = {take_groups(t), ch__attr_int(CH__ATTR_split_dim, ch__hlo_int(t, "split_dimension", NULL, 0)),
                         ch__attr_int(CH__ATTR_concat_dim, ch__hlo_int(t, "concat_dimension", NULL, 0))};
    int64_t size = ch__group_size(&attrs[0]), count = ch__hlo_int(t, "split_count", NULL, size);
    if (count != size)
        ch__hlo_fail(t, CH__E_attribute, "split_count is %d, the groups have %d members", (int)count, (int)size);
    take_each(t, row->code, 3, attrs);
}

void ch__hlo_take_permute(ch__hlo_take *t, const ch__hlo_row *row) {
    int n;
    check_channel(t);
    int64_t *v = ch__hlo_ints(t, "source_target_pairs", NULL, &n), *both = CH_NEW_ARRAY(t->scratch, int64_t, n + 2);
    if (n % 2) ch__hlo_fail(t, CH__E_attribute, "source_target_pairs holds %d numbers, which are no pairs", n);
    for (int i = 0; i < n / 2; i++) {
        both[i] = v[2 * i];
        both[n / 2 + i] = v[2 * i + 1];
    }
    ch__attr attr = ch__attr_pairs(CH__ATTR_pairs, n / 2, both);
    take_each(t, row->code, 1, &attr);
}

void ch__hlo_take_shard(ch__hlo_take *t, const ch__hlo_row *row) {
    const ch__hlo_attr *a = ch__hlo_attr_of(t, "sharding");
    const char *text = a && a->n ? ch__hlo_sharding(t->r, a->s, a->s + a->n) : NULL;
    ch__value *x = ch__hlo_in(t, 0);
    ch__attr attr = ch__attr_str(CH__ATTR_sharding, text);
    ch__hlo_out(t, 0, text ? ch__hlo_build1(t, row->code, 1, &x, 1, &attr, NULL) : x);
}

// sdy.sharding = #sdy.sharding<@mesh, [{"x"}]> on params and results.
void ch__hlo_take_shardings(ch__hlo_take *t, const ch__hlo_func *f) {
    for (int k = 0; k < 2; k++) {
        ch__hlo_attr *const *dicts = k == 0 ? f->param_attrs : f->result_attrs;
        int n = k == 0 ? f->func->body->n_params : f->func->body->n_results;
        for (int i = 0; dicts && i < n; i++) {
            const ch__hlo_attr *a = ch__hlo_dict_get(dicts[i], "sdy.sharding");
            const char *text = a && a->n ? ch__hlo_sharding(t->r, a->s, a->s + a->n) : NULL;
            const ch__type *type = (k == 0 ? f->func->body->params[i] : f->func->body->results[i])->type;
            if (!text) continue;
            t->r->p.here = a->at;
            ch__sharding_fits(ch__sharding_read(t->scratch, "sdy.sharding", text), "sdy.sharding", type);
            if (k == 0)
                ch__set_param_sharding(f->func, i, text);
            else
                ch__set_result_sharding(f->func, i, text);
        }
    }
}
