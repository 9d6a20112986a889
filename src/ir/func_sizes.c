// SPDX-License-Identifier: Apache-2.0
// func_sizes.c - symbolic sizes of a func, for users: their names, and concrete dims of its parameters.

#include "ir/ir.h"

const char *ch_func_size_name(const ch_func *f, int i) {
    return f != NULL && i >= 0 && i < f->dims.n ? f->dims.data[i].name : NULL;
}

ch_dtype ch_func_param_dtype(const ch_func *f, int i) {
    return f != NULL && i >= 0 && i < f->body->n_params ? f->body->params[i]->type->dtype : (ch_dtype)0;
}

ch_status ch_func_param_dims(const ch_func *f, int i, int n_sizes, const char *const *names, const int64_t *values,
                             int *out_rank, int64_t *out_dims) {
    if (f == NULL || i < 0 || i >= f->body->n_params)
        return ch__fail(CH__E_argument, "param_dims: parameter %d — @%s has %d", i, f == NULL ? "" : f->name,
                        ch_func_num_params(f));
    const ch__type *t = f->body->params[i]->type;
    for (int k = 0; k < n_sizes; k++)
        if (values[k] < 0)
            return ch__fail(CH__E_argument, "param_dims: %s is %" PRId64 " — sizes are 0 or more", names[k], values[k]);
    ch__dim_env env = {n_sizes, names, values};
    for (int d = 0; d < t->rank; d++) CH_TRY(ch__dim_eval(t->dims[d], &env, &out_dims[d]));
    *out_rank = t->rank;
    return CH_OK;
}
