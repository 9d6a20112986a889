# SPDX-License-Identifier: Apache-2.0
"""Number formats of the IR as bit patterns, exact rounding, value pools and the writer of test cases.

An array is an `Arr`: a dtype name and a NumPy array of unsigned integers, the bits of its elements. Rounding is done on
exact fractions, half to even, so no answer depends on a library's conversion. Nothing of the project is imported.
"""
from fractions import Fraction
import gzip
import math
import random

import ml_dtypes
import mpmath
import numpy as np

FLOATS = ["f32", "f64", "f16", "bf16"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
F8 = ["f8e4m3", "f8e5m2"]
NUMERIC = FLOATS + INTS
ALL = NUMERIC + ["bool"] + F8
SMALL_FLOATS = ["f16", "bf16"]

WIDTH = {"f32": 32, "f64": 64, "f16": 16, "bf16": 16, "bool": 8, "f8e4m3": 8, "f8e5m2": 8,
         **{d: int(d[1:]) for d in INTS}}
# exponent bits, mantissa bits
SHAPE_OF_FLOAT = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7), "f8e4m3": (4, 3), "f8e5m2": (5, 2)}
NATIVE = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2, "bool": np.bool_,
          "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
BITS = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}

NAN = "nan"


def is_float(d):
    return d in SHAPE_OF_FLOAT


class Arr:
    """dtype and bits."""

    def __init__(self, dtype, bits, shape=None):
        self.dtype = dtype
        self.bits = np.asarray(bits, dtype=BITS[WIDTH[dtype]])
        if shape is not None:
            self.bits = self.bits.reshape(shape)

    @property
    def shape(self):
        return self.bits.shape

    def num(self):
        """The elements as NumPy (or ml_dtypes) numbers."""
        return self.bits.view(NATIVE[self.dtype]) if self.bits.shape else self.bits.reshape(1).view(
            NATIVE[self.dtype])[0]

    def values(self):
        """The elements as exact values, flat: see `value_of`."""
        return [value_of(int(b), self.dtype) for b in self.bits.ravel()]


def of(dtype, numbers):
    """An Arr of a NumPy array that already has the native dtype."""
    a = np.asarray(numbers)
    assert a.dtype == np.dtype(NATIVE[dtype]), (a.dtype, dtype)
    shape = a.shape
    a = np.ascontiguousarray(a).reshape(-1)
    return Arr(dtype, a.view(BITS[WIDTH[dtype]]), shape)


# ---- exact values: a float is NAN, ("inf", sign), or (Fraction, sign) with sign 1 for minus; an integer is an int.

def value_of(bits, dtype):
    if dtype == "bool":
        return int(bits != 0)
    w = WIDTH[dtype]
    if not is_float(dtype):
        return bits - (1 << w) if dtype[0] == "i" and bits >> (w - 1) else bits
    eb, mb = SHAPE_OF_FLOAT[dtype]
    sign = bits >> (w - 1)
    e = (bits >> mb) & ((1 << eb) - 1)
    m = bits & ((1 << mb) - 1)
    if dtype == "f8e4m3":
        if (bits & 0x7F) == 0x7F:
            return NAN
    elif e == (1 << eb) - 1:
        return NAN if m else ("inf", sign)
    bias = (1 << (eb - 1)) - 1
    if e == 0:
        v = Fraction(m) * Fraction(2) ** (1 - bias - mb)
    else:
        v = Fraction(m + (1 << mb)) * Fraction(2) ** (e - bias - mb)
    return (-v if sign else v, sign)


def inf_bits(dtype, sign):
    eb, mb = SHAPE_OF_FLOAT[dtype]
    if dtype == "f8e4m3":
        return 0x7F | sign << 7
    return sign << (eb + mb) | ((1 << eb) - 1) << mb


def nan_bits(dtype):
    eb, mb = SHAPE_OF_FLOAT[dtype]
    if dtype == "f8e4m3":
        return 0x7F
    return ((1 << eb) - 1) << mb | 1 << (mb - 1)


def round_to(dtype, v, sign=None):
    """Bits of the number of dtype nearest to the fraction v, halves to even; sign is the sign of a zero."""
    eb, mb = SHAPE_OF_FLOAT[dtype]
    s = sign if sign is not None and v == 0 else int(v < 0)
    v = abs(v)
    if v == 0:
        return s << (eb + mb)
    bias = (1 << (eb - 1)) - 1
    p, q = v.numerator, v.denominator
    e = p.bit_length() - q.bit_length()          # 2^e within a factor 2 of v
    if v < Fraction(2) ** e:
        e -= 1
    e = max(e, 1 - bias)
    scaled = v / Fraction(2) ** (e - mb)         # in units of the last place
    k = scaled.numerator // scaled.denominator
    rest = scaled - k
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and k & 1):
        k += 1
    if k == 1 << (mb + 1):
        k >>= 1
        e += 1
    bits = k if k < 1 << mb else (e + bias) << mb | (k - (1 << mb))
    limit = 0x7E if dtype == "f8e4m3" else (((1 << eb) - 1) << mb) - 1
    if bits > limit or e > bias + (1 if dtype == "f8e4m3" else 0):
        return inf_bits(dtype, s)
    return s << (eb + mb) | bits


def round_mpf(dtype, x, zero_sign=0):
    """Bits of a finite mpmath number, correctly rounded."""
    x = mpmath.mpf(x)
    if x == 0:
        return round_to(dtype, Fraction(0), zero_sign)
    s, m, e, _ = x._mpf_
    v = Fraction(int(m)) * Fraction(2) ** int(e) if abs(int(e)) < 20000 else None
    if v is None:                                # far outside every format
        big = int(e) + int(m).bit_length() > 0
        return inf_bits(dtype, s) if big else round_to(dtype, Fraction(0), s)
    if v < Fraction(1, 1 << 1300):
        return round_to(dtype, Fraction(0), s)
    return round_to(dtype, -v if s else v)


def encode(dtype, v):
    """Bits of an exact value in dtype; integers wrap."""
    if is_float(dtype):
        if isinstance(v, int):
            return round_to(dtype, Fraction(v), 0)
        if v == NAN:
            return nan_bits(dtype)
        if v[0] == "inf":
            return inf_bits(dtype, v[1])
        return round_to(dtype, v[0], v[1])
    if dtype == "bool":
        return int(v != 0)
    return v & ((1 << WIDTH[dtype]) - 1)


def from_values(dtype, values, shape=None):
    a = Arr(dtype, np.array([encode(dtype, v) for v in values], dtype=BITS[WIDTH[dtype]]))
    return Arr(dtype, a.bits, shape if shape is not None else a.bits.shape)


def from_floats(dtype, xs, shape=None):
    """Python floats rounded to dtype."""
    def exact(x):
        x = float(x)
        if math.isnan(x):
            return NAN
        if math.isinf(x):
            return ("inf", int(x < 0))
        return (Fraction(x), int(math.copysign(1, x) < 0))
    return from_values(dtype, [exact(x) for x in xs], shape)


def convert(a, dst):
    """The sentence of `convert`: one rounding; float to integer truncates, saturates, NaN gives 0; bool is x != 0."""
    out = []
    for v in a.values():
        if is_float(a.dtype) and not is_float(dst):
            if dst == "bool":
                out.append(int(v == NAN or v[0] == "inf" or v[0] != 0))
                continue
            lo, hi = int_range(dst)
            if v == NAN:
                out.append(0)
            elif v[0] == "inf":
                out.append(lo if v[1] else hi)
            else:
                out.append(min(max(math.trunc(v[0]), lo), hi))
        else:
            out.append(v)
    return from_values(dst, out, a.shape)


def int_range(d):
    w = WIDTH[d]
    return (-(1 << (w - 1)), (1 << (w - 1)) - 1) if d[0] == "i" else (0, (1 << w) - 1)


# ---- value pools

def float_edges(d):
    """Bits of the special values: zeros, infinities, NaN, subnormals, the ends of the normal range, small integers."""
    eb, mb = SHAPE_OF_FLOAT[d]
    top = 1 << (eb + mb)
    one = ((1 << (eb - 1)) - 1) << mb
    pos = [0, inf_bits(d, 0), 1, 3, (1 << mb) - 1, 1 << mb, inf_bits(d, 0) - 1, one, one + 1, one + (1 << mb),
           one - (1 << mb), one - 1]
    if d == "f8e4m3":
        pos[1] = 0x7E
    return [p | s for p in pos for s in (0, top)] + [nan_bits(d)]


def random_float_bits(rng, d, n, lo=None, hi=None):
    """n random numbers: uniform in [lo, hi] rounded to d, or uniform over bit patterns that are finite."""
    out = []
    while len(out) < n:
        if lo is not None:
            out.append(encode(d, (Fraction(rng.uniform(lo, hi)), 0)))
            continue
        b = rng.getrandbits(WIDTH[d])
        v = value_of(b, d)
        if v != NAN and v[0] != "inf":
            out.append(b)
    return out


def int_edges(d):
    lo, hi = int_range(d)
    out = [0, 1, 2, 3, 7, hi, hi - 1, hi // 2 + 1]
    if lo:
        out += [-1, -2, -3, lo, lo + 1]
    return [v & ((1 << WIDTH[d]) - 1) for v in out]


def pool(rng, d, n):
    """n bit patterns of d: the edges first, then random ones (floats: half of moderate size)."""
    if d == "bool":
        bits = [0, 1] + [rng.getrandbits(1) for _ in range(n)]
    elif is_float(d):
        e = float_edges(d)
        k = max(0, n - len(e))
        bits = e + random_float_bits(rng, d, k // 2) + random_float_bits(rng, d, k - k // 2, -8, 8)
    else:
        e = int_edges(d)
        bits = e + [rng.getrandbits(WIDTH[d]) for _ in range(max(0, n - len(e)))]
    bits = bits[:max(n, 1)]
    return bits


def numel(shape):
    n = 1
    for s in shape:
        n *= s
    return n


class Feed:
    """Hands out arrays of a shape from a pool, going round."""

    def __init__(self, dtype, bits, start=0):
        self.dtype, self.bits, self.at = dtype, list(bits), start

    def take(self, shape):
        n = numel(shape)
        got = [self.bits[(self.at + i) % len(self.bits)] for i in range(n)]
        self.at += n
        return Arr(self.dtype, np.array(got, dtype=BITS[WIDTH[self.dtype]]), shape)


def rand(rng, d, shape, lo=-4, hi=4):
    """Moderate random numbers (integers for integer dtypes: any bits)."""
    n = numel(shape)
    if is_float(d):
        bits = random_float_bits(rng, d, n, lo, hi)
    elif d == "bool":
        bits = [rng.getrandbits(1) for _ in range(n)]
    else:
        bits = [rng.getrandbits(WIDTH[d]) for _ in range(n)]
    return Arr(d, np.array(bits, dtype=BITS[WIDTH[d]]), shape)


def small(rng, d, shape, lo=-6, hi=6, unit=1):
    """Small multiples of `unit`: sums and products of them are exact, so no order of adding matters."""
    n = numel(shape)
    if is_float(d):
        vals = [(Fraction(rng.randint(lo, hi)) * Fraction(unit), 0) for _ in range(n)]
    elif d == "bool":
        vals = [rng.getrandbits(1) for _ in range(n)]
    else:
        vals = [rng.randint(lo, hi) for _ in range(n)]
    return from_values(d, vals, shape)


# ---- shapes: (dims as text, dims as numbers)
SHAPES = [([], []), ([1], [1]), ([0], [0]), ([7], [7]), (["n"], [5]), ([2, 3], [2, 3]), (["n", "m"], [3, 2]),
          ([2, 0, 3], [2, 0, 3]), ([1, 1, 4], [1, 1, 4]), ([2, 1, 3, 2], [2, 1, 3, 2]), ([2, 1, 2, 1, 3],) * 2]


def T(dtype, dims):
    """f32[n,3]"""
    return f"{dtype}[{','.join(str(d) for d in dims)}]"


class Writer:
    """Collects cases of one file. Format, all lines text, payloads little-endian bytes in row-major order:

        case OP DTYPE NAME
        text BYTES, then the IR text
        in DTYPE RANK DIMS..., then the payload (empty for size 0)
        out DTYPE TOLERANCE RANK DIMS..., then the payload
        end
    TOLERANCE: bits (every bit), exact (every bit, NaN equals NaN), ulp=N or ulp=N,abs=A (either suffices).
    """

    def __init__(self):
        self.parts = [b"chaac-vectors 1\n"]
        self.n = 0

    def case(self, op, dtype, text, ins, outs, name="-"):
        """outs: list of (Arr, tolerance)."""
        t = text.encode()
        p = [f"case {op} {dtype} {name}\ntext {len(t)}\n".encode(), t, b"\n"]
        for a in ins:
            p += [f"in {a.dtype} {len(a.shape)}{''.join(f' {d}' for d in a.shape)}\n".encode(),
                  a.bits.tobytes(), b"\n"]
        for a, tol in outs:
            p += [f"out {a.dtype} {tol} {len(a.shape)}{''.join(f' {d}' for d in a.shape)}\n".encode(),
                  a.bits.tobytes(), b"\n"]
        p.append(b"end\n")
        self.parts += p
        self.n += 1

    def raw(self):
        return b"".join(self.parts)

    def packed(self):
        return gzip.compress(self.raw(), compresslevel=9, mtime=0)


def func(params, body, results, prelude=""):
    """IR text of one func. params: [(name, type)]; body: op lines; results: [(name, type)]."""
    ps = ", ".join(f"%{n}: {t}" for n, t in params)
    ts = ", ".join(t for _, t in results)
    ts = f"({ts})" if len(results) > 1 else ts
    rs = ", ".join(f"%{n}" for n, _ in results)
    lines = "".join(f"  {line}\n" for line in body)
    return f"chaac-ir 1\n{prelude}func @f({ps}) -> {ts} {{\n{lines}  return {rs}\n}}\n"


def one_op(op, ins, out_type, attrs=""):
    """One op on params x y z ...; ins: types."""
    names = "xyzuvw"[:len(ins)]
    a = f" {{{attrs}}}" if attrs else ""
    args = ", ".join(f"%{n}" for n in names)
    line = f"%r = {op} {args}".rstrip() + f"{a} : {out_type}"
    return func(list(zip(names, ins)), [line], [("r", out_type)])


def rng_for(*key):
    return random.Random("chaac " + " ".join(str(k) for k in key))
