# SPDX-License-Identifier: Apache-2.0
"""Vectors of ops that make or move data: convert bitcast, const iota dim rng_bits alloc, shapes, indexed access.

Movement is done on bit patterns with NumPy indexing; every bit is compared. gather and scatter follow the StableHLO
specification's formulas (a window of scatter that does not fit whole is dropped, as XLA does); pad and rng_bits are
cross-checked against JAX on the CPU while the vectors are made.
"""
from fractions import Fraction

import numpy as np

from gen_formats import (ALL, F8, FLOATS, INTS, NAN, SHAPES, Arr, BITS, Feed, T, WIDTH, convert, encode, float_edges,
                         from_values, func, int_range, is_float, nan_bits, numel, one_op, pool, rng_for, round_to,
                         value_of)

SOME = ["f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"]


def bits_feed(rng, d, n=48):
    b = pool(rng, d, n)
    if is_float(d):
        b += [nan_bits(d) | 1 << (WIDTH[d] - 1)] + ([nan_bits(d) | 3] if d not in F8 else [])
    return Feed(d, b)


# ---- types

def boundary_values(src, dst):
    """Bits of src around the places where the conversion to dst rounds or saturates."""
    out = []
    if not is_float(src) or dst == "bool":
        return out
    want = []
    if is_float(dst):
        for b in float_edges(dst):
            v = value_of(b, dst)
            if v != NAN and v[0] != "inf":
                want.append(v[0])
        tops = sorted(set(want))
        want += [(a + b) / 2 for a, b in zip(tops, tops[1:])]
        big = max(want)
        gap = big - max(x for x in (value_of(b, dst)[0] for b in pool_bits_below(dst)) if x < big)
        want += [big + gap / 2, big + gap / 2 - gap / 64, big + gap, -big - gap / 2, big * 2]
        # just above a tie: a second rounding on the way would lose the last bit
        one = Fraction(1)
        mb = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7, "f8e4m3": 3, "f8e5m2": 2}[dst]
        tie = one + Fraction(1, 2 ** (mb + 1))
        want += [tie, tie + Fraction(1, 2 ** 40), tie - Fraction(1, 2 ** 40), tie + Fraction(1, 2 ** 20)]
    else:
        lo, hi = int_range(dst)
        want = [Fraction(x) for x in (lo - 1, lo, lo + 1, hi - 1, hi, hi + 1)] + [Fraction(hi) + Fraction(1, 2),
                                                                                 Fraction(lo) - Fraction(1, 2)]
        want += [Fraction(k, 2) for k in (-5, -3, -1, 1, 3, 5)]
    for x in want:
        out.append(round_to(src, x))
    return out


def pool_bits_below(d):
    top = 0x7E if d == "f8e4m3" else encode(d, ("inf", 0)) - 1
    return [top, top - 1]


def gen_types(w):
    for i, src in enumerate(ALL):
        for j, dst in enumerate(ALL):
            rng = rng_for("convert", src, dst)
            bits = boundary_values(src, dst) + pool(rng, src, 40)
            feed = Feed(src, bits)
            for text, dims in (SHAPES[(i + j) % len(SHAPES)], ([len(bits)], [len(bits)])):
                feed.at = 0
                x = feed.take(dims)
                tol = "exact" if is_float(dst) else "bits"
                w.case("convert", src, one_op("convert", [T(src, text)], T(dst, text)), [x], [(convert(x, dst), tol)])
        if src == "bool":                # one bit: refused by bitcast
            continue
        same = [d for d in ALL if WIDTH[d] == WIDTH[src] and d != "bool"]
        for k, (text, dims) in enumerate(SHAPES + [([40], [40])] * len(same)):
            dst = same[k % len(same)]
            rng = rng_for("bitcast", src, dst)
            x = Feed(src, pool(rng, src, 30), k).take(dims)
            w.case("bitcast", src, one_op("bitcast", [T(src, text)], T(dst, text)), [x],
                   [(Arr(dst, x.bits, dims), "bits")])


# ---- make

def literal(d, bits):
    v = value_of(bits, d)
    if d == "bool":
        return "true" if v else "false"
    if not is_float(d):
        return str(v)
    if v == NAN:
        return "nan"
    if v[0] == "inf":
        return "-inf" if v[1] else "inf"
    return repr(-float(abs(v[0])) if v[1] else float(v[0]))


def gen_make(w):
    for d in ALL:
        rng = rng_for("const", d)
        bits = [b for b in pool(rng, d, 40)]
        feed = Feed(d, bits)
        for text, dims in SHAPES + [([40], [40])]:
            symbolic = any(isinstance(t, str) for t in text)
            if symbolic or 0 in dims:    # one number for every element
                b = bits[rng.randrange(len(bits))]
                value, out = literal(d, b), Arr(d, np.full(dims, b, dtype=BITS[WIDTH[d]]))
            else:
                out = feed.take(dims)
                lits = [literal(d, int(b)) for b in out.bits.ravel()]
                value = "[" + ", ".join(lits) + "]" if dims else lits[0]
            ins, params = ([], []) if not symbolic else ([Arr("bool", np.zeros(dims, np.uint8))],
                                                         [("x", T("bool", text))])
            body = [f"%r = const {{value = {value}}} : {T(d, text)}"]
            w.case("const", d, func(params, body, [("r", T(d, text))]), ins, [(out, "exact")])
    for d in FLOATS + INTS:
        for text, dims in SHAPES[1:] + [([3, "n"], [3, 6]), (["n", 4], [2, 4]), ([100], [100])]:
            for dim in {0, len(dims) - 1}:
                index = np.indices(dims)[dim] if 0 not in dims else np.zeros(dims, int)
                out = from_values(d, [(Fraction(int(v)), 0) if is_float(d) else int(v) for v in index.ravel()], dims)
                symbolic = any(isinstance(t, str) for t in text)
                params = [("x", T("bool", text))] if symbolic else []
                ins = [Arr("bool", np.zeros(dims, np.uint8))] if symbolic else []
                w.case("iota", d, func(params, [f"%r = iota {{dim = {dim}}} : {T(d, text)}"], [("r", T(d, text))]),
                       ins, [(out, "bits")])
    exprs = [("n", lambda n, m: n), ("2*n + 1", lambda n, m: 2 * n + 1), ("n*m", lambda n, m: n * m),
             ("floordiv(n, 2)", lambda n, m: n // 2), ("mod(n, 3)", lambda n, m: n % 3),
             ("max(n, m)", lambda n, m: max(n, m)), ("min(n, m) + 2", lambda n, m: min(n, m) + 2),
             ("n*n + m", lambda n, m: n * n + m), ("7", lambda n, m: 7),
             ("max(floordiv(n + 1, 2), 3*m)", lambda n, m: max((n + 1) // 2, 3 * m))]
    for e, f in exprs:
        for n, m in ((5, 3), (0, 2), (1, 1), (8, 0), (2, 7), (3, 3), (13, 4), (0, 0)):
            out = Arr("i64", np.array([f(n, m)], np.int64).view(np.uint64), [])
            w.case("dim", "i64", func([("x", "bool[n]"), ("y", "bool[m]")], [f"%r = dim {{e = {e}}} : i64[]"],
                                      [("r", "i64[]")]), [Arr("bool", np.zeros(n)), Arr("bool", np.zeros(m))],
                   [(out, "bits")])
    for d in ALL:
        for text, dims in SHAPES:
            symbolic = any(isinstance(t, str) for t in text)
            params = [("x", T("bool", text))] if symbolic else []
            ins = [Arr("bool", np.zeros(dims, np.uint8))] if symbolic else []
            w.case("alloc", d, func(params, [f"%r = alloc : {T(d, text)}"], [("r", T(d, text))]), ins,
                   [(Arr(d, np.zeros(dims), dims), "bits")])
    # a local size: the number of true elements
    for k in (0, 1, 6):
        body = ["%a = alloc<k = %v> : i32[k]", "%i = iota {dim = 0} : i32[k]", "%b = add %a, %i : i32[k]",
                "%r = reduce %b {kind = sum, dims = [0]} : i32[]"]
        w.case("alloc", "i32", func([("v", "i64[]")], body, [("r", "i32[]")]),
               [Arr("i64", np.array(k, np.uint64))], [(Arr("i32", np.array(k * (k - 1) // 2)), "bits")], "local")


def threefry(key, x0, x1):
    """Threefry-2x32, 20 rounds (Salmon et al. 2011), on arrays of uint64 holding 32-bit words."""
    rot = [[13, 15, 26, 6], [17, 29, 16, 24]]
    mask = np.uint64(0xFFFFFFFF)
    ks = [int(key[0]), int(key[1]), int(key[0]) ^ int(key[1]) ^ 0x1BD11BDA]
    x0 = (x0 + np.uint64(ks[0])) & mask
    x1 = (x1 + np.uint64(ks[1])) & mask
    for i in range(5):
        for r in rot[i % 2]:
            x0 = (x0 + x1) & mask
            x1 = ((x1 << np.uint64(r)) | (x1 >> np.uint64(32 - r))) & mask
            x1 ^= x0
        x0 = (x0 + np.uint64(ks[(i + 1) % 3])) & mask
        x1 = (x1 + np.uint64((ks[(i + 2) % 3] + i + 1) & 0xFFFFFFFF)) & mask
    return x0, x1


def gen_rng(w):
    from jax.extend.random import threefry2x32_p
    rng = rng_for("rng_bits")
    keys = [(0, 0), (0xFFFFFFFF, 0xFFFFFFFF), (0x13198A2E, 0x03707344)] + [
        (rng.getrandbits(32), rng.getrandbits(32)) for _ in range(4)]
    counters = [0, 1, 2 ** 32 - 2, 2 ** 63, 2 ** 64 - 1, rng.getrandbits(64)]
    for i, (text, dims) in enumerate(SHAPES + [([101], [101]), ([4, "n"], [4, 5])]):
        key, counter = keys[i % len(keys)], counters[i % len(counters)]
        n = numel(dims)
        c = [(counter + j // 2) & (2 ** 64 - 1) for j in range(n)]
        lo = np.array([x & 0xFFFFFFFF for x in c], np.uint64)
        hi = np.array([x >> 32 for x in c], np.uint64)
        a, b = threefry(key, lo, hi)
        if n:
            jax_a, jax_b = threefry2x32_p.bind(np.uint32(key[0]), np.uint32(key[1]), lo.astype(np.uint32),
                                                    hi.astype(np.uint32))
            assert np.array_equal(np.asarray(jax_a), a.astype(np.uint32))
            assert np.array_equal(np.asarray(jax_b), b.astype(np.uint32))
        words = np.where(np.arange(n) % 2 == 0, a, b).astype(np.uint32).reshape(dims)
        k = Arr("u32", np.array(key, np.uint32))
        cnt = Arr("u64", np.array(counter, np.uint64))
        symbolic = any(isinstance(t, str) for t in text)
        params = [("k", "u32[2]"), ("c", "u64[]")] + ([("x", T("bool", text))] if symbolic else [])
        ins = [k, cnt] + ([Arr("bool", np.zeros(dims, np.uint8))] if symbolic else [])
        w.case("rng_bits", "u32", func(params, [f"%r = rng_bits %k, %c : {T('u32', text)}"],
                                       [("r", T("u32", text))]), ins, [(Arr("u32", words), "bits")])


# ---- shape

RESHAPES = [([], [], [1], [1]), ([6], [6], [2, 3], [2, 3]), ([2, 3], [2, 3], [3, 2], [3, 2]),
            ([0], [0], [0, 5], [0, 5]),
            (["n", 4], [3, 4], ["4*n"], [12]), (["n", "m"], [2, 3], ["n*m"], [6]), ([1], [1], [], []),
            ([2, 3, 4], [2, 3, 4], [4, 1, 6], [4, 1, 6]), (["n"], [5], [1, "n", 1], [1, 5, 1]),
            ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [12], [12])]
TRANSPOSES = [([], [], []), ([5], [5], [0]), (["n", 3], [4, 3], [1, 0]), ([2, 3], [2, 3], [0, 1]),
              ([2, 0, 3], [2, 0, 3], [2, 0, 1]), ([2, "n", 3], [2, 4, 3], [2, 1, 0]), ([1, 1, 4], [1, 1, 4], [1, 2, 0]),
              ([2, 1, 3, 2], [2, 1, 3, 2], [3, 1, 0, 2]), ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [4, 2, 0, 3, 1])]
BROADCASTS = [([], [], [3], [3], []), ([], [], ["n", 2], [4, 2], []), ([3], [3], [2, 3], [2, 3], [1]),
              ([3], [3], [3, 2], [3, 2], [0]), ([1], [1], ["n"], [5], [0]), (["n"], [4], [2, "n", 3], [2, 4, 3], [1]),
              ([2, 1], [2, 1], [2, 3], [2, 3], [0, 1]), ([0], [0], [2, 0], [2, 0], [1]),
              ([1, 3], [1, 3], [2, 4, 3], [2, 4, 3], [0, 2]),
              ([2, 3], [2, 3], [1, 2, 1, 3, 2], [1, 2, 1, 3, 2], [1, 3]),
              ([], [], [], [], []), ([1], [1], [0], [0], [0]), ([50], [50], [2, 50], [2, 50], [1])]
# start, limit, stride (None: absent), as text where symbolic
SLICES = [([], [], [], [], None), ([7], [7], [2], [6], None), ([7], [7], [1], [7], [2]), (["n"], [6], [1], ["n"], None),
          ([3, 4], [3, 4], [0, 1], [3, 3], [2, 1]), ([2, 0, 3], [2, 0, 3], [0, 0, 1], [2, 0, 3], None),
          ([5], [5], [2], [2], None), (["n", "m"], [5, 4], [1, 0], ["n", "m"], [2, 3]), ([1], [1], [0], [1], [5]),
          ([2, 1, 3, 2], [2, 1, 3, 2], [1, 0, 0, 0], [2, 1, 3, 2], [1, 1, 2, 1]),
          ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [0, 0, 1, 0, 0], [2, 1, 2, 1, 3], [1, 1, 1, 1, 2])]
PADS = [([], [], [], [], None), ([3], [3], [1], [2], None), ([4], [4], [-1], [1], None), ([3], [3], [0], [0], [2]),
        ([4], [4], [-2], [-1], [1]), (["n"], [3], [1], [1], None), ([2, 3], [2, 3], [1, 0], [0, 2], [0, 1]),
        ([0], [0], [2], [1], None), ([0], [0], [2], [1], [3]), ([2, 0, 3], [2, 0, 3], [0, 1, 0], [1, 0, 0], None),
        (["n", 2], [3, 2], [2, 0], [1, 1], [1, 2]), ([1], [1], [0], [3], [4]),
        ([2, 1, 3, 2], [2, 1, 3, 2], [0, 1, -1, 0], [1, 0, 0, 2], [1, 0, 0, 0]),
        ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [0, 0, 1, 0, 0], [0, 1, 0, 0, -1], [0, 0, 1, 0, 1])]
CONCATS = [([[2], [3]], 0), ([["n"], [2]], 0), ([[0], [3]], 0), ([[2, 3], [1, 3], [2, 3]], 0), ([[2, 3], [2, 1]], 1),
           ([[4]], 0), ([[1], [1], [1]], 0), ([[2, 0, 3], [2, 2, 3]], 1), ([["n", 2], ["n", 1]], 1),
           ([[2, 1, 3, 2], [2, 1, 1, 2]], 2), ([[2, 1, 2, 1, 3], [2, 1, 2, 1, 1]], 4)]
REVERSES = [([5], [5], [0]), (["n"], [4], [0]), ([0], [0], [0]), ([1], [1], [0]), ([2, 3], [2, 3], [1]),
            ([2, 3], [2, 3], [0, 1]), (["n", "m"], [3, 2], [0]), ([2, 0, 3], [2, 0, 3], [0, 2]), ([2, 3], [2, 3], []),
            ([2, 1, 3, 2], [2, 1, 3, 2], [0, 2]), ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [0, 2, 4]), ([], [], [])]


def ints(xs):
    return "[" + ", ".join(str(x) for x in xs) + "]"


def pad_bits(x, value, lo, hi, interior):
    """StableHLO pad: neighbours are spread, then the ends are added or cut."""
    dims = [n + max(0, n - 1) * i for n, i in zip(x.shape, interior)]
    spread = np.full(dims, value, x.dtype)
    if x.size:
        spread[tuple(slice(None, None, i + 1) for i in interior)] = x
    out_dims = [max(0, l + n + h) for l, n, h in zip(lo, dims, hi)]
    out = np.full(out_dims, value, x.dtype)
    for idx in np.ndindex(*dims):
        at = tuple(i + l for i, l in zip(idx, lo))
        if all(0 <= a < n for a, n in zip(at, out_dims)):
            out[at] = spread[idx]
    return out


def sym(dims_text, dims, e):
    """Value of one text entry: a number, a symbol, or 4*n and n*m."""
    env = {t: v for t, v in zip(dims_text, dims) if isinstance(t, str)}
    return e if isinstance(e, int) else int(eval(e, {"__builtins__": {}}, env))


def gen_shape(w):
    import jax
    for d in ALL:
        rng = rng_for("shape", d)
        feed = bits_feed(rng, d)
        for t, dims, t2, dims2 in RESHAPES:
            x = feed.take(dims)
            w.case("reshape", d, one_op("reshape", [T(d, t)], T(d, t2)), [x], [(Arr(d, x.bits, dims2), "bits")])
        for t, dims, perm in TRANSPOSES:
            x = feed.take(dims)
            w.case("transpose", d, one_op("transpose", [T(d, t)], T(d, [t[p] for p in perm]), f"perm = {ints(perm)}"),
                   [x], [(Arr(d, x.bits.transpose(perm)), "bits")])
        for t, dims, t2, dims2, bd in BROADCASTS:
            x = feed.take(dims)
            mid = [1] * len(dims2)
            for a, b in enumerate(bd):
                mid[b] = dims[a]
            out = np.broadcast_to(x.bits.reshape(mid), dims2)
            new = [(a, b) for a, b in zip(t2, dims2) if isinstance(a, str) and a not in t]
            sizes = [Arr("bool", np.zeros(b, np.uint8)) for _, b in new]      # params that bring the new symbols
            params = [("x", T(d, t))] + [(f"s{i}", T("bool", [a])) for i, (a, _) in enumerate(new)]
            w.case("broadcast", d, func(params, [f"%r = broadcast %x {{dims = {ints(bd)}}} : {T(d, t2)}"],
                                        [("r", T(d, t2))]), [x] + sizes, [(Arr(d, out, dims2), "bits")])
        for t, dims, start, limit, stride in SLICES:
            x = feed.take(dims)
            lim = [sym(t, dims, e) for e in limit]
            out = x.bits[tuple(slice(s, l, k) for s, l, k in zip(start, lim, stride or [1] * 9))]
            attrs = f"start = {ints(start)}, limit = {ints(limit)}" + (f", stride = {ints(stride)}" if stride else "")
            w.case("slice", d, one_op("slice", [T(d, t)], T(d, slice_dims(t, start, limit, stride)), attrs), [x],
                   [(Arr(d, out), "bits")])
        for t, dims, lo, hi, interior in PADS:
            x, v = feed.take(dims), feed.take([])
            it = interior or [0] * len(dims)
            out = pad_bits(x.bits, v.bits, lo, hi, it)
            if dims:
                want = jax.lax.pad(x.bits, v.bits[()], list(zip(lo, hi, it)))
                assert np.array_equal(np.asarray(want), out), (d, dims, lo, hi, it)
            attrs = f"lo = {ints(lo)}, hi = {ints(hi)}" + (f", interior = {ints(interior)}" if interior else "")
            w.case("pad", d, one_op("pad", [T(d, t), T(d, [])], T(d, pad_dims(t, lo, hi, it)), attrs), [x, v],
                   [(Arr(d, out), "bits")])
        for shapes, dim in CONCATS:
            xs = [feed.take([4 if s == "n" else s for s in sh]) for sh in shapes]
            out = np.concatenate([x.bits for x in xs], axis=dim)
            t = list(shapes[0])
            sizes = [sh[dim] for sh in shapes]
            t[dim] = f"n + {sizes[1]}" if "n" in sizes else sum(sizes)
            w.case("concat", d, one_op("concat", [T(d, sh) for sh in shapes], T(d, t), f"dim = {dim}"), xs,
                   [(Arr(d, out), "bits")])
        for t, dims, rd in REVERSES:
            x = feed.take(dims)
            w.case("reverse", d, one_op("reverse", [T(d, t)], T(d, t), f"dims = {ints(rd)}"), [x],
                   [(Arr(d, np.flip(x.bits, rd)), "bits")])


def slice_dims(t, start, limit, stride):
    out = []
    for s, l, k in zip(start, limit, stride or [1] * 9):
        if isinstance(l, int):
            out.append(max(0, (l - s + k - 1) // k))
        else:
            e = l if s == 0 else f"{l} - {s}"
            up = k - 1 - s
            out.append(e if k == 1 else f"floordiv({l}{f' + {up}' if up > 0 else f' - {-up}' if up else ''}, {k})")
    return out


def pad_dims(t, lo, hi, interior):
    out = []
    for n, l, h, i in zip(t, lo, hi, interior):
        if isinstance(n, int):
            out.append(max(0, l + n + max(0, n - 1) * i + h))
        else:
            # interior padding of a symbolic size: max(n - 1, 0) neighbours
            out.append(f"n + {l + h}" if not i else f"n + {i}*max(n - 1, 0) + {l + h}")
    return out


# ---- indexed

def gen_dynamic(w):
    """Starts are clamped so that the block fits, negative ones to 0."""
    cases = [([], [], []), ([5], [5], [2]), (["n"], [6], [3]), ([1], [1], [1]), ([4], [4], [0]),
             ([3, 4], [3, 4], [2, 2]),
             (["n", 3], [4, 3], [2, 3]), ([2, 0, 3], [2, 0, 3], [1, 0, 2]), ([2, 3, 2, 2], [2, 3, 2, 2], [1, 2, 2, 1]),
             ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [1, 1, 2, 1, 2]), ([5], [5], [5])]
    for di, d in enumerate(SOME + F8):
        rng = rng_for("dynamic", d)
        feed = bits_feed(rng, d)
        for ci, (t, dims, sizes) in enumerate(cases):
            it = INTS[(di + ci) % 8]
            names = [f"i{k}" for k in range(len(dims))]
            for edge in (0, 1, 2):
                starts = []
                for n, s in zip(dims, sizes):
                    lo, hi = int_range(it)
                    starts.append([rng.randint(0, max(n - s, 0)), hi, max(lo, -2)][edge])
                at = [min(max(s, 0), n - k) for s, n, k in zip(starts, dims, sizes)]
                where = tuple(slice(a, a + k) for a, k in zip(at, sizes))
                x = feed.take(dims)
                idx = [from_values(it, [s], []) for s in starts]
                params = [("x", T(d, t))] + [(n, T(it, [])) for n in names]
                args = "".join(f", %{n}" for n in names)
                if edge != 1 or ci % 2 == 0:
                    w.case("dynamic_slice", d, func(
                        params, [f"%r = dynamic_slice %x{args} {{sizes = {ints(sizes)}}} : {T(d, sizes)}"],
                        [("r", T(d, sizes))]), [x] + idx, [(Arr(d, x.bits[where]), "bits")])
                if edge != 2 or ci % 2 == 1:
                    u = feed.take(sizes)
                    out = x.bits.copy()
                    out[where] = u.bits
                    params = [("x", T(d, t)), ("u", T(d, sizes))] + params[1:]
                    w.case("dynamic_update_slice", d, func(
                        params, [f"%r = dynamic_update_slice %x, %u{args} : {T(d, t)}"], [("r", T(d, t))]),
                        [x, u] + idx, [(Arr(d, out), "bits")])


def gen_get_set(w):
    cases = [([], []), ([5], [5]), (["n"], [4]), ([1], [1]), ([3, 4], [3, 4]), (["n", "m"], [2, 3]),
             ([1, 1, 4], [1, 1, 4]),
             ([2, 1, 3, 2], [2, 1, 3, 2]), ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3])]
    for di, d in enumerate(SOME + F8):
        rng = rng_for("get", d)
        feed = bits_feed(rng, d)
        for ci, (t, dims) in enumerate(cases):
            for bounds in ("", "known", "clamp"):
                it = INTS[(di + ci) % 8]
                lo, hi = int_range(it)
                at = [rng.randrange(n) for n in dims]
                given = [rng.choice([hi, max(lo, -1), a]) if bounds == "clamp" else a for a in at]
                if bounds == "clamp":
                    at = [min(max(g, 0), n - 1) for g, n in zip(given, dims)]
                attrs = f" {{bounds = {bounds}}}" if bounds else ""
                names = [f"i{k}" for k in range(len(dims))]
                x, v = feed.take(dims), feed.take([])
                params = [("x", T(d, t))] + [(n, T(it, [])) for n in names]
                idx = [from_values(it, [g], []) for g in given]
                place = ", ".join(f"%{n}" for n in names)
                w.case("get", d, func(params, [f"%r = get %x[{place}]{attrs} : {T(d, [])}"], [("r", T(d, []))]),
                       [x] + idx, [(Arr(d, x.bits[tuple(at)]), "bits")])
                out = x.bits.copy()
                out[tuple(at)] = v.bits
                params.insert(1, ("v", T(d, [])))
                w.case("set", d, func(params, [f"%r = set %x[{place}], %v{attrs} : {T(d, t)}"], [("r", T(d, t))]),
                       [x, v] + idx, [(Arr(d, out, dims), "bits")])


# Gather, by StableHLO's names. dims, indices dims, offset_dims, collapsed, operand_batch, indices_batch, index_map,
# index_dim, sizes; text only where symbolic.
GATHERS = [
    dict(x=[5, 3], i=[4], off=[1], col=[0], map=[0], dim=1, sizes=[1, 3]),
    dict(x=["n", 3], i=["m"], off=[1], col=[0], map=[0], dim=1, sizes=[1, 3]),
    dict(x=[5, 3], i=[2, 2], off=[2], col=[0], map=[0], dim=2, sizes=[1, 2]),
    dict(x=[4, 5], i=[3, 2], off=[], col=[0, 1], map=[0, 1], dim=1, sizes=[1, 1]),
    dict(x=[4, 5], i=[2, 3], off=[1, 2], col=[], map=[1, 0], dim=0, sizes=[2, 2]),
    dict(x=[6], i=[1], off=[0], col=[], map=[0], dim=0, sizes=[4]),
    dict(x=[6], i=[0], off=[], col=[0], map=[0], dim=1, sizes=[1]),
    dict(x=[1], i=[3, 1], off=[1], col=[], map=[0], dim=1, sizes=[1]),
    dict(x=[3, 4, 2], i=[3, 2], off=[1], col=[1], ob=[0], ib=[0], map=[1], dim=2, sizes=[1, 1, 2]),
    dict(x=[2, 3, 2, 2], i=[2, 2], off=[0, 2], col=[0, 2], map=[0, 2], dim=1, sizes=[1, 2, 1, 2]),
    dict(x=[2, 1, 2, 1, 3], i=[2, 1, 2], off=[1, 2, 3], col=[0, 2], map=[2, 0], dim=2, sizes=[1, 1, 1, 1, 2]),
    dict(x=[0, 3], i=[2], off=[1, 2], col=[], map=[1], dim=1, sizes=[0, 2]),
]


def numbers(t, n=4, m=5):
    return [n if x == "n" else m if x == "m" else x for x in t]


def index_points(g, idims):
    """Batch positions of the indices array, and the component reader."""
    batch = [s for k, s in enumerate(idims) if k != g["dim"]]

    def component(ix, pos, k):
        p = list(pos)
        if g["dim"] < len(idims):
            p.insert(g["dim"], k)
        return int(ix[tuple(p)])
    return batch, component


def full_start(g, ix, pos, component, rank, batch_pos_of):
    start = [0] * rank
    for k, a in enumerate(g["map"]):
        start[a] = component(ix, pos, k)
    for a, b in zip(g.get("ob", []), g.get("ib", [])):
        start[a] = pos[batch_pos_of(b)]
    return start


def gather_bits(x, ix, g):
    batch, component = index_points(g, ix.shape)
    kept = [a for a in range(x.ndim) if a not in g["col"] and a not in g.get("ob", [])]
    out_rank = len(batch) + len(kept)
    batch_axes = [a for a in range(out_rank) if a not in g["off"]]
    dims = [0] * out_rank
    for a, s in zip(batch_axes, batch):
        dims[a] = s
    for a, k in zip(g["off"], kept):
        dims[a] = g["sizes"][k]
    out = np.zeros(dims, x.dtype)
    for pos in np.ndindex(*batch):
        start = full_start(g, ix, pos, component, x.ndim, lambda b: b if b < g["dim"] else b - 1)
        start = [min(max(s, 0), n - z) for s, n, z in zip(start, x.shape, g["sizes"])]
        block = x[tuple(slice(s, s + z) for s, z in zip(start, g["sizes"]))]
        block = block.reshape([g["sizes"][k] for k in kept])
        where = [0] * out_rank
        for a, p in zip(batch_axes, pos):
            where[a] = p
        for a in g["off"]:
            where[a] = slice(None)
        out[tuple(where)] = block
    return out


def gather_result_text(g, t, it):
    batch = [s for k, s in enumerate(it) if k != g["dim"]]
    kept = [a for a in range(len(t)) if a not in g["col"] and a not in g.get("ob", [])]
    rank = len(batch) + len(kept)
    out = [None] * rank
    axes = [a for a in range(rank) if a not in g["off"]]
    for a, s in zip(axes, batch):
        out[a] = s
    for a, k in zip(g["off"], kept):
        out[a] = g["sizes"][k]
    return out


def batch_attrs(g):
    return f", operand_batch = {ints(g['ob'])}, indices_batch = {ints(g['ib'])}" if "ob" in g else ""


def some_indices(rng, it, dims, limit, wild):
    lo, hi = int_range(it)
    vals = [rng.choice([rng.randint(0, limit), rng.randint(0, limit), hi, max(lo, -1)]) if wild else
            rng.randint(0, limit) for _ in range(numel(dims))]
    return from_values(it, vals, dims)


def gen_gather(w):
    for di, d in enumerate(SOME + F8):
        rng = rng_for("gather", d)
        feed = bits_feed(rng, d)
        for gi, g in enumerate(GATHERS):
            it = INTS[(di + gi) % 8]
            x = feed.take(numbers(g["x"]))
            ix = some_indices(rng, it, numbers(g["i"]), max(max(x.shape) - 1, 0), gi % 3 != 2)
            out = gather_bits(x.bits, np.array(ix.values(), object).reshape(ix.shape), g)
            attrs = (f"offset_dims = {ints(g['off'])}, collapsed = {ints(g['col'])}, index_map = {ints(g['map'])}, "
                     f"index_dim = {g['dim']}, sizes = {ints(g['sizes'])}{batch_attrs(g)}")
            w.case("gather", d, one_op("gather", [T(d, g["x"]), T(it, g["i"])],
                                       T(d, gather_result_text(g, g["x"], g["i"])), attrs), [x, ix],
                   [(Arr(d, out), "bits")])


# x, indices, updates; window_dims, inserted, batches, index_map, index_dim
SCATTERS = [
    dict(x=[5, 3], i=[4], u=[4, 3], win=[1], ins=[0], map=[0], dim=1),
    dict(x=["n", 3], i=["m"], u=["m", 3], win=[1], ins=[0], map=[0], dim=1),
    dict(x=[6], i=[5], u=[5], win=[], ins=[0], map=[0], dim=1),
    dict(x=[4, 5], i=[3, 2], u=[3], win=[], ins=[0, 1], map=[0, 1], dim=1),
    dict(x=[4, 5], i=[2, 3], u=[3, 2, 2], win=[1, 2], ins=[], map=[1, 0], dim=0),
    dict(x=[6], i=[1], u=[2], win=[0], ins=[], map=[0], dim=0),
    dict(x=[6], i=[0], u=[0], win=[], ins=[0], map=[0], dim=1),
    dict(x=[1], i=[3, 1], u=[3, 1], win=[1], ins=[], map=[0], dim=1),
    dict(x=[3, 4, 2], i=[3, 2], u=[3, 2, 2], win=[2], ins=[1], ob=[0], ib=[0], map=[1], dim=2),
    dict(x=[2, 3, 2, 2], i=[2, 2], u=[3, 2, 2], win=[0, 2], ins=[0, 2], map=[0, 2], dim=1),
    dict(x=[2, 1, 2, 1, 3], i=[2, 1, 2], u=[2, 1, 1, 1, 3], win=[2, 3, 4], ins=[0, 2], map=[2, 0], dim=2),
]


def scatter_values(x, ix, u, s, put):
    """x: flat list of bits with strides; updates in row-major order; a window that does not fit whole is dropped."""
    out = x.copy()
    batch, component = index_points(s, ix.shape)
    kept = [a for a in range(x.ndim) if a not in s["ins"] and a not in s.get("ob", [])]
    scatter_axes = [a for a in range(u.ndim) if a not in s["win"]]
    sizes = [1] * x.ndim
    for a, k in zip(s["win"], kept):
        sizes[k] = u.shape[a]
    for at in np.ndindex(*u.shape):
        pos = [at[a] for a in scatter_axes]
        start = full_start(s, ix, pos, component, x.ndim, lambda b: b if b < s["dim"] else b - 1)
        if any(p < 0 or p + z > n for p, z, n in zip(start, sizes, x.shape)):
            continue
        for a, k in zip(s["win"], kept):
            start[k] += at[a]
        out[tuple(start)] = put(int(out[tuple(start)]), int(u[at]))
    return out


def gen_scatter(w):
    from gen_elementwise import minmax
    from gen_formats import small
    for di, d in enumerate(SOME + F8):
        rng = rng_for("scatter", d)
        feed = bits_feed(rng, d)
        for si, s in enumerate(SCATTERS):
            kinds = ["set"] if d in F8 + ["bool"] else ["set", "add", "mul", "min", "max"]
            for kind in kinds if si < 4 else [kinds[(si + di) % len(kinds)], "set"][:len(kinds)]:
                it = INTS[(di + si) % 8]
                xd, ud = numbers(s["x"]), numbers(s["u"])
                if kind in ("add", "mul"):
                    x, u = small(rng, d, xd, -3, 3), small(rng, d, ud, -3, 3)
                    f = add_mul(d, kind)
                else:
                    x, u = feed.take(xd), feed.take(ud)
                    f = (lambda a, b: b) if kind == "set" else minmax(d, kind == "max")
                ix = some_indices(rng, it, numbers(s["i"]), max(xd) - 1, si % 3 != 2)
                out = scatter_values(x.bits, np.array(ix.values(), object).reshape(ix.shape), u.bits, s, f)
                attrs = (f"window_dims = {ints(s['win'])}, inserted = {ints(s['ins'])}, index_map = {ints(s['map'])}, "
                         f"index_dim = {s['dim']}, kind = {kind}{batch_attrs(s)}")
                w.case("scatter", d, one_op("scatter", [T(d, s["x"]), T(it, s["i"]), T(d, s["u"])], T(d, s["x"]),
                                            attrs), [x, ix, u], [(Arr(d, out), "exact")], kind)


def add_mul(d, kind):
    """On small integers: exact in every dtype that holds them; u8 and i8 wrap."""
    def f(a, b):
        x, y = value_of(a, d), value_of(b, d)
        if is_float(d):
            v = x[0] + y[0] if kind == "add" else x[0] * y[0]
            s = (x[1] & y[1]) if kind == "add" else x[1] ^ y[1]
            return round_to(d, v, s)
        return encode(d, x + y if kind == "add" else x * y)
    return f


def gen_all(w):
    gen_types(w)
    gen_make(w)
    gen_rng(w)
    gen_shape(w)
    gen_dynamic(w)
    gen_get_set(w)
    gen_gather(w)
    gen_scatter(w)
