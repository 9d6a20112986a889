// SPDX-License-Identifier: Apache-2.0
// run.c - the loop over instructions, and the border of a run: inputs become borrowed buffers, results leave.
//
// Nothing here recurses on the length of a program; regions and calls nest on the C stack, at most CH__MAX_BLOCKS deep.
// The floating-point environment is the default one (round to nearest, subnormals kept) while a run lasts.
#include <fenv.h>

#include "interp/exec.h"

// ---------------------------------------------------------------- messages
ch_status ch__op_fail(const ch__instr *s, ch__err id, const char *fmt, ...) {
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const ch__loc *loc = s->op->loc;
    const char *name = ch__op_name((ch__opcode)s->op->code);
    if (loc && loc->file) return ch__fail(id, "%s:%d: %s: %s", loc->file, loc->line, name, text);
    return ch__fail(id, "%s: %s", name, text);
}

const char *ch__shape_text(char out[CH__SHAPE_CHARS], const ch__cell *c) {
    int n = snprintf(out, CH__SHAPE_CHARS, "%s[", ch_dtype_name((ch_dtype)c->dtype));
    for (int i = 0; i < c->rank && n < CH__SHAPE_CHARS - 24; i++)
        n += snprintf(out + n, (size_t)(CH__SHAPE_CHARS - n), i ? ",%" PRId64 : "%" PRId64, c->dims[i]);
    snprintf(out + n, (size_t)(CH__SHAPE_CHARS - n), "]");
    return out;
}

int64_t ch__index_at(const ch__cell *c, int64_t i) {
    const void *p = ch__data(c);
    switch (c->dtype) {
    case CH_I8: return ((const int8_t *)p)[i];
    case CH_I16: return ((const int16_t *)p)[i];
    case CH_I32: return ((const int32_t *)p)[i];
    case CH_I64: return ((const int64_t *)p)[i];
    case CH_U16: return ((const uint16_t *)p)[i];
    case CH_U32: return ((const uint32_t *)p)[i];
    case CH_U64: return ((const uint64_t *)p)[i] > INT64_MAX ? INT64_MAX : (int64_t)((const uint64_t *)p)[i];
    default: return ((const uint8_t *)p)[i];
    }
}

int64_t ch__index_value(const ch__cell *c) { return ch__index_at(c, 0); }

// ---------------------------------------------------------------- the loop
static ch_status watch(ch__run *r, const ch__instr *s) {
    if (r->limits.cancel && *r->limits.cancel) return ch__op_fail(s, CH__E_cancelled, "cancelled by the caller");
    if (r->limits.max_steps > 0 && ++r->steps > r->limits.max_steps)
        return ch__op_fail(s, CH__E_limit, "%" PRId64 " operations were run — that is the limit", r->limits.max_steps);
    return CH_OK;
}

ch_status ch__run_block(ch__frame *fr, const ch__block *b) {
    ch__run *r = fr->run;
    ch__cell *cells = fr->cells;
    if (CH_UNLIKELY(++r->nest > CH__MAX_BLOCKS))
        return ch__fail(CH__E_limit, "%s: regions and calls are nested more than %d deep — that is the limit",
                        fr->p->f->name, CH__MAX_BLOCKS);
    for (int i = 0; i < b->n_entry_kills; i++) ch__cell_drop(fr, &cells[b->entry_kills[i]]);
    for (int i = 0; i < b->n; i++) {
        const ch__instr *s = &b->code[i];
        if (CH_UNLIKELY(r->watch)) CH_TRY(watch(r, s));
        if (s->dense)
            for (int k = 0; k < s->n_in; k++)
                if (cells[s->slots[k]].splat) CH_TRY(ch__cell_dense(fr, &cells[s->slots[k]]));
        if (CH_UNLIKELY(s->nowrap) && r->limits.check) CH_TRY(ch__check_nowrap(fr, s));
        CH_TRY(s->arm(fr, s));
        for (int k = 0; k < s->n_kills; k++) {
            ch__cell *c = &cells[s->kills[k]];
            if (c->buf) ch__cell_drop(fr, c);
        }
    }
    r->counts.ops += b->n;
    r->nest--;
    return CH_OK;
}

// ---------------------------------------------------------------- the border
static ch__shape slot_shape(const void *arg, int i) {
    const ch__slot *in = (const ch__slot *)arg + i;
    return (ch__shape){in->dtype, in->rank, in->dims};
}

static ch_status check_count(const ch_func *f, const char *what, int got, int wanted) {
    if (got == wanted) return CH_OK;
    return ch__fail(CH__E_arity, "%s: %d %s%s given — it has %d", f->name, got, what, got == 1 ? "" : "s", wanted);
}

static ch_status check_rank(const ch_func *f, int n, const ch__slot *in) {
    for (int i = 0; i < n; i++)
        if (in[i].rank < 0 || in[i].rank > CH__MAX_RANK)
            return ch__fail(CH__E_rank, "%s: input %d has rank %d — ranks are 0 to %d", f->name, i, in[i].rank,
                            CH__MAX_RANK);
    return CH_OK;
}

static ch_status take_inputs(ch__frame *fr, const ch__slot *in) {
    for (int i = 0; i < fr->p->body.n_params; i++) {
        ch__cell *c = &fr->cells[fr->p->body.params[i]];
        int64_t bytes = ch__bytes(c);
        if (!in[i].data && bytes > 0)
            return ch__fail(CH__E_argument, "%s: input %d has no data — a pointer to %" PRId64 " bytes is needed",
                            fr->p->f->name, i, bytes);
        c->buf = ch__buf_wrap(fr->run, in[i].data, bytes, in[i].donated ? CH__BUF_DONATED : CH__BUF_BORROWED);
        if (!c->buf) return CH_RESOURCE_EXHAUSTED;
    }
    return CH_OK;
}

// Result sizes that do not depend on what the run computes.
static ch_status check_places(ch__frame *fr, ch__slot *out) {
    char a[CH__SHAPE_CHARS], b[CH__SHAPE_CHARS];
    for (int i = 0; i < fr->p->body.n_results; i++) {
        ch__cell *c = &fr->cells[fr->p->body.results[i]];
        if (!out[i].data) continue;
        ch__cell got = {.dims = out[i].dims, .dtype = (uint8_t)out[i].dtype, .rank = (int16_t)out[i].rank};
        bool same = out[i].dtype == (ch_dtype)c->dtype && out[i].rank == c->rank;
        for (int k = 0; same && c->numel >= 0 && k < c->rank; k++) same = out[i].dims[k] == c->dims[k];
        if (!same)
            return ch__fail(CH__E_shape_mismatch, "%s: output %d is %s — result %d is %s", fr->p->f->name, i,
                            ch__shape_text(a, &got), i, ch__shape_text(b, c));
    }
    return CH_OK;
}

static bool ranges_meet(const void *a, int64_t na, const void *b, int64_t nb) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a && b && na > 0 && nb > 0 && x < y + (uintptr_t)nb && y < x + (uintptr_t)na;
}

// May results be written to their place before the end? Not when a place lies in an input.
static bool places_are_free(ch__frame *fr, const ch__slot *in, const ch__slot *out) {
    for (int i = 0; i < fr->p->body.n_results; i++) {
        if (!out[i].data) continue;
        const ch__cell *c = &fr->cells[fr->p->body.results[i]];
        if (c->numel < 0) return false;
        for (int k = 0; k < fr->p->body.n_params; k++) {
            const ch__cell *x = &fr->cells[fr->p->body.params[k]];
            if (ranges_meet(out[i].data, ch__bytes(c), in[k].data, ch__bytes(x))) return false;
        }
    }
    return true;
}

// First every result gets a buffer that nobody's place overlaps (this can fail), then all are handed over (this
// cannot).
static ch_status give_results(ch__frame *fr, ch__slot *out) {
    const ch__block *b = &fr->p->body;
    ch__run *r = fr->run;
    CH_TRY(check_places(fr, out));
    for (int i = 0; i < b->n_results; i++) fr->carry[i] = NULL;
    ch_status st = CH_OK;
    for (int i = 0; i < b->n_results && st == CH_OK; i++) {
        ch__cell *c = &fr->cells[b->results[i]];
        st = ch__cell_dense(fr, c);
        if (st != CH_OK) break;
        bool own = c->buf->kind == CH__BUF_HEAP && c->buf->refs == 1 && b->result_dies[i];
        bool there = out[i].data == c->buf->data;
        bool safe = out[i].data && c->buf->kind != CH__BUF_BORROWED && c->buf->kind != CH__BUF_DONATED;
        if (own || there || safe) {
            fr->carry[i] = c->buf;
            c->buf->refs++;
            continue;
        }
        fr->carry[i] = ch__buf_new_heap(r, ch__bytes(c));
        if (!fr->carry[i])
            st = CH_RESOURCE_EXHAUSTED;
        else if (ch__bytes(c) > 0)
            memcpy(fr->carry[i]->data, c->buf->data, (size_t)ch__bytes(c));
    }
    for (int i = 0; i < b->n_results && st == CH_OK; i++) {
        ch__cell *c = &fr->cells[b->results[i]];
        ch__buf *from = fr->carry[i];
        out[i].dtype = (ch_dtype)c->dtype;
        out[i].rank = c->rank;
        for (int k = 0; k < c->rank; k++) out[i].dims[k] = c->dims[k];
        if (!out[i].data) { // the block changes hands
            out[i].data = from->data;
            from->kind = CH__BUF_SMALL;
            r->live_bytes -= from->bytes;
        } else if (out[i].data != from->data && ch__bytes(c) > 0) {
            memmove(out[i].data, from->data, (size_t)ch__bytes(c));
        }
    }
    for (int i = 0; i < b->n_results; i++)
        if (fr->carry[i]) ch__buf_release(r, fr->carry[i]);
    return st;
}

static ch_status run_inside(ch__frame *fr, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    const ch_func *f = fr->p->f;
    CH_TRY(check_count(f, "input", n_in, fr->p->body.n_params));
    CH_TRY(check_count(f, "output", n_out, fr->p->body.n_results));
    CH_TRY(check_rank(f, n_in, in));
    CH_TRY(ch__bind(fr, slot_shape, in));
    CH_TRY(ch__frame_sizes(fr));
    CH_TRY(check_places(fr, out));
    CH_TRY(take_inputs(fr, in));
    if (places_are_free(fr, in, out)) fr->outs = out;
    CH_TRY(ch__run_block(fr, &fr->p->body));
    return give_results(fr, out);
}

ch_status ch__interp_run(const ch__program *p, const ch__limits *limits, int n_in, const ch__slot *in, int n_out,
                         ch__slot *out) {
    ch__run r;
    ch__frame fr;
    uint64_t room[256];
    fenv_t env;
    ch__run_init(&r, limits);
    CH_TRY(ch__frame_init(&fr, &r, p, room, sizeof room));
    fegetenv(&env);
    fesetenv(FE_DFL_ENV);
    ch_status st = run_inside(&fr, n_in, in, n_out, out);
    ch__frame_finish(&fr);
    ch__run_finish(&r);
    fesetenv(&env);
    return st;
}

ch_status ch__interp_bind(const ch__program *p, int n_in, const ch__slot *in, int64_t *sizes, int n_out,
                          ch__slot *out) {
    ch__run r;
    ch__frame fr;
    const ch_func *f = p->f;
    CH_TRY(check_count(f, "input", n_in, p->body.n_params));
    CH_TRY(check_count(f, "output", n_out, p->body.n_results));
    CH_TRY(check_rank(f, n_in, in));
    ch__run_init(&r, NULL);
    CH_TRY(ch__frame_init(&fr, &r, p, NULL, 0));
    ch_status st = ch__bind(&fr, slot_shape, in);
    if (st == CH_OK) st = ch__frame_sizes(&fr);
    for (int i = 0; i < p->n_dims && st == CH_OK && sizes != NULL; i++) sizes[i] = fr.values[i];
    for (int i = 0; i < n_out && st == CH_OK; i++) {
        const ch__cell *c = &fr.cells[p->body.results[i]];
        if (c->numel < 0) {
            st =
                ch__fail(CH__E_argument,
                         "%s: the size of result %d depends on what is computed — let the run allocate it", f->name, i);
            break;
        }
        out[i].dtype = (ch_dtype)c->dtype;
        out[i].rank = c->rank;
        for (int k = 0; k < c->rank; k++) out[i].dims[k] = c->dims[k];
    }
    ch__frame_finish(&fr);
    ch__run_finish(&r);
    return st;
}

ch_status ch__interp_result_types(const ch__program *p, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    return ch__interp_bind(p, n_in, in, NULL, n_out, out);
}

// ---------------------------------------------------------------- one op, for folding
static ch_status run_one(const ch__op *op, const ch__array *const *operands, const ch__slot *outs, ch__cell *cells,
                         const int32_t *slots) {
    ch__run r;
    ch__program p = {0};
    ch__frame fr = {.run = &r, .p = &p, .cells = cells, .outs = outs};
    ch__instr s = {
        .op = op, .slots = slots, .n_in = op->n_operands, .n_out = op->n_results, .arm = ch__arm_of(op->code)};
    ch__run_init(&r, NULL);
    ch_status st = CH_OK;
    for (int i = 0; i < s.n_in && st == CH_OK; i++) {
        cells[i].buf = ch__buf_wrap(&r, operands[i]->data, ch__bytes(&cells[i]), CH__BUF_BORROWED);
        if (!cells[i].buf)
            st = CH_RESOURCE_EXHAUSTED;
        else
            cells[i].splat = operands[i]->splat && cells[i].numel != 1;
        if (st == CH_OK && !ch__takes_splats((ch__opcode)op->code)) st = ch__cell_dense(&fr, &cells[i]);
    }
    if (st == CH_OK) st = s.arm(&fr, &s);
    for (int k = 0; k < s.n_out && st == CH_OK; k++) {
        ch__cell *c = &cells[s.n_in + k];
        st = ch__cell_dense(&fr, c);
        if (st == CH_OK && c->buf->data != outs[k].data && ch__bytes(c) > 0)
            memcpy(outs[k].data, c->buf->data, (size_t)ch__bytes(c));
    }
    ch__run_finish(&r);
    return st;
}

void ch__interp_op(ch__arena *a, const ch__op *op, const ch__array *const *operands, ch__array **results) {
    int n = op->n_operands + op->n_results;
    ch__cell *cells = CH_NEW_ARRAY(a, ch__cell, n);
    int32_t *slots = CH_NEW_ARRAY(a, int32_t, n);
    ch__slot *outs = CH_NEW_ARRAY(a, ch__slot, op->n_results);
    for (int i = 0; i < n; i++) {
        const ch__type *t = i < op->n_operands ? op->operands[i]->type : op->results[i - op->n_operands].type;
        if (op->n_regions || op->code == CH_OP_call || t->tape || !ch__type_is_static(t))
            ch__raise(CH__E_internal, "%s: not an operation on values of known size",
                      ch__op_name((ch__opcode)op->code));
        int64_t *dims = CH_NEW_ARRAY(a, int64_t, t->rank);
        for (int k = 0; k < t->rank; k++) dims[k] = t->dims[k].val;
        cells[i] = (ch__cell){
            .dims = dims, .dtype = (uint8_t)t->dtype, .rank = t->rank, .esize = (uint8_t)ch_dtype_size(t->dtype)};
        int64_t bytes;
        if (!ch__numel(t->rank, dims, &cells[i].numel) || !ch__mul_i64(cells[i].numel, cells[i].esize, &bytes))
            ch__raise(CH__E_dim_overflow, "%s: the size of a value does not fit in 64 bits",
                      ch__op_name((ch__opcode)op->code));
        slots[i] = i;
        if (i < op->n_operands) continue;
        int k = i - op->n_operands;
        cells[i].out = (int16_t)(k < INT16_MAX ? k + 1 : 0);
        outs[k].data = ch__arena_alloc(a, bytes > 0 ? (size_t)bytes : 1);
        results[k] = CH_NEW(a, ch__array);
        *results[k] = (ch__array){.dtype = t->dtype, .rank = t->rank, .dims = dims, .data = outs[k].data};
    }
    CH_RAISE_IF(run_one(op, operands, outs, cells, slots));
}
