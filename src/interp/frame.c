// SPDX-License-Identifier: Apache-2.0
// frame.c - one activation of a func: its cells, the values of its sizes, and how cells get, share and lose buffers.
#include "interp/exec.h"

// cells, sizes, dims, carried buffers and flags in one piece of memory.
ch_status ch__frame_init(ch__frame *fr, ch__run *r, const ch__program *p, void *room, size_t bytes) {
    size_t carry = (size_t)(p->max_carry > p->body.n_results ? p->max_carry : p->body.n_results);
    size_t cells = (size_t)p->n_cells * sizeof(ch__cell), names = (size_t)p->n_names;
    size_t need = cells + (names + (size_t)p->n_dim_room) * sizeof(int64_t) + carry * sizeof(ch__buf *) + names + carry;
    char *at = room;
    *fr = (ch__frame){.run = r, .p = p};
    if (need > bytes) {
        at = fr->memory = ch__alloc(need);
        if (!at) return ch__fail_oom("interp");
    }
    fr->cells = (ch__cell *)(void *)at;
    if (!at) return CH_OK; // nothing is needed
    if (cells) memcpy(fr->cells, p->cells, cells);
    at += cells;
    fr->values = (int64_t *)(void *)at;
    at += names * sizeof(int64_t);
    int64_t *dims = (int64_t *)(void *)at;
    at += (size_t)p->n_dim_room * sizeof(int64_t);
    fr->carry = (ch__buf **)(void *)at;
    at += carry * sizeof(ch__buf *);
    fr->bound = (bool *)(void *)at;
    at += names;
    fr->carry_splat = (bool *)(void *)at;
    if (names) memset(fr->bound, 0, names);
    // Values with symbolic dims get room for them; constant dims among them are filled in by ch__frame_sizes.
    for (int64_t i = 0; i < p->sym_dims.n; i++) {
        ch__cell *c = &fr->cells[p->sym_dims.data[i].cell];
        if (c->dims) continue;
        c->dims = dims;
        dims += c->rank;
    }
    return CH_OK;
}

void ch__frame_finish(ch__frame *fr) {
    if (fr->cells)
        for (int i = 0; i < fr->p->n_cells; i++) ch__cell_drop(fr, &fr->cells[i]);
    ch__free(fr->memory);
    fr->memory = NULL;
}

// ---------------------------------------------------------------- sizes
ch_status ch__dim_value(ch__frame *fr, ch__dim d, int64_t *out) {
    if (ch__dim_is_const(d)) {
        *out = d.val;
        return CH_OK;
    }
    ch__dim_env env = {fr->p->n_names, fr->p->names, fr->values};
    return ch__dim_eval(d, &env, out);
}

typedef struct {
    const ch__frame *fr;
    const char *name;
    bool ready, mentions;
} dim_state;

static void look_at_symbol(void *arg, const char *name) {
    dim_state *st = arg;
    if (st->name && strcmp(st->name, name) == 0) st->mentions = true;
    for (int i = 0; i < st->fr->p->n_names; i++)
        if (strcmp(st->fr->p->names[i], name) == 0 && !st->fr->bound[i]) st->ready = false;
}

static ch_status set_numel(ch__frame *fr, int32_t id) {
    ch__cell *c = &fr->cells[id];
    int64_t bytes;
    for (int i = 0; i < c->rank; i++)
        if (c->dims[i] < 0) return CH_OK; // refused when it is defined
    if (ch__numel(c->rank, c->dims, &c->numel) && ch__mul_i64(c->numel, c->esize, &bytes)) return CH_OK;
    c->numel = -1;
    return CH_OK;
}

// Dims whose symbols are all bound; with a name, only those that mention it. A size that cannot be computed, or is
// negative, is an error only when a value of it is made: numel stays -1.
static ch_status compute_dims(ch__frame *fr, const char *name) {
    const ch__program *p = fr->p;
    for (int64_t i = 0; i < p->sym_dims.n;) {
        int32_t id = p->sym_dims.data[i].cell;
        ch__cell *c = &fr->cells[id];
        int64_t *dims = (int64_t *)(uintptr_t)c->dims;
        bool all = true, any = name == NULL;
        int64_t first = i;
        for (; i < p->sym_dims.n && p->sym_dims.data[i].cell == id; i++) {
            dim_state st = {fr, name, true, false};
            if (p->n_names > p->n_dims || name) ch__dim_symbols(p->sym_dims.data[i].dim, look_at_symbol, &st);
            all = all && st.ready;
            any = any || st.mentions;
        }
        if (!any) continue;
        c->numel = -1;
        if (!all) continue;
        const ch__value *v = NULL;
        for (int64_t k = first; k < i; k++) {
            const ch__sym_dim *sd = &p->sym_dims.data[k];
            if (!v) {
                v = sd->value;
                for (int a = 0; a < c->rank; a++)
                    if (ch__dim_is_const(v->type->dims[a])) dims[a] = v->type->dims[a].val;
            }
            if (ch__dim_value(fr, sd->dim, &dims[sd->axis]) != CH_OK) dims[sd->axis] = -1;
        }
        CH_TRY(set_numel(fr, id));
    }
    return CH_OK;
}

ch_status ch__frame_sizes(ch__frame *fr) { return fr->p->sym_dims.n ? compute_dims(fr, NULL) : CH_OK; }

ch_status ch__bind_local(ch__frame *fr, int32_t name, int64_t value) {
    fr->values[name] = value;
    fr->bound[name] = true;
    return compute_dims(fr, fr->p->names[name]);
}

// ---------------------------------------------------------------- cells
void ch__cell_drop(ch__frame *fr, ch__cell *c) {
    if (!c->buf) return;
    ch__buf_release(fr->run, c->buf);
    c->buf = NULL;
    c->splat = false;
}

void ch__cell_move(ch__frame *fr, ch__cell *to, ch__cell *from, bool dies) {
    ch__buf *b = from->buf;
    bool splat = from->splat;
    if (dies) {
        from->buf = NULL;
        from->splat = false;
    } else {
        b->refs++;
    }
    ch__cell_drop(fr, to);
    to->buf = b;
    to->splat = splat;
}

ch_status ch__cell_buffer(ch__frame *fr, ch__cell *c) {
    int64_t bytes = ch__bytes(c);
    if (c->buf) ch__cell_drop(fr, c);
    c->splat = false;
    if (CH_UNLIKELY(c->out) && fr->outs) {
        const ch__slot *o = &fr->outs[c->out - 1];
        c->buf = o->data ? ch__buf_wrap(fr->run, o->data, bytes, CH__BUF_OUTPUT) : ch__buf_new_heap(fr->run, bytes);
    } else {
        c->buf = ch__buf_new(fr->run, bytes);
    }
    if (!c->buf) return CH_RESOURCE_EXHAUSTED;
    return CH_OK;
}

ch_status ch__cell_dense(ch__frame *fr, ch__cell *c) {
    if (!c->splat) return CH_OK;
    ch__buf *one = c->buf;
    c->buf = NULL;
    ch_status st = ch__cell_buffer(fr, c);
    if (st == CH_OK) ch__fill(c->buf->data, one->data, c->esize, c->numel);
    ch__buf_release(fr->run, one);
    return st;
}

static ch_status check_size(ch__frame *fr, const ch__instr *s, int k) {
    const ch__cell *c = CH__OUT(k);
    if (CH_LIKELY(c->numel >= 0)) return CH_OK;
    for (int i = 0; i < c->rank && c->dims; i++)
        if (c->dims[i] < 0)
            return ch__op_fail(s, CH__E_shape_mismatch, "result axis %d has size %" PRId64 " — sizes are 0 or more", i,
                               c->dims[i]);
    return ch__op_fail(s, CH__E_dim_overflow, "the size of the result does not fit in 64 bits");
}

ch_status ch__result_new(ch__frame *fr, const ch__instr *s, int k) {
    CH_TRY(check_size(fr, s, k));
    return ch__cell_buffer(fr, CH__OUT(k));
}

static bool dies(const ch__instr *s, int j) { return j < 64 && (s->dies >> j & 1); }

// May operand j's memory become that of result k?
static bool may_take(ch__frame *fr, const ch__instr *s, int k, int j) {
    const ch__cell *o = CH__OUT(k), *c = CH__IN(j);
    if (!dies(s, j) || c->splat || c->tape || !ch__buf_writable(c->buf) || ch__bytes(c) != ch__bytes(o)) return false;
    if (!o->out || !fr->outs) return true;
    // A result that has a place of its own is written there, unless it is that place already; one that has none is
    // given memory of its own, which a donated input is not.
    const void *place = fr->outs[o->out - 1].data;
    return place ? place == c->buf->data : c->buf->kind == CH__BUF_HEAP;
}

ch_status ch__result_over(ch__frame *fr, const ch__instr *s, int k, int j, bool *taken) {
    CH_TRY(check_size(fr, s, k));
    *taken = may_take(fr, s, k, j);
    if (!*taken) return ch__cell_buffer(fr, CH__OUT(k));
    ch__cell_move(fr, CH__OUT(k), CH__IN(j), true);
    fr->run->counts.in_place++;
    return CH_OK;
}

ch_status ch__result_same(ch__frame *fr, const ch__instr *s, int k, int j) {
    CH_TRY(check_size(fr, s, k));
    ch__cell_move(fr, CH__OUT(k), CH__IN(j), dies(s, j));
    return CH_OK;
}

ch_status ch__result_update(ch__frame *fr, const ch__instr *s, int k, int j) {
    bool taken;
    ch__buf *held = CH__IN(j)->buf;
    CH_TRY(ch__result_over(fr, s, k, j, &taken));
    if (taken) return CH_OK;
    ch__cell *o = CH__OUT(k);
    if (ch__bytes(o) > 0) memcpy(o->buf->data, held->data, (size_t)ch__bytes(o));
    fr->run->counts.copies++;
    return CH_OK;
}
