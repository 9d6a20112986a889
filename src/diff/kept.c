// SPDX-License-Identifier: Apache-2.0
// kept.c - what a derivative keeps of the loops of a func, as text for people.
//
// Read off the derivative itself, after its passes: a loop that pushes keeps what it pushes; the loop that pops the
// tape again says by its ops what it is read for. What inner loops and branches push on a tape of the loop is what
// they are about to overwrite. The loops of the derivative are found again by the source line of the original's.
#include "diff/loops.h"

#include <string.h>

typedef struct {
    ch__arena *arena;
    const ch_func *f, *d;
    ch__text text;
    const ch__op *loop; // of the original
    int found;
} kept_state;

static bool same_line(const ch__loc *a, const ch__loc *b) {
    if (a == NULL || b == NULL) return a == b;
    return a->line == b->line && ch__streq(a->file, b->file);
}

static bool kept_is_loop(const ch__op *op) { return op->code == CH_OP_for || op->code == CH_OP_while; }
static const ch__region *kept_body(const ch__op *op) { return op->regions[op->n_regions - 1]; }
static int kept_inits(const ch__op *op) { return op->n_operands - op->n_results; }

// The op that uses v as an operand, in its region; *at: which operand.
static const ch__op *user_of(const ch__value *v, int *at) {
    for (const ch__op *op = v->op != NULL ? v->op->next : v->region->first; op != NULL; op = op->next)
        for (int i = 0; i < op->n_operands; i++)
            if (op->operands[i] == v) {
                *at = i;
                return op;
            }
    return NULL;
}

// ---------------------------------------------------------------- who reads it
typedef struct {
    const ch__value *v;
    const char *names[4];
    int n;
    bool more;
} reader_scan;

static void see_reader(void *arg, ch__op *op) {
    reader_scan *s = arg;
    bool reads = false;
    for (int i = 0; i < op->n_operands; i++) reads |= op->operands[i] == s->v;
    if (!reads) return;
    const char *name = ch__op_name(op->code);
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->names[i], name) == 0) return;
    if (s->n == 4) {
        s->more = true;
        return;
    }
    s->names[s->n++] = name;
}

// Who reads what is popped from this tape, a result of a loop.
static void put_readers(kept_state *s, const ch__value *tape) {
    int at = 0;
    const ch__op *back = user_of(tape, &at);
    if (back == NULL || back->code != CH_OP_for) return;
    const ch__op *pop = user_of(back->regions[0]->params[at - 2], &at);
    if (pop == NULL || pop->code != CH_OP_pop) return;
    reader_scan r = {.v = &pop->results[1]};
    ch__walk(back->regions[0], see_reader, &r);
    if (r.n == 0) return;
    ch__put(&s->text, ", read by ");
    for (int i = 0; i < r.n; i++) ch__putf(&s->text, "%s%s", i == 0 ? "" : ", ", r.names[i]);
    if (r.more) ch__put(&s->text, ", ...");
}

// ---------------------------------------------------------------- what is pushed
static ch__dim kept_bytes_of(kept_state *s, const ch__type *t) {
    return ch__dim_mul(s->arena, ch__type_numel(s->arena, t), ch__dim_const((int64_t)ch_dtype_size(t->dtype)));
}

// The trips of a derivative's loop as a size: the capacity of a tape that it fills, or what its bounds say.
static bool trips_of(kept_state *s, const ch__op *op, ch__dim *out) {
    ch__dim lo;
    int64_t step;
    return op->code == CH_OP_for && ch__loop_trips_of(s->arena, op->operands, &lo, &step, out);
}

static void put_pushed(kept_state *s, const ch__op *loop, int i, const ch__value *v) {
    ch__text *t = &s->text;
    const ch__value *init = loop->operands[kept_inits(loop) + i];
    ch__put(t, "    ");
    ch__print_value(t, v);
    ch__put(t, ": ");
    ch__type_print(t, v->type);
    ch__put(t, ", ");
    ch__dim bytes = kept_bytes_of(s, v->type);
    const ch__attr *capacity = init->op != NULL ? ch__op_attr(init->op, CH__ATTR_capacity) : NULL;
    ch__dim_print(t, capacity != NULL ? ch__dim_mul(s->arena, bytes, capacity->dim) : bytes);
    ch__put(t, capacity != NULL ? " bytes" : " bytes an iteration");
    if (v->op == NULL) {
        ch__put(t, ", state at the start of an iteration");
    } else {
        ch__putf(t, ", result of %s", ch__op_name(v->op->code));
    }
    put_readers(s, &loop->results[i]);
    ch__putc(t, '\n');
}

// ---------------------------------------------------------------- what is logged
// The array that op changes in place is a result of it or of a region around it; its name in the loop's params.
static const ch__value *array_of(const ch__op *loop, const ch__value *v) {
    const ch__region *body = kept_body(loop);
    for (int depth = 0; depth < 1000; depth++) {
        while (v->op != NULL) {
            const ch__op *op = v->op;
            if (kept_is_loop(op)) {
                v = op->operands[kept_inits(op) + v->index];
            } else if (op->code == CH_OP_set || op->code == CH_OP_dynamic_update_slice) {
                v = op->operands[0];
            } else if (op->code == CH_OP_if) {
                v = op->regions[0]->results[v->index];
            } else {
                return v;
            }
        }
        if (v->region == body || v->region->owner == NULL || !kept_is_loop(v->region->owner)) return v;
        const ch__op *owner = v->region->owner;
        v = owner->operands[kept_inits(owner) + v->index - (owner->code == CH_OP_for ? 1 : 0)];
    }
    return v;
}

// Whether what an op took is overwritten after that, in its region.
static bool is_overwritten(const ch__value *v) {
    const ch__op *took = v->op;
    if (took == NULL || (took->code != CH_OP_get && took->code != CH_OP_dynamic_slice)) return false;
    for (const ch__op *op = took->next; op != NULL; op = op->next) {
        bool same = op->n_operands == took->n_operands + 1 && op->operands[0] == took->operands[0] &&
                    (op->code == CH_OP_set || op->code == CH_OP_dynamic_update_slice);
        for (int i = 1; same && i < took->n_operands; i++) same = took->operands[i] == op->operands[i + 1];
        if (same) return true;
    }
    return false;
}

static const char *op_result(kept_state *s, const ch__op *op) {
    return ch__arena_printf(s->arena, "result of %s", ch__op_name((ch__opcode)op->code));
}

// Pushes in inner loops and branches, from the last version of a tape to its first; times: loops between, known: their
// trips are sizes. Recurses on nesting only.
static void put_logs(kept_state *s, const ch__op *loop, const ch__value *tape, ch__dim times, bool known) {
    ch__text *t = &s->text;
    while (tape->op != NULL) {
        const ch__op *op = tape->op;
        ch__dim trips = ch__dim_const(1);
        if (op->code == CH_OP_push) {
            const ch__value *v = op->operands[1];
            bool overwritten = is_overwritten(v) && v->op->parent == op->parent;
            const ch__value *what = overwritten ? array_of(loop, v->op->operands[0]) : v;
            ch__put(t, "    ");
            ch__print_value(t, what);
            ch__putf(t, overwritten ? ": %s of it, " : ": ", v->type->rank == 0 ? "elements" : "blocks");
            ch__type_print(t, v->type);
            ch__put(t, ", ");
            ch__dim_print(t,
                          known ? ch__dim_mul(s->arena, kept_bytes_of(s, v->type), times) : kept_bytes_of(s, v->type));
            ch__putf(t, " bytes%s", known ? "" : " each");
            if (overwritten)
                ch__put(t, ", before they are overwritten\n");
            else
                ch__putf(t, ", %s\n", v->op != NULL ? op_result(s, v->op) : "state of an inner loop");
            tape = op->operands[0];
        } else if (kept_is_loop(op)) {
            bool sized = known && trips_of(s, op, &trips);
            put_logs(s, loop, kept_body(op)->results[tape->index], ch__dim_mul(s->arena, times, trips), sized);
            tape = op->operands[kept_inits(op) + tape->index];
        } else if (op->code == CH_OP_if) {
            for (int k = 0; k < 2; k++) put_logs(s, loop, op->regions[k]->results[tape->index], times, false);
            return;
        } else {
            return;
        }
    }
}

// ---------------------------------------------------------------- loops
// A tape that the loop fills: kept values are pushed by its body, once an iteration; all that takes another way is a
// log.
static void see_tape(kept_state *s, const ch__op *loop, int i) {
    const ch__region *body = kept_body(loop);
    const ch__value *param = body->params[body->n_params - loop->n_results + i], *last = body->results[i];
    int at = 0;
    const ch__op *user = user_of(param, &at);
    if (last == param || last->op == NULL || (user != NULL && user->code == CH_OP_pop)) return;
    ch__dim trips = ch__dim_const(1);
    s->found++;
    if (last->op->code == CH_OP_push && last->op->operands[0] == param) {
        put_pushed(s, loop, i, last->op->operands[1]);
        return;
    }
    bool known = trips_of(s, loop, &trips);
    put_logs(s, loop, last, trips, known);
}

static void see_derived(void *arg, ch__op *op) {
    kept_state *s = arg;
    if (!kept_is_loop(op) || !same_line(op->loc, s->loop->loc)) return;
    for (int i = 0; i < op->n_results; i++) {
        // A tape of a loop around this one was told of there.
        const ch__value *init = op->operands[kept_inits(op) + i];
        if (op->results[i].type->tape && init->op != NULL && init->op->code == CH_OP_tape_new) see_tape(s, op, i);
    }
}

static void kept_see_loop(void *arg, ch__op *op) {
    kept_state *s = arg;
    if (!kept_is_loop(op)) return;
    const ch__attr *policy = ch__op_attr(op, CH__ATTR_policy);
    s->loop = op;
    s->found = 0;
    ch__putf(&s->text, "  %s", ch__op_name(op->code));
    if (op->loc != NULL && op->loc->file != NULL) ch__putf(&s->text, " at %s:%d", op->loc->file, op->loc->line);
    ch__putf(&s->text, ", policy %s:\n", policy != NULL ? policy->s : "store");
    for (ch_func *g = s->d->module->first; g != NULL; g = g->next) ch__walk(g->body, see_derived, s);
    if (s->found > 0) return;
    bool revolve = policy != NULL && strncmp(policy->s, "revolve", 7) == 0;
    ch__put(&s->text, revolve ? "    as many states at a time, if a derivative goes through it\n" : "    nothing\n");
}

static void kept(void *arg) {
    kept_state *s = arg;
    s->arena = ch__arena_create();
    ch__putf(&s->text, "@%s\n", s->f->name);
    ch__put_kept_values(&s->text, s->arena, s->d, s->f->body->n_params);
    for (ch_func *g = s->f->module->first; g != NULL; g = g->next) ch__walk(g->body, kept_see_loop, s);
    ch__arena_destroy(s->arena);
}

ch_status ch_explain_kept(const ch_func *f, const char *wrt, FILE *file) {
    if (f == NULL || file == NULL)
        return ch__fail(CH__E_argument, "explain kept: the func or the file is NULL — give both");
    ch_func *d = NULL;
    CH_TRY(ch_vjp(f, wrt, 0, &d));
    kept_state s = {.f = f, .d = d};
    ch__text_init_file(&s.text, file);
    ch_status status = ch__protect(kept, &s);
    ch_func_destroy(d);
    if (status != CH_OK) return status;
    return s.text.failed ? ch__fail(CH__E_file, "explain kept: writing failed — is the disk full?") : CH_OK;
}
