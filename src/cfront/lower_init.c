// SPDX-License-Identifier: Apache-2.0
// lower_init.c - initializers: lists with and without braces, designators, strings; into the program or, for variables
// of the file, into bytes.
#include "cfront/lower.h"

// ---------------------------------------------------------------- initializers
// Zero in what is one number; arrays are made of zeros.
void cf_fill_zero(cf_lower *l, const cf_ptr *p, cf_type *type, cf_loc at) {
    (void)type;
    (void)at;
    const cf_target *t = &p->to[0];
    for (int i = t->first; i < t->first + t->n; i++) {
        const cf_leaf *leaf = &t->o->leaves.data[i];
        if (leaf->is_array && leaf->type->kind == CF_POINTER) cf_null_rows(l, leaf);
        if (leaf->is_array) continue;
        if (leaf->dtype)
            cf_set_slot(l, leaf->slot, cf_zero(l, ch__type_scalar(cf_held(leaf->type))));
        else if (leaf->type->kind == CF_POINTER)
            cf_set_pointer(l, leaf->slot, cf_null(l));
    }
}

typedef struct {
    cf_lower *l;
    cf_object *o;
    bool constant;   // into bytes, not into the program
    uint8_t **bytes; // of each leaf
    bool failed;
} init_walk;

static bool integers(cf_op op, bool is_signed, int64_t x, int64_t y, int64_t *out) {
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    bool less = is_signed ? x < y : a < b;
    switch (op) {
    case CF_ADD: *out = (int64_t)(a + b); return true;
    case CF_SUB: *out = (int64_t)(a - b); return true;
    case CF_MUL: *out = (int64_t)(a * b); return true;
    case CF_DIV:
    case CF_REM:
        if (y == 0 || (is_signed && x == INT64_MIN && y == -1)) return false;
        if (is_signed)
            *out = op == CF_DIV ? x / y : x % y;
        else
            *out = (int64_t)(op == CF_DIV ? a / b : a % b);
        return true;
    case CF_SHL:
        if (b > 62) return false;
        *out = (int64_t)(a << b);
        return true;
    case CF_SHR:
        if (b > 62 || x < 0) return false;
        *out = x >> y;
        return true;
    case CF_AND: *out = x & y; return true;
    case CF_OR: *out = x | y; return true;
    case CF_XOR: *out = x ^ y; return true;
    case CF_LT: *out = less; return true;
    case CF_GE: *out = !less; return true;
    case CF_GT: *out = x != y && !less; return true;
    case CF_LE: *out = x == y || less; return true;
    case CF_EQ: *out = x == y; return true;
    case CF_NE: *out = x != y; return true;
    case CF_LOGICAL_AND: *out = x && y; return true;
    case CF_LOGICAL_OR: *out = x || y; return true;
    default: return false;
    }
}

static bool number_of(cf_node *n, int64_t *i, double *f, bool *is_float) {
    int64_t j;
    double g;
    bool other;
    *is_float = n->type && n->type->kind == CF_FLOAT;
    switch (n->kind) {
    case CF_NUMBER:
        *i = n->i;
        *f = *is_float ? n->f : (double)n->i;
        return true;
    case CF_CAST:
        if (!cf_is_arithmetic(n->type) || !number_of(n->kids[0], &j, &g, &other)) return false;
        if (*is_float) {
            *f = other ? g : n->kids[0]->type->is_signed ? (double)j : (double)(uint64_t)j;
            if (n->type->bits == 32) *f = (double)(float)*f;
        } else {
            *i = other ? (int64_t)g : j;
        }
        return true;
    case CF_UNARY:
        if ((n->op != CF_NEG && n->op != CF_PLUS) || !number_of(n->kids[0], &j, &g, &other)) return false;
        *i = n->op == CF_NEG ? -j : j;
        *f = n->op == CF_NEG ? -g : g;
        return true;
    case CF_BINARY: {
        int64_t k;
        double h;
        if (!number_of(n->kids[0], &j, &g, &other) || !number_of(n->kids[1], &k, &h, &other)) return false;
        if (*is_float) {
            *f = n->op == CF_ADD ? g + h : n->op == CF_SUB ? g - h : n->op == CF_MUL ? g * h : g / h;
            if (n->type->bits == 32) *f = (double)(float)*f;
            return n->op >= CF_ADD && n->op <= CF_DIV;
        }
        const cf_type *t = n->kids[0]->type;
        if (t->kind == CF_FLOAT || other) { // a comparison of them
            *i = n->op == CF_LT   ? g < h
                 : n->op == CF_LE ? g <= h
                 : n->op == CF_GT ? g > h
                 : n->op == CF_GE ? g >= h
                 : n->op == CF_EQ ? g == h
                                  : g != h;
            return n->op >= CF_LT && n->op <= CF_NE;
        }
        return integers(n->op, t->is_signed, j, k, i);
    }
    case CF_COND:
        if (!number_of(n->kids[0], &j, &g, &other)) return false;
        return number_of(n->kids[(other ? g != 0 : j != 0) ? 1 : 2], i, f, is_float);
    case CF_NAME: {
        cf_decl *d = n->decl;
        return d->kind == CF_VAR && d->global && d->type->is_const && d->init && number_of(d->init, i, f, is_float);
    }
    default: return false;
    }
}

static void put_number(ch_dtype d, uint8_t *at, int64_t i, double f) {
    float f32 = (float)f;
    switch (d) {
    case CH_F64: memcpy(at, &f, 8); break;
    case CH_F32: memcpy(at, &f32, 4); break;
    case CH_BOOL: *at = i != 0; break;
    default: memcpy(at, &i, ch_dtype_size(d)); break; // little endian
    }
}

// A pointer that is known when the file is compiled: to a variable of the file, its elements, a function; or null.
static const cf_ptr *constant_pointer(cf_lower *l, cf_node *n) {
    while (n->kind == CF_CAST) n = n->kids[0];
    if (n->kind == CF_NUMBER) return n->i == 0 ? cf_null(l) : NULL;
    if (n->kind == CF_STRING || (n->kind == CF_DECAY && n->kids[0]->kind == CF_STRING))
        return cf_place(l, n->kind == CF_STRING ? n : n->kids[0]);
    bool address = n->kind == CF_DECAY || (n->kind == CF_UNARY && n->op == CF_ADDRESS);
    cf_node *of = address ? n->kids[0] : n;
    if (of->kind != CF_NAME) return NULL;
    if (of->decl->kind == CF_FUNC) return cf_place(l, of);
    if (!address || !of->decl->global) return NULL;
    const cf_ptr *p = cf_address(l, cf_variable(l, of->decl, of->loc));
    return n->kind == CF_DECAY ? cf_element(l, p, of->loc) : p;
}

static void init_scalar(init_walk *w, int leaf, int64_t index, cf_type *t, cf_node *n) {
    cf_leaf *x = &w->o->leaves.data[leaf];
    while (n->kind == CF_LIST && n->n == 1) n = n->kids[0];
    if (w->constant && x->type->kind == CF_POINTER) {
        const cf_ptr *p = constant_pointer(w->l, n);
        if (!p) w->failed = true;
        if (x->is_array) {
            cf_slot *slot = &w->l->slots.data[x->slot];
            if (!slot->fixed_pointers) slot->fixed_pointers = CH_NEW_ARRAY(w->l->a, const cf_ptr *, x->fixed + 1);
            slot->fixed_pointers[index] = p;
            return;
        }
        w->l->slots.data[x->slot].fixed_pointer = p;
        return;
    }
    if (w->constant) {
        int64_t i = 0;
        double f = 0;
        bool is_float;
        if (!x->dtype || !number_of(n, &i, &f, &is_float)) {
            w->failed = true;
            return;
        }
        if (is_float && t->kind != CF_FLOAT) i = (int64_t)f;
        if (!is_float && t->kind == CF_FLOAT) f = (double)i;
        int width = x->type->width;
        if (width > 0 && width < 63) {
            uint64_t mask = ((uint64_t)1 << width) - 1, sign = (uint64_t)1 << (width - 1), u = (uint64_t)i & mask;
            i = x->type->is_signed ? (int64_t)(u ^ sign) - (int64_t)sign : (int64_t)u;
        }
        put_number(x->dtype, w->bytes[leaf] + index * (int64_t)ch_dtype_size(x->dtype), i, f);
        return;
    }
    cf_lower *l = w->l;
    cf_rv v = cf_value(l, n);
    if (cf_is_arithmetic(t) && cf_is_arithmetic(v.type)) v.v = cf_convert(l, v.v, v.type, t);
    cf_target to = {.o = w->o, .first = leaf, .n = 1, .type = t};
    cf_store_one(l, &to, x->is_array ? cf_i64(l, index) : NULL, v, t, n->loc);
}

static void init_list(init_walk *w, int leaf, int64_t index, cf_type *t, cf_node *list, int *at, bool braces);

static void init_string(init_walk *w, int leaf, int64_t index, cf_type *t, cf_node *n) {
    const char *s = n->s;
    size_t len = strlen(s);
    for (size_t i = 1; i + 1 < len && (t->count < 0 || (int64_t)i <= t->count); i++) {
        cf_node c = {.kind = CF_NUMBER, .type = t->of, .i = s[i], .loc = n->loc};
        if (s[i] == '\\') w->failed = true;
        init_scalar(w, leaf, index + (int64_t)i - 1, t->of, &c);
    }
}

static void init_any(init_walk *w, int leaf, int64_t index, cf_type *t, cf_node *list, int *at) {
    cf_node *n = list->kids[*at];
    if (n->kind == CF_DESIGNATED) n = n->kids[0];
    if (n->kind == CF_LIST && (t->kind == CF_ARRAY || t->kind == CF_STRUCT)) {
        int from = 0;
        init_list(w, leaf, index, t, n, &from, true);
        (*at)++;
    } else if (t->kind == CF_STRUCT && n->type && n->type->kind == CF_STRUCT) {
        if (w->constant) {
            w->failed = true;
        } else {
            cf_ptr p = {1, &(cf_target){.o = w->o, .first = leaf, .n = cf_count_leaves(t), .type = t}, NULL,
                        cf_i64(w->l, index)};
            cf_store(w->l, &p, cf_value(w->l, n), t, n->loc);
        }
        (*at)++;
    } else if (t->kind == CF_ARRAY && n->kind == CF_STRING) {
        init_string(w, leaf, index, t, n);
        (*at)++;
    } else if (t->kind == CF_ARRAY || t->kind == CF_STRUCT) {
        init_list(w, leaf, index, t, list, at, false); // braces left out
    } else {
        init_scalar(w, leaf, index, t, n);
        (*at)++;
    }
}

static int64_t fixed_units(const cf_type *t) {
    int64_t n = 1;
    for (; t->kind == CF_ARRAY; t = t->of)
        if (t->count < 0 || !ch__mul_i64(n, t->count, &n)) return -1;
    return n;
}

// Where a designator's path leads, relative to t.
static bool follow_path(init_walk *w, const cf_node *d, int from, int *leaf, int64_t *index, cf_type **t) {
    for (int64_t i = from; i < d->path.n; i++) {
        const cf_step *s = &d->path.data[i];
        if (s->field >= 0 && (*t)->kind == CF_STRUCT) {
            const cf_record *r = (*t)->record;
            int64_t k = 0;
            while (k < r->fields.n && strcmp(r->fields.data[k].name, s->name) != 0)
                *leaf += cf_count_leaves(r->fields.data[k++].type);
            if (k == r->fields.n) return false;
            *t = r->fields.data[k].type;
        } else if (s->index && (*t)->kind == CF_ARRAY) {
            int64_t k = 0;
            double f;
            bool is_float;
            if (!number_of(s->index, &k, &f, &is_float)) return false;
            *index = *index * (*t)->count + k;
            *t = (*t)->of;
        } else {
            w->failed = true;
            return false;
        }
    }
    return true;
}

static void init_list(init_walk *w, int leaf, int64_t index, cf_type *t, cf_node *list, int *at, bool braces) {
    int64_t n = t->kind == CF_ARRAY ? t->count : t->record->fields.n, k = 0;
    if (t->kind == CF_STRUCT && t->record->is_union) {
        w->failed = true;
        *at = list->n;
        return;
    }
    if (t->kind == CF_ARRAY && fixed_units(t) < 0) {
        w->failed = true;
        *at = list->n;
        return;
    }
    while (*at < list->n && (k < n || list->kids[*at]->kind == CF_DESIGNATED)) {
        cf_node *d = list->kids[*at];
        if (d->kind == CF_DESIGNATED && !braces) return; // belongs to a list around
        if (d->kind == CF_DESIGNATED) {
            const cf_step *s = &d->path.data[0];
            double f;
            bool is_float;
            if (s->field >= 0 && t->kind == CF_STRUCT)
                for (k = 0; k < n && strcmp(t->record->fields.data[k].name, s->name) != 0;) k++;
            else if (!s->index || !number_of(s->index, &k, &f, &is_float))
                w->failed = true;
            if (w->failed || k >= n) return;
        }
        int sub = leaf;
        int64_t place = index;
        cf_type *of;
        if (t->kind == CF_ARRAY) {
            of = t->of;
            place = index * n + k;
        } else {
            for (int64_t i = 0; i < k; i++) sub += cf_count_leaves(t->record->fields.data[i].type);
            of = t->record->fields.data[k].type;
        }
        if (d->kind == CF_DESIGNATED && d->path.n > 1 && !follow_path(w, d, 1, &sub, &place, &of)) {
            w->failed = true;
            return;
        }
        init_any(w, sub, place, of, list, at);
        k++;
    }
    if (braces) *at = list->n;
}

void cf_initialize(cf_lower *l, const cf_ptr *p, cf_type *type, cf_node *init) {
    cf_object *o = p->to[0].o;
    if (type->kind == CF_ARRAY || (type->kind == CF_STRUCT && init->kind == CF_LIST)) {
        init_walk w = {.l = l, .o = o};
        cf_node one = {.kind = CF_LIST, .loc = init->loc, .n = 1, .kids = &init};
        int at = 0;
        cf_fill_zero(l, p, type, init->loc);
        if (init->kind == CF_LITERAL) one.kids = &init->kids[0];
        init_any(&w, p->to[0].first, 0, type, &one, &at);
        if (w.failed)
            cf_doubt_memory(l, &p->to[0],
                            cf_doubt_of(l, "CH129", init->loc, "assign element by element",
                                        "an initializer of this form of '%s'", cf_object_name(o)));
        return;
    }
    while (init->kind == CF_LIST && init->n == 1) init = init->kids[0];
    cf_rv v = cf_value(l, init);
    if (cf_is_arithmetic(type) && v.v) v.v = cf_convert(l, v.v, v.type, type);
    cf_store(l, p, v, type, init->loc);
}

bool cf_initialize_constant(cf_lower *l, cf_object *o, cf_node *init, uint8_t **bytes) {
    init_walk w = {.l = l, .o = o, .constant = true, .bytes = bytes};
    cf_node one = {.kind = CF_LIST, .n = 1, .kids = &init};
    int from = 0;
    init_any(&w, 0, 0, o->type, &one, &from);
    return !w.failed;
}
