// SPDX-License-Identifier: Apache-2.0
// lower_rule.c - calls of functions that have a derivative rule of the user's: composites that bring it along.
//
// f takes numbers and arrays it only reads, and returns a number. Its rule for reverse mode is
//     void f_vjp(parameters of f, double value, double value_bar, double *x_bar, ...);   adds to x_bar, ...
// with an adjoint for every floating parameter that is not CH_CONST; for forward mode
//     void f_jvp(parameters of f, double x_t, ..., double value, double *value_t);
// Bodies and rules are lowered like any other function, in the regions of the composite.
#include "cfront/lower.h"

typedef struct {
    cf_lower *l;
    cf_decl *f;
    cf_rv *args;
    cf_loc at;
    CH_VEC(ch__value *) operands;
} rule_call;

static bool is_floating(const cf_type *t) { return t->kind == CF_FLOAT; }

static bool takes(const cf_decl *d) {
    if (cf_is_arithmetic(d->type)) return true;
    return d->type->kind == CF_POINTER && d->type->of->is_const && cf_is_arithmetic(d->type->of);
}

static bool suits(cf_lower *l, cf_decl *f, const cf_rv *args, cf_loc at) {
    bool ok = is_floating(f->type->of);
    for (int64_t i = 0; i < f->params.n && ok; i++) {
        ok = takes(f->params.data[i]);
        if (ok && args[i].p) ok = args[i].p->n == 1 && args[i].p->to[0].o && args[i].p->to[0].n == 1;
    }
    if (!ok)
        cf_refuse(l, "CH143", at, "give it numbers and const arrays, and let it return one number",
                  "'%s' has a rule, and does not take numbers and const arrays and return a number", f->name);
    return ok;
}

// The wanted parameters of a rule: those of f, then others.
static bool rule_fits(cf_lower *l, const cf_decl *f, cf_decl *rule, bool reverse) {
    int64_t floats = 0;
    for (int64_t i = 0; i < f->params.n; i++) {
        const cf_decl *d = f->params.data[i];
        const cf_type *t = d->type->kind == CF_POINTER ? d->type->of : d->type;
        floats += is_floating(t) && !d->marked_const;
    }
    if (rule->params.n == f->params.n + floats + 2) return true;
    cf_refuse(l, "CH143", rule->loc,
              reverse ? "parameters of f, value, value_bar, an adjoint for each floating parameter"
                      : "parameters of f, a tangent for each floating parameter, value, *value_t",
              "the rule '%s' of '%s' has %d parameters, %d are wanted", rule->name, f->name, (int)rule->params.n,
              (int)(f->params.n + floats + 2));
    return false;
}

static const cf_ptr *place_for(cf_lower *l, const cf_decl *d, cf_type *type, ch__value *v, ch__value *index) {
    bool array = v->type->rank > 0;
    cf_object *o = cf_new_object(l, d->name, type, array ? -1 : 1, NULL, d->loc);
    l->slots.data[o->leaves.data[0].slot].type = v->type;
    cf_set_slot(l, o->leaves.data[0].slot, v);
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    *p = *cf_address(l, o);
    p->to[0].alone = false;
    p->index = index;
    return p;
}

// The arguments inside of a region whose params stand for the operands.
static cf_rv *inside_args(rule_call *c, ch__region *r, int extra) {
    cf_lower *l = c->l;
    cf_rv *args = CH_NEW_ARRAY(l->a, cf_rv, c->f->params.n + extra);
    for (int64_t i = 0; i < c->f->params.n; i++) {
        cf_decl *d = c->f->params.data[i];
        args[i].type = d->type;
        if (c->args[i].p)
            args[i].p = place_for(l, d, c->args[i].p->to[0].type, r->params[i], c->args[i].p->index);
        else
            args[i].v = r->params[i];
    }
    return args;
}

static ch__region *region_with_params(rule_call *c) {
    ch__region *r = ch__region_create(c->l->func, NULL);
    for (int64_t i = 0; i < c->operands.n; i++)
        ch__region_add_param(r, c->f->params.data[i]->name, c->operands.data[i]->type);
    return r;
}

static ch__value *zeros_of(cf_lower *l, const ch__type *t) {
    if (t->rank == 0) return cf_zero(l, t);
    return &ch__build(&l->env->b, CH_OP_alloc, 0, NULL, 0, NULL, 1, &t, 0, NULL)->results[0];
}

static ch__region *body_region(rule_call *c) {
    cf_lower *l = c->l;
    ch__region *r = region_with_params(c);
    cf_env *e = l->env;
    l->env = cf_branch(l, e, r);
    cf_rv v = cf_inline(l, c->f, (int)c->f->params.n, inside_args(c, r, 0), NULL);
    l->env = e;
    ch__region_set_results(r, 1, &v.v);
    return r;
}

static ch__region *vjp_region(rule_call *c, cf_decl *rule) {
    cf_lower *l = c->l;
    ch__region *r = region_with_params(c);
    const ch__type *t = ch__type_scalar(cf_held(c->f->type->of));
    ch__value *value = ch__region_add_param(r, "value", t), *bar = ch__region_add_param(r, "value_bar", t);
    cf_env *e = l->env;
    l->env = cf_branch(l, e, r);
    cf_rv *args = inside_args(c, r, (int)(2 + c->f->params.n));
    int n = (int)c->f->params.n;
    args[n++] = (cf_rv){.v = value, .type = c->f->type->of};
    args[n++] = (cf_rv){.v = bar, .type = c->f->type->of};
    CH_VEC(const cf_ptr *) bars = {0};
    for (int64_t i = 0; i < c->f->params.n; i++) {
        cf_decl *d = c->f->params.data[i];
        ch__value *x = c->operands.data[i];
        if (!ch__is_float(x->type->dtype)) continue;
        cf_type *of = d->type->kind == CF_POINTER ? d->type->of : d->type;
        const cf_ptr *p = place_for(l, d, of, zeros_of(l, x->type), c->args[i].p ? c->args[i].p->index : NULL);
        CH_PUSH(l->a, &bars, p);
        if (d->marked_const) continue;
        args[n] = (cf_rv){.p = p, .type = rule->params.data[n < rule->params.n ? n : 0]->type};
        n++;
    }
    cf_inline(l, rule, n, args, NULL);
    CH_VEC(ch__value *) yields = {0};
    for (int64_t i = 0; i < bars.n; i++)
        CH_PUSH(l->a, &yields, cf_get_slot(l, bars.data[i]->to[0].o->leaves.data[0].slot));
    l->env = e;
    ch__region_set_results(r, (int)yields.n, yields.data);
    return r;
}

static ch__region *jvp_region(rule_call *c, cf_decl *rule) {
    cf_lower *l = c->l;
    ch__region *r = region_with_params(c);
    int np = (int)c->operands.n;
    for (int i = 0; i < np; i++)
        if (ch__is_float(c->operands.data[i]->type->dtype)) ch__region_add_param(r, NULL, c->operands.data[i]->type);
    cf_env *e = l->env;
    l->env = cf_branch(l, e, r);
    cf_rv value = cf_inline(l, c->f, np, inside_args(c, r, 0), NULL);
    cf_rv *args = inside_args(c, r, np + 2);
    int n = np, at = np;
    for (int i = 0; i < np; i++) {
        cf_decl *d = c->f->params.data[i];
        if (!ch__is_float(c->operands.data[i]->type->dtype)) continue;
        ch__value *t = r->params[at++];
        if (d->marked_const) continue;
        args[n].type = d->type;
        if (c->args[i].p)
            args[n].p = place_for(l, d, c->args[i].p->to[0].type, t, c->args[i].p->index);
        else
            args[n].v = t;
        n++;
    }
    args[n++] = value;
    cf_decl *last = rule->params.data[rule->params.n - 1];
    const cf_ptr *out = place_for(l, last, c->f->type->of, cf_zero(l, ch__type_scalar(cf_held(c->f->type->of))), NULL);
    args[n++] = (cf_rv){.p = out, .type = last->type};
    cf_inline(l, rule, n, args, NULL);
    ch__value *v = cf_get_slot(l, out->to[0].o->leaves.data[0].slot);
    l->env = e;
    ch__region_set_results(r, 1, &v);
    return r;
}

cf_rv cf_call_with_rule(cf_lower *l, cf_decl *f, cf_rv *args, cf_loc at) {
    rule_call c = {.l = l, .f = f, .args = args, .at = at};
    cf_rv out = {.type = f->type->of};
    bool fits = suits(l, f, args, at) && (!f->vjp || rule_fits(l, f, f->vjp, true)) &&
                (!f->jvp || rule_fits(l, f, f->jvp, false));
    if (!fits) {
        out.v = cf_zero(l, ch__type_scalar(cf_is_arithmetic(f->type->of) ? cf_held(f->type->of) : CH_F64));
        return out;
    }
    for (int64_t i = 0; i < f->params.n; i++) {
        ch__value *v;
        if (args[i].p) {
            cf_object *o = args[i].p->to[0].o;
            const cf_leaf *leaf = &o->leaves.data[args[i].p->to[0].first];
            v = cf_get_slot(l, leaf->slot);
            o->read = true;
            if (leaf->is_array) o->indexed = true;
        } else {
            v = cf_convert(l, args[i].v, args[i].type, f->params.data[i]->type);
        }
        CH_PUSH(l->a, &c.operands, v);
    }
    ch__region *r[3];
    int n = 0;
    cf_decl *vjp = f->vjp, *jvp = f->jvp;
    f->vjp = f->jvp = NULL; // calls of f inside are plain calls
    bool in_rule = l->in_rule, saw_stop = l->saw_stop;
    l->in_rule = true;
    l->saw_stop = false;
    r[n++] = body_region(&c);
    bool stops = l->saw_stop;
    l->saw_stop = false;
    if (vjp) r[n++] = vjp_region(&c, vjp);
    if (jvp) r[n++] = jvp_region(&c, jvp);
    if (l->saw_stop && !stops)
        cf_refuse(l, "CH145", vjp ? vjp->loc : jvp->loc, "let the function itself stop",
                  "abort or exit in the rule of '%s'", f->name);
    l->saw_stop = stops;
    l->in_rule = in_rule;
    if (l->saw_stop && !in_rule) cf_inline(l, f, (int)f->params.n, args, NULL); // for whether it stops, not its value
    l->saw_stop = l->saw_stop || saw_stop;
    f->vjp = vjp;
    f->jvp = jvp;
    ch__attr attrs[2] = {ch__attr_str(CH__ATTR_name, f->name), ch__attr_str(CH__ATTR_rules, vjp && jvp ? "vjp jvp"
                                                                                            : vjp      ? "vjp"
                                                                                                       : "jvp")};
    out.v = &ch__build(&l->env->b, CH_OP_composite, (int)c.operands.n, c.operands.data, 2, attrs, 0, NULL, n, r)
                 ->results[0];
    return out;
}
