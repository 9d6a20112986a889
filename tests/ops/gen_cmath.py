# SPDX-License-Identifier: Apache-2.0
"""Vectors of `cmath`: every row of libm.def. Exact functions by fractions, the others by mpmath.

Left out on purpose: what C leaves unspecified (frexp's exponent of inf and NaN, lrint and lround out of range, ilogb of
0 and NaN, jn of large orders). remquo: the quotient's low three bits with its sign. Truth values are 0 and 1.
"""
from fractions import Fraction
import math

import mpmath
import numpy as np

from gen_elementwise import NEAR, bits_of_double, clean, points
from gen_formats import (FLOATS, NAN, SHAPES, SMALL_FLOATS, Arr, BITS, Feed, T, encode, float_edges, func,
                         nan_bits, pool, random_float_bits, rng_for, round_mpf, value_of)

mp = mpmath.mp

# name: (mpmath, intervals, precision, f64 bound, f32 bound). The C library documents 10 ulp for tgamma, and absolute
# errors for the Bessel functions next to their zeros (j0 to yn: f64 a few 1e-16, f32 a few 1e-7).
SMOOTH = {
    "tgamma": (mp.gamma, [(0, 10), (-10, 0), (0, 170), (0, 35), (NEAR, 1)], 500, "ulp=10", "ulp=8"),
    "exp10": (lambda x: mp.power(10, x), [(-20, 20), (-45, 39), (-324, 308), (-1, 1)], 400, "ulp=2", "ulp=2"),
    "log10": (mp.log10, [(0, 10), (NEAR, 1), (0, 1)], 2300, "ulp=2", "ulp=2"),
    "j0": (lambda x: mp.besselj(0, x), [(-20, 20), (0, 60), (-1, 1)], 300, "ulp=3,abs=6e-16", "ulp=3,abs=3e-7"),
    "j1": (lambda x: mp.besselj(1, x), [(-20, 20), (0, 60), (-1, 1)], 300, "ulp=4,abs=6e-16", "ulp=3,abs=3e-7"),
    "y0": (lambda x: mp.bessely(0, x), [(0, 20), (0, 60), (0, 1)], 300, "ulp=4,abs=8e-16", "ulp=4,abs=3e-7"),
    "y1": (lambda x: mp.bessely(1, x), [(0, 20), (0, 60), (0, 1)], 300, "ulp=4,abs=8e-16", "ulp=4,abs=3e-7"),
}
AT_ZERO = {"tgamma": None, "exp10": 1.0, "log10": -math.inf, "j0": 1.0, "j1": 0.0, "y0": -math.inf, "y1": -math.inf}


def smooth_value(name, d, bits):
    """None: left out."""
    v = value_of(bits, d)
    f, _, prec, _, _ = SMOOTH[name]
    if v == NAN:
        return nan_bits(d)
    x, sign = v
    if x == "inf":
        if name == "tgamma":
            return nan_bits(d) if sign else encode(d, ("inf", 0))
        if name == "exp10":
            return bits_of_double(d, 0.0 if sign else math.inf)
        if name == "log10":
            return nan_bits(d) if sign else encode(d, ("inf", 0))
        return None
    if x == 0:
        if name == "tgamma":
            return encode(d, ("inf", sign))
        return bits_of_double(d, math.copysign(AT_ZERO[name], -1.0) if name == "j1" and sign else AT_ZERO[name])
    if name == "log10" and x < 0:
        return nan_bits(d)
    if name in ("y0", "y1") and x < 0:
        return None                                  # NaN in C17's text, an error there: left out
    if name == "tgamma" and x < 0 and x.denominator == 1:
        return nan_bits(d)
    if name in ("j0", "j1", "y0", "y1") and abs(x) > 1000:
        return None
    with mp.workprec(prec):
        if name == "exp10" and abs(x) > 5000:
            r = mpmath.mpf(2) ** (5000 if x > 0 else -5000)
        elif name == "tgamma" and x > 2000:
            r = mpmath.mpf(2) ** 5000
        elif name == "tgamma" and x < -1000:
            return None
        elif name == "tgamma" and abs(x) < Fraction(1, 2 ** 300):
            r = 1 / clean(x)
        elif abs(x) < Fraction(1, 2 ** 300) and name in ("j0", "j1", "y0", "y1"):
            z = clean(x)
            r = {"j0": lambda: mpmath.mpf(1), "j1": lambda: z / 2, "y1": lambda: -2 / (mp.pi * z),
                 "y0": lambda: 2 / mp.pi * (mp.log(z / 2) + mp.euler)}[name]()
        else:
            r = f(clean(x))
    if name == "tgamma" and r != 0 and abs(r) < mpmath.mpf(2) ** -1000:
        return None                                  # signs of underflow far in the negative
    return round_mpf(d, r, sign if name == "j1" else 0)


# ---- exact ones: values in, values out (as value_of gives them)

def rint(v):
    return v if v == NAN or v[0] == "inf" else (Fraction(round(v[0])), v[1])


def logb(d):
    def g(v):
        if v == NAN:
            return NAN
        if v[0] == "inf":
            return ("inf", 0)
        if v[0] == 0:
            return ("inf", 1)
        return (Fraction(exponent(abs(v[0]))), int(exponent(abs(v[0])) < 0))
    return g


def exponent(x):
    """floor(log2 x)"""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e - 1 if x < Fraction(2) ** e else e


def frexp(v):
    if v[0] == 0:
        return v, 0
    e = exponent(abs(v[0])) + 1
    return (v[0] / Fraction(2) ** e, v[1]), e


def modf(v):
    if v == NAN:
        return NAN, NAN
    if v[0] == "inf":
        return (Fraction(0), v[1]), v
    k = Fraction(math.trunc(v[0]))
    return (v[0] - k, v[1]), (k, v[1])


def order(v):
    return v[0] if v[0] != "inf" else Fraction((-1 if v[1] else 1) * 2 ** 1100)


def c_fmin(x, y):
    if x == NAN or y == NAN:
        return y if x == NAN else x
    return x if order(x) <= order(y) else y


def c_fmax(x, y):
    if x == NAN or y == NAN:
        return y if x == NAN else x
    return x if order(x) >= order(y) else y


def fdim(x, y):
    if x == NAN or y == NAN:
        return NAN
    if order(x) <= order(y):
        return (Fraction(0), 0)
    if "inf" in (x[0], y[0]):
        return ("inf", 0)
    return (x[0] - y[0], 0)


def ieee_remainder(x, y):
    """(remainder, quotient rounded to even)"""
    if x == NAN or y == NAN or x[0] == "inf" or y[0] == 0:
        return NAN, None
    if y[0] == "inf":
        return x, 0
    q = round(x[0] / y[0])
    r = x[0] - q * y[0]
    return (r, x[1] if r == 0 else int(r < 0)), q


def quotient(a, b, d):
    return ieee_remainder(value_of(a, d), value_of(b, d))[1]


def low_bits(q):
    return 0 if q is None else (abs(q) & 7) * (-1 if q < 0 else 1)


def scale(d):
    def g(x, n):
        if x == NAN or x[0] == "inf" or x[0] == 0:
            return x
        return (x[0] * Fraction(2) ** max(min(n, 5000), -5000), x[1])
    return g


def cmath_text(name, ins, outs):
    names = "xy"[:len(ins)]
    rs = ["r", "q"][:len(outs)]
    line = (", ".join(f"%{r}" for r in rs) + " = cmath " + ", ".join(f"%{n}" for n in names)
            + f' {{fn = "{name}"}} : ' + ", ".join(outs))
    return func(list(zip(names, ins)), [line], list(zip(rs, outs)))


def emit(w, name, d, in_dtypes, feeds, out_dtypes, f, tols):
    """f(values...) gives a tuple of results, each a value, a number for an integer result, or ("bits", b)."""
    fs = [Feed(t, b) for t, b in zip(in_dtypes, feeds)]
    total = max(len(b) for b in feeds)
    for text, dims in SHAPES + [([total], [total])]:
        if dims == [total]:
            for x in fs:
                x.at = 0
        ins = [x.take(dims) for x in fs]
        rows = list(zip(*[a.values() for a in ins])) if ins[0].bits.size else []
        res = [f(*r) for r in rows]
        outs = []
        for i, (t, tol) in enumerate(zip(out_dtypes, tols)):
            bits = [r[i][1] if isinstance(r[i], tuple) and r[i][0] == "bits" else encode(t, r[i]) for r in res]
            outs.append((Arr(t, np.array(bits, dtype=BITS[Arr(t, 0).bits.itemsize * 8]), dims), tol))
        w.case("cmath", d, cmath_text(name, [T(t, text) for t in in_dtypes], [T(t, text) for t in out_dtypes]), ins,
               outs, name)


def as_f32(d, f):
    """f16 and bf16 go through f32, rounded once more."""
    def g(*v):
        r = f(*v)
        if d not in SMALL_FLOATS:
            return r
        return tuple(value_of(encode("f32", x), "f32") if isinstance(x, tuple) and x[0] != "inf" else x for x in r)
    return g


def gen_all(w):
    for d in FLOATS:
        rng = rng_for("cmath", d)
        small = d in SMALL_FLOATS
        for name, (_, intervals, _, b64, b32) in SMOOTH.items():
            pts = points(rng, name, d, intervals, 100 if small else 200)
            table = {b: smooth_value(name, d, b) for b in pts}
            pts = [b for b in pts if table[b] is not None]
            loss = ",abs=3e-7" if name in ("j0", "j1", "y0", "y1") else ""
            tol = "ulp=1" + loss if small else b64 if d == "f64" else b32
            emit(w, name, d, [d], [pts], [d],
                 lambda v, t=table, d=d: (("bits", t[bits_back(d, v)]),), [tol])
        one = pool(rng, d, 100)
        halves = [encode(d, (Fraction(2 * k + 1, 2), int(k < 0))) for k in range(-7, 8)]
        finite = [b for b in one if value_of(b, d) != NAN and value_of(b, d)[0] != "inf"]
        nonzero = [b for b in finite if value_of(b, d)[0] != 0]
        modest = [b for b in finite + halves if abs(value_of(b, d)[0]) < 2 ** 31 - 1]
        emit(w, "rint", d, [d], [one + halves], [d], lambda v: (rint(v),), ["exact"])
        emit(w, "nearbyint", d, [d], [one + halves], [d], lambda v: (rint(v),), ["exact"])
        emit(w, "logb", d, [d], [one], [d], lambda v: (logb(d)(v),), ["exact"])
        emit(w, "frexp", d, [d], [finite], [d, "i32"], frexp, ["exact", "bits"])
        emit(w, "modf", d, [d], [one + halves], [d, d], modf, ["exact", "exact"])
        emit(w, "ilogb", d, [d], [nonzero], ["i32"], lambda v: (exponent(abs(v[0])),), ["bits"])
        emit(w, "lrint", d, [d], [modest], ["i64"], lambda v: (round(v[0]),), ["bits"])
        emit(w, "lround", d, [d], [modest], ["i64"],
             lambda v: (math.floor(abs(v[0]) + Fraction(1, 2)) * (-1 if v[1] else 1),), ["bits"])
        emit(w, "signbit", d, [d], [finite + [encode(d, ("inf", 0)), encode(d, ("inf", 1))]], ["i32"],
             lambda v: (v[1],), ["bits"])
        emit(w, "isnan", d, [d], [one], ["i32"], lambda v: (int(v == NAN),), ["bits"])
        emit(w, "isinf", d, [d], [one], ["i32"], lambda v: (int(v != NAN and v[0] == "inf"),), ["bits"])
        e = [b for b in float_edges(d) if value_of(b, d) == NAN or value_of(b, d)[0] != 0]
        xs = [a for a in e for _ in e] + \
            random_float_bits(rng, d, 20, -9, 9) + random_float_bits(rng, d, 20, -900, 900)
        ys = [b for _ in e for b in e] + random_float_bits(rng, d, 40, -3, 3)
        emit(w, "fmin", d, [d, d], [xs, ys], [d], lambda x, y: (c_fmin(x, y),), ["exact"])
        emit(w, "fmax", d, [d, d], [xs, ys], [d], lambda x, y: (c_fmax(x, y),), ["exact"])
        emit(w, "fdim", d, [d, d], [xs, ys], [d], as_f32(d, lambda x, y: (fdim(x, y),)), ["exact"])
        zx = xs + [0, encode(d, (Fraction(0), 1)), 0x0]
        zy = ys + [encode(d, (Fraction(3), 0)), encode(d, (Fraction(2), 0)), 0]
        emit(w, "remainder", d, [d, d], [zx, zy], [d], lambda x, y: (ieee_remainder(x, y)[0],), ["exact"])
        # a quotient of 8, 16, ... may come as 0 or 8: both are congruent
        keep = [(a, b) for a, b in zip(zx, zy) if quotient(a, b, d) == 0 or (quotient(a, b, d) or 0) % 8]
        emit(w, "remquo", d, [d, d], [[a for a, _ in keep], [b for _, b in keep]], [d, "i32"],
             lambda x, y: (ieee_remainder(x, y)[0], low_bits(ieee_remainder(x, y)[1])), ["exact", "bits"])
        ns = [k & 0xFFFFFFFF for k in (0, 1, -1, 5, -5, 30, -30, 130, -130, 300, -1074, 2000, -3000, 2 ** 31 - 1,
                                       -2 ** 31)]
        sx = [a for a in one[:40] for _ in ns]
        sn = [n for _ in one[:40] for n in ns]
        for name in ("ldexp", "scalbn"):
            emit(w, name, d, [d, "i32"], [sx, sn], [d], as_f32(d, lambda x, n: (scale(d)(x, n),)), ["exact"])
        gen_bessel_n(w, d, rng)


def bits_back(d, v):
    return encode(d, v) if v != NAN else nan_bits(d)


def gen_bessel_n(w, d, rng):
    """Orders 0 to 5 (and -1, -2); absolute error next to zeros, relative elsewhere."""
    small = d in SMALL_FLOATS
    for name, f, lo in (("jn", mp.besselj, -12), ("yn", mp.bessely, 0.2)):
        orders, xs, table = [], [], {}
        for n in (0, 1, 2, 3, 5, -1, -2):
            for b in random_float_bits(rng, d, 6 if small else 14, lo, 30) + [nan_bits(d)]:
                v = value_of(b, d)
                if v != NAN and v[0] == 0:
                    continue
                orders.append(n & 0xFFFFFFFF)
                xs.append(b)
                with mp.workprec(300):
                    table[(n, b)] = nan_bits(d) if v == NAN else round_mpf(d, f(n, clean(v[0])))
        tol = "ulp=1,abs=6e-7" if small else "ulp=16,abs=1e-15" if d == "f64" else "ulp=16,abs=6e-7"
        emit(w, name, d, ["i32", d], [orders, xs], [d],
             lambda n, v, t=table: (("bits", t[(n, bits_back(d, v))]),), [tol])
