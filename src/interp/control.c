// SPDX-License-Identifier: Apache-2.0
// control.c - if for while call composite, and tapes.
//
// Values move: a region's params take the buffers of the operands that die with the op, its results those of the values
// they name, so an array that a loop carries is one buffer all the way and `set` works in it. Between two iterations
// the results are first gathered, then become the params, because a result may be another param's value.
#include "interp/exec.h"

static bool operand_dies(const ch__instr *s, int k) { return k < 64 && (s->dies >> k & 1); }

// The block's results become the op's.
static void results_of_block(ch__frame *fr, const ch__instr *s, const ch__block *b) {
    for (int i = 0; i < s->n_out; i++) ch__cell_move(fr, CH__OUT(i), &fr->cells[b->results[i]], b->result_dies[i]);
}

ch_status ch__do_if(ch__frame *fr, const ch__instr *s) {
    const ch__block *b = &s->blocks[*(const uint8_t *)ch__data(CH__IN(0)) ? 0 : 1];
    CH_TRY(ch__run_block(fr, b));
    results_of_block(fr, s, b);
    return CH_OK;
}

ch_status ch__do_composite(ch__frame *fr, const ch__instr *s) {
    const ch__block *b = s->blocks;
    for (int i = 0; i < b->n_params; i++) ch__cell_move(fr, &fr->cells[b->params[i]], CH__IN(i), operand_dies(s, i));
    CH_TRY(ch__run_block(fr, b));
    results_of_block(fr, s, b);
    return CH_OK;
}

// The body's results become its params from `first` on.
static void go_round(ch__frame *fr, const ch__block *b, int first) {
    for (int i = 0; i < b->n_results; i++) {
        ch__cell *c = &fr->cells[b->results[i]];
        fr->carry[i] = c->buf;
        fr->carry_splat[i] = c->splat;
        if (b->result_dies[i])
            c->buf = NULL, c->splat = false;
        else
            c->buf->refs++;
    }
    for (int i = 0; i < b->n_results; i++) {
        ch__cell *c = &fr->cells[b->params[first + i]];
        ch__cell_drop(fr, c);
        c->buf = fr->carry[i];
        c->splat = fr->carry_splat[i];
    }
}

static void leave_loop(ch__frame *fr, const ch__instr *s, const ch__block *b, int first) {
    for (int i = 0; i < s->n_out; i++) ch__cell_move(fr, CH__OUT(i), &fr->cells[b->params[first + i]], true);
}

ch_status ch__do_for(ch__frame *fr, const ch__instr *s) {
    const ch__block *b = s->blocks;
    int64_t i = *(const int64_t *)ch__data(CH__IN(0)), hi = *(const int64_t *)ch__data(CH__IN(1)),
            step = *(const int64_t *)ch__data(CH__IN(2));
    if (step == 0) return ch__op_fail(s, CH__E_argument, "the step is 0 — it has to be positive or negative");
    ch__cell *index = &fr->cells[b->params[0]];
    for (int k = 0; k < s->n_in - 3; k++)
        ch__cell_move(fr, &fr->cells[b->params[k + 1]], CH__IN(k + 3), operand_dies(s, k + 3));
    while (step > 0 ? i < hi : i > hi) {
        CH_TRY(ch__cell_buffer(fr, index));
        *(int64_t *)ch__data(index) = i;
        CH_TRY(ch__run_block(fr, b));
        go_round(fr, b, 1);
        if (!ch__add_i64(i, step, &i)) break;
    }
    leave_loop(fr, s, b, 1);
    return CH_OK;
}

ch_status ch__do_while(ch__frame *fr, const ch__instr *s) {
    const ch__block *cond = &s->blocks[0], *b = &s->blocks[1];
    for (int k = 0; k < s->n_in; k++) ch__cell_move(fr, &fr->cells[b->params[k]], CH__IN(k), operand_dies(s, k));
    for (;;) {
        for (int k = 0; k < cond->n_params; k++)
            ch__cell_move(fr, &fr->cells[cond->params[k]], &fr->cells[b->params[k]], false);
        CH_TRY(ch__run_block(fr, cond));
        ch__cell *pred = &fr->cells[cond->results[0]];
        bool go = *(const uint8_t *)ch__data(pred) != 0;
        if (cond->result_dies[0]) ch__cell_drop(fr, pred);
        if (!go) break;
        CH_TRY(ch__run_block(fr, b));
        go_round(fr, b, 0);
        // A loop without operations in its body still counts, so that limits end it.
        ch__run *r = fr->run;
        if (r->limits.cancel && *r->limits.cancel) return ch__op_fail(s, CH__E_cancelled, "cancelled by the caller");
        if (r->limits.max_steps > 0 && ++r->steps > r->limits.max_steps)
            return ch__op_fail(s, CH__E_limit, "%" PRId64 " operations were run — that is the limit",
                               r->limits.max_steps);
    }
    leave_loop(fr, s, b, 0);
    return CH_OK;
}

// ---------------------------------------------------------------- call
typedef struct {
    const ch__frame *fr;
    const ch__instr *s;
} call_site;

static ch__shape arg_shape(const void *arg, int i) {
    const call_site *c = arg;
    const ch__cell *x = &c->fr->cells[c->s->slots[i]];
    return (ch__shape){(ch_dtype)x->dtype, x->rank, x->dims};
}

static ch_status call_inside(ch__frame *fr, ch__frame *callee, const ch__instr *s) {
    call_site site = {fr, s};
    const ch__block *b = &callee->p->body;
    if (s->n_in != b->n_params || s->n_out != b->n_results)
        return ch__op_fail(s, CH__E_arity, "%s takes %d values and gives %d", callee->p->f->name, b->n_params,
                           b->n_results);
    CH_TRY(ch__bind(callee, arg_shape, &site));
    CH_TRY(ch__frame_sizes(callee));
    for (int i = 0; i < s->n_in; i++)
        ch__cell_move(callee, &callee->cells[b->params[i]], CH__IN(i), operand_dies(s, i));
    CH_TRY(ch__run_block(callee, b));
    for (int i = 0; i < s->n_out; i++) {
        ch__cell *from = &callee->cells[b->results[i]], *to = CH__OUT(i);
        if (!from->tape && to->numel != from->numel) {
            char x[CH__SHAPE_CHARS];
            return ch__op_fail(s, CH__E_shape_mismatch, "result %d of %s is %s — the call says another size", i,
                               callee->p->f->name, ch__shape_text(x, from));
        }
        ch__cell_move(fr, to, from, b->result_dies[i]);
    }
    return CH_OK;
}

ch_status ch__do_call(ch__frame *fr, const ch__instr *s) {
    ch__run *r = fr->run;
    ch__frame callee;
    if (r->depth >= r->limits.max_depth)
        return ch__op_fail(s, CH__E_limit, "calls are nested more than %d deep — that is the limit",
                           r->limits.max_depth);
    CH_TRY(ch__frame_init(&callee, r, s->callee, NULL, 0));
    r->depth++;
    ch_status st = call_inside(fr, &callee, s);
    r->depth--;
    ch__frame_finish(&callee);
    return st;
}

// ---------------------------------------------------------------- tapes
// Small values lie packed side by side, so that a tape of numbers takes the bytes of the numbers; larger ones are
// shared with whoever else holds them. A tape of known capacity is allocated at once.
typedef struct {
    ch__buf *buf;
    bool splat;
} tape_item;

struct ch__tape {
    ch__tape *next, **link; // of the run's list
    void *data;             // values of item_bytes each, or tape_items
    bool packed;
    int64_t n, cap, most; // most: the capacity said, or -1
    int64_t item_bytes;   // 0: nothing was pushed yet
};

static tape_item *items_of(const ch__tape *t) { return t->data; }
static char *packed_at(const ch__tape *t, int64_t i) { return (char *)t->data + i * t->item_bytes; }

void ch__tape_release(ch__run *r, ch__tape *t) {
    *t->link = t->next;
    if (t->next) t->next->link = t->link;
    for (int64_t i = 0; !t->packed && i < t->n; i++) ch__buf_release(r, items_of(t)[i].buf);
    r->live_bytes -= t->cap * t->item_bytes;
    ch__free(t->data);
    ch__free(t);
}

// Room for cap values.
static ch_status interp_tape_room(ch__run *r, ch__tape *t, int64_t cap) {
    int64_t bytes, more;
    if (!ch__mul_i64(cap, t->item_bytes, &bytes)) return ch__fail_oom("tape");
    more = bytes - t->cap * t->item_bytes;
    if (r->limits.max_bytes > 0 && more > r->limits.max_bytes - r->live_bytes)
        return ch__fail(CH__E_limit,
                        "interp: %" PRId64 " bytes of a tape more than the %" PRId64 " in use — at most %" PRId64
                        " bytes of intermediates are allowed",
                        more, r->live_bytes, r->limits.max_bytes);
    void *p = ch__realloc(t->data, (size_t)bytes);
    if (!p) return ch__fail_oom("tape");
    t->data = p;
    t->cap = cap;
    r->live_bytes += more;
    return CH_OK;
}

static ch_status new_tape(ch__frame *fr, ch__cell *o, int64_t most) {
    ch__run *r = fr->run;
    ch__tape *t = ch__calloc(1, sizeof *t);
    if (!t) return ch__fail_oom("tape_new");
    t->most = most;
    t->next = r->tapes;
    t->link = &r->tapes;
    if (t->next) t->next->link = &t->next;
    r->tapes = t;
    ch__cell_drop(fr, o);
    o->buf = ch__buf_wrap(r, t, 0, CH__BUF_TAPE);
    if (o->buf) return CH_OK;
    ch__tape_release(r, t);
    return CH_RESOURCE_EXHAUSTED;
}

// The tape of result 0: operand 0's own when it dies, else a copy that shares the values.
static ch_status take_tape(ch__frame *fr, const ch__instr *s, ch__tape **out) {
    ch__cell *x = CH__IN(0), *o = CH__OUT(0);
    ch__tape *old = x->buf->data;
    if (operand_dies(s, 0) && x->buf->refs == 1) {
        ch__cell_move(fr, o, x, true);
        *out = old;
        return CH_OK;
    }
    CH_TRY(new_tape(fr, o, old->most));
    ch__tape *t = o->buf->data;
    *out = t;
    t->packed = old->packed;
    t->item_bytes = old->item_bytes;
    if (old->item_bytes == 0) return CH_OK;
    CH_TRY(interp_tape_room(fr->run, t, old->n + 1));
    if (old->n > 0) memcpy(t->data, old->data, (size_t)(old->n * old->item_bytes));
    t->n = old->n;
    for (int64_t i = 0; !t->packed && i < t->n; i++) items_of(t)[i].buf->refs++;
    return CH_OK;
}

ch_status ch__do_tape_new(ch__frame *fr, const ch__instr *s) {
    const ch__attr *capacity = ch__op_attr(s->op, CH__ATTR_capacity);
    int64_t most = -1;
    if (capacity) CH_TRY(ch__dim_value(fr, capacity->dim, &most));
    return new_tape(fr, CH__OUT(0), most);
}

// All of a capacity that is known when that much is allowed, else half as much again.
static int64_t next_capacity(const ch__run *r, const ch__tape *t) {
    int64_t bytes, cap = t->cap + t->cap / 2 + 16;
    bool fits = t->most > t->cap && ch__mul_i64(t->most, t->item_bytes, &bytes) &&
                bytes <= (r->limits.max_bytes > 0 ? r->limits.max_bytes - r->live_bytes : (int64_t)1 << 30);
    if (fits || (t->most >= 0 && cap > t->most)) return t->most;
    return cap;
}

ch_status ch__do_push(ch__frame *fr, const ch__instr *s) {
    ch__tape *t;
    CH_TRY(take_tape(fr, s, &t));
    if (t->most >= 0 && t->n >= t->most)
        return ch__op_fail(s, CH__E_bounds, "the tape holds %" PRId64 " values — that is its capacity", t->n);
    ch__cell *v = CH__IN(1);
    if (t->item_bytes == 0) {
        t->packed = ch__bytes(v) > 0 && ch__bytes(v) <= CH__SMALL_BYTES;
        t->item_bytes = t->packed ? ch__bytes(v) : (int64_t)sizeof(tape_item);
    }
    if (t->n == t->cap) CH_TRY(interp_tape_room(fr->run, t, next_capacity(fr->run, t)));
    if (t->packed) {
        int64_t each = v->splat ? v->esize : t->item_bytes;
        for (int64_t at = 0; at < t->item_bytes; at += each) memcpy(packed_at(t, t->n) + at, ch__data(v), (size_t)each);
        t->n++;
        return CH_OK;
    }
    items_of(t)[t->n++] = (tape_item){v->buf, v->splat};
    if (operand_dies(s, 1))
        v->buf = NULL, v->splat = false;
    else
        v->buf->refs++;
    return CH_OK;
}

ch_status ch__do_pop(ch__frame *fr, const ch__instr *s) {
    ch__tape *t;
    if (((ch__tape *)CH__IN(0)->buf->data)->n == 0) return ch__op_fail(s, CH__E_bounds, "the tape is empty");
    CH_TRY(take_tape(fr, s, &t));
    ch__cell *o = CH__OUT(1);
    if (t->packed) {
        CH_TRY(ch__cell_buffer(fr, o));
        memcpy(ch__data(o), packed_at(t, --t->n), (size_t)t->item_bytes);
        return CH_OK;
    }
    tape_item item = items_of(t)[--t->n];
    ch__cell_drop(fr, o);
    o->buf = item.buf;
    o->splat = item.splat;
    return CH_OK;
}
