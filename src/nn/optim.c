// SPDX-License-Identifier: Apache-2.0
// optim.c - optimizers as pure functions of (params, grads, state).
//
// What depends on the step alone is computed in f64 and rounded to the parameter's dtype once, as PyTorch does in
// Python; the order of the operations on tensors is that of torch.optim, so that its values are met to the rounding.
// The formulas stand beside the rules; their sources are in optim.h.

#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

ch_optimizer ch_sgd(double rate) { return (ch_optimizer){.kind = CH_SGD, .rate = rate}; }
ch_optimizer ch_sgd_momentum(double rate, double momentum) {
    return (ch_optimizer){.kind = CH_SGD, .rate = rate, .momentum = momentum};
}
ch_optimizer ch_sgd_nesterov(double rate, double momentum) {
    return (ch_optimizer){.kind = CH_SGD, .rate = rate, .momentum = momentum, .nesterov = 1};
}

static ch_optimizer moments(ch_optimizer_kind kind, double rate, double beta2, double epsilon, double decay) {
    return (ch_optimizer){.kind = kind, .rate = rate, .beta1 = 0.9, .beta2 = beta2, .epsilon = epsilon, .decay = decay};
}
ch_optimizer ch_adam(double rate) { return moments(CH_ADAM, rate, 0.999, 1e-8, 0); }
ch_optimizer ch_adamw(double rate, double decay) {
    ch_optimizer o = moments(CH_ADAM, rate, 0.999, 1e-8, decay);
    o.decoupled = 1;
    return o;
}
ch_optimizer ch_adamax(double rate) { return moments(CH_ADAMAX, rate, 0.999, 1e-8, 0); }
ch_optimizer ch_radam(double rate) { return moments(CH_RADAM, rate, 0.999, 1e-8, 0); }
ch_optimizer ch_nadam(double rate) {
    ch_optimizer o = moments(CH_NADAM, rate, 0.999, 1e-8, 0);
    o.momentum_decay = 4e-3;
    return o;
}
ch_optimizer ch_lion(double rate, double decay) { return moments(CH_LION, rate, 0.99, 0, decay); }
ch_optimizer ch_lamb(double rate, double decay) { return moments(CH_LAMB, rate, 0.999, 1e-6, decay); }
ch_optimizer ch_rmsprop(double rate) {
    return (ch_optimizer){.kind = CH_RMSPROP, .rate = rate, .alpha = 0.99, .epsilon = 1e-8};
}
ch_optimizer ch_adagrad(double rate) { return (ch_optimizer){.kind = CH_ADAGRAD, .rate = rate, .epsilon = 1e-10}; }
ch_optimizer ch_adadelta(double rate) {
    return (ch_optimizer){.kind = CH_ADADELTA, .rate = rate, .alpha = 0.9, .epsilon = 1e-6};
}

const char *ch_optimizer_name(const ch_optimizer *o) {
    static const char *const names[] = {"sgd",    "adam",  "rmsprop", "adagrad", "adadelta",
                                        "adamax", "nadam", "radam",   "lion",    "lamb"};
    return (unsigned)o->kind < sizeof names / sizeof *names ? names[o->kind] : NULL;
}

// ---- slots
static int slot_names(const ch_optimizer *o, const char *out[3]) {
    int n = 0;
    switch (o->kind) {
    case CH_SGD:
        if (o->momentum != 0) out[n++] = "momentum";
        break;
    case CH_ADAM:
        out[n++] = "mean";
        out[n++] = "square";
        if (o->amsgrad) out[n++] = "largest";
        break;
    case CH_RMSPROP:
        out[n++] = "square";
        if (o->momentum != 0) out[n++] = "momentum";
        if (o->centered) out[n++] = "mean";
        break;
    case CH_ADAGRAD: out[n++] = "sum"; break;
    case CH_ADADELTA:
        out[n++] = "square";
        out[n++] = "moved";
        break;
    case CH_NADAM:
        out[n++] = "mean";
        out[n++] = "square";
        out[n++] = "product";
        break;
    case CH_ADAMAX:
    case CH_RADAM:
    case CH_LAMB:
        out[n++] = "mean";
        out[n++] = "square";
        break;
    case CH_LION: out[n++] = "mean"; break;
    }
    return n;
}

int ch_optimizer_num_slots(const ch_optimizer *o) {
    const char *names[3];
    return slot_names(o, names);
}

const char *ch_optimizer_slot_name(const ch_optimizer *o, int k) {
    const char *names[3];
    int n = slot_names(o, names);
    return k >= 0 && k < n ? names[k] : NULL;
}

ch_tensor *ch_optimizer_slot_at(const char *where, const ch_optimizer *o, int k, ch_tensor *param) {
    if (k < 0 || k >= ch_optimizer_num_slots(o)) {
        ch_error_set("argument", "optimizer_slot: slot %d — %s has %d", k, ch_optimizer_name(o),
                     ch_optimizer_num_slots(o));
        return ch_error_tensor_at(where);
    }
    if (o->kind == CH_NADAM && k == 2) return ch_scalar_at(where, CH_F32, 1);
    return o->kind == CH_ADAGRAD ? ch_full_like_at(where, param, o->initial) : ch_zeros_like_at(where, param);
}

// ---- one parameter's update
typedef struct {
    const char *w;
    const ch_optimizer *o;
    ch_tensor *step, *rate; // f64[]
    double decay;
    ch_tensor *p, *g;
    ch_tensor *const *slots;
    ch_tensor **out_slots;
} update;

static ch_tensor *f64(const update *u, double v) { return ch_scalar_at(u->w, CH_F64, v); }
static ch_tensor *own(const update *u, ch_tensor *scalar) { return ch__as_like(u->w, scalar, u->p); }
static ch_tensor *own_number(const update *u, double v) { return ch__num_like(u->w, u->p, v); }
static ch_tensor *plus(const update *u, ch_tensor *a, ch_tensor *b) { return ch_add_at(u->w, a, b); }
static ch_tensor *minus(const update *u, ch_tensor *a, ch_tensor *b) { return ch_sub_at(u->w, a, b); }
static ch_tensor *multiplied(const update *u, ch_tensor *a, ch_tensor *b) { return ch_mul_at(u->w, a, b); }
static ch_tensor *divided(const update *u, ch_tensor *a, ch_tensor *b) { return ch_div_at(u->w, a, b); }
static ch_tensor *root(const update *u, ch_tensor *a) { return ch_sqrt_at(u->w, a); }
static ch_tensor *by_number(const update *u, ch_tensor *a, double v) { return multiplied(u, a, own_number(u, v)); }

// 1 - beta^t, f64
static ch_tensor *correction(const update *u, double beta) {
    return minus(u, f64(u, 1), ch_pow_at(u->w, f64(u, beta), u->step));
}
// b x + (1 - b) g, as x + (g - x)(1 - b)
static ch_tensor *towards(const update *u, ch_tensor *x, ch_tensor *g, double b) {
    return plus(u, x, by_number(u, minus(u, g, x), 1 - b));
}
// b x + (1 - b) g^2
static ch_tensor *square_mean(const update *u, ch_tensor *x, ch_tensor *g, double b) {
    return plus(u, by_number(u, x, b), by_number(u, multiplied(u, g, g), 1 - b));
}
static ch_tensor *add_epsilon(const update *u, ch_tensor *x) { return plus(u, x, own_number(u, u->o->epsilon)); }
static ch_tensor *step_by(const update *u, ch_tensor *direction, ch_tensor *size) {
    return minus(u, u->p, multiplied(u, direction, own(u, size)));
}

static ch_tensor *sgd(const update *u) {
    const ch_optimizer *o = u->o;
    if (o->momentum == 0) return step_by(u, u->g, u->rate);
    ch_tensor *b = plus(u, by_number(u, u->slots[0], o->momentum), by_number(u, u->g, 1 - o->dampening));
    if (o->dampening != 0) b = ch_select_at(u->w, ch_le_at(u->w, u->step, f64(u, 1)), u->g, b);
    u->out_slots[0] = b;
    return step_by(u, o->nesterov ? plus(u, u->g, by_number(u, b, o->momentum)) : b, u->rate);
}

// p -= r / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
static ch_tensor *adam(const update *u) {
    const ch_optimizer *o = u->o;
    ch_tensor *m = u->out_slots[0] = towards(u, u->slots[0], u->g, o->beta1);
    ch_tensor *v = u->out_slots[1] = square_mean(u, u->slots[1], u->g, o->beta2);
    if (o->amsgrad) v = u->out_slots[2] = ch_max_at(u->w, u->slots[2], v);
    ch_tensor *below = divided(u, root(u, v), own(u, root(u, correction(u, o->beta2))));
    return step_by(u, divided(u, m, add_epsilon(u, below)), divided(u, u->rate, correction(u, o->beta1)));
}

static ch_tensor *rmsprop(const update *u) {
    const ch_optimizer *o = u->o;
    int k = 1;
    ch_tensor *s = u->out_slots[0] = square_mean(u, u->slots[0], u->g, o->alpha), *momentum = NULL;
    if (o->momentum != 0) momentum = u->slots[k++];
    if (o->centered) {
        ch_tensor *mean = u->out_slots[k] = towards(u, u->slots[k], u->g, o->alpha);
        s = minus(u, s, multiplied(u, mean, mean));
    }
    ch_tensor *direction = divided(u, u->g, add_epsilon(u, root(u, s)));
    if (momentum != NULL) direction = u->out_slots[1] = plus(u, by_number(u, momentum, o->momentum), direction);
    return step_by(u, direction, u->rate);
}

static ch_tensor *adagrad(const update *u) {
    ch_tensor *s = u->out_slots[0] = plus(u, u->slots[0], multiplied(u, u->g, u->g));
    ch_tensor *turns = multiplied(u, minus(u, u->step, f64(u, 1)), f64(u, u->o->rate_decay));
    return step_by(u, divided(u, u->g, add_epsilon(u, root(u, s))), divided(u, u->rate, plus(u, f64(u, 1), turns)));
}

// moved is the mean square of what was moved: delta = sqrt(moved + eps) / sqrt(s + eps) g
static ch_tensor *adadelta(const update *u) {
    double a = u->o->alpha;
    ch_tensor *s = u->out_slots[0] = square_mean(u, u->slots[0], u->g, a);
    ch_tensor *delta =
        multiplied(u, divided(u, root(u, add_epsilon(u, u->slots[1])), root(u, add_epsilon(u, s))), u->g);
    u->out_slots[1] = square_mean(u, u->slots[1], delta, a);
    return step_by(u, delta, u->rate);
}

// u = max(beta2 u, |g| + eps); p -= r / (1 - beta1^t) m / u
static ch_tensor *adamax(const update *u) {
    ch_tensor *m = u->out_slots[0] = towards(u, u->slots[0], u->g, u->o->beta1);
    ch_tensor *now = add_epsilon(u, ch_abs_at(u->w, u->g));
    ch_tensor *most = u->out_slots[1] = ch_max_at(u->w, by_number(u, u->slots[1], u->o->beta2), now);
    return step_by(u, divided(u, m, most), divided(u, u->rate, correction(u, u->o->beta1)));
}

// mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2); the product of all mu so far is kept in f32, as torch.optim does.
static ch_tensor *nadam_mu(const update *u, ch_tensor *t) {
    ch_tensor *power = ch_pow_at(u->w, f64(u, 0.96), multiplied(u, t, f64(u, u->o->momentum_decay)));
    return multiplied(u, f64(u, u->o->beta1), minus(u, f64(u, 1), multiplied(u, f64(u, 0.5), power)));
}
static ch_tensor *nadam(const update *u) {
    const ch_optimizer *o = u->o;
    ch_tensor *mu = nadam_mu(u, u->step), *next = nadam_mu(u, plus(u, u->step, f64(u, 1)));
    ch_tensor *product = u->out_slots[2] = multiplied(u, u->slots[2], ch_convert_at(u->w, mu, CH_F32));
    ch_tensor *wide = ch_convert_at(u->w, product, CH_F64), *one = f64(u, 1);
    ch_tensor *m = u->out_slots[0] = towards(u, u->slots[0], u->g, o->beta1);
    ch_tensor *v = u->out_slots[1] = square_mean(u, u->slots[1], u->g, o->beta2);
    ch_tensor *below = add_epsilon(u, root(u, divided(u, v, own(u, correction(u, o->beta2)))));
    ch_tensor *of_g = divided(u, multiplied(u, u->rate, minus(u, one, mu)), minus(u, one, wide));
    ch_tensor *of_m = divided(u, multiplied(u, u->rate, next), minus(u, one, multiplied(u, wide, next)));
    ch_tensor *p = minus(u, u->p, multiplied(u, divided(u, u->g, below), own(u, of_g)));
    return minus(u, p, multiplied(u, divided(u, m, below), own(u, of_m)));
}

// rho_t = rho - 2 t beta2^t / (1 - beta2^t), rho = 2 / (1 - beta2) - 1. Above 5 the step is Adam's, rectified; else it
// is the mean alone.
static ch_tensor *radam(const update *u) {
    const ch_optimizer *o = u->o;
    double rho = 2 / (1 - o->beta2) - 1;
    ch_tensor *m = u->out_slots[0] = towards(u, u->slots[0], u->g, o->beta1);
    ch_tensor *v = u->out_slots[1] = square_mean(u, u->slots[1], u->g, o->beta2);
    ch_tensor *c2 = correction(u, o->beta2), *power = ch_pow_at(u->w, f64(u, o->beta2), u->step);
    ch_tensor *now = minus(u, f64(u, rho), divided(u, multiplied(u, multiplied(u, f64(u, 2), u->step), power), c2));
    ch_tensor *above = multiplied(u, multiplied(u, minus(u, now, f64(u, 4)), minus(u, now, f64(u, 2))), f64(u, rho));
    ch_tensor *rect = root(u, divided(u, above, multiplied(u, f64(u, (rho - 4) * (rho - 2)), now)));
    ch_tensor *adaptive = divided(u, own(u, root(u, c2)), add_epsilon(u, root(u, v)));
    ch_tensor *mean = divided(u, m, own(u, correction(u, o->beta1)));
    ch_tensor *full = multiplied(u, multiplied(u, multiplied(u, mean, own(u, u->rate)), adaptive), own(u, rect));
    ch_tensor *plain = multiplied(u, mean, own(u, u->rate));
    return minus(u, u->p, ch_select_at(u->w, ch_gt_at(u->w, now, f64(u, 5)), full, plain));
}

static ch_tensor *lion(const update *u) {
    const ch_optimizer *o = u->o;
    ch_tensor *m = u->slots[0], *mixed = plus(u, by_number(u, m, o->beta1), by_number(u, u->g, 1 - o->beta1));
    u->out_slots[0] = plus(u, by_number(u, m, o->beta2), by_number(u, u->g, 1 - o->beta2));
    return step_by(u, ch_sign_at(u->w, mixed), u->rate);
}

// trust = |p| / |r|, 1 where one of them is 0; the norms are f64
static ch_tensor *length(const update *u, ch_tensor *x) {
    ch_tensor *wide = ch_convert_at(u->w, x, CH_F64);
    return root(u, ch_sum_all_at(u->w, multiplied(u, wide, wide)));
}
static ch_tensor *lamb(const update *u) {
    const ch_optimizer *o = u->o;
    ch_tensor *m = u->out_slots[0] = towards(u, u->slots[0], u->g, o->beta1);
    ch_tensor *v = u->out_slots[1] = square_mean(u, u->slots[1], u->g, o->beta2);
    ch_tensor *below = add_epsilon(u, root(u, divided(u, v, own(u, correction(u, o->beta2)))));
    ch_tensor *r = divided(u, divided(u, m, own(u, correction(u, o->beta1))), below);
    if (u->decay != 0) r = plus(u, r, by_number(u, u->p, u->decay));
    ch_tensor *of_p = length(u, u->p), *of_r = length(u, r), *zero = f64(u, 0);
    ch_tensor *both = ch_and_at(u->w, ch_gt_at(u->w, of_p, zero), ch_gt_at(u->w, of_r, zero));
    ch_tensor *trust = ch_select_at(u->w, both, divided(u, of_p, of_r), f64(u, 1));
    return step_by(u, r, multiplied(u, u->rate, trust));
}

static ch_tensor *decayed(update *u) {
    static ch_tensor *(*const rules[])(const update *) = {sgd,    adam,  rmsprop, adagrad, adadelta,
                                                          adamax, nadam, radam,   lion,    lamb};
    const ch_optimizer *o = u->o;
    if (u->decay != 0 && o->kind != CH_LAMB) {
        if (o->decoupled || o->kind == CH_LION)
            u->p = multiplied(u, u->p, own(u, minus(u, f64(u, 1), multiplied(u, u->rate, f64(u, u->decay)))));
        else
            u->g = plus(u, u->g, by_number(u, u->p, u->decay));
    }
    return rules[o->kind](u);
}

bool ch__optimizer_counts(const ch_optimizer *o) {
    switch (o->kind) {
    case CH_SGD: return o->momentum != 0 && o->dampening != 0;
    case CH_RMSPROP:
    case CH_ADADELTA:
    case CH_LION: return false;
    default: return true;
    }
}

static ch_status check_update(const ch_optimizer *o, const ch_update_options *options) {
    if (ch_optimizer_name(o) == NULL)
        return ch_error_set("argument", "optimizer_update: optimizer kind %d — give one of ch_optimizer_kind",
                            (int)o->kind);
    if (options != NULL && options->struct_size != sizeof *options)
        return ch_error_set("argument",
                            "optimizer_update: options.struct_size is %zu — set it to sizeof(ch_update_options), %zu",
                            options->struct_size, sizeof *options);
    return CH_OK;
}

void ch_optimizer_update_with_at(const char *where, const ch_optimizer *o, const ch_update_options *options,
                                 ch_tensor *step, int n, ch_tensor *const *params, ch_tensor *const *grads,
                                 ch_tensor *const *slots, ch_tensor **out_params, ch_tensor **out_slots) {
    int k = ch_optimizer_num_slots(o);
    if (check_update(o, options) != CH_OK) {
        ch_tensor *error = ch_error_tensor_at(where);
        for (int i = 0; i < n; i++) out_params[i] = error;
        for (int i = 0; i < n * k; i++) out_slots[i] = error;
        return;
    }
    ch_tensor *rate = options == NULL || options->rate == NULL ? ch_scalar_at(where, CH_F64, o->rate) : options->rate;
    for (int i = 0; i < n; i++) {
        update u = {.w = where,
                    .o = o,
                    .step = step,
                    .rate = rate,
                    .decay = options == NULL || options->decays == NULL ? o->decay : options->decays[i],
                    .p = params[i],
                    .g = grads[i],
                    .slots = k == 0 ? NULL : slots + i * k,
                    .out_slots = k == 0 ? NULL : out_slots + i * k};
        if (options != NULL && options->rate_factors != NULL && options->rate_factors[i] != 1)
            u.rate = ch_mul_at(where, rate, ch_scalar_at(where, CH_F64, options->rate_factors[i]));
        out_params[i] = decayed(&u);
    }
}

void ch_optimizer_update_at(const char *where, const ch_optimizer *o, ch_tensor *step, int n, ch_tensor *const *params,
                            ch_tensor *const *grads, ch_tensor *const *slots, ch_tensor **out_params,
                            ch_tensor **out_slots) {
    ch_optimizer_update_with_at(where, o, NULL, step, n, params, grads, slots, out_params, out_slots);
}
