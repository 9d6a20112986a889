# SPDX-License-Identifier: Apache-2.0
"""Vectors of the control ops: if for while call composite stop_gradient barrier, and tapes.

The programs are small and exact, so that the expected values are one NumPy line each; what is tested is which regions
run, how often, and that values go round unchanged.
"""
from fractions import Fraction

import numpy as np

from gen_formats import (ALL, FLOATS, INTS, SHAPES, Arr, BITS, Feed, T, WIDTH, from_values, func, is_float, nan_bits,
                         pool,
                         rng_for, small)
from gen_reduce import binary

SOME = FLOATS + INTS


def scalar(d, v):
    return from_values(d, [(Fraction(v), int(v < 0)) if is_float(d) else v], [])


def apply(d, op, a, b):
    f = binary(d, op)
    x, y = np.broadcast_arrays(a.bits, b.bits)
    return Arr(d, np.array([f(int(p), int(q)) for p, q in zip(x.ravel(), y.ravel())], BITS[WIDTH[d]]), x.shape)


def feed_for(rng, d):
    b = pool(rng, d, 40)
    return Feed(d, b + ([nan_bits(d) | 1 << (WIDTH[d] - 1)] if is_float(d) else []))


def gen_if(w):
    for d in SOME + ["bool"]:
        rng = rng_for("if", d)
        feed = feed_for(rng, d)
        for si, (t, dims) in enumerate(SHAPES):
            for c in (0, 1):
                x, y = feed.take(dims), feed.take(dims)
                ty = T(d, t)
                params = [("c", "bool[]"), ("x", ty), ("y", ty)]
                pred = Arr("bool", np.array(c, np.uint8))
                if si % 3 == 0 or d == "bool":          # moves only: bits
                    body = ["%r = if %c {", "  yield %x", "} else {", "  yield %y", f"}} : {ty}"]
                    out, tol = (x if c else y), "bits"
                elif si % 3 == 1:                       # a division by zero on the side that does not run is harmless
                    body = ["%r = if %c {", f"  %a = add %x, %y : {ty}", "  yield %a", "} else {",
                            f"  %b = mul %x, %y : {ty}", f"  %d = add %b, %x : {ty}", "  yield %d", f"}} : {ty}"]
                    out = apply(d, "sum", x, y) if c else apply(d, "sum", apply(d, "prod", x, y), x)
                    tol = "exact"
                else:                                   # nested
                    body = ["%r = if %c {", "  %n = not %c : bool[]", "  %s = if %n {", "    yield %x", "  } else {",
                            f"    %a = add %y, %y : {ty}", "    yield %a", f"  }} : {ty}", "  yield %s", "} else {",
                            "  yield %x", f"}} : {ty}"]
                    out, tol = (apply(d, "sum", y, y) if c else x), "exact"
                w.case("if", d, func(params, body, [("r", ty)]), [pred, x, y], [(out, tol)])
                ty = T(d, t)
                body = ["%r, %q = if %c {", "  yield %x, %y", "} else {", "  yield %y, %x", f"}} : {ty}, {ty}"]
                w.case("if", d, func(params, body, [("r", ty), ("q", ty)]), [pred, x, y],
                       [(x if c else y, "bits"), (y if c else x, "bits")], "two-results")


# lo, hi, step: trips
LOOPS = [(0, 5, 1), (0, 0, 1), (3, 0, 1), (0, 7, 3), (5, 0, -2),
          (2, 3, 1), (-4, 4, 2), (0, 3, -1), (7, 7, -1), (0, 9, 100)]


def trips(lo, hi, step):
    return list(range(lo, hi, step))


def gen_for(w):
    for d in SOME:
        rng = rng_for("for", d)
        feed = feed_for(rng, d)
        for si, (lo, hi, st) in enumerate(LOOPS):
            t, dims = SHAPES[si % len(SHAPES)]
            ty = T(d, t)
            x, y = feed.take(dims), small(rng, d, dims, -2, 2)
            params = [("lo", "i64[]"), ("hi", "i64[]"), ("st", "i64[]"), ("x", ty), ("y", ty)]
            body = ["%r = for %i = %lo to %hi step %st iter(%acc = %x) {", f"  %p = add %acc, %y : {ty}", "  yield %p",
                    f"}} : {ty}"]
            out = x
            for _ in trips(lo, hi, st):
                out = apply(d, "sum", out, y)
            ends = [scalar("i64", v) for v in (lo, hi, st)]
            w.case("for", d, func(params, body, [("r", ty)]), ends + [x, y], [(out, "exact")])
            # the counter's own values: sum of i, and two values that change places
            body = ["%r, %q, %s = for %i = %lo to %hi step %st iter(%a = %x, %b = %y, %n = %lo) {",
                    "  %m = add %n, %i : i64[]", "  yield %b, %a, %m", f"}} : {ty}, {ty}, i64[]"]
            k = len(trips(lo, hi, st))
            total = scalar("i64", lo + sum(trips(lo, hi, st)))
            a, b = (x, y) if k % 2 == 0 else (y, x)
            w.case("for", d, func(params, body, [("r", ty), ("q", ty), ("s", "i64[]")]), ends + [x, y],
                   [(a, "bits"), (b, "bits"), (total, "bits")], "swap")
        # an array filled by set, element i gets i; nested loops with a symbolic bound
        n, m = 4, 3
        ty = T(d, ["n", "m"])
        body = ["%zero = const {value = 0} : i64[]", "%one = const {value = 1} : i64[]", "%n = dim {e = n} : i64[]",
                "%m = dim {e = m} : i64[]",
                "%r = for %i = %zero to %n step %one iter(%a = %x) {",
                "  %row = for %j = %zero to %m step %one iter(%b = %a) {",
                "    %ij = mul %i, %m : i64[]", "    %k = add %ij, %j : i64[]",
                f"    %v = convert %k : {T(d, [])}",
                f"    %old = get %b[%i, %j] {{bounds = known}} : {T(d, [])}", f"    %u = add %old, %v : {T(d, [])}",
                f"    %c = set %b[%i, %j], %u {{bounds = known}} : {ty}", "    yield %c", f"  }} : {ty}",
                "  yield %row",
                f"}} : {ty}"]
        x = feed.take([n, m])
        count = from_values(d, [(Fraction(i), 0) if is_float(d) else i for i in range(n * m)], [n, m])
        w.case("for", d, func([("x", ty)], body, [("r", ty)]), [x], [(apply(d, "sum", x, count), "exact")], "nested")


def gen_while(w):
    """Doubling until a counter reaches its limit; zero to seven rounds."""
    for d in SOME:
        rng = rng_for("while", d)
        feed = feed_for(rng, d)
        for si, rounds in enumerate((0, 1, 2, 5, 7, 3, 0, 1, 2, 4, 6)):
            t, dims = SHAPES[si % len(SHAPES)]
            ty = T(d, t)
            x = feed.take(dims)
            body = ["%zero = const {value = 0} : i32[]", "%one = const {value = 1} : i32[]",
                    "%k, %r = while iter(%i = %zero, %a = %x) {", "  %c = compare %i, %limit {dir = lt} : bool[]",
                    "  yield %c",
                    "} do {", "  %j = add %i, %one : i32[]", f"  %b = add %a, %a : {ty}", "  yield %j, %b",
                    f"}} : i32[], {ty}"]
            out = x
            for _ in range(rounds):
                out = apply(d, "sum", out, out)
            w.case("while", d, func([("limit", "i32[]"), ("x", ty)], body, [("k", "i32[]"), ("r", ty)]),
                   [scalar("i32", rounds), x], [(scalar("i32", rounds), "bits"), (out, "exact")])
        # Newton-like, data decides: subtract y until it is below y
        ty = T(d, [])
        body = ["%r = while iter(%a = %x) {", "  %c = compare %a, %y {dir = ge} : bool[]", "  yield %c", "} do {",
                f"  %b = sub %a, %y : {ty}", "  yield %b", f"}} : {ty}"]
        w.case("while", d, func([("x", ty), ("y", ty)], body, [("r", ty)]), [scalar(d, 100), scalar(d, 7)],
               [(scalar(d, 2), "exact")], "remainder")


def gen_call(w):
    for d in SOME:
        rng = rng_for("call", d)
        feed = feed_for(rng, d)
        for si, (t, dims) in enumerate(SHAPES):
            ty = T(d, t)
            x, y = feed.take(dims), feed.take(dims)
            # the callee has sizes of its own names
            ct = [{"n": "k", "m": "l"}.get(s, s) for s in t]
            cty = T(d, ct)
            callee = (
    f"func @g(%a: {cty}, %b: {cty}) -> ({cty}, {cty}) {{\n  %s = add %a, %b : {cty}\n  return %s, %b\n}}\n")
            body = [f"%r, %q = call @g(%x, %y) : {ty}, {ty}", f"%p, %z = call @g(%r, %q) : {ty}, {ty}"]
            s1 = apply(d, "sum", x, y)
            w.case("call", d, func([("x", ty), ("y", ty)], body, [("p", ty), ("r", ty)], callee), [x, y],
                   [(apply(d, "sum", s1, y), "exact"), (s1, "exact")])
        # recursion: x added n times
        ty = T(d, [])
        callee = (f"func @g(%a: {ty}, %n: i32[]) -> {ty} {{\n  %zero = const {{value = 0}} : i32[]\n"
                  "  %one = const {value = 1} : i32[]\n  %c = compare %n, %zero {dir = le} : bool[]\n"
                  f"  %r = if %c {{\n    yield %a\n  }} else {{\n    %m = sub %n, %one : i32[]\n"
                  f"    %s = call @g(%a, %m) : {ty}\n    %t = add %s, %a : {ty}\n    yield %t\n"
                  f"  }} : {ty}\n  return %r\n}}\n")
        w.case("call", d, func([("x", ty), ("k", "i32[]")], [f"%r = call @g(%x, %k) : {ty}"], [("r", ty)], callee),
               [scalar(d, 3), scalar("i32", 6)], [(scalar(d, 21), "exact")], "recursive")


def gen_composite(w):
    for d in SOME:
        rng = rng_for("composite", d)
        feed = feed_for(rng, d)
        for si, (t, dims) in enumerate(SHAPES):
            ty = T(d, t)
            x, y = feed.take(dims), feed.take(dims)
            body = ['%r = composite "test.muladd"(%a = %x, %b = %y) {', f"  %p = mul %a, %b : {ty}",
                    f"  %s = add %p, %a : {ty}", "  yield %s", f"}} : {ty}"]
            w.case("composite", d, func([("x", ty), ("y", ty)], body, [("r", ty)]), [x, y],
                   [(apply(d, "sum", apply(d, "prod", x, y), x), "exact")])


def gen_identity(w):
    for d in ALL:
        rng = rng_for("identity", d)
        feed = feed_for(rng, d)
        for t, dims in SHAPES:
            ty = T(d, t)
            x, y = feed.take(dims), feed.take(dims)
            w.case("stop_gradient", d, func([("x", ty)], [f"%r = stop_gradient %x : {ty}"], [("r", ty)]), [x],
                   [(x, "bits")])
            w.case("barrier", d, func([("x", ty), ("y", ty)], [f"%r, %q = barrier %x, %y : {ty}, {ty}"],
                                      [("r", ty), ("q", ty)]), [x, y], [(x, "bits"), (y, "bits")])


def gen_tape(w):
    """Pushed one after another, popped in the opposite order; in a loop with data-dependent length."""
    for d in SOME + ["bool"]:
        rng = rng_for("tape", d)
        feed = feed_for(rng, d)
        for si, (t, dims) in enumerate(SHAPES):
            ty = T(d, t)
            x, y = feed.take(dims), feed.take(dims)
            cap = " {capacity = 2}" if si % 2 else ""
            body = [f"%t0 = tape_new{cap} : tape<{ty}>", f"%t1 = push %t0, %x : tape<{ty}>",
                    f"%t2 = push %t1, %y : tape<{ty}>",
                    f"%t3, %a = pop %t2 : tape<{ty}>, {ty}", f"%t4, %b = pop %t3 : tape<{ty}>, {ty}"]
            text = func([("x", ty), ("y", ty)], body, [("a", ty), ("b", ty)])
            for op in ("tape_new", "push", "pop"):
                w.case(op, d, text, [x, y], [(y, "bits"), (x, "bits")])


def gen_all(w):
    gen_if(w)
    gen_for(w)
    gen_while(w)
    gen_call(w)
    gen_composite(w)
    gen_identity(w)
    gen_tape(w)
