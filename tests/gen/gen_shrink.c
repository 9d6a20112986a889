// SPDX-License-Identifier: Apache-2.0
// gen_shrink.c - makes a func that breaks something smaller, and keeps what is left as a golden text.
//
// Greedy, on clones: results are dropped, then ops from the last to the first: each result of an op is replaced by an
// earlier value of its type (an operand when one fits, else any value that stands before it in its region or outside)
// or by a constant; what nothing needs afterwards goes, params too. Repeated until nothing can go.
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- clean-up

typedef struct unused {
    const int32_t *uses;
    int64_t removed;
} unused;

static void remove_unused(void *arg, ch__op *op) {
    unused *u = arg;
    if (op->code == CH_OP_alloc && op->n_operands) return; // its size symbol may be in use
    for (int i = 0; i < op->n_results; i++)
        if (u->uses[op->results[i].id]) return;
    ch__op_remove(op);
    u->removed++;
}

static void clean(ch_func *f) {
    unused u = {.removed = 1};
    while (u.removed) {
        ch__arena *scratch = ch__arena_create();
        u.uses = ch__use_counts(scratch, f);
        u.removed = 0;
        ch__walk(f->body, remove_unused, &u);
        ch__arena_destroy(scratch);
    }
}

// ---------------------------------------------------------------- one op less

typedef struct find {
    int64_t at, want;
    ch__op *op;
} find;

static void find_op(void *arg, ch__op *op) {
    find *s = arg;
    if (s->at++ == s->want) s->op = op;
}

static ch__op *op_at(ch_func *f, int64_t i) {
    find s = {.want = i};
    ch__walk(f->body, find_op, &s);
    return s.op;
}

// The how-th way to do without a value: an operand of the op, a param of the func or region, an earlier op's result.
static ch__value *stand_in(ch__op *op, const ch__value *v, int how) {
    for (int i = 0; i < op->n_operands; i++)
        if (ch__type_equal(op->operands[i]->type, v->type) && how-- == 0) return op->operands[i];
    for (ch__region *r = op->parent; r; r = r->owner ? r->owner->parent : NULL)
        for (int i = 0; i < r->n_params; i++)
            if (ch__type_equal(r->params[i]->type, v->type) && how-- == 0) return r->params[i];
    return NULL;
}

// Replaces the results of op i; false when there is no how-th way.
static bool drop_op(ch_func *f, int64_t i, int how) {
    ch__op *op = op_at(f, i);
    if (!op || op->n_results == 0) return false;
    ch__builder b = ch__builder_at_end(op->parent);
    b.before = op;
    if (op->code == CH_OP_const || op->code == CH_OP_tape_new) return false;
    ch__value *values[64];
    if (op->n_results > 64) return false;
    for (int k = 0; k < op->n_results; k++) {
        const ch__type *t = op->results[k].type;
        values[k] = stand_in(op, &op->results[k], how);
        if (values[k]) continue;
        if (how > 2 || t->tape || ch__dtype_class(t->dtype) == 's') return false;
        values[k] = ch__b_splat(&b, t, how == 2 ? 0 : 1);
    }
    ch__value **map = CH_NEW_ARRAY(f->module->arena, ch__value *, f->n_values);
    for (int k = 0; k < op->n_results; k++) map[op->results[k].id] = values[k];
    ch__replace_uses(f, map);
    return true;
}

static bool drop_result(ch_func *f, int i) {
    ch__region *r = f->body;
    if (r->n_results < 2) return false;
    ch__value **left = CH_NEW_ARRAY(f->module->arena, ch__value *, r->n_results);
    int n = 0;
    for (int k = 0; k < r->n_results; k++)
        if (k != i) left[n++] = r->results[k];
    f->inout = NULL;
    ch__func_set_results(f, n, left, NULL);
    return true;
}

// ---------------------------------------------------------------- the search

static void verify_it(void *f) { ch__verify_module(((ch_func *)f)->module); }

// Takes the candidate when it is still a func and still fails.
static bool better(ch_func **best, ch_func *candidate, bool (*fails)(void *, const ch_func *), void *arg) {
    clean(candidate);
    ch__renumber(candidate);
    if (ch__count_ops(candidate) > ch__count_ops(*best)) return false;
    if (ch__protect(verify_it, candidate) != CH_OK || !fails(arg, candidate)) return false;
    *best = candidate;
    return true;
}

ch_func *ch__gen_shrink(const ch_func *f, bool (*fails)(void *arg, const ch_func *f), void *arg) {
    ch_func *best = ch__func_clone(f);
    bool smaller = true;
    for (int round = 0; smaller && round < 20; round++) {
        smaller = false;
        for (int i = best->body->n_results - 1; i >= 0; i--) {
            ch_func *c = ch__func_clone(best);
            if (i < c->body->n_results && drop_result(c, i)) smaller |= better(&best, c, fails, arg);
        }
        for (int64_t i = ch__count_ops(best) - 1; i >= 0; i--) {
            for (int how = 0; how < 6; how++) {
                int64_t before = ch__count_ops(best);
                ch_func *c = ch__func_clone(best);
                if (!drop_op(c, i, how)) continue;
                if (!better(&best, c, fails, arg)) continue;
                smaller |= ch__count_ops(best) < before;
                break;
            }
        }
    }
    return best;
}

void ch__gen_keep(const ch_func *f, const char *folder, const char *name, uint64_t seed) {
    char *text = NULL, path[512];
    if (ch_func_to_text(f, &text) != CH_OK) return;
    snprintf(path, sizeof path, "%s/%s-%" PRIu64 ".ir", folder, name, seed);
    printf("# %s\n", path);
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        printf("# %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "// SPDX-License-Identifier: Apache-2.0\n%s", text);
        fclose(file);
    }
    ch_string_free(text);
}
