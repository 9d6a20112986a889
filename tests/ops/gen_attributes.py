# SPDX-License-Identifier: Apache-2.0
"""Vectors with the optional attributes that change no value: nowrap, tie, bounds = known and c, unique, precision,
policy, version, args, remat, kernel, and acc of scatter. Each must be read, printed and kept by the passes.
"""
import numpy as np

from gen_control import apply, scalar
from gen_elementwise import int_div, int_rem, minmax, shift
from gen_formats import FLOATS, INTS, Arr, BITS, T, WIDTH, from_values, func, is_float, one_op, rng_for, small
from gen_movement import add_mul, gather_bits, scatter_values
from gen_reduce import conv_value, dot_value, reduce_value, rand


def gen_nowrap(w):
    for d in INTS:
        rng = rng_for("nowrap", d)
        ops = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
               "div": lambda x, y: int_div(x, y, d), "rem": lambda x, y: int_rem(x, y, d)}
        x, y = small(rng, d, [2, 5], 5, 9), small(rng, d, [2, 5], 1, 5)
        t = T(d, ["n", 5])
        for op, f in ops.items():
            out = from_values(d, [f(a, b) for a, b in zip(x.values(), y.values())], [2, 5])
            w.case(op, d, one_op(op, [t, t], t, "nowrap = true"), [x, y], [(out, "bits")])
        y = small(rng, d, [2, 5], 0, 3)
        for op in ("shl", "shr"):
            f = shift(d, op == "shl")
            out = Arr(d, np.array([f(int(a), int(b)) for a, b in zip(x.bits.ravel(), y.bits.ravel())], BITS[WIDTH[d]]),
                      [2, 5])
            w.case(op, d, one_op(op, [t, t], t, "nowrap = true"), [x, y], [(out, "bits")])
        if d[0] == "i":
            x = small(rng, d, [2, 5], -9, 9)
            for op, f in (("neg", lambda v: -v), ("abs", abs)):
                out = from_values(d, [f(v) for v in x.values()], [2, 5])
                w.case(op, d, one_op(op, [t], t, "nowrap = true"), [x], [(out, "bits")])


def gen_tie(w):
    """Values only: the tie says which of equals gets the adjoint."""
    for d in FLOATS + INTS:
        rng = rng_for("tie", d)
        x, y = small(rng, d, [2, 5], 1, 3), small(rng, d, [2, 5], 1, 3)
        t = T(d, [2, "n"])
        for tie in ("split", "first", "all"):
            for op in ("min", "max"):
                f = minmax(d, op == "max")
                out = Arr(d, [f(int(a), int(b)) for a, b in zip(x.bits.ravel(), y.bits.ravel())], [2, 5])
                w.case(op, d, one_op(op, [t, t], t, f"tie = {tie}"), [x, y], [(out, "exact")])
                w.case("reduce", d, one_op("reduce", [t], T(d, [2]), f"kind = {op}, dims = [1], tie = {tie}"), [x],
                       [(reduce_value(x, [1], op, None), "exact")], op)
                run = x.bits.copy()
                for j in range(1, 5):
                    for i in range(2):
                        run[i, j] = f(int(run[i, j - 1]), int(x.bits[i, j]))
                w.case("cumulative", d, one_op("cumulative", [t], t, f"kind = {op}, dim = 1, tie = {tie}"), [x],
                       [(Arr(d, run), "exact")], op)
                pairs = Arr(d, [[f(int(r[j]), int(r[j + 1])) for j in range(4)] for r in x.bits])
                w.case("reduce_window", d, one_op("reduce_window", [T(d, [2, 5])], T(d, [2, 4]),
                                                  f"kind = {op}, window = [1, 2], tie = {tie}"), [x],
                       [(pairs, "exact")], op)


def gen_bounds(w):
    g = dict(x=[5, 3], i=[4], off=[1], col=[0], map=[0], dim=1, sizes=[1, 3])
    s = dict(x=[5, 3], i=[4], u=[4, 3], win=[1], ins=[0], map=[0], dim=1)
    for d in FLOATS + INTS:
        rng = rng_for("bounds", d)
        x, ix, u = rand(rng, d, [5, 3]), Arr("i64", np.array([4, 0, 3, 1], np.uint64)), rand(rng, d, [4, 3])
        one = from_values("i64", [1], [])
        for bounds in ("known", "c"):
            w.case("dynamic_slice", d, func(
                [("x", T(d, [5, 3])), ("i", "i64[]"), ("j", "i64[]")],
                [f"%r = dynamic_slice %x, %i, %j {{sizes = [2, 2], bounds = {bounds}}} : {T(d, [2, 2])}"],
                [("r", T(d, [2, 2]))]), [x, one, one], [(Arr(d, x.bits[1:3, 1:3]), "bits")])
            put = x.bits.copy()
            put[1:3] = u.bits[1:3]
            w.case("dynamic_update_slice", d, func(
                [("x", T(d, [5, 3])), ("u", T(d, [2, 3])), ("i", "i64[]")],
                ["%z = const {value = 0} : i64[]",
                 f"%r = dynamic_update_slice %x, %u, %i, %z {{bounds = {bounds}}} : {T(d, [5, 3])}"],
                [("r", T(d, [5, 3]))]), [x, Arr(d, u.bits[1:3]), one], [(Arr(d, put), "bits")])
            numbers = np.array(ix.values(), object)
            attrs = ("offset_dims = [1], collapsed = [0], index_map = [0], index_dim = 1, sizes = [1, 3], "
                     f"bounds = {bounds}")
            w.case("gather", d, one_op("gather", [T(d, [5, 3]), "i64[4]"], T(d, [4, 3]), attrs), [x, ix],
                   [(Arr(d, gather_bits(x.bits, numbers, g)), "bits")])
            attrs = ("window_dims = [1], inserted = [0], index_map = [0], index_dim = 1, kind = set, unique = true, "
                     f"bounds = {bounds}")
            w.case("scatter", d, one_op("scatter", [T(d, [5, 3]), "i64[4]", T(d, [4, 3])], T(d, [5, 3]), attrs),
                   [x, ix, u], [(Arr(d, scatter_values(x.bits, numbers, u.bits, s, lambda a, b: b)), "bits")], "set")
        x, u = small(rng, d, [5, 3], -3, 3), small(rng, d, [4, 3], -3, 3)
        acc = "f64" if is_float(d) else "i64" if d[0] == "i" else "u64"
        attrs = ("window_dims = [1], inserted = [0], index_map = [0], index_dim = 1, kind = add, "
                 f"acc = {acc}, order = seq")
        w.case("scatter", d, one_op("scatter", [T(d, [5, 3]), "i64[4]", T(d, [4, 3])], T(d, [5, 3]), attrs), [x, ix, u],
               [(Arr(d, scatter_values(x.bits, numbers, u.bits, s, add_mul(d, "add"))), "exact")], "add")


def gen_wishes(w):
    """precision, policy, version, args, remat."""
    for d in FLOATS + INTS:
        rng = rng_for("wishes", d)
        x, y = small(rng, d, [2, 3]), small(rng, d, [3, 2])
        lhs, rhs = small(rng, d, [1, 2, 4]), small(rng, d, [2, 2, 3])
        for p in ("default", "high", "highest"):
            w.case("dot", d, one_op("dot", [T(d, [2, 3]), T(d, [3, 2])], T(d, [2, 2]),
                                    f"contract = [1]x[0], precision = {p}"), [x, y],
                   [(dot_value(x, y, [1], [0], [], [], d), "exact")])
            w.case("conv", d, one_op("conv", [T(d, [1, 2, 4]), T(d, [2, 2, 3])], T(d, [1, 2, 2]), f"precision = {p}"),
                   [lhs, rhs], [(conv_value(lhs, rhs, {}, d), "exact")])
        t = T(d, [2, 3])
        total = apply(d, "sum", apply(d, "sum", apply(d, "sum", x, x), x), x)
        for policy in ("store", "recompute", "sqrt", "revolve(4)"):
            body = ["%lo = const {value = 0} : i64[]", "%hi = const {value = 3} : i64[]",
                    "%st = const {value = 1} : i64[]",
                    f'%r = for %i = %lo to %hi step %st iter(%a = %x) {{policy = "{policy}"}} {{',
                    f"  %b = add %a, %x : {t}", "  yield %b", f"}} : {t}"]
            w.case("for", d, func([("x", t)], body, [("r", t)]), [x], [(total, "exact")])
            body = ["%z = const {value = 0} : i64[]", "%n = const {value = 3} : i64[]",
                    "%one = const {value = 1} : i64[]",
                    f'%k, %r = while iter(%i = %z, %a = %x) {{policy = "{policy}"}} {{',
                    "  %c = compare %i, %n {dir = lt} : bool[]", "  yield %c", "} do {", "  %j = add %i, %one : i64[]",
                    f"  %b = add %a, %x : {t}", "  yield %j, %b", f"}} : i64[], {t}"]
            w.case("while", d, func([("x", t)], body, [("k", "i64[]"), ("r", t)]), [x],
                   [(scalar("i64", 3), "bits"), (total, "exact")])
        for attrs in ("version = 2", 'args = "axis=1"', "remat = true", 'kernel = ""', 'kernel = "call {k = 1 : i64}"',
                      'version = 3, args = "a \\"b\\"", remat = false'):
            body = [f'%r = composite "test.twice"(%a = %x) {{{attrs}}} {{', f"  %b = add %a, %a : {t}", "  yield %b",
                    f"}} : {t}"]
            w.case("composite", d, func([("x", t)], body, [("r", t)]), [x], [(apply(d, "sum", x, x), "exact")])
        # A rule says nothing about the value: these are wrong on purpose, and the value is the body's.
        body = ['%r = composite "test.ruled"(%a = %x) {rules = "vjp jvp"} {', f"  %b = add %a, %a : {t}", "  yield %b",
                "} vjp(%a, %r, %r_bar) {", "  yield %r_bar", "} jvp(%a, %a_dot) {", "  yield %a_dot", f"}} : {t}"]
        if d in ("f16", "bf16", "f32", "f64"):
            w.case("composite", d, func([("x", t)], body, [("r", t)]), [x], [(apply(d, "sum", x, x), "exact")])


def gen_all(w):
    gen_nowrap(w)
    gen_tie(w)
    gen_bounds(w)
    gen_wishes(w)
