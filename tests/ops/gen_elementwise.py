# SPDX-License-Identifier: Apache-2.0
"""Vectors of the elementwise ops but for C's libm by name (gen_cmath.py).

Transcendental functions: mpmath at a precision that makes the rounding certain, results correctly rounded. Values at
0, inf and NaN follow C's Annex F through NumPy. The rest: exact fractions or Python integers, formulas from the
sentences of ops.def where NumPy has another convention (integer division by zero, shifts, min and max of zeros).
"""
from fractions import Fraction
import math

import mpmath
import numpy as np
import scipy.special

from gen_formats import (FLOATS, INTS, NAN, SHAPES, SMALL_FLOATS, Arr, BITS, Feed, T, WIDTH, convert, encode,
                         float_edges, from_values, int_range, is_float, nan_bits, of, one_op, pool, random_float_bits,
                         rng_for, round_mpf, round_to, value_of, int_edges)

mp = mpmath.mp


# ---- functions of one float by mpmath
# name: (mpmath function, NumPy function for the special values, intervals for points, precision, tolerance f64, f32)
def m_sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def m_lgamma(x):
    return mp.log(abs(mp.gamma(x))) if abs(x) < 50 else (
        mp.loggamma(x).real if x > 0 else mp.log(mp.pi / abs(mp.sin(mp.pi * x))) - mp.loggamma(1 - x).real)


def np_sigmoid(x):
    return {np.inf: 1.0, -np.inf: 0.0, 0.0: 0.5}.get(float(x), math.nan)


NEAR = "near"   # intervals: (lo, hi) uniform; (NEAR, c): c (1 +- 2^-k) for many k
UNARY = {
    "cbrt": (lambda x: mp.cbrt(x) if x >= 0 else -mp.cbrt(-x), np.cbrt, [(-10, 10), (NEAR, 1)]),
    "exp": (mp.exp, np.exp, [(-20, 20), (-110, 90), (-745, 710), (-1, 1)]),
    "exp2": (lambda x: mp.power(2, x), np.exp2, [(-20, 20), (-150, 128), (-1075, 1024), (-1, 1)]),
    "expm1": (mp.expm1, np.expm1, [(-20, 20), (-110, 90), (-745, 710), (-1, 1), (-1e-3, 1e-3)]),
    "log": (mp.log, np.log, [(0, 10), (NEAR, 1), (0, 1)]),
    "log2": (lambda x: mp.log(x, 2), np.log2, [(0, 10), (NEAR, 1), (0, 1)]),
    "log1p": (mp.log1p, np.log1p, [(-1, 10), (-1, 1), (-1e-3, 1e-3), (NEAR, -1)]),
    "sin": (mp.sin, np.sin, [(-10, 10), (-1000, 1000), (NEAR, math.pi), (-1e6, 1e6)]),
    "cos": (mp.cos, np.cos, [(-10, 10), (-1000, 1000), (NEAR, math.pi / 2), (-1e6, 1e6)]),
    "tan": (mp.tan, np.tan, [(-10, 10), (-1000, 1000), (NEAR, math.pi / 2), (-1e6, 1e6)]),
    "asin": (mp.asin, np.arcsin, [(-1, 1), (-1, 1), (-1, 1), (NEAR, 1), (NEAR, -1)]),
    "acos": (mp.acos, np.arccos, [(-1, 1), (-1, 1), (-1, 1), (NEAR, 1), (NEAR, -1)]),
    "atan": (mp.atan, np.arctan, [(-10, 10), (-1, 1), (NEAR, 1)]),
    "sinh": (mp.sinh, np.sinh, [(-20, 20), (-90, 90), (-711, 711), (-1, 1)]),
    "cosh": (mp.cosh, np.cosh, [(-20, 20), (-90, 90), (-711, 711), (-1, 1)]),
    "tanh": (mp.tanh, np.tanh, [(-20, 20), (-3, 3), (-1, 1), (-1e-3, 1e-3)]),
    "asinh": (mp.asinh, np.arcsinh, [(-20, 20), (-1, 1), (-1e-3, 1e-3)]),
    "acosh": (mp.acosh, np.arccosh, [(1, 20), (1, 2), (NEAR, 1)]),
    "atanh": (mp.atanh, np.arctanh, [(-1, 1), (-1, 1), (-1e-3, 1e-3), (NEAR, 1), (NEAR, -1)]),
    "sigmoid": (m_sigmoid, np_sigmoid, [(-20, 20), (-110, 90), (-745, 40), (-1, 1)]),
    "erf": (mp.erf, scipy.special.erf, [(-6, 6), (-1, 1), (-3, 3), (-1e-3, 1e-3)]),
    "erfc": (mp.erfc, scipy.special.erfc, [(-6, 27), (-1, 1), (0, 10), (-1e-3, 1e-3)]),
    "lgamma": (m_lgamma, lambda x: math.nan if math.isnan(x) else math.inf, [(0, 10), (0.5, 3), (-10, 0), (0, 200),
                                                                                (NEAR, 1), (NEAR, 2), (10, 1e6)]),
    "digamma": (lambda x: mp.psi(0, x), None, [(0, 10), (0.5, 3), (-10, 0), (0, 200), (10, 1e6)]),
}
# Bounds other than 2 ulp (f64, f32); f16 and bf16 always 1. lgamma: the C library documents 4 and 7 and loses relative
# accuracy near its zeros at negative x: there the error is absolute.
BOUND = {"lgamma": ("ulp=5,abs=4e-15", "ulp=8,abs=1e-6")}
# A loss of all relative accuracy in f32 next to a zero is absolute in f16 and bf16 too.
SMALL_BOUND = {"lgamma": ("ulp=1,abs=1e-6")}


def unary_bound(op, d):
    if d in SMALL_FLOATS:
        return SMALL_BOUND.get(op, "ulp=1")
    b = BOUND.get(op)
    return "ulp=2" if b is None else b[0 if d == "f64" else 1]


def domain(op, x):
    """Where the function has a finite or infinite value of its own; elsewhere the answer is NaN. x: Fraction."""
    if op in ("log", "log2"):
        return x > 0
    if op == "log1p":
        return x > -1
    if op in ("asin", "acos"):
        return abs(x) <= 1
    if op == "acosh":
        return x >= 1
    if op == "atanh":
        return abs(x) < 1
    return True


EDGE = {("log1p", -1): -math.inf, ("atanh", 1): math.inf, ("atanh", -1): -math.inf}
SPECIAL_PREC = {"lgamma": 500, "digamma": 500, "erf": 2300, "erfc": 500}


def clean(v):
    """An mpf from an exact fraction."""
    return mpmath.mpf(v.numerator) / v.denominator


def special(f, v):
    """The value at a zero, an infinity or NaN, by a double function."""
    if v == NAN:
        return math.nan
    x = (-math.inf if v[1] else math.inf) if v[0] == "inf" else (-0.0 if v[1] else 0.0)
    with np.errstate(all="ignore"):
        return float(f(x))


def bits_of_double(d, y):
    if math.isnan(y):
        return nan_bits(d)
    if math.isinf(y):
        return encode(d, ("inf", int(y < 0)))
    return round_to(d, Fraction(y), int(math.copysign(1, y) < 0))


def special_double(op, v):
    if op == "digamma":   # poles at 0 and the negative integers are NaN by the sentence
        return math.inf if v[0] == "inf" and not v[1] else math.nan
    return special(UNARY[op][1], v)


def unary_value(op, d, bits):
    v = value_of(bits, d)
    if v == NAN or v[0] == "inf" or v[0] == 0:
        if op in ("acos", "exp", "exp2", "cos", "cosh", "acosh", "erfc") and v != NAN and v[0] == 0:
            pass   # finite value at 0 that a double does not hold (acos 0): below
        else:
            return bits_of_double(d, special_double(op, v))
    x, sign = v
    if (op, x) in EDGE:
        return bits_of_double(d, EDGE[(op, x)])
    if not domain(op, x):
        return nan_bits(d)
    if op in ("lgamma", "digamma") and x < 0 and x.denominator == 1:
        return bits_of_double(d, math.inf if op == "lgamma" else math.nan)
    if op in ("lgamma", "digamma") and x < -1000000:
        return None                                  # the reflection's sine eats what is left of x
    with mp.workprec(SPECIAL_PREC.get(op, 2300)):
        if op == "lgamma" and abs(x) < Fraction(1, 2 ** 300):
            r = -mp.log(abs(clean(x)))               # gamma(x) = 1/x (1 + O(x))
        elif op == "digamma" and abs(x) < Fraction(1, 2 ** 300):
            r = -1 / clean(x)
        elif op in ("exp", "expm1", "sinh", "cosh", "tanh", "sigmoid", "exp2", "erf", "erfc") and abs(x) > 12000:
            big = clean(Fraction(12000 if x > 0 else -12000))
            r = UNARY[op][0](big)
        elif op in ("erf", "expm1", "sinh", "tanh", "asinh", "atanh", "asin", "atan", "sin", "tan", "log1p") and abs(
                x) < Fraction(1, 2 ** 400):
            r = clean(x) * (2 / mp.sqrt(mp.pi) if op == "erf" else 1)
        else:
            r = UNARY[op][0](clean(x))
    return round_mpf(d, r, sign)


def points(rng, op, d, intervals, n):
    """Edges, then points of the intervals, then any bit patterns."""
    out = list(float_edges(d))
    mb = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}[d]
    for iv in intervals:
        if iv[0] == NEAR:
            c = Fraction(iv[1])
            for k in range(1, mb + 1, max(1, mb // 12)):
                for s in (-1, 1):
                    out.append(encode(d, (c * (1 + s * Fraction(1, 2 ** k)), 0)))
            out.append(encode(d, (c, 0)))
        else:
            out += random_float_bits(rng, d, n // len(intervals), *iv)
    out += random_float_bits(rng, d, n // 4)
    return list(dict.fromkeys(out))


def emit_elementwise(w, op, d, feeds, f, tol, out_dtype=None, attrs="", big=None, shapes=SHAPES):
    """Cases of one op: every shape with points taken in turn, then all points as one row of rank 1.
    feeds: lists of bits, one an operand, of equal length; f(bits...) gives result bits."""
    out_dtype = out_dtype or d
    fs = [Feed(d, b) for b in feeds]
    total = len(feeds[0]) if big is None else big
    for text_dims, dims in shapes + [([total], [total])]:
        if dims == [total]:
            for x in fs:
                x.at = 0
        ins = [x.take(dims) for x in fs]
        flat = [a.bits.ravel() for a in ins]
        res = [f(*[int(b) for b in row]) for row in zip(*flat)]
        out = Arr(out_dtype, np.array(res, dtype=BITS[WIDTH[out_dtype]]), dims)
        w.case(op, d, one_op(op, [T(d, text_dims)] * len(ins), T(out_dtype, text_dims), attrs), ins, [(out, tol)])


def gen_transcendental(w):
    for op, (_, _, intervals) in UNARY.items():
        for d in FLOATS:
            rng = rng_for(op, d)
            n = {"f64": 220, "f32": 220, "f16": 100, "bf16": 80}[d]
            pts = points(rng, op, d, intervals, n)
            table = {b: unary_value(op, d, b) for b in pts}
            pts = [b for b in pts if table[b] is not None]
            check_against_double(op, d, table)
            emit_elementwise(w, op, d, [pts], table.__getitem__, unary_bound(op, d))


def check_against_double(op, d, table):
    """A slip in a formula above would be far off; NumPy and SciPy are near."""
    f = {"digamma": scipy.special.digamma, "lgamma": scipy.special.gammaln, "sigmoid": scipy.special.expit}.get(
        op, UNARY[op][1])
    if d != "f64":
        return
    for b, r in table.items():
        v, e = value_of(b, d), value_of(r, d) if r is not None else NAN
        if e == NAN or e[0] == "inf" or v == NAN or v[0] == "inf" or v[0] == 0:
            continue
        with np.errstate(all="ignore"):
            y = float(f(float(v[0])))
        if math.isinf(y) or (op == "digamma" and v[0] < 0):   # SciPy: gammaln at subnormals, psi near poles
            continue
        assert abs(y - float(e[0])) <= 1e-9 * abs(float(e[0])) + (1e-12 if op in ("lgamma", "digamma") else 1e-300), (
            op, float(v[0]), y, float(e[0]))


def gen_polygamma(w):
    """mpmath's psi(n, x). At the poles (0 and the negative integers) the limit from both sides is +inf for odd n; even
    n, as digamma, gives NaN. At -inf there is no limit: NaN."""
    for d in FLOATS:
        rng = rng_for("polygamma", d)
        for n, shapes in ((1, SHAPES), (2, SHAPES[1:4]), (3, SHAPES[3:5]), (5, SHAPES[4:6]), (0, SHAPES[5:7])):
            pts = points(rng, "polygamma", d, [(0, 10), (0.5, 3), (0, 200)], 60)
            pts += random_float_bits(rng, d, 30, -12, 0)
            table = {b: polygamma_value(d, n, b) for b in pts}
            pts = [b for b in pts if table[b] is not None]
            emit_elementwise(w, "polygamma", d, [pts], table.__getitem__, unary_bound("polygamma", d),
                             attrs=f"n = {n}", shapes=shapes)


def polygamma_value(d, n, bits):
    if n == 0:
        return unary_value("digamma", d, bits)
    v = value_of(bits, d)
    if v == NAN:
        return nan_bits(d)
    if v[0] == "inf":
        return nan_bits(d) if v[1] else encode(d, (Fraction(0), int(n % 2 == 0)))
    x = v[0]
    if x <= 0 and x.denominator == 1:
        if x < -1000:
            return None
        return encode(d, ("inf", 0)) if n % 2 else nan_bits(d)
    if x < -1000:
        return None
    with mp.workprec(400):
        if abs(x) < Fraction(1, 2 ** 200):
            r = mp.factorial(n) / clean(x) ** (n + 1) * (-1) ** (n + 1)
        elif x > 2 ** 300:
            r = mp.factorial(n - 1) / clean(x) ** n * (-1) ** (n + 1)
        else:
            r = mp.psi(n, clean(x))
    return round_mpf(d, r, int(n % 2 == 0))


# ---- exact functions of one number

def flip(d, clear):
    top = 1 << (WIDTH[d] - 1)
    return (lambda b: b & ~top) if clear else (lambda b: b ^ top)


def int_fn(d, f):
    return lambda *bits: encode(d, f(*[value_of(b, d) for b in bits]))


def integral(d, how):
    def g(b):
        v = value_of(b, d)
        if v == NAN or v[0] == "inf":
            return b
        x, s = v
        if how == "floor":
            k = math.floor(x)
        elif how == "ceil":
            k = math.ceil(x)
        elif how == "trunc":
            k = math.trunc(x)
        elif how == "round_even":
            k = round(x)                     # Python: halves to even
        else:
            k = math.floor(abs(x) + Fraction(1, 2)) * (-1 if s else 1)
        return round_to(d, Fraction(k), s)
    return g


def sign_fn(d):
    def g(b):
        v = value_of(b, d)
        if v == NAN:
            return b
        if v[0] != "inf" and v[0] == 0:
            return b
        return round_to(d, Fraction(-1 if v[1] else 1))
    return g


def in_f32(d, f):
    """What numpy's float32 (for f16, bf16) or the dtype's own arithmetic gives, one rounding to d after it."""
    def g(*bits):
        args = [Arr(d, np.array([b], dtype=BITS[WIDTH[d]])) for b in bits]
        t = "f32" if d in SMALL_FLOATS else d
        with np.errstate(all="ignore"):
            r = f(*[convert(a, t).num() for a in args])
        return int(convert(of(t, r), d).bits[0])
    return g


def halves(d):
    """Points where rounding functions differ: k + 1/2 and their neighbours."""
    out = []
    for k in list(range(-6, 7)) + [100, 1000, -100]:
        b = encode(d, (Fraction(2 * k + 1, 2), 0))
        out += [b, b + 1, b - 1]
    mb = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}[d]
    for e in (mb - 1, mb, mb + 1):
        out.append(encode(d, (Fraction(2 ** e) + Fraction(1, 2), 0)))
        out.append(encode(d, (Fraction(2 ** e) - Fraction(1, 2), 0)))
    return out


def gen_exact_unary(w):
    for d in FLOATS:
        rng = rng_for("exact unary", d)
        pts = pool(rng, d, 110)
        signed_nan = [nan_bits(d) | 1 << (WIDTH[d] - 1), nan_bits(d) | 5]
        emit_elementwise(w, "neg", d, [pts + signed_nan], flip(d, False), "bits")
        emit_elementwise(w, "abs", d, [pts + signed_nan], flip(d, True), "bits")
        emit_elementwise(w, "sign", d, [pts], sign_fn(d), "exact")
        for op in ("floor", "ceil", "round_even", "round_away", "trunc"):
            emit_elementwise(w, op, d, [pts + halves(d)], integral(d, op), "exact")
        emit_elementwise(w, "sqrt", d, [pts], in_f32(d, np.sqrt), "exact")
        # "as the two operations after each other": f16 and bf16 do both in f32 and round once
        emit_elementwise(w, "rsqrt", d, [pts], in_f32(d, lambda x: (x.dtype.type(1) / np.sqrt(x))), "exact")
        emit_elementwise(w, "is_finite", d, [pts], lambda b: int(
            value_of(b, d) != NAN and value_of(b, d)[0] != "inf"), "bits", "bool")
    for d in INTS:
        rng = rng_for("exact unary", d)
        pts = pool(rng, d, 40)
        wd = WIDTH[d]
        mask = (1 << wd) - 1
        if d[0] == "i":
            emit_elementwise(w, "neg", d, [pts], int_fn(d, lambda x: -x), "bits")
            emit_elementwise(w, "abs", d, [pts], int_fn(d, abs), "bits")
            emit_elementwise(w, "sign", d, [pts], int_fn(d, lambda x: (x > 0) - (x < 0)), "bits")
        emit_elementwise(w, "not", d, [pts], lambda b: b ^ mask, "bits")
        emit_elementwise(w, "popcnt", d, [pts], lambda b: bin(b).count("1"), "bits")
        emit_elementwise(w, "clz", d, [pts], lambda b: wd - b.bit_length(), "bits")
    emit_elementwise(w, "not", "bool", [[0, 1, 1, 0]], lambda b: b ^ 1, "bits")


# ---- two and three operands

def pairs(rng, d, n_edges, n_random, lo=-8, hi=8):
    """Every pair of the edges, then random pairs."""
    e = float_edges(d)[:n_edges] + [nan_bits(d)] if is_float(d) else int_edges(d)
    e = list(dict.fromkeys(e))
    xs = [a for a in e for _ in e]
    ys = [b for _ in e for b in e]
    if is_float(d):
        xs += random_float_bits(rng, d, n_random // 2) + random_float_bits(rng, d, n_random // 2, lo, hi)
        ys += random_float_bits(rng, d, n_random // 2) + random_float_bits(rng, d, n_random // 2, lo, hi)
    else:
        xs += [rng.getrandbits(WIDTH[d]) for _ in range(n_random)]
        small = [rng.randint(0, 9) for _ in range(n_random // 2)]
        ys += small + [rng.getrandbits(WIDTH[d]) for _ in range(n_random - len(small))]
    return xs, ys


def int_div(x, y, d):
    lo, _ = int_range(d)
    if y == 0:
        return -1
    if x == lo and y == -1 and lo:
        return lo
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def int_rem(x, y, d):
    if y == 0:
        return x
    return x - int_div(x, y, d) * y if not (y == -1) else 0


def int_pow(x, y):
    """Repeated product; a negative exponent gives 0, but 1 for 1 and +-1 for -1. The caller wraps."""
    if y < 0:
        return 1 if x == 1 else (-1 if y % 2 else 1) if x == -1 else 0
    return pow(x, y, 1 << 64)


def shift(d, left):
    wd = WIDTH[d]
    mask = (1 << wd) - 1

    def g(a, b):
        x, n = value_of(a, d), value_of(b, d)
        if left:
            return 0 if n < 0 or n >= wd else (a << n) & mask
        if n < 0 or n >= wd:
            n = wd
        return (x >> n) & mask
    return g


def minmax(d, bigger):
    def key(v):
        return (v[0] if v[0] != "inf" else Fraction((-1 if v[1] else 1) * 2 ** 1100), 1 - v[1])

    def g(a, b):
        x, y = value_of(a, d), value_of(b, d)
        if is_float(d):
            if x == NAN or y == NAN:
                return nan_bits(d)
            x, y = key(x), key(y)
        return (a if x >= y else b) if bigger else (a if x <= y else b)
    return g


def compare_fn(d, how):
    def order(v):
        if v == NAN:
            return None
        if is_float(d):
            return v[0] if v[0] != "inf" else Fraction((-1 if v[1] else 1) * 2 ** 1100)
        return v

    def g(a, b):
        x, y = order(value_of(a, d)), order(value_of(b, d))
        if x is None or y is None:
            return int(how == "ne")
        return int({"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[how])
    return g


def nextafter(d):
    def ordered(b):
        top = 1 << (WIDTH[d] - 1)
        return -(b - top) if b & top else b

    def g(a, b):
        x, y = value_of(a, d), value_of(b, d)
        if x == NAN or y == NAN:
            return nan_bits(d)
        i, j = ordered(a), ordered(b)
        if i == j:
            return b
        i += 1 if j > i else -1
        if i == 0:
            return (1 << (WIDTH[d] - 1)) if ordered(a) < 0 else 0
        return i if i > 0 else (-i) | 1 << (WIDTH[d] - 1)
    return g


def copysign(d):
    top = 1 << (WIDTH[d] - 1)
    return lambda a, b: (a & ~top) | (b & top)


def fma(d):
    """a b + c rounded once, by fractions; signs of exact zeros as IEEE 754 says."""
    def g(a, b, c):
        x, y, z = value_of(a, d), value_of(b, d), value_of(c, d)
        if NAN in (x, y, z):
            return nan_bits(d)
        ps = x[1] ^ y[1]
        if x[0] == "inf" or y[0] == "inf":
            if x[0] == 0 or y[0] == 0 or (z[0] == "inf" and z[1] != ps):
                return nan_bits(d)
            return encode(d, ("inf", ps))
        if z[0] == "inf":
            return c
        p = x[0] * y[0]
        s = p + z[0]
        if s == 0:
            return round_to(d, s, ps & z[1] if p == 0 or ps != z[1] else ps)
        return round_to(d, s)
    return g


def real2(d, f_np, f_mp):
    """Two-operand functions of C by mpmath; the special values by NumPy (Annex F)."""
    def g(a, b):
        x, y = value_of(a, d), value_of(b, d)
        exceptional = NAN in (x, y) or "inf" in (x[0], y[0]) or x[0] == 0 or y[0] == 0
        if exceptional or f_mp is None:
            with np.errstate(all="ignore"):
                r = float(f_np(as_double(x), as_double(y)))
            if math.isnan(r) or math.isinf(r) or r == 0 or abs(r) == 1 or f_mp is None:
                return bits_of_double(d, r)
            if f_np is np.arctan2:
                with mp.workprec(300):      # on an axis: multiples of pi/4
                    k = round(r / (math.pi / 4))
                    return round_mpf(d, mp.pi * k / 4)
        with mp.workprec(2600):
            r = f_mp(x, y)
        return nan_bits(d) if r is None else round_mpf(d, r)
    return g


def as_double(v):
    if v == NAN:
        return math.nan
    if v[0] == "inf":
        return -math.inf if v[1] else math.inf
    return math.copysign(float(v[0]), -1 if v[1] else 1)


def m_pow(x, y):
    if x[0] < 0:
        if y[0].denominator != 1:
            return None
        odd = y[0].numerator & 1
        r = m_pow((-x[0], 0), y)
        return -r if odd else r
    l = mp.log(clean(x[0])) * clean(y[0])
    if l > 1500:
        return mpmath.mpf(2) ** 3000
    if l < -1500:
        return mpmath.mpf(2) ** -3000
    return mp.exp(l)


def m_atan2(y, x):
    return mp.atan2(clean(y[0]), clean(x[0]))


def m_hypot(x, y):
    return mp.sqrt(clean(x[0]) ** 2 + clean(y[0]) ** 2)


def pow_sign_fixed(d):
    g = real2(d, np.power, m_pow)

    def h(a, b):
        r = g(a, b)
        x, y = value_of(a, d), value_of(b, d)
        if NAN in (x, y) or "inf" in (x[0], y[0]) or x[0] == 0 or y[0] == 0:
            return r
        if x[0] < 0 and y[0].denominator == 1 and y[0].numerator & 1 and r == 0:   # underflow keeps the sign
            return 1 << (WIDTH[d] - 1)
        return r
    return h


def gen_binary(w):
    for d in FLOATS:
        rng = rng_for("binary", d)
        k, n = (14, 80) if d in ("f64", "f32") else (12, 40)
        xs, ys = pairs(rng, d, k, n)
        for op, f in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide),
                      ("rem", np.fmod)):
            emit_elementwise(w, op, d, [xs, ys], in_f32(d, f), "exact")
        emit_elementwise(w, "min", d, [xs, ys], minmax(d, False), "exact")
        emit_elementwise(w, "max", d, [xs, ys], minmax(d, True), "exact")
        emit_elementwise(w, "copysign", d, [xs, ys], copysign(d), "exact")
        emit_elementwise(w, "nextafter", d, [xs, ys], nextafter(d), "exact")
        tol = "ulp=1" if d in SMALL_FLOATS else "ulp=2"
        xs, ys = pairs(rng, d, k - 4, n, 0, 30)
        emit_elementwise(w, "pow", d, [xs + ys, ys + xs], pow_sign_fixed(d), tol)
        xs, ys = pairs(rng, d, k, n)
        emit_elementwise(w, "atan2", d, [xs, ys], real2(d, np.arctan2, m_atan2), tol)
        emit_elementwise(w, "hypot", d, [xs, ys], real2(d, np.hypot, m_hypot), tol)
        xs, ys = pairs(rng, d, k - 2, n)
        zs = (ys[7:] + ys[:7])
        emit_elementwise(w, "fma", d, [xs + ys, ys + xs, zs + zs[::-1]], fma(d), "exact")
        for i, how in enumerate(("eq", "ne", "lt", "le", "gt", "ge")):
            shapes = SHAPES if how == "lt" else SHAPES[i:i + 3]
            emit_elementwise(w, "compare", d, [xs, ys], compare_fn(d, how), "bits", "bool", f"dir = {how}",
                             shapes=shapes)
    for d in INTS:
        rng = rng_for("binary", d)
        xs, ys = pairs(rng, d, 0, 30)
        for op, f in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y), ("mul", lambda x, y: x * y),
                      ("div", lambda x, y: int_div(x, y, d)), ("rem", lambda x, y: int_rem(x, y, d)),
                      ("pow", int_pow), ("and", lambda x, y: x & y), ("or", lambda x, y: x | y),
                      ("xor", lambda x, y: x ^ y)):
            emit_elementwise(w, op, d, [xs, ys], int_fn(d, f), "bits")
        emit_elementwise(w, "min", d, [xs, ys], minmax(d, False), "bits")
        emit_elementwise(w, "max", d, [xs, ys], minmax(d, True), "bits")
        counts = [c & ((1 << WIDTH[d]) - 1) for c in (0, 1, 2, WIDTH[d] - 1, WIDTH[d], WIDTH[d] + 1, -1, -3)]
        ss = [a for a in int_edges(d) for _ in counts]
        ns = [c for _ in int_edges(d) for c in counts]
        emit_elementwise(w, "shl", d, [ss, ns], shift(d, True), "bits")
        emit_elementwise(w, "shr", d, [ss, ns], shift(d, False), "bits")
        for i, how in enumerate(("eq", "ne", "lt", "le", "gt", "ge")):
            shapes = SHAPES if how == "lt" else SHAPES[i:i + 3]
            emit_elementwise(w, "compare", d, [xs, ys], compare_fn(d, how), "bits", "bool", f"dir = {how}",
                             shapes=shapes)
    d, xs, ys = "bool", [0, 0, 1, 1], [0, 1, 0, 1]
    for op, f in (("and", min), ("or", max), ("xor", lambda a, b: a ^ b), ("min", min), ("max", max)):
        emit_elementwise(w, op, d, [xs, ys], f, "bits")
    for how in ("eq", "ne", "lt", "le", "gt", "ge"):
        emit_elementwise(w, "compare", d, [xs, ys], compare_fn(d, how), "bits", "bool", f"dir = {how}")


def gen_choose(w):
    """select moves bits (pred of the same shape and of rank 0); clamp is min(max(x, lo), hi) with NaN staying."""
    from gen_formats import ALL
    for d in ALL:
        rng = rng_for("select", d)
        bits = pool(rng, d, 40)
        if is_float(d):
            bits += [nan_bits(d) | (1 << (WIDTH[d] - 1))]
        f1, f2 = Feed(d, bits), Feed(d, bits[::-1], 3)
        for i, (text, dims) in enumerate(SHAPES + [([40], [40])]):
            for scalar in (False, True) if i % 2 else (False,):
                p = Arr("bool", np.array(rng.getrandbits(1), dtype=np.uint8)) if scalar else Arr(
                    "bool", np.array([rng.getrandbits(1) for _ in range(int(np.prod(dims)))], dtype=np.uint8), dims)
                a, b = f1.take(dims), f2.take(dims)
                out = Arr(d, np.where(p.bits.astype(bool), a.bits, b.bits), dims)
                text_p = T("bool", [] if scalar else text)
                w.case("select", d, one_op("select", [text_p, T(d, text), T(d, text)], T(d, text)), [p, a, b],
                       [(out, "bits")])
    for d in FLOATS + INTS:
        rng = rng_for("clamp", d)
        xs = Feed(d, pool(rng, d, 60))
        for i, (text, dims) in enumerate(SHAPES + [([60], [60])]):
            for scalar in (False, True) if i % 2 else (False,):
                x = xs.take(dims)
                lo, hi = bounds_for(rng, d, [] if scalar else dims)
                ends = T(d, [] if scalar else text)
                mx, mn = minmax(d, True), minmax(d, False)
                flat = [np.broadcast_to(a.bits, dims).ravel() for a in (lo, x, hi)]
                res = [mn(mx(int(v), int(l)), int(h)) for l, v, h in zip(*flat)]
                out = Arr(d, np.array(res, dtype=BITS[WIDTH[d]]), dims)
                w.case("clamp", d, one_op("clamp", [ends, T(d, text), ends], T(d, text)), [lo, x, hi],
                       [(out, "exact")])


def bounds_for(rng, d, dims):
    """lo <= hi, none of them a zero (clamp's sentence is about values; the sign of a zero at a bound is free)."""
    n = int(np.prod(dims)) if dims else 1
    los, his = [], []
    for _ in range(n):
        if is_float(d):
            a, b = sorted([rng.uniform(-5, 5), rng.uniform(-5, 5)])
            los.append((Fraction(a), 0))
            his.append((Fraction(b), 0))
        else:
            a, b = sorted([value_of(rng.getrandbits(WIDTH[d]), d) for _ in range(2)])
            los.append(a)
            his.append(b)
    return from_values(d, los, dims), from_values(d, his, dims)


def gen_all(w):
    gen_exact_unary(w)
    gen_binary(w)
    gen_choose(w)


def gen_mp(w):
    gen_transcendental(w)
    gen_polygamma(w)
