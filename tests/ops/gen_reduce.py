# SPDX-License-Identifier: Apache-2.0
"""Vectors of reductions, windows, products, convolution, order and factorizations.

Sums and products follow the sequential definition: start from the kind's identity in the dtype of `acc`, take elements
in ascending index order, convert each to `acc`, round every step to it, and convert the result once. conv is checked
against JAX on the CPU where sums are exact; select_and_scatter has such sums only, its order is not fixed.
"""
from fractions import Fraction
import functools
import itertools

import mpmath
import numpy as np

from gen_elementwise import clean, compare_fn, minmax
from gen_formats import (FLOATS, INTS, NAN, SMALL_FLOATS, Arr, BITS, Feed, NATIVE, T, WIDTH, convert, encode,
                         float_edges,
                         from_floats, func, int_range, is_float, nan_bits, numel, of, one_op, pool, rand,
                         random_float_bits, rng_for, round_mpf, round_to, small, value_of)
from gen_movement import ints, numbers

mp = mpmath.mp


# ---- arithmetic in one dtype on bits

def binary(d, op):
    """Bits of a op b rounded to d (f16 and bf16 through f32); integers wrap."""
    if not is_float(d):
        f = {"sum": lambda x, y: x + y, "prod": lambda x, y: x * y}[op]
        return lambda a, b: encode(d, f(value_of(a, d), value_of(b, d)))
    np_op = {"sum": np.add, "prod": np.multiply}[op]
    if d in ("f32", "f64"):
        t, u = NATIVE[d], BITS[WIDTH[d]]

        def g(a, b):
            with np.errstate(all="ignore"):
                r = np_op(np.array([a], u).view(t), np.array([b], u).view(t))
            return int(r.view(u)[0])
        return g

    def h(a, b):
        with np.errstate(all="ignore"):
            r = np_op(np.array([a], np.uint16).view(NATIVE[d]).astype(np.float32),
                      np.array([b], np.uint16).view(NATIVE[d]).astype(np.float32))
        return int(convert(of("f32", r), d).bits[0])
    return h


def identity(kind, d):
    if kind == "sum":
        return encode(d, (Fraction(0), 0) if is_float(d) else 0)
    if kind == "prod":
        return encode(d, (Fraction(1), 0) if is_float(d) else 1)
    if kind in ("and", "or"):
        return ((1 << WIDTH[d]) - 1 if d != "bool" else 1) if kind == "and" else 0
    if d == "bool":
        return int(kind == "min")
    if is_float(d):
        return encode(d, ("inf", int(kind == "max")))
    lo, hi = int_range(d)
    return encode(d, hi if kind == "min" else lo)


def step(kind, acc):
    if kind in ("sum", "prod"):
        return binary(acc, kind)
    if kind in ("min", "max"):
        if acc == "bool":
            return min if kind == "min" else max
        return minmax(acc, kind == "max")
    return (lambda a, b: a & b) if kind == "and" else (lambda a, b: a | b)


def conv1(bits, src, dst):
    return bits if src == dst else int(convert(Arr(src, [bits]), dst).bits[0])


def fold(kind, d, acc, elems):
    """Elements in order into one accumulator."""
    f, a = step(kind, acc), identity(kind, acc)
    for e in elems:
        a = f(a, conv1(int(e), d, acc))
    return conv1(a, acc, d)


def accs(d, kind):
    """(acc, order) pairs worth testing; (None, None) leaves the attributes out: the operand's dtype."""
    if kind not in ("sum", "prod"):
        return [(None, None)]
    if d == "f64":
        return [("f64", "seq"), ("f64", "any"), (None, None)]
    if d == "f32":
        return [("f64", "any"), ("f32", "seq"), ("f64", "seq")]
    if d in SMALL_FLOATS:
        return [("f32", "seq"), ("f64", "any"), (d, "seq")]
    return [(None, None), ("i64" if d[0] == "i" else "u64", "seq")]


def acc_attrs(acc, order):
    return "" if acc is None else f", acc = {acc}, order = {order}"


# dims text, dims, axes
REDUCES = [([], [], []), ([7], [7], [0]), (["n"], [20], [0]), ([0], [0], [0]), ([1], [1], [0]), ([2, 3], [2, 3], [1]),
           (["n", "m"], [4, 5], [0]), ([2, 0, 3], [2, 0, 3], [1]), ([2, 0, 3], [2, 0, 3], [0]),
           ([2, 3, 4], [2, 3, 4], [0, 2]), ([2, 1, 3, 2], [2, 1, 3, 2], [0, 1, 2, 3]), ([2, 3], [2, 3], []),
           ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [2, 4])]


def data(rng, d, dims, kind, special):
    """Random numbers whose sums and products round; or, special, edges among them."""
    if not is_float(d):
        return Feed(d, pool(rng, d, 40), rng.randrange(13)).take(dims)
    if special:
        bits = float_edges(d) + random_float_bits(rng, d, 20, -4, 4)
        rng.shuffle(bits)
        return Feed(d, bits).take(dims)
    if kind == "prod":
        return rand(rng, d, dims, 0.5, 1.9)
    return rand(rng, d, dims, -100, 100)


def reduce_value(x, axes, kind, acc):
    d = x.dtype
    kept = [a for a in range(len(x.shape)) if a not in axes]
    t = np.transpose(x.bits, kept + list(axes))
    out_dims = [x.shape[a] for a in kept]
    t = t.reshape([numel(out_dims), numel([x.shape[a] for a in axes])])
    out = [fold(kind, d, acc or d, row) for row in t]
    return Arr(d, np.array(out, BITS[WIDTH[d]]), out_dims)


def gen_reduce(w):
    for d in FLOATS + INTS + ["bool"]:
        kinds = ["sum", "prod", "min", "max"] if d != "bool" else ["and", "or", "min", "max"]
        if d in INTS:
            kinds += ["and", "or"]
        for ki, kind in enumerate(kinds):
            rng = rng_for("reduce", d, kind)
            opts = accs(d, kind)
            for si, (t, dims, axes) in enumerate(REDUCES):
                acc, order = opts[si % len(opts)]
                for special in (False, True) if is_float(d) else (False,):
                    x = data(rng, d, dims, kind, special)
                    out_t = [s for a, s in enumerate(t) if a not in axes]
                    attrs = f"kind = {kind}, dims = {ints(axes)}{acc_attrs(acc, order)}"
                    w.case("reduce", d, one_op("reduce", [T(d, t)], T(d, out_t), attrs), [x],
                           [(reduce_value(x, axes, kind, acc), "exact")], kind)


def arg_position(d, kind, elems):
    """The first of equals; the first NaN before everything else."""
    best = 0
    less = compare_fn(d, "lt" if kind == "min" else "gt")
    for i, e in enumerate(elems):
        v, b = value_of(int(e), d), value_of(int(elems[best]), d)
        if b == NAN:
            break
        if v == NAN or less(int(e), int(elems[best])):
            best = i
    return best


def gen_arg_reduce(w):
    shapes = [([7], [7], 0), (["n"], [20], 0), ([1], [1], 0), ([2, 3], [2, 3], 1), (["n", "m"], [4, 5], 0),
              ([2, 0, 3], [2, 0, 3], 2), ([0, 3], [0, 3], 1), ([1, 1, 4], [1, 1, 4], 1),
              ([2, 1, 3, 2], [2, 1, 3, 2], 2), ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], 4), ([40], [40], 0)]
    for d in FLOATS + INTS + ["bool"]:
        for kind in ("min", "max"):
            rng = rng_for("arg", d, kind)
            for si, (t, dims, dim) in enumerate(shapes):
                rd = ["i64", "i32", "u32", "i64", "i16", "u64"][si % 6]
                x = data(rng, d, dims, kind, si % 2 == 0)
                if si in (3, 4):            # many equals
                    x = small(rng, d, dims, 0, 1)
                moved = np.moveaxis(x.bits, dim, -1)
                out_dims = list(moved.shape[:-1])
                flat = moved.reshape([numel(out_dims), dims[dim]])
                out = Arr(rd, np.array([arg_position(d, kind, r) for r in flat], BITS[WIDTH[rd]]), out_dims)
                out_t = [s for a, s in enumerate(t) if a != dim]
                w.case("arg_reduce", d, one_op("arg_reduce", [T(d, t)], T(rd, out_t), f"kind = {kind}, dim = {dim}"),
                       [x], [(out, "bits")], kind)


def gen_cumulative(w):
    shapes = [([7], [7], 0), (["n"], [12], 0), ([1], [1], 0), ([0], [0], 0), ([2, 3], [2, 3], 1),
              (["n", "m"], [4, 3], 0),
              ([2, 0, 3], [2, 0, 3], 1), ([1, 1, 4], [1, 1, 4], 2), ([2, 1, 3, 2], [2, 1, 3, 2], 2),
              ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], 2), ([2, 20], [2, 20], 0)]
    for d in FLOATS + INTS:
        for ki, kind in enumerate(("sum", "prod", "min", "max")):
            rng = rng_for("cumulative", d, kind)
            opts = accs(d, kind)
            for si, (t, dims, dim) in enumerate(shapes):
                rev = (si + ki) % 3 == 0
                acc, order = opts[si % len(opts)]
                x = data(rng, d, dims, kind, si % 2 == 1 or dims == [2, 20])
                moved = np.moveaxis(x.bits, dim, -1)
                flat = moved.reshape([numel(moved.shape[:-1]), dims[dim]])
                rows = []
                for r in flat:
                    f, a, got = step(kind, acc or d), identity(kind, acc or d), []
                    for e in (r[::-1] if rev else r):
                        a = f(a, conv1(int(e), d, acc or d))
                        got.append(conv1(a, acc or d, d))
                    rows.append(got[::-1] if rev else got)
                res = np.array(rows, BITS[WIDTH[d]]).reshape(moved.shape)
                out = Arr(d, np.moveaxis(res, -1, dim))
                attrs = f"kind = {kind}, dim = {dim}{', reverse = true' if rev else ''}{acc_attrs(acc, order)}"
                w.case("cumulative", d, one_op("cumulative", [T(d, t)], T(d, t), attrs), [x], [(out, "exact")], kind)


# ---- windows: x text, dims, window, strides, pad_lo, pad_hi, lhs_dilation, rhs_dilation (None: absent)
WINDOWS = [([], [], [], None, None, None, None, None), ([7], [7], [3], None, None, None, None, None),
           ([8], [8], [3], [2], [1], [1], None, None), ([1], [1], [1], None, None, None, None, None),
           ([0], [0], [2], None, [1], [1], None, None), ([6], [6], [2], None, None, None, None, [3]),
           ([4], [4], [3], [1], [0], [2], [2], None), ([3, 4], [3, 4], [2, 2], [1, 2], None, None, None, None),
           ([2, 0, 3], [2, 0, 3], [1, 1, 2], None, None, None, None, None),
           ([2], [2], [5], None, None, None, None, None),
           ([2, 1, 4, 4], [2, 1, 4, 4], [1, 1, 2, 2], [1, 1, 2, 2], [0, 0, 1, 0], [0, 0, 1, 2], None, None),
           ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [1, 1, 2, 1, 2], None, [0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 1, 2, 1, 1],
            [1, 1, 1, 1, 2]),
           (["n", 3], [4, 3], [2, 1], None, [1, 0], [0, 0], None, None)]


def window_params(dims, win, strides, lo, hi, ld, rd):
    k = len(dims)
    one, zero = [1] * k, [0] * k
    return strides or one, lo or zero, hi or zero, ld or one, rd or one


def window_out(dims, win, strides, lo, hi, ld, rd):
    out = []
    for n, z, s, a, b, l, r in zip(dims, win, strides, lo, hi, ld, rd):
        full = a + b + (0 if n == 0 else (n - 1) * l + 1)
        span = (z - 1) * r + 1
        out.append(0 if full < span or z == 0 else (full - span) // s + 1)
    return out


def window_elems(x, at, win, strides, lo, ld, rd):
    """Positions of x inside the window at `at`, row-major; None where padding or a gap lies."""
    for off in np.ndindex(*win):
        pos = []
        for a, s, o, r, l, p, n in zip(at, strides, off, rd, ld, lo, x.shape):
            q = a * s + o * r - p
            pos.append(q // l if q >= 0 and q % l == 0 and q // l < n else None)
        yield None if None in pos else tuple(pos)


def opt(name, v):
    return "" if v is None else f", {name} = {ints(v)}"


def gen_reduce_window(w):
    for d in FLOATS + INTS:
        for ki, kind in enumerate(("sum", "prod", "min", "max")):
            rng = rng_for("reduce_window", d, kind)
            opts = accs(d, kind)
            for wi, (t, dims, win, st, lo, hi, ld, rd) in enumerate(WINDOWS):
                acc, order = opts[wi % len(opts)]
                acc_d = acc or d
                strides, plo, phi, bl, wr = window_params(dims, win, st, lo, hi, ld, rd)
                x = data(rng, d, dims, kind, wi % 2 == ki % 2)
                out_dims = window_out(dims, win, strides, plo, phi, bl, wr)
                f, zero, res = step(kind, acc_d), identity(kind, acc_d), []
                for at in np.ndindex(*out_dims):
                    a = zero
                    for pos in window_elems(x, at, win, strides, plo, bl, wr):
                        a = f(a, zero if pos is None else conv1(int(x.bits[pos]), d, acc_d))
                    res.append(conv1(a, acc_d, d))
                out = Arr(d, np.array(res, BITS[WIDTH[d]]), out_dims)
                out_t = ["n"] + out_dims[1:] if "n" in t else out_dims
                attrs = (f"kind = {kind}, window = {ints(win)}{opt('strides', st)}{opt('pad_lo', lo)}"
                         f"{opt('pad_hi', hi)}{opt('lhs_dilation', ld)}{opt('rhs_dilation', rd)}"
                         f"{acc_attrs(acc, order)}")
                w.case("reduce_window", d, one_op("reduce_window", [T(d, t)], T(d, out_t), attrs), [x],
                       [(out, "exact")], kind)


SCATTER_WINDOWS = [([], [], [], None, None, None), ([7], [7], [3], None, None, None), ([8], [8], [2], [2], None, None),
                   ([8], [8], [3], [2], [1], [1]), ([1], [1], [1], None, None, None), ([0], [0], [2], None, None, None),
                   ([4, 5], [4, 5], [2, 2], [1, 2], None, None), ([2, 0, 3], [2, 0, 3], [1, 1, 2], None, None, None),
                   ([2, 1, 4, 4], [2, 1, 4, 4], [1, 1, 2, 2], [1, 1, 2, 2], [0, 0, 1, 1], [0, 0, 1, 1]),
                   (["n", 4], [3, 4], [1, 2], [1, 2], None, None),
                   ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], [1, 1, 2, 1, 2], None, None, None)]


def gen_select_and_scatter(w):
    for d in FLOATS + INTS:
        for kind in ("max", "min"):
            rng = rng_for("sas", d, kind)
            for wi, (t, dims, win, st, lo, hi) in enumerate(SCATTER_WINDOWS):
                strides, plo, phi, one, _ = window_params(dims, win, st, lo, hi, None, None)
                x = data(rng, d, dims, kind, wi % 2 == 0) if wi % 3 else small(rng, d, dims, 0, 2)
                out_dims = window_out(dims, win, strides, plo, phi, one, one)
                src = small(rng, d, out_dims, -3, 3)
                out = np.zeros(dims, BITS[WIDTH[d]])
                add = binary(d, "sum")
                for at in np.ndindex(*out_dims):
                    spots = [p for p in window_elems(x, at, win, strides, plo, one, one) if p is not None]
                    best = arg_position(d, kind, [int(x.bits[p]) for p in spots])
                    out[spots[best]] = add(int(out[spots[best]]), int(src.bits[at]))
                src_t = ["n"] + out_dims[1:] if "n" in t else out_dims
                attrs = f"kind = {kind}, window = {ints(win)}{opt('strides',
    st)}{opt('pad_lo',
    lo)}{opt('pad_hi',
     hi)}"
                w.case("select_and_scatter", d, one_op("select_and_scatter", [T(d, t), T(d, src_t)], T(d, t), attrs),
                       [x, src], [(Arr(d, out), "exact")], kind)


# ---- dot: lhs, rhs, contract, batch
DOTS = [([], [], [], [], [], []), ([5], [5], [0], [0], [], []), (["n"], ["n"], [0], [0], [], []),
        ([2, 3], [3, 4], [1], [0], [], []), (["n", 3], [3, "m"], [1], [0], [], []), ([2, 3], [4, 3], [1], [1], [], []),
        ([3, 2], [3, 4], [0], [0], [], []), ([2, 0], [0, 3], [1], [0], [], []), ([0, 2], [2, 3], [1], [0], [], []),
        ([2, 3, 4], [2, 4, 2], [2], [1], [0], [0]), ([3, 2], [2, 3], [], [], [0], [1]), ([2], [3], [], [], [], []),
        ([2, 3, 4], [4, 3, 2], [1, 2], [1, 0], [], []), ([1], [1], [0], [0], [], []), ([40], [40], [0], [0], [], []),
        ([40, 1], [40, 1], [1], [1], [0], [0]), ([2, 1, 3, 2], [1, 2, 2, 3], [3], [2], [0, 1], [1, 0]),
        ([2, 1, 2, 1, 3], [2, 3, 1, 2, 2], [4, 3], [1, 2], [0], [0]), ([2, "n", 3], [2, 3, "n"], [2], [1], [0], [0])]


def dot_value(x, y, lc, rc, lb, rb, acc):
    d = x.dtype
    lf = [a for a in range(len(x.shape)) if a not in lc + lb]
    rf = [a for a in range(len(y.shape)) if a not in rc + rb]
    b_dims, l_dims, r_dims = ([x.shape[a] for a in lb], [x.shape[a] for a in lf], [y.shape[a] for a in rf])
    nb, nl, nr, nc = numel(b_dims), numel(l_dims), numel(r_dims), numel([x.shape[a] for a in lc])
    X = np.transpose(x.bits, lb + lf + lc).reshape(nb, nl, nc)
    Y = np.transpose(y.bits, rb + rf + rc).reshape(nb, nr, nc)
    add, mul = binary(acc, "sum"), binary(acc, "prod")
    cx = np.array([conv1(int(b), d, acc) for b in X.ravel()], object).reshape(X.shape)
    cy = np.array([conv1(int(b), d, acc) for b in Y.ravel()], object).reshape(Y.shape)
    out = []
    for b, i, j in itertools.product(range(nb), range(nl), range(nr)):
        a = identity("sum", acc)
        for k in range(nc):
            a = add(a, mul(cx[b, i, k], cy[b, j, k]))
        out.append(conv1(a, acc, d))
    return Arr(d, np.array(out, BITS[WIDTH[d]]), b_dims + l_dims + r_dims)


def pairs_text(a, b):
    return f"{ints(a)}x{ints(b)}"


def gen_dot(w):
    for d in FLOATS + INTS:
        rng = rng_for("dot", d)
        opts = accs(d, "sum")
        for si, (lt, rt, lc, rc, lb, rb) in enumerate(DOTS):
            acc, order = opts[si % len(opts)]
            for special in (False, True) if is_float(d) and (si % 3 == 0 or lt[0:1] == [40]) else (False,):
                x = data(rng, d, numbers(lt, 6, 3), "dot", special)
                y = data(rng, d, numbers(rt, 6, 3), "dot", special)
                if d in SMALL_FLOATS and not special:
                    y = rand(rng, d, numbers(rt, 6, 3), -4, 4)
                out = dot_value(x, y, lc, rc, lb, rb, acc or d)
                out_t = ([lt[a] for a in lb] + [s for a, s in enumerate(lt) if a not in lc + lb]
                         + [s for a, s in enumerate(rt) if a not in rc + rb])
                attrs = f"contract = {pairs_text(lc, rc)}" + (f", batch = {pairs_text(lb, rb)}" if lb else "")
                w.case("dot", d, one_op("dot", [T(d, lt), T(d, rt)], T(d, out_t), attrs + acc_attrs(acc, order)),
                       [x, y], [(out, "exact")])


# ---- conv: lhs, rhs, strides, pads, dilations, groups, batch groups
CONVS = [dict(x=[1, 1, 5], k=[1, 1, 3]), dict(x=["n", 2, 6], k=[3, 2, 2], s=[2]), dict(x=[2, 3, 1], k=[4, 3, 1]),
         dict(x=[1, 2, 4, 5], k=[2, 2, 2, 3], lo=[1, 0], hi=[0, 2]), dict(
             x=[2, 4, 5], k=[4, 2, 3], g=2, lo=[1], hi=[1]),
         dict(x=[1, 1, 4], k=[1, 1, 2], ld=[2]), dict(x=[1, 2, 7],
              k=[2, 2, 3], rd=[2]), dict(x=[0, 2, 5], k=[3, 2, 2]),
         dict(x=[2, 1, 3, 3], k=[1, 1, 1, 1]), dict(x=[1, 1, 3, 4, 3], k=[2, 1, 2, 2, 2], s=[1, 2, 1], lo=[0, 1, 0],
                                                    hi=[1, 0, 0]),
         dict(x=[4, 2, 5], k=[6, 2, 3], bg=2), dict(x=[1, 3, 4], k=[3, 1, 2], g=3, s=[2]),
         dict(x=[1, 2, 3, 3], k=[1, 2, 2, 2], lo=[-1, 1], hi=[1, -1], ld=[2, 1], rd=[1, 2])]


def conv_value(x, k, c, acc):
    """The sum over features and kernel positions in row-major order of the kernel; padding and gaps are left out."""
    d, spatial = x.dtype, len(x.shape) - 2
    one, zero = [1] * spatial, [0] * spatial
    st, lo, hi, ld, rd = (c.get(n, v) for n, v in (("s", one), ("lo", zero), ("hi", zero), ("ld", one), ("rd", one)))
    g, bg = c.get("g", 1), c.get("bg", 1)
    out_sp = window_out(x.shape[2:], k.shape[2:], st, lo, hi, ld, rd)
    n_out, batch = k.shape[0], x.shape[0] // bg
    add, mul = binary(acc, "sum"), binary(acc, "prod")
    res = []
    for b, o, *at in np.ndindex(batch, n_out, *out_sp):
        feature0 = o // (n_out // g) * k.shape[1]               # the group's first feature
        row = b + (o // (n_out // bg)) * batch                  # the batch group's rows
        a = identity("sum", acc)
        for f in range(k.shape[1]):
            for off, pos in zip(np.ndindex(*k.shape[2:]), window_elems(
                    x.bits[row, feature0 + f], at, k.shape[2:], st, lo, ld, rd)):
                if pos is None:
                    continue
                p = conv1(int(x.bits[(row, feature0 + f) + pos]), d, acc)
                a = add(a, mul(p, conv1(int(k.bits[(o, f) + off]), d, acc)))
        res.append(conv1(a, acc, d))
    return Arr(d, np.array(res, BITS[WIDTH[d]]), [batch, n_out] + out_sp)


def jax_conv(x, k, c):
    import jax
    spatial = len(x.shape) - 2
    one, zero = [1] * spatial, [0] * spatial
    dims = "NC" + "DHW"[:spatial]

    def vals(a):
        return np.array([float(v[0]) for v in a.values()], np.float64).reshape(a.shape)
    return np.asarray(jax.lax.conv_general_dilated(
        vals(x), vals(k), c.get("s", one), list(zip(c.get("lo", zero), c.get("hi", zero))), c.get("ld", one),
        c.get("rd", one), (dims, "OI" + dims[2:], dims), c.get("g", 1), c.get("bg", 1),
        precision=jax.lax.Precision.HIGHEST))


def gen_conv(w):
    for d in FLOATS + INTS:
        rng = rng_for("conv", d)
        opts = accs(d, "sum")
        for ci, c in enumerate(CONVS):
            acc, order = opts[ci % len(opts)]
            xd, kd = numbers(c["x"]), c["k"]
            for special in (False, True):
                if special:                   # finite kernels: whether padding is multiplied makes no difference
                    x = data(rng, d, xd, "conv", True)
                    k = rand(rng, d, kd, -3, 3)
                else:
                    x, k = small(rng, d, xd, -3, 3, Fraction(1, 4)), small(rng, d, kd, -3, 3, Fraction(1, 4))
                out = conv_value(x, k, c, acc or d)
                if d == "f64" and not special and numel(xd):    # sums are exact: the same from JAX
                    assert np.array_equal(jax_conv(x, k, c), out.num()), c
                attrs = ", ".join(f"{n} = {ints(c[s])}" for n, s in (
                    ("strides", "s"), ("pad_lo", "lo"), ("pad_hi", "hi"), ("lhs_dilation", "ld"),
                    ("rhs_dilation", "rd"))
                    if s in c)
                attrs = ", ".join(a for a in [attrs, f"groups = {c['g']}" if "g" in c else "",
                                              f"batch_groups = {c['bg']}" if "bg" in c else "",
                                              acc_attrs(acc, order)[2:]] if a)
                out_t = ["n"] + list(out.shape)[1:] if "n" in c["x"] else list(out.shape)
                w.case("conv", d, one_op("conv", [T(d, c["x"]), T(d, kd)], T(d, out_t), attrs), [x, k],
                       [(out, "exact")])


# ---- order

def sort_key(d, desc):
    """NaN after all numbers, first when descending; -0 equals +0; stable."""
    def cmp(a, b):
        x, y = value_of(a, d), value_of(b, d)
        lt = compare_fn(d, "lt") if d != "bool" else (lambda p, q: int(p < q))
        if NAN in (x, y):
            return ((x == NAN) - (y == NAN)) * (-1 if desc else 1)
        if desc:
            return int(lt(a, b)) - int(lt(b, a))
        return int(lt(b, a)) - int(lt(a, b))
    return cmp


def gen_sort(w):
    shapes = [([7], [7], 0), (["n"], [20], 0), ([1], [1], 0), ([0], [0], 0), ([2, 3], [2, 3], 1),
              (["n", "m"], [4, 3], 0),
              ([2, 0, 3], [2, 0, 3], 2), ([1, 1, 4], [1, 1, 4], 2), ([2, 1, 3, 2], [2, 1, 3, 2], 2),
              ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], 4), ([40], [40], 0)]
    for d in FLOATS + INTS + ["bool"]:
        rng = rng_for("sort", d)
        for si, (t, dims, dim) in enumerate(shapes):
            for n_ops, keys in ((1, 1), (2, 1)) if si % 2 else ((1, 1), (3, 2)):
                desc = (si + n_ops) % 2 == 0
                key_d = [d, d, "i32"] if n_ops == 3 else [d, "i32"] if n_ops == 2 else [d]
                xs = [data(rng, k, dims, "sort", i == 0) if i == 0 or k == d else
                      Arr(k, np.arange(numel(dims), dtype=np.uint32), dims) for i, k in enumerate(key_d)]
                if n_ops == 3:              # many equal first keys
                    xs[0] = small(rng, d, dims, 0, 1)
                outs = [np.zeros(dims, x.bits.dtype) for x in xs]
                rest = [s for a, s in enumerate(dims) if a != dim]
                moved = [np.moveaxis(x.bits, dim, -1) for x in xs]
                dest = [np.moveaxis(o, dim, -1) for o in outs]
                for at in np.ndindex(*rest):
                    rows = [m[at] for m in moved]

                    def cmp(i, j, rows=rows):
                        for q in range(keys):
                            c = sort_key(key_d[q], desc)(int(rows[q][i]), int(rows[q][j]))
                            if c:
                                return c
                        return 0
                    order = sorted(range(dims[dim]), key=functools.cmp_to_key(cmp))
                    for o, r in zip(dest, rows):
                        o[at] = r[order]
                attrs = f"dim = {dim}" + (", descending = true" if desc else "") + \
                                          (f", keys = {keys}" if keys > 1 else "")
                names = "xyz"[:n_ops]
                rs = "rst"[:n_ops]
                types = [T(k, t) for k in key_d]
                line = (", ".join(f"%{r}" for r in rs) + " = sort " + ", ".join(f"%{n}" for n in names)
                        + f" {{{attrs}}} : " + ", ".join(types))
                w.case("sort", d, func(list(zip(names, types)), [line], list(zip(rs, types))), xs,
                       [(Arr(k, o, dims), "bits" if n_ops == 2 else "exact") for k, o in zip(key_d, outs)])


def gen_top_k(w):
    shapes = [([7], [7], 3), (["n"], [20], 5), (["n"], [6], "n"), ([1], [1], 1), ([4], [4], 0), ([2, 3], [2, 3], 2),
              (["n", "m"], [4, 3], "m"), ([2, 0, 3], [2, 0, 3], 2), ([
               1, 1, 4], [1, 1, 4], 4), ([2, 1, 3, 2], [2, 1, 3, 2], 1),
              ([2, 1, 2, 1, 3], [2, 1, 2, 1, 3], 2), ([40], [40], 40)]
    for d in FLOATS + INTS:
        rng = rng_for("top_k", d)
        for si, (t, dims, k) in enumerate(shapes):
            it = ["i64", "i32"][si % 2]
            x = data(rng, d, dims, "sort", si % 3 != 1)
            kk = dims[-1] if isinstance(k, str) else k
            lead = dims[:-1]
            vals = np.zeros(lead + [kk], x.bits.dtype)
            pos = np.zeros(lead + [kk], BITS[WIDTH[it]])
            for at in np.ndindex(*lead):
                row = x.bits[at]
                order = sorted(range(dims[-1]), key=functools.cmp_to_key(
                    lambda i, j: sort_key(d, True)(int(row[i]), int(row[j]))))[:kk]
                vals[at], pos[at] = row[order], order
            vt, pt = T(d, t[:-1] + [k]), T(it, t[:-1] + [k])
            w.case("top_k", d, func([("x", T(d, t))], [f"%q, %i = top_k %x {{k = {k}}} : {vt}, {pt}"],
                                    [("q", vt), ("i", pt)]), [x], [(Arr(d, vals), "exact"), (Arr(it, pos), "bits")])


# ---- factor

def mp_cholesky(a):
    n = len(a)
    l = [[mpmath.mpf(0)] * n for _ in range(n)]
    for j in range(n):
        s = a[j][j] - sum(l[j][k] ** 2 for k in range(j))
        l[j][j] = mp.sqrt(s)
        for i in range(j + 1, n):
            l[i][j] = (a[i][j] - sum(l[i][k] * l[j][k] for k in range(j))) / l[j][j]
    return l


FACTOR_TOL = {"f64": "ulp=8,abs=4e-15", "f32": "ulp=8,abs=2e-6", "f16": "ulp=4,abs=8e-3", "bf16": "ulp=4,abs=6e-2"}
MATRICES = [([3, 3], [3, 3]), (["n", "n"], [4, 4]), ([1, 1], [1, 1]), ([0, 0], [0, 0]), ([2, 2, 2], [2, 2, 2]),
            ([2, "n", "n"], [2, 3, 3]), ([0, 2, 2], [0, 2, 2]), ([2, 1, 2, 2], [2, 1, 2, 2]), ([6, 6], [6, 6]),
            ([1, 2, 1, 3, 3], [1, 2, 1, 3, 3])]


def junk(rng, d):
    """What lies in the triangle that must not be read."""
    return rng.choice([nan_bits(d), encode(d, ("inf", 0)), encode(d, ("inf", 1)), 1, 0, 1 << (WIDTH[d] - 1),
                       encode(d, (Fraction(99), 0))])


def gen_cholesky(w):
    """Well-conditioned matrices (diagonally dominant, entries up to 8); the factor of the rounded matrix by mpmath."""
    for d in FLOATS:
        rng = rng_for("cholesky", d)
        for mi, (t, dims) in enumerate(MATRICES):
            for lower in (None, False) if mi % 2 else (None, True):
                n = dims[-1]
                a = np.zeros(dims, BITS[WIDTH[d]])
                out = np.zeros(dims, BITS[WIDTH[d]])
                for at in np.ndindex(*dims[:-2]):
                    m = [[None] * n for _ in range(n)]
                    for i in range(n):
                        for j in range(i + 1):
                            x = Fraction(rng.uniform(n + 0.5, n + 2)) if i == j else Fraction(rng.uniform(-1, 1))
                            if i > j and rng.random() < 0.2:
                                x = Fraction(0)
                            b = round_to(d, x)
                            m[i][j] = m[j][i] = clean(value_of(b, d)[0])
                            for p, q in ((i, j), (j, i)):
                                stored = lower is not False
                                a[at + (p, q)] = b if (p >= q) == stored or p == q else junk(rng, d)
                    with mp.workprec(300):
                        l = mp_cholesky(m)
                    for i in range(n):
                        for j in range(i + 1):
                            p, q = (j, i) if lower is False else (i, j)
                            out[at + (p, q)] = round_mpf(d, l[i][j])
                attrs = "" if lower is None else f"lower = {str(lower).lower()}"
                w.case("cholesky", d, one_op("cholesky", [T(d, t)], T(d, t), attrs), [Arr(d, a)],
                       [(Arr(d, out), FACTOR_TOL[d])])
        # not positive definite: NaN in the last diagonal element
        bad = from_floats(d, [1, 2, 2, 1], [2, 2])
        text = func([("x", T(d, [2, 2]))],
                    [f"%l = cholesky %x : {T(d, [2, 2])}", "%k = const {value = 1} : i64[]",
                     f"%r = get %l[%k, %k] : {T(d, [])}"], [("r", T(d, []))])
        w.case("cholesky", d, text, [bad], [(Arr(d, np.array(nan_bits(d), BITS[WIDTH[d]])), "exact")], "not-definite")


SOLVES = [([3, 3], [3, 2], 0), (["n", "n"], ["n", 3], 1), ([1, 1], [1, 1], 2), ([0, 0], [0, 2], 3),
          ([2, 2, 2], [2, 2, 3], 4),
          ([2, "n", "n"], [2, "n", 1], 5), ([2, 2], [2, 0], 6), ([2, 1, 2, 2], [2, 1, 2, 2], 7), ([6, 6], [6, 1], 8),
          ([1, 2, 1, 3, 3], [1, 2, 1, 3, 2], 9)]


def gen_triangular_solve(w):
    for d in FLOATS:
        rng = rng_for("triangular_solve", d)
        for ta, tb, si in SOLVES:
            for flags in ((si + 3) % 16, (5 * si + 8) % 16):
                left, lower, trans, unit = [bool(flags >> k & 1) for k in range(4)]
                da, db = numbers(ta), numbers(tb)
                if not left:
                    tb2 = tb[:-2] + [tb[-1], tb[-2]]
                    db = db[:-2] + [db[-1], db[-2]]
                else:
                    tb2 = tb
                n = da[-1]
                a = np.zeros(da, BITS[WIDTH[d]])
                b = rand(rng, d, db, -4, 4)
                out = np.zeros(db, BITS[WIDTH[d]])
                for at in np.ndindex(*da[:-2]):
                    m = mp.zeros(n) if n else None
                    for i in range(n):
                        for j in range(n):
                            inside = i == j or (i > j) == lower
                            x = Fraction(rng.uniform(1, 2)) * rng.choice((-1, 1)) if i == j else Fraction(
                                rng.uniform(-0.5, 0.5))
                            bits = round_to(d, x) if inside and not (unit and i == j) else junk(rng, d)
                            a[at + (i, j)] = bits
                            if inside:
                                m[i, j] = 1 if unit and i == j else clean(value_of(bits, d)[0])
                    if not numel(db[-2:]):
                        continue
                    with mp.workprec(300):
                        mm = m.T if trans else m
                        rows, cols = db[-2:]
                        B = mp.matrix(rows, cols)
                        for i in range(rows):
                            for j in range(cols):
                                B[i, j] = clean(value_of(int(b.bits[at + (i, j)]), d)[0])
                        X = mp.inverse(mm) * B if left else B * mp.inverse(mm)
                    for i in range(rows):
                        for j in range(cols):
                            out[at + (i, j)] = round_mpf(d, X[i, j])
                attrs = (f"left = {str(left).lower()}, lower = {str(lower).lower()}"
                         + (", transpose = true" if trans else "") + (", unit = true" if unit else ""))
                if flags == 3:
                    attrs = ""                # left, lower: the defaults
                w.case("triangular_solve", d, one_op("triangular_solve", [T(d, ta), T(d, tb2)], T(d, tb2), attrs),
                       [Arr(d, a), b], [(Arr(d, out), FACTOR_TOL[d])])


def gen_all(w):
    gen_reduce(w)
    gen_arg_reduce(w)
    gen_cumulative(w)
    gen_reduce_window(w)
    gen_select_and_scatter(w)


def gen_linear(w):
    gen_dot(w)
    gen_conv(w)
    gen_sort(w)
    gen_top_k(w)
    gen_cholesky(w)
    gen_triangular_solve(w)
