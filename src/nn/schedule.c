// SPDX-License-Identifier: Apache-2.0
// schedule.c - learning rates by step, and by what a metric does.
//
// Each schedule is a closed formula of the step, so that a resumed run needs nothing but the step. Sources: Smith 2017
// and 2018 (cyclic, one cycle), Loshchilov and Hutter 2017 (cosine, restarts); the values are those of
// torch.optim.lr_scheduler.

#include <inttypes.h>
#include <math.h>

#include "nn/nn.h"

static const double pi = 3.14159265358979323846;

ch_schedule ch_schedule_constant(void) { return (ch_schedule){.kind = CH_SCHEDULE_CONSTANT}; }
ch_schedule ch_schedule_step(int64_t every, double gamma) {
    return (ch_schedule){.kind = CH_SCHEDULE_STEP, .every = every, .gamma = gamma};
}
ch_schedule ch_schedule_exponential(double gamma) {
    return (ch_schedule){.kind = CH_SCHEDULE_EXPONENTIAL, .gamma = gamma};
}
ch_schedule ch_schedule_piecewise(int n, const int64_t *steps, const double *factors) {
    return (ch_schedule){.kind = CH_SCHEDULE_PIECEWISE, .n = n, .steps = steps, .factors = factors};
}
ch_schedule ch_schedule_linear(double start, double end, int64_t total) {
    return (ch_schedule){.kind = CH_SCHEDULE_LINEAR, .start = start, .end = end, .total = total};
}
ch_schedule ch_schedule_polynomial(int64_t total, double power) {
    return (ch_schedule){.kind = CH_SCHEDULE_POLYNOMIAL, .total = total, .power = power};
}
ch_schedule ch_schedule_cosine(int64_t total, double floor_rate) {
    return (ch_schedule){.kind = CH_SCHEDULE_COSINE, .total = total, .floor = floor_rate};
}
ch_schedule ch_schedule_restarts(int64_t first, double growth, double floor_rate) {
    return (ch_schedule){.kind = CH_SCHEDULE_RESTARTS, .total = first, .growth = growth, .floor = floor_rate};
}
ch_schedule ch_schedule_one_cycle(int64_t total) {
    return (ch_schedule){.kind = CH_SCHEDULE_ONE_CYCLE, .total = total, .rising = 0.3};
}
ch_schedule ch_schedule_cyclic(int64_t up, double top) {
    return (ch_schedule){.kind = CH_SCHEDULE_CYCLIC, .every = up, .top = top};
}
ch_schedule ch_schedule_warmup(ch_schedule s, int64_t steps) {
    s.warmup = steps;
    return s;
}

static ch_status need_positive(const char *what, int64_t v) {
    return v > 0 ? CH_OK : ch_error_set("argument", "schedule: %s is %" PRId64 " — at least 1 is allowed", what, v);
}

ch_status ch_schedule_check(const ch_schedule *s) {
    if (s == NULL) return ch_error_set("argument", "schedule: it is NULL — give one");
    if (s->warmup < 0)
        return ch_error_set("argument", "schedule: a warm-up of %" PRId64 " steps — at least 0", s->warmup);
    switch (s->kind) {
    case CH_SCHEDULE_CONSTANT:
    case CH_SCHEDULE_EXPONENTIAL: return CH_OK;
    case CH_SCHEDULE_STEP:
    case CH_SCHEDULE_CYCLIC: return need_positive("every", s->every);
    case CH_SCHEDULE_RESTARTS:
        if (!(s->growth >= 1))
            return ch_error_set("argument", "schedule: growth is %g — at least 1 is allowed", s->growth);
        return need_positive("total", s->total);
    case CH_SCHEDULE_LINEAR:
    case CH_SCHEDULE_POLYNOMIAL:
    case CH_SCHEDULE_COSINE: return need_positive("total", s->total);
    case CH_SCHEDULE_ONE_CYCLE:
        if (!(s->rising > 0 && s->rising < 1))
            return ch_error_set("argument", "schedule: rising is %g — a part between 0 and 1 is wanted", s->rising);
        return need_positive("total", s->total);
    case CH_SCHEDULE_PIECEWISE:
        if (s->n < 0 || (s->n > 0 && (s->steps == NULL || s->factors == NULL)))
            return ch_error_set("argument", "schedule: %d pieces — give their steps and factors", s->n);
        for (int i = 1; i < s->n; i++)
            if (s->steps[i] <= s->steps[i - 1])
                return ch_error_set("argument",
                                    "schedule: step %d is %" PRId64 " after %" PRId64 " — steps have to grow", i,
                                    s->steps[i], s->steps[i - 1]);
        return CH_OK;
    }
    return ch_error_set("argument", "schedule: kind %d — give one of ch_schedule_kind", (int)s->kind);
}

// from a (part 0) to b (part 1)
static double anneal(const ch_schedule *s, double a, double b, double part) {
    return s->linear ? a + (b - a) * part : b + (a - b) / 2 * (1 + cos(pi * part));
}

// Phases end at steps e[i]; the last stays at its end.
static double one_cycle(const ch_schedule *s, double base, int64_t t) {
    double up = s->rising * (double)s->total - 1, last = (double)s->total - 1, begin = base / 25, least = begin / 1e4;
    double ends[3] = {up, s->three ? 2 * s->rising * (double)s->total - 2 : last, last};
    double rates[4] = {begin, base, s->three ? begin : least, least}, from = 0;
    int phases = s->three ? 3 : 2;
    for (int i = 0; i < phases; i++) {
        if ((double)t <= ends[i] || i == phases - 1) {
            double part = ends[i] > from ? ((double)t - from) / (ends[i] - from) : 1;
            return anneal(s, rates[i], rates[i + 1], part > 1 ? 1 : part);
        }
        from = ends[i];
    }
    return least;
}

static double cosine(double base, double floor_rate, double part) {
    return floor_rate + (base - floor_rate) * (1 + cos(pi * part)) / 2;
}

static double restarts(const ch_schedule *s, double base, int64_t t) {
    double at = (double)t, length = (double)s->total;
    if (s->growth == 1) at = fmod(at, length);
    while (at >= length) {
        at -= length;
        length *= s->growth;
    }
    return cosine(base, s->floor, at / length);
}

// A triangle of 2 * every steps; cycle number c (from 0) is top / 2^c high.
static double cyclic(const ch_schedule *s, double base, int64_t t) {
    double cycle = floor((double)t / (2 * (double)s->every));
    double x = fabs((double)t / (double)s->every - 2 * cycle - 1);
    return base + (s->top - base) * (x < 1 ? 1 - x : 0) / exp2(cycle);
}

double ch_schedule_rate(const ch_schedule *s, double base, int64_t step) {
    int64_t t = step - s->warmup;
    if (t < 0) return base * (double)step / (double)s->warmup;
    switch (s->kind) {
    case CH_SCHEDULE_CONSTANT: return base;
    case CH_SCHEDULE_STEP: return base * pow(s->gamma, (double)(t / s->every));
    case CH_SCHEDULE_EXPONENTIAL: return base * pow(s->gamma, (double)t);
    case CH_SCHEDULE_PIECEWISE: {
        double factor = 1;
        for (int i = 0; i < s->n && s->steps[i] <= t; i++) factor = s->factors[i];
        return base * factor;
    }
    case CH_SCHEDULE_LINEAR:
        return base * (t >= s->total ? s->end : s->start + (s->end - s->start) * (double)t / (double)s->total);
    case CH_SCHEDULE_POLYNOMIAL: return t >= s->total ? 0 : base * pow(1 - (double)t / (double)s->total, s->power);
    case CH_SCHEDULE_COSINE: return cosine(base, s->floor, (double)t / (double)s->total);
    case CH_SCHEDULE_RESTARTS: return restarts(s, base, t);
    case CH_SCHEDULE_ONE_CYCLE: return one_cycle(s, base, t);
    case CH_SCHEDULE_CYCLIC: return cyclic(s, base, t);
    }
    return base;
}

// ---- by a metric
ch_plateau ch_plateau_make(double rate, double factor, int64_t patience) {
    return (ch_plateau){.factor = factor, .threshold = 1e-4, .patience = patience, .rate = rate, .best = INFINITY};
}

double ch_plateau_report(ch_plateau *p, double metric) {
    if (metric < p->best * (1 - p->threshold) || (isinf(p->best) && isfinite(metric))) {
        p->best = metric;
        p->bad = 0;
    } else if (++p->bad > p->patience) {
        p->rate *= p->factor;
        p->bad = 0;
    }
    return p->rate;
}
