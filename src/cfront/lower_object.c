// SPDX-License-Identifier: Apache-2.0
// lower_object.c - objects, pointers into them, loads and stores.
//
// The index of a pointer counts elements of the type pointed to, all dimensions and outer structs taken together: of
// p[i].a[j] with double a[3] it is 3*i + j, which is where leaf .a has it.
#include "cfront/lower.h"

#include <stdlib.h>

// ---------------------------------------------------------------- leaves
int cf_count_leaves(const cf_type *t) {
    if (t->kind == CF_ARRAY) return cf_count_leaves(t->of);
    if (t->kind != CF_STRUCT || t->record->is_union) return 1;
    int n = 0;
    for (int64_t i = 0; i < t->record->fields.n; i++) n += cf_count_leaves(t->record->fields.data[i].type);
    return n;
}

// Evaluated where the array is declared; else here.
ch__value *cf_extent(cf_lower *l, cf_type *t) {
    if (t->count >= 0) return cf_i64(l, t->count);
    if (!t->extent) return NULL;
    ch__value *v = ch__map_get(&l->extents, (uint64_t)(uintptr_t)t->extent);
    if (v) return v;
    return cf_index(l, cf_scalar(l, t->extent));
}

void cf_declare_extents(cf_lower *l, cf_type *t) {
    for (; t; t = t->of) {
        if (t->kind != CF_ARRAY && t->kind != CF_POINTER) return;
        if (t->kind == CF_ARRAY && t->count < 0 && t->extent)
            ch__map_put(&l->extents, (uint64_t)(uintptr_t)t->extent, cf_index(l, cf_scalar(l, t->extent)));
    }
}

ch__value *cf_units(cf_lower *l, cf_type *t) {
    ch__value *n = NULL;
    for (; t->kind == CF_ARRAY; t = t->of) n = cf_mul_index(l, n, cf_extent(l, t));
    return n;
}

static void add_leaves(cf_lower *l, cf_object *o, cf_type *t, const char *path, int64_t fixed, ch__value *times) {
    for (; t->kind == CF_ARRAY; t = t->of) {
        ch__value *n = cf_extent(l, t);
        int64_t known;
        if (n && cf_known(n, &known) && fixed >= 0 && ch__mul_i64(fixed, known, &fixed)) {
            times = fixed == 1 ? NULL : cf_i64(l, fixed);
        } else {
            fixed = -1;
            times = n ? cf_mul_index(l, times, n) : NULL;
        }
    }
    if (t->kind == CF_STRUCT && !t->record->is_union) {
        for (int64_t i = 0; i < t->record->fields.n; i++) {
            const cf_field *f = &t->record->fields.data[i];
            add_leaves(l, o, f->type, ch__arena_printf(l->a, "%s.%s", path, f->name), fixed, times);
        }
        return;
    }
    cf_leaf leaf = {.type = t, .path = path, .fixed = fixed, .times = times, .slot = -1};
    if (cf_is_arithmetic(t)) leaf.dtype = cf_memory(t);
    CH_PUSH(l->a, &o->leaves, leaf);
}

// v->data and s.x as v_data and s_x.
char *cf_identifier(ch__arena *a, const char *s) {
    char *out = ch__arena_strdup(a, s), *to = out;
    for (const char *at = s; *at; at++)
        if (*at != '-') *to++ = *at == '.' || *at == '>' ? '_' : *at;
    *to = 0;
    return out;
}

static const char *leaf_name(cf_lower *l, const cf_object *o, const cf_leaf *leaf) {
    return cf_identifier(l->a, ch__arena_printf(l->a, "%s%s", o->name ? o->name : "object", leaf->path));
}

cf_object *cf_new_object(cf_lower *l, const char *name, cf_type *type, int64_t fixed, ch__value *count, cf_loc loc) {
    cf_object *o = CH_NEW(l->a, cf_object);
    *o = (cf_object){.name = name, .loc = loc, .param = -1};
    cf_give_type(l, o, type, fixed, count);
    return o;
}

void cf_give_type(cf_lower *l, cf_object *o, cf_type *type, int64_t fixed, ch__value *count) {
    o->type = type;
    o->fixed = fixed;
    o->count = count;
    add_leaves(l, o, type, "", 1, NULL);
    for (int64_t i = 0; i < o->leaves.n; i++) {
        cf_leaf *leaf = &o->leaves.data[i];
        leaf->is_array = fixed != 1 || leaf->fixed != 1;
        const ch__type *t = NULL;
        if (leaf->dtype) t = ch__type_scalar(leaf->is_array ? leaf->dtype : cf_held(leaf->type));
        leaf->slot = cf_new_slot(l, leaf_name(l, o, leaf), t, o);
        if (!leaf->dtype) l->slots.data[leaf->slot].type = NULL;
    }
}

static const ch__type *array_of(cf_lower *l, ch_dtype d, ch__dim n) { return ch__type_make(l->a, d, 1, &n, NULL); }

void cf_make_storage(cf_lower *l, cf_object *o) {
    for (int64_t i = 0; i < o->leaves.n; i++) {
        cf_leaf *leaf = &o->leaves.data[i];
        bool rows = leaf->type->kind == CF_POINTER;
        if (!leaf->is_array || (!leaf->dtype && !rows)) continue;
        ch_dtype dtype = rows ? CH_I64 : leaf->dtype;
        int64_t n = 0;
        bool fixed = o->fixed >= 0 && leaf->fixed >= 0 && ch__mul_i64(o->fixed, leaf->fixed, &n);
        const ch__type *t;
        ch__value *v;
        cf_env *now = l->env, *root = now;
        if (fixed) {
            t = array_of(l, dtype, ch__dim_const(n));
            v = &ch__build(&l->env->b, CH_OP_alloc, 0, NULL, 0, NULL, 1, &t, 0, NULL)->results[0];
        } else {
            ch__value *count = o->fixed == 1 ? NULL : o->count ? o->count : cf_i64(l, o->fixed);
            ch__value *size = cf_mul_index(l, count, leaf->times);
            ch__value *earlier = o->made && size ? cf_size_before(l, size, &root) : NULL;
            if (earlier) size = earlier;
            if (earlier) l->env = root;
            const char *symbol = ch__func_fresh_symbol(l->func, ch__arena_printf(l->a, "%s_n", o->name));
            ch__attr a = ch__attr_str(CH__ATTR_symbols, symbol);
            t = array_of(l, dtype, ch__dim_symbol(l->a, symbol));
            v = &ch__build(&l->env->b, CH_OP_alloc, 1, &size, 1, &a, 1, &t, 0, NULL)->results[0];
        }
        l->env = now;
        if (rows) {
            cf_make_rows(l, leaf, v, root);
            continue;
        }
        v->name = l->slots.data[leaf->slot].name;
        l->slots.data[leaf->slot].type = t;
        cf_set_slot_from(l, root, leaf->slot, v);
    }
}

// ---------------------------------------------------------------- pointers
static const cf_ptr *one_target(cf_lower *l, cf_target t) {
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    p->n = 1;
    p->to = CH_NEW(l->a, cf_target);
    *p->to = t;
    return p;
}

const cf_ptr *cf_address(cf_lower *l, cf_object *o) {
    return one_target(
        l, (cf_target){
               .o = o, .n = (int)o->leaves.n, .type = o->type, .alone = o->fixed == 1 && o->type->kind != CF_ARRAY});
}

const cf_ptr *cf_null(cf_lower *l) { return one_target(l, (cf_target){0}); }

const cf_ptr *cf_nowhere(cf_lower *l) { return one_target(l, (cf_target){.refused = true}); }

static cf_ptr *copied(cf_lower *l, const cf_ptr *p) {
    cf_ptr *q = CH_NEW(l->a, cf_ptr);
    *q = *p;
    q->to = ch__arena_dup(l->a, p->to, (size_t)p->n * sizeof *p->to);
    return q;
}

const cf_ptr *cf_field_of(cf_lower *l, const cf_ptr *p, const cf_type *of, int field, cf_loc at) {
    cf_ptr *q = copied(l, p);
    for (int k = 0; k < q->n; k++) {
        cf_target *t = &q->to[k];
        if (!t->o) continue;
        if (!t->type || t->type->kind != CF_STRUCT || !cf_same_type(t->type, of)) {
            return cf_doubtful_pointer(l,
                                       cf_doubt_of(l, "CH120", at, "point to the struct itself",
                                                   "a pointer to %s used as a pointer to %s",
                                                   t->type ? t->type->text : "void", of->text),
                                       false);
        }
        const cf_record *r = t->type->record;
        if (r->is_union) {
            const char *name = r->name ? r->name : "without a name";
            if (!strncmp(name, "union ", 6)) name += 6;
            return cf_doubtful_pointer(l, cf_doubt_of(l, "CH121", at, "use a struct", "a member of the union %s", name),
                                       true);
        }
        for (int i = 0; i < field; i++) t->first += cf_count_leaves(r->fields.data[i].type);
        t->type = r->fields.data[field].type;
        t->n = cf_count_leaves(t->type);
        t->alone = t->type->kind != CF_ARRAY;
    }
    return q;
}

const cf_ptr *cf_element(cf_lower *l, const cf_ptr *p, cf_loc at) {
    cf_ptr *q = copied(l, p);
    cf_type *array = NULL;
    for (int k = 0; k < q->n; k++) {
        cf_target *t = &q->to[k];
        if (!t->o) continue;
        if (t->type->kind != CF_ARRAY) {
            return cf_doubtful_pointer(
                l, cf_doubt_of(l, "CH120", at, "point to the array itself", "something that is no array used as one"),
                false);
        }
        array = t->type;
        t->type = array->of;
        t->alone = false;
    }
    if (array && q->index) q->index = cf_mul_index(l, q->index, cf_extent(l, array));
    return q;
}

// A parameter struct s *p is one struct until it is moved: then the function is lowered again with several.
static bool points_to_many(cf_lower *l, const cf_target *t) {
    const cf_object *o = t->o && t->o->param >= 0 ? t->o : NULL;
    if (!o || t->n != o->leaves.n || !t->alone || t->refused || o->type->kind != CF_STRUCT) return false;
    return cf_reach_many(l, o);
}

const cf_ptr *cf_moved(cf_lower *l, const cf_ptr *p, ch__value *by, cf_loc at) {
    int64_t n;
    if (cf_known(by, &n) && n == 0) return p;
    for (int k = 0; k < p->n; k++)
        if (points_to_many(l, &p->to[k])) return cf_nowhere(l);
    for (int k = 0; k < p->n; k++)
        if (p->to[k].text)
            return cf_doubtful_pointer(
                l, cf_doubt_of(l, "CH133", at, "use an array", "the characters of a string literal"), false);
    for (int k = 0; k < p->n; k++)
        if (p->to[k].alone && !p->to[k].refused) {
            return cf_doubtful_pointer(l,
                                       cf_doubt_of(l, "CH122", at, "make it an array",
                                                   "a pointer that walks from '%s%s' to what lies beside it",
                                                   p->to[k].o && p->to[k].o->name ? p->to[k].o->name : "an object",
                                                   p->to[k].o ? p->to[k].o->leaves.data[p->to[k].first].path : ""),
                                       false);
        }
    cf_ptr *q = CH_NEW(l->a, cf_ptr);
    *q = *p;
    q->index = cf_add_index(l, p->index, by);
    return q;
}

// ---------------------------------------------------------------- one target
// NULL: it can be read or written as `type`; else why not.
static const cf_doubt *trouble_at(cf_lower *l, const cf_target *t, const cf_type *type, cf_loc at) {
    if (t->doubt) return t->doubt;
    if (t->text) return cf_doubt_of(l, "CH133", at, "use an array", "the characters of a string literal");
    if (!t->o)
        return cf_doubt_of(l, "CH123", at, "give it something to point to", "%s",
                           t->function ? "a function read as data" : "a null pointer is followed");
    if (t->first >= t->o->leaves.n || t->n == 0)
        return t->o->border ? cf_doubt_of(l, "CH124", at, "convert it to a pointer to numbers or structs",
                                          "what '%s' of type void * points to", cf_object_name(t->o))
                            : cf_doubt_of(l, "CH139", at, "assign it to a pointer to numbers or structs",
                                          "memory of malloc whose type is not known");
    const cf_leaf *leaf = &t->o->leaves.data[t->first];
    if (leaf->type->kind == CF_STRUCT || leaf->type->kind == CF_OTHER)
        return cf_doubt_of(l, "CH121", at, leaf->type->kind == CF_STRUCT ? "use a struct" : "use double or float",
                           "'%s%s' of type %s", cf_object_name(t->o), leaf->path, leaf->type->text);
    bool same =
        type->kind == CF_POINTER ? leaf->type->kind == CF_POINTER : leaf->dtype && leaf->dtype == cf_memory(type);
    if (!same || t->type->kind == CF_ARRAY || t->type->kind == CF_STRUCT)
        return cf_doubt_of(l, "CH124", at, "read it as what it is", "%s%s of type %s read or written as %s",
                           cf_object_name(t->o), leaf->path, t->type->text, type->text);
    return NULL;
}

// What is written and cannot be read again may be lost: a member of a union, a number of an unknown type.
static bool may_forget(const cf_target *t) {
    if (t->doubt) return t->forgets;
    return t->o && t->first < t->o->leaves.n && t->o->leaves.data[t->first].type->kind == CF_OTHER;
}

const char *cf_object_name(const cf_object *o) { return o->name ? o->name : "memory"; }

static cf_rv nothing(cf_lower *l, cf_type *type) {
    cf_rv v = {.type = type};
    if (cf_is_arithmetic(type))
        v.v = cf_zero(l, ch__type_scalar(cf_held(type)));
    else
        v.p = cf_nowhere(l);
    return v;
}

static void note_index(cf_lower *l, cf_object *o, ch__value *index) {
    int64_t i;
    if (!index || o->indexed || o->param < 0 || (cf_known(index, &i) && i == 0)) return;
    cf_access at = {o, index};
    if (index->op)
        o->indexed = true;
    else
        CH_PUSH(l->a, &l->accesses, at); // a placeholder: perhaps of 0
}

// A pointer of a constant table: one of those that stand there.
static const cf_ptr *from_table(cf_lower *l, const cf_ptr *const *table, int64_t n, ch__value *index) {
    int64_t at;
    const cf_ptr *null = cf_null(l), *all = table[0] ? table[0] : null;
    if (cf_known(index ? index : cf_i64(l, 0), &at) && at >= 0 && at < n) return table[at] ? table[at] : null;
    for (int64_t i = 1; i < n; i++) all = cf_widened(l, all, table[i] ? table[i] : null);
    if (all->n == 1 && !all->which) return all;
    int64_t *which = CH_NEW_ARRAY(l->a, int64_t, n), *places = CH_NEW_ARRAY(l->a, int64_t, n);
    for (int64_t i = 0; i < n; i++) {
        const cf_ptr *p = table[i] ? table[i] : null;
        for (int k = 0; k < all->n; k++) {
            const cf_target *x = &p->to[0], *y = &all->to[k];
            if (x->o == y->o && x->function == y->function && x->first == y->first && x->n == y->n) which[i] = k;
        }
        places[i] = 0;
        if (p->index) cf_known(p->index, &places[i]);
    }
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    *p = (cf_ptr){all->n, all->to, NULL, NULL};
    ch__value **to[2] = {&p->which, &p->index};
    for (int k = 0; k < 2; k++) {
        ch__value *t = ch__b_const(&l->env->b, &(ch__array){CH_I64, 1, &n, k ? places : which, false});
        ch__value *operands[2] = {t, index};
        *to[k] = &ch__build(&l->env->b, CH_OP_get, 2, operands, 0, NULL, 0, NULL, 0, NULL)->results[0];
    }
    return p;
}

static bool is_null(const cf_target *t) { return !t->o && !t->function && !t->text && !t->doubt && !t->refused; }

static cf_rv load_one(cf_lower *l, const cf_target *t, ch__value *index, cf_type *type, cf_loc at) {
    if (t->refused && !t->doubt) return nothing(l, type);
    if (!l->out && type->kind != CF_POINTER && is_null(t)) return nothing(l, type); // never there: see cf_call_outlined
    if (!l->out && is_null(t)) return (cf_rv){.p = cf_null(l), .type = type};
    const cf_doubt *why = trouble_at(l, t, type, at);
    if (why) return cf_doubtful_rv(l, why, type);
    cf_object *o = t->o;
    const cf_leaf *leaf = &o->leaves.data[t->first];
    o->read = true;
    note_index(l, o, index);
    if (type->kind == CF_POINTER) {
        if (leaf->is_array && l->slots.data[leaf->slot].fixed_pointers)
            return (cf_rv){.p = from_table(l, l->slots.data[leaf->slot].fixed_pointers, leaf->fixed, index),
                           .type = type};
        if (leaf->is_array && l->slots.data[leaf->slot].targets) return cf_load_row(l, o, leaf, index, type, at);
        if (leaf->is_array) {
            return cf_doubtful_rv(l,
                                  cf_doubt_of(l, "CH125", at,
                                              o->border && !*leaf->path ? "say how long rows are: CH_SHAPE(p, n, m)"
                                                                        : "use one array and compute the index",
                                              "an array of pointers, '%s%s'", cf_object_name(o), leaf->path),
                                  type);
        }
        const cf_ptr *p = cf_get_pointer(l, leaf->slot);
        if (!p && o->border) p = cf_reach(l, o, leaf, at);
        if (!p) {
            return cf_doubtful_rv(l,
                                  cf_doubt_of(l, "CH123", at, "set it first",
                                              "the pointer '%s%s' is read and points nowhere", cf_object_name(o),
                                              leaf->path),
                                  type);
        }
        return (cf_rv){.p = p, .type = type};
    }
    ch__value *v = cf_get_slot(l, leaf->slot);
    if (leaf->is_array) {
        ch__value *i = index ? index : cf_i64(l, 0);
        v = &ch__build(&l->env->b, CH_OP_get, 2, (ch__value *[]){v, i}, 0, NULL, 0, NULL, 0, NULL)->results[0];
        v = ch__b_convert(&l->env->b, v, cf_held(type));
    }
    return (cf_rv){.v = v, .type = type};
}

// What a bit-field keeps of a number.
static ch__value *cut_to_width(cf_lower *l, const cf_type *t, ch__value *x) {
    if (t->width <= 0 || t->width >= 63 || t->kind != CF_INT) return x;
    ch__value *mask = cf_number(l, t, (int64_t)(((uint64_t)1 << t->width) - 1), 0);
    mask = ch__b_convert(&l->env->b, mask, x->type->dtype);
    x = ch__b_binary(&l->env->b, CH_OP_and, x, mask);
    if (!t->is_signed || x->type->dtype != CH_I64) return x;
    ch__value *sign = cf_i64(l, (int64_t)1 << (t->width - 1));
    x = ch__b_binary(&l->env->b, CH_OP_xor, x, sign);
    static const cf_type i64 = {.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};
    return cf_arith(l, CF_SUB, &i64, x, sign);
}

void cf_store_one(cf_lower *l, const cf_target *t, ch__value *index, cf_rv v, cf_type *type, cf_loc at) {
    if ((t->refused && !t->doubt) || (!l->out && is_null(t))) return;
    const cf_doubt *why = trouble_at(l, t, type, at);
    if (why) {
        if (!may_forget(t)) cf_refuse(l, why->code, why->at, why->way, "%s", why->text);
        return;
    }
    cf_object *o = t->o;
    const cf_leaf *leaf = &o->leaves.data[t->first];
    if (o->constant) {
        cf_refuse(l, "CH126", at, "pass it as a parameter", "'%s' is written: %s", cf_object_name(o), o->why);
        return;
    }
    o->written = true;
    note_index(l, o, index);
    if (type->kind == CF_POINTER) {
        if (leaf->is_array && l->slots.data[leaf->slot].stride)
            cf_refuse(l, "CH125", at, "exchange indices, or rows of an array of the function's own",
                      "rows of the parameter '%s' are replaced", cf_object_name(o));
        else if (leaf->is_array && l->slots.data[leaf->slot].targets)
            cf_store_row(l, leaf, index, v.p ? v.p : cf_nowhere(l));
        else if (leaf->is_array)
            cf_refuse(l, "CH125", at, "use one array and compute the index", "an array of pointers, '%s'",
                      cf_object_name(o));
        else
            cf_set_pointer(l, leaf->slot, v.p);
        return;
    }
    ch__value *x = cut_to_width(l, leaf->type, cf_plain(l, v.v));
    if (!leaf->is_array) {
        if (!x->name && x->op && x->type->rank == 0) x->name = l->slots.data[leaf->slot].name;
        cf_set_slot(l, leaf->slot, x);
        return;
    }
    if (leaf->dtype == CH_BOOL)
        x = cf_truth(l, x);
    else
        x = ch__b_convert(&l->env->b, x, leaf->dtype);
    ch__value *i = index ? index : cf_i64(l, 0), *a = cf_get_slot(l, leaf->slot);
    a = &ch__build(&l->env->b, CH_OP_set, 3, (ch__value *[]){a, x, i}, 0, NULL, 0, NULL, 0, NULL)->results[0];
    a->name = l->slots.data[leaf->slot].name;
    cf_set_slot(l, leaf->slot, a);
}

// ---------------------------------------------------------------- any number of targets
// The targets that can be followed.
static int followed(const cf_ptr *p, int *list) {
    int n = 0;
    for (int k = 0; k < p->n; k++)
        if (p->to[k].o || p->to[k].doubt || p->n == 1) list[n++] = k;
    if (n == 0) list[n++] = 0;
    return n;
}

static cf_rv load_of(cf_lower *l, const cf_ptr *p, const int *list, int n, cf_type *type, cf_loc at) {
    if (n == 1) return load_one(l, &p->to[list[0]], p->index, type, at);
    cf_env *e = l->env;
    ch__value *pred = cf_compare(l, CF_EQ, p->which, cf_i64(l, list[0]));
    int slot = type->kind == CF_POINTER ? cf_new_slot(l, NULL, NULL, NULL) : -1;
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    l->env = x;
    cf_rv vx = load_one(l, &p->to[list[0]], p->index, type, at);
    if (slot >= 0) cf_set_pointer(l, slot, vx.p);
    l->env = y;
    cf_rv vy = load_of(l, p, list + 1, n - 1, type, at);
    if (slot >= 0) cf_set_pointer(l, slot, vy.p);
    l->env = e;
    if (slot >= 0) {
        cf_join(l, e, pred, x, y, NULL, NULL);
        return (cf_rv){.p = cf_get_pointer(l, slot), .type = type};
    }
    ch__value *v = cf_join(l, e, pred, x, y, vx.v, vy.v);
    return (cf_rv){.v = v ? v : vx.v, .type = type};
}

static const cf_doubt *another_struct(cf_lower *l, const cf_target *t, const cf_type *type, cf_loc at) {
    return cf_doubt_of(l, "CH120", at, "point to the struct itself", "a pointer to %s used as a pointer to %s",
                       t->type->text, type->text);
}

cf_rv cf_load(cf_lower *l, const cf_ptr *p, cf_type *type, cf_loc at) {
    if (type->kind == CF_STRUCT) {
        for (int k = 0; k < p->n; k++)
            if (p->to[k].o && !cf_same_type(p->to[k].type, type))
                return (cf_rv){.p = cf_doubtful_pointer(l, another_struct(l, &p->to[k], type, at), false),
                               .type = type};
        return (cf_rv){.p = p, .type = type};
    }
    if (type->kind == CF_FUNCTION) return (cf_rv){.p = p, .type = type};
    int *list = CH_NEW_ARRAY(l->a, int, p->n);
    return load_of(l, p, list, followed(p, list), type, at);
}

static void store_of(cf_lower *l, const cf_ptr *p, const int *list, int n, cf_rv v, cf_type *type, cf_loc at) {
    if (n == 1) {
        cf_store_one(l, &p->to[list[0]], p->index, v, type, at);
        return;
    }
    cf_env *e = l->env;
    ch__value *pred = cf_compare(l, CF_EQ, p->which, cf_i64(l, list[0]));
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    l->env = x;
    cf_store_one(l, &p->to[list[0]], p->index, v, type, at);
    l->env = y;
    store_of(l, p, list + 1, n - 1, v, type, at);
    l->env = e;
    cf_join(l, e, pred, x, y, NULL, NULL);
}

// ---------------------------------------------------------------- structs
typedef struct {
    cf_target to, from;
    ch__value *to_index, *from_index;
    cf_type *leaf;
    cf_loc at;
} copy_job;

static void copy_element(cf_lower *l, void *arg, ch__value *i) {
    copy_job *j = arg;
    cf_rv v = load_one(l, &j->from, cf_add_index(l, j->from_index, i), j->leaf, j->at);
    cf_store_one(l, &j->to, cf_add_index(l, j->to_index, i), v, j->leaf, j->at);
}

// The leaves of the type t of both, with as many elements as t has of them for each of n (NULL: 1) that lie in a row.
static void copy_leaves(cf_lower *l, copy_job j, cf_type *t, ch__value *n) {
    for (; t->kind == CF_ARRAY; t = t->of) {
        ch__value *extent = cf_extent(l, t);
        n = cf_mul_index(l, n, extent);
        j.to_index = j.to_index ? cf_mul_index(l, j.to_index, extent) : NULL;
        j.from_index = j.from_index ? cf_mul_index(l, j.from_index, extent) : NULL;
    }
    if (t->kind == CF_STRUCT && !t->record->is_union) {
        for (int64_t i = 0; i < t->record->fields.n; i++) {
            copy_leaves(l, j, t->record->fields.data[i].type, n);
            int step = cf_count_leaves(t->record->fields.data[i].type);
            j.to.first += step;
            j.from.first += step;
        }
        return;
    }
    j.leaf = t;
    j.to.type = j.from.type = t;
    if (t->kind == CF_POINTER) { // one that is not set may be copied
        const cf_leaf *leaf = &j.from.o->leaves.data[j.from.first];
        if (!leaf->is_array && !cf_get_pointer(l, leaf->slot)) return;
    }
    int64_t known;
    if (!n) {
        copy_element(l, &j, NULL);
    } else if (cf_known(n, &known) && known <= 4) {
        for (int64_t i = 0; i < known; i++) copy_element(l, &j, cf_i64(l, i));
    } else {
        cf_copy_loop(l, n, copy_element, &j);
    }
}

// What a slot holds is a value in doubt. (From before a loop it may be another one in the next turn.)
static bool is_in_doubt(const cf_lower *l, int slot) {
    const ch__value *v = cf_peek(l->env, slot)->v;
    return v && ch__map_get(&l->in_doubt, (uint64_t)(uintptr_t)v) != NULL;
}

void cf_doubt_memory(cf_lower *l, const cf_target *to, const cf_doubt *d) {
    to->o->written = true;
    for (int k = to->first; k < to->first + to->n; k++) {
        const cf_leaf *leaf = &to->o->leaves.data[k];
        if (leaf->dtype && is_in_doubt(l, leaf->slot)) continue;
        if (leaf->dtype)
            cf_set_slot(
                l, leaf->slot,
                cf_doubtful(l, d, l->slots.data[leaf->slot].type, leaf->is_array ? cf_get_slot(l, leaf->slot) : NULL));
        else if (leaf->is_array)
            cf_doubt_rows(l, leaf, d);
        else
            cf_set_pointer(l, leaf->slot, cf_doubtful_pointer(l, d, false));
    }
}

static void store_struct(cf_lower *l, const cf_ptr *p, cf_rv v, cf_type *type, cf_loc at);

// One of two structs with target k, the other with the rest.
static const cf_ptr *only(cf_lower *l, const cf_ptr *p, int k, int n) {
    cf_ptr *q = CH_NEW(l->a, cf_ptr);
    *q = *p;
    q->to = p->to + k;
    q->n = n;
    if (n == 1)
        q->which = NULL;
    else if (k > 0)
        q->which =
            cf_arith(l, CF_SUB, &(cf_type){.kind = CF_INT, .bits = 64, .is_signed = true}, p->which, cf_i64(l, k));
    return q;
}

// From or to one of several: an if for each.
static void store_several(cf_lower *l, const cf_ptr *p, cf_rv v, cf_type *type, cf_loc at) {
    bool to = p->n > 1;
    const cf_ptr *many = to ? p : v.p;
    int null = -1; // no struct is there: the other one is meant
    for (int k = 0; k < 2 && null < 0; k++)
        if (is_null(&many->to[k]) && (k == 0 || many->n == 2)) null = k;
    if (null >= 0) {
        const cf_ptr *rest = only(l, many, 1 - null, null ? 1 : many->n - 1);
        store_struct(l, to ? rest : p, (cf_rv){.p = to ? v.p : rest, .type = v.type}, type, at);
        return;
    }
    cf_env *e = l->env;
    ch__value *pred = cf_compare(l, CF_EQ, many->which, cf_i64(l, 0));
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    for (int k = 0; k < 2; k++) {
        l->env = k ? y : x;
        const cf_ptr *one = only(l, many, k, k ? many->n - 1 : 1);
        cf_rv from = {.p = to ? v.p : one, .type = v.type};
        store_struct(l, to ? one : p, from, type, at);
    }
    l->env = e;
    cf_join(l, e, pred, x, y, NULL, NULL);
}

static void store_struct(cf_lower *l, const cf_ptr *p, cf_rv v, cf_type *type, cf_loc at) {
    if ((p->n > 1 && p->which) || (v.p->n > 1 && v.p->which)) {
        store_several(l, p, v, type, at);
        return;
    }
    if (v.p->to[0].doubt && p->n == 1 && p->to[0].o) { // all of it is in doubt
        cf_doubt_memory(l, &p->to[0], v.p->to[0].doubt);
        return;
    }
    if (p->to[0].refused || v.p->to[0].refused) {
        const cf_doubt *why = p->to[0].doubt;
        if (why && !p->to[0].forgets) cf_refuse(l, why->code, why->at, why->way, "%s", why->text);
        return;
    }
    if (!p->to[0].o || !v.p->to[0].o) {
        cf_refuse(l, "CH123", at, "give it something to point to", "a null pointer is followed");
        return;
    }
    if (!cf_same_type(p->to[0].type, type)) {
        const cf_doubt *why = another_struct(l, &p->to[0], type, at);
        cf_refuse(l, why->code, why->at, why->way, "%s", why->text);
        return;
    }
    copy_job j = {p->to[0], v.p->to[0], p->index, v.p->index, NULL, at};
    copy_leaves(l, j, type, NULL);
}

void cf_store(cf_lower *l, const cf_ptr *p, cf_rv v, cf_type *type, cf_loc at) {
    if (type->kind == CF_STRUCT) {
        store_struct(l, p, v, type, at);
        return;
    }
    int *list = CH_NEW_ARRAY(l->a, int, p->n);
    store_of(l, p, list, followed(p, list), v, type, at);
}
