#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_jax - programs as JAX prints them, with inputs, results and gradients as JAX computes them.

usage: make_jax.py FOLDER [NAME...]      only those programs; the last ones go to FOLDER/../more
       make_jax.py --bench FILE.mlir       the training step of the GPT of bench/native_gpt.c

For each program FOLDER/NAME.mlir (jit(f).lower(...).as_text()) and FOLDER/NAME.txt:

    jax VERSION
    tolerance RELATIVE ABSOLUTE      (of results; 0 0: exact)
    in DTYPE DIM... : NUMBER...      (one an input)
    out DTYPE DIM... : NUMBER...     (one a result)
    grad DTYPE DIM... : NUMBER...    (of the first result, one a floating input; absent: not looked at)

Values are few; floats are written as hex. The versions are in the files. The tests never need Python.
"""
import re
import sys

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from jax import lax

folder, wanted = sys.argv[1], sys.argv[2:]
bench = folder == "--bench"
F = jnp.float32


def rand(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def whole(seed, high, *shape):
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


def number(v):
    if isinstance(v, (np.floating, float)):
        v = float(v)
        return "nan" if v != v else v.hex()
    return str(int(v))


def line(kind, x):
    x = np.asarray(x)
    names = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "uint32": "u32", "bool": "bool"}
    values = " ".join(number(v) for v in x.ravel())
    return f"{kind} {names[str(x.dtype)]} {' '.join(map(str, x.shape))} : {values}".rstrip() + "\n"


def by_hand(text):
    """StableHLO text as a function: what XLA's CPU client makes of it."""
    from jax._src.lib import xla_client
    from jax.extend.backend import get_backend
    client = get_backend()
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    run = client.compile_and_load(text, devices, xla_client.CompileOptions())
    return lambda *inputs: tuple(run.execute([jax.device_put(x) for x in inputs]))


def program(name, f, *inputs, grad=True, tolerance=(2e-5, 2e-6), text=None, shown=None):
    """shown: how a lowered program is printed, if not by as_text()."""
    if bench or (wanted and name not in wanted):
        return
    out = by_hand(text)(*inputs) if text else jax.jit(f)(*inputs)
    text = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"',  # files of locations
                  text or (shown or (lambda x: x.as_text()))(jax.jit(f, keep_unused=True).lower(*inputs)))
    out = out if isinstance(out, tuple) else (out,)
    with open(f"{folder}/{name}.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as file:
        file.write(f"jax {jax.__version__}\ntolerance {tolerance[0]} {tolerance[1]}\n")
        for x in inputs:
            file.write(line("in", x))
        for y in out:
            file.write(line("out", y))
        if grad:
            at = tuple(i for i, x in enumerate(inputs) if np.issubdtype(np.asarray(x).dtype, np.floating))
            first = lambda *a: (lambda r: r[0] if isinstance(r, tuple) else r)(f(*a))
            for g in jax.jit(jax.grad(first, at))(*inputs):
                file.write(line("grad", g))


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


# ---- a step of training: value, then the new parameters
def mlp_loss(w1, b1, w2, b2, x, y):
    return cross_entropy(jax.nn.relu(x @ w1 + b1) @ w2 + b2, y)


def mlp_step(w1, b1, w2, b2, x, y):
    loss, g = jax.value_and_grad(mlp_loss, (0, 1, 2, 3))(w1, b1, w2, b2, x, y)
    return (loss,) + tuple(p - 0.1 * d for p, d in zip((w1, b1, w2, b2), g))


mlp = (rand(1, 12, 8) * 0.3, rand(2, 8) * 0.1, rand(3, 8, 4) * 0.3, rand(4, 4) * 0.1, rand(5, 6, 12), whole(6, 4, 6))
program("mlp_loss", mlp_loss, *mlp)
program("mlp_step", mlp_step, *mlp, grad=False)


def conv_loss(k1, k2, w, x, y):
    h = lax.conv_general_dilated(x, k1, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    h = jax.nn.relu(h)
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = lax.conv_general_dilated(h, k2, (2, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return cross_entropy(jnp.tanh(h).reshape(x.shape[0], -1) @ w, y)


conv = (rand(7, 3, 3, 1, 4) * 0.5, rand(8, 2, 2, 4, 3) * 0.5, rand(9, 18, 3) * 0.3, rand(10, 2, 8, 8, 1),
        whole(11, 3, 2))
program("conv_loss", conv_loss, *conv)
program("conv_gradient", lambda *a: jax.grad(conv_loss, (0, 1, 2))(*a), *conv, grad=False)


# ---- a transformer of one block
def gpt_loss(emb, pos, qkv, proj, up, down, ids):
    h = emb[ids] + pos
    def norm(v):
        return (v - v.mean(-1, keepdims=True)) * lax.rsqrt(v.var(-1, keepdims=True) + 1e-5)
    q, k, v = jnp.split(norm(h) @ qkv, 3, -1)
    heads = lambda t: t.reshape(t.shape[0], 2, -1).transpose(1, 0, 2)
    q, k, v = heads(q), heads(k), heads(v)
    s = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1]).astype(np.float32)
    n = s.shape[-1]
    s = jnp.where(jnp.tril(jnp.ones((n, n), bool)), s, -1e9)
    a = jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(s), v).transpose(1, 0, 2).reshape(n, -1)
    h = h + a @ proj
    h = h + jax.nn.gelu(norm(h) @ up) @ down
    logits = norm(h) @ emb.T
    return cross_entropy(logits[:-1], ids[1:])


gpt = (rand(12, 11, 8), rand(13, 6, 8) * 0.1, rand(14, 8, 24) * 0.3, rand(15, 8, 8) * 0.3, rand(16, 8, 16) * 0.3,
       rand(17, 16, 8) * 0.3, whole(18, 11, 6))
program("gpt_loss", gpt_loss, *gpt)
program("gpt_gradient", lambda *a: jax.value_and_grad(gpt_loss, (0, 1, 2, 3, 4, 5))(*a)[1], *gpt, grad=False,
        tolerance=(2e-4, 2e-5))


# ---- loops
def rnn_loss(w, u, x):
    def step(h, v):
        h = jnp.tanh(h @ w + v @ u)
        return h, h.sum()
    h, sums = lax.scan(step, jnp.zeros((2, 5), F), x)
    return (h * h).sum() + sums.mean()


program("scan_rnn", rnn_loss, rand(19, 5, 5) * 0.4, rand(20, 3, 5) * 0.5, rand(21, 7, 2, 3))


def newton(x):
    def go(s):
        y, n = s
        return (jnp.abs(y * y - x) > 1e-4) & (n < 30)
    def step(s):
        y, n = s
        return 0.5 * (y + x / y), n + 1
    return lax.while_loop(go, step, (x, jnp.int32(0)))


program("while_trips", newton, np.float32(7.3), grad=False)


def springs(p, v):
    def force(q):
        d = q[1:] - q[:-1]
        f = 2.0 * (d - 1.0)
        return jnp.concatenate([f, jnp.zeros(1, F)]) - jnp.concatenate([jnp.zeros(1, F), f])
    def step(_, s):
        q, u = s
        u = u + 0.01 * force(q)
        return q + 0.01 * u, u
    q, u = lax.fori_loop(0, 50, step, (p, v))
    return (u * u).sum() + (q[-1] - q[0]), q


program("physics", springs, np.arange(6, dtype=np.float32) * 1.3, rand(22, 6) * 0.1)


# ---- vmap, selection, order, random numbers
def attention(q, k, v):
    one = lambda a, b, c: jax.nn.softmax(a @ b.T / 2.0) @ c
    return jax.vmap(jax.vmap(one))(q, k, v).sum() ** 2


program("vmap_attention", attention, rand(23, 2, 3, 4, 4), rand(24, 2, 3, 5, 4), rand(25, 2, 3, 5, 4),
        tolerance=(1e-4, 1e-5))


def pool(x):
    return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2).sum()


program("maxpool_gradient", jax.grad(pool), rand(26, 1, 6, 6, 2), grad=False)


def top(x):
    order = jnp.argsort(-x, axis=-1)[:, :3]
    values, places = lax.top_k(x, 2)
    return (jnp.take_along_axis(x, order, 1) * jnp.array([3.0, 2.0, 1.0])).sum(), order, values, places


program("sort_topk", top, rand(27, 3, 8))
program("sort_keys", lambda a, b: lax.sort((a, b, jnp.arange(12, dtype=jnp.int32)), num_keys=2),
        whole(28, 3, 12), rand(29, 12), grad=False, tolerance=(0, 0))
program("threefry_normal", lambda k: (jax.random.bits(k, (5,), np.uint32), jax.random.normal(k, (3, 4))),
        np.array([3, 14], np.uint32), grad=False)
program("segment_sum", lambda x, i: ((jax.ops.segment_sum(x, i, 4) ** 2).sum(), jax.ops.segment_max(x, i, 4)),
        rand(30, 9, 2), whole(31, 4, 9))
program("cumulative", lambda x: (jnp.cumsum(x, 1)[:, -2].sum(), lax.cummax(x), jnp.argmax(x, 1), jnp.argmin(x)),
        rand(32, 3, 6))
program("general_reduce", lambda x: lax.reduce(x, F(0), lambda a, b: jnp.abs(a) + 0.5 * jnp.abs(b), (1,)),
        rand(33, 2, 7), grad=False)
program("cond_switch", lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v * v, jnp.tanh], x).sum(),
        rand(34, 4), np.int32(2))
program("cholesky_solve", lambda a, b: jnp.linalg.cholesky(a @ a.T + 3 * jnp.eye(3)).sum()
        + jax.scipy.linalg.solve_triangular(jnp.tril(a) + 3 * jnp.eye(3), b, lower=True).sum(),
        rand(35, 3, 3), rand(36, 3, 2), tolerance=(1e-4, 1e-5))
program("window_any", lambda x: lax.reduce_window(x, False, lax.bitwise_or, (2,), (1,), ((0, 1),), (1,), (3,)),
        np.arange(7) % 3 == 0, grad=False, tolerance=(0, 0))


# ---- whole steps of training
def conv_step(w1, w2, w3, m1, m2, m3, x, y):
    """SGD with momentum: loss, parameters, momenta."""
    loss, g = jax.value_and_grad(conv_loss, (0, 1, 2))(w1, w2, w3, x, y)
    m = tuple(0.9 * a + d for a, d in zip((m1, m2, m3), g))
    return (loss,) + tuple(p - 0.05 * a for p, a in zip((w1, w2, w3), m)) + m


program("conv_step", conv_step, *conv[:3], *(0.1 * rand(40 + i, *w.shape) for i, w in enumerate(conv[:3])), *conv[3:],
        grad=False)


class Gpt:
    """Pre-norm blocks with biases, learned positions, gelu in its tanh form, an untied head, AdamW: the model of
    bench/native_gpt.c."""
    NAMES = ("ln1g", "ln1b", "qkvw", "qkvb", "projw", "projb", "ln2g", "ln2b", "fcw", "fcb", "outw", "outb")

    def __init__(self, layers, width, heads, tokens, words):
        self.layers, self.width, self.heads, self.tokens, self.words = layers, width, heads, tokens, words

    def parameters(self):
        d = self.width
        shapes = {"qkvw": (d, 3 * d), "projw": (d, d), "fcw": (d, 4 * d), "outw": (4 * d, d), "qkvb": (3 * d,),
                  "fcb": (4 * d,)}
        names = ["wte", "wpe"] + list(self.NAMES) * self.layers + ["lnfg", "lnfb", "headw"]
        shapes.update(wte=(self.words, d), wpe=(self.tokens, d), headw=(d, self.words))
        for i, name in enumerate(names):
            shape = shapes.get(name, (d,))
            scale = 0.02 if name in ("wte", "wpe") else shape[0] ** -0.5
            yield (scale * rand(100 + i, *shape) if len(shape) == 2
                   else 0.1 * rand(100 + i, *shape) + np.float32(name.endswith("g")))

    def forward(self, p, tokens):
        def norm(x, g, b):
            m = x.mean(-1, keepdims=True)
            v = ((x - m) ** 2).mean(-1, keepdims=True)
            return (x - m) * lax.rsqrt(v + 1e-5) * g + b
        n, t = tokens.shape
        d, heads = self.width, self.heads
        h = p[0][tokens] + p[1][:t]
        mask = jnp.tril(jnp.ones((t, t), bool))
        for k in range(self.layers):
            g1, b1, qw, qb, pw, pb, g2, b2, fw, fb, ow, ob = p[2 + 12 * k:2 + 12 * (k + 1)]
            qkv = (norm(h, g1, b1) @ qw + qb).reshape(n, t, 3, heads, d // heads)
            q, key, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
            s = q @ key.swapaxes(-1, -2) * np.float32((d // heads) ** -0.5)
            s = jax.nn.softmax(jnp.where(mask, s, np.float32(-np.inf)), axis=-1)
            h = h + (s @ v).transpose(0, 2, 1, 3).reshape(n, t, d) @ pw + pb
            h = h + jax.nn.gelu(norm(h, g2, b2) @ fw + fb, approximate=True) @ ow + ob
        return norm(h, p[-3], p[-2]) @ p[-1]

    def step(self, p, m, v, t, tokens, y):
        def loss(p):
            logp = jax.nn.log_softmax(self.forward(p, tokens))
            return -jnp.mean(jnp.take_along_axis(logp, y[..., None], axis=-1))
        value, g = jax.value_and_grad(loss)(p)
        t = t + 1
        m = [0.9 * a + 0.1 * d for a, d in zip(m, g)]
        v = [0.999 * a + 0.001 * d * d for a, d in zip(v, g)]
        c1, c2 = 1 - 0.9 ** t, 1 - 0.999 ** t
        p = [q - 1e-3 * ((a / c1) / (jnp.sqrt(b / c2) + 1e-8) + 0.01 * q) for q, a, b in zip(p, m, v)]
        return value, p, m, v, t


small = Gpt(1, 8, 2, 5, 11)
tree = list(small.parameters())
count = len(tree)


def gpt_step(*a):
    out = small.step(list(a[:count]), list(a[count:2 * count]), list(a[2 * count:3 * count]), *a[3 * count:])
    return (out[0], *out[1], *out[2], *out[3], out[4])


program("gpt_step", gpt_step, *tree, *(0.01 * rand(200 + i, *x.shape) for i, x in enumerate(tree)),
        *(0.01 * rand(300 + i, *x.shape) ** 2 for i, x in enumerate(tree)), np.float32(3), whole(37, 11, 2, 5),
        whole(38, 11, 2, 5), grad=False, tolerance=(1e-4, 1e-5))
if bench:
    large = Gpt(4, 128, 4, 128, 256)
    tree = [np.asarray(x) for x in large.parameters()]
    zeros = [np.zeros_like(x) for x in tree]
    step = jax.jit(large.step, keep_unused=True, donate_argnums=(0, 1, 2, 3))
    with open(wanted[0], "w", encoding="utf-8") as file:
        tokens = whole(1, 256, 8, 128)
        file.write(step.lower(tree, zeros, zeros, np.float32(0), tokens, tokens).as_text())

# ---- other ways to print: with locations, by jax.export
located = lambda x: jnp.sin(x).sum() + jax.nn.softmax(x)[0]
program("locations", located, rand(60, 5), text=jax.jit(located).lower(rand(60, 5)).as_text(debug_info=True))
program("exported", located, rand(60, 5),
        text=jax.export.export(jax.jit(located))(jax.ShapeDtypeStruct((5,), np.float32)).mlir_module())

# ---- scatters that are no kind of the IR's
program("scatter_apply", lambda x, i: x.at[i].apply(lambda v: jnp.sin(v) * v), rand(50, 5, 3),
        np.array([1, 4], np.int32), grad=False)
program("scatter_twice", lambda x, i: x.at[i].apply(lambda v: v * 0.5 + 1), rand(51, 4),
        np.array([2, 0, 2, 2], np.int32), grad=False)


def chosen(compare, combine, start):
    from jax._src.lax.windowed_reductions import _select_and_scatter
    return lambda x, s: _select_and_scatter(x, compare, (2, 3), (1, 2), ((1, 0), (0, 1)), s, F(start), combine)


ties = np.array([[1, 1, 0, 2, 2], [1, 0, 0, 2, 2], [3, 3, 3, 3, 0], [0, 3, 1, 1, 1]], np.float32)
program("select_last", chosen(lax.gt, lax.add, 0), ties, rand(52, 4, 2), grad=False)
program("select_least", chosen(lax.lt, lax.max, -0.25), ties, rand(53, 4, 2), grad=False)
program("select_own", chosen(lambda a, b: lax.ge(lax.abs(a - 1), lax.abs(b - 1)), lambda a, b: a * F(0.5) + b, 0.5),
        ties, rand(54, 4, 2), grad=False)
# Several arrays, batching dimensions, indices outside: a text written by hand, values by XLA.
program("scatter_several", None, rand(55, 2, 4, 3), whole(56, 9, 2, 4, 3), whole(57, 6, 5, 2, 1) - 1,
        rand(58, 2, 5, 2), whole(59, 99, 2, 5, 2), grad=False, tolerance=(0, 0),
        text=not bench and open(f"{folder}/scatter_several.mlir", encoding="utf-8").read())


# From here on FOLDER/../more: for this library's engines, not for those of others, which take less.
folder += "/../more"

# ---- regions of reductions that are no kind of the IR's: calls in them, operations without a word of their own
def chosen_pair(a, b):
    return jnp.where(a[0] > b[0], a[0], b[0]), jnp.where(a[0] > b[0], a[1], b[1])


program("reduce_calls", lambda x, i: lax.reduce((x, i), (F(-9), np.int32(0)), chosen_pair, (0,)), rand(61, 4, 5),
        whole(62, 9, 4, 5), grad=False)
program("reduce_bits", lambda i: (lax.reduce(i, np.int32(0), lax.bitwise_xor, (1,)),
                                  lax.reduce(i, np.int32(-1), lax.bitwise_and, (0,)),
                                  lax.reduce(i, np.int32(0), lax.bitwise_or, (0, 1))), whole(63, 99, 4, 5), grad=False)
program("dot_bool", lambda a, b: a @ b, whole(64, 4, 3, 4) == 0, whole(65, 4, 4, 5) == 0, grad=False)

# ---- many small things of one sort each
program("many_while", lambda x: (
    lax.while_loop(lambda c: (c[0] < 10) & (c[1] < 3), lambda c: (c[0] + 1, c[1] + x[c[0] % 5] ** 2), (0, F(0)))[1],
    lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 2, c[1] * 1.1), (0, x))[1],
    lax.while_loop(lambda c: c[0] > 0, lambda c: (c[0] - 1, c[1] * 1.1), (np.int32(7), x))[1],
    lax.while_loop(lambda c: c[0] <= 4, lambda c: (c[0] + 1, c[1] * 1.1), (0, x))[1],
    lax.while_loop(lambda c: c[0] < np.uint8(9), lambda c: (c[0] + np.uint8(1), c[1] * 1.1), (np.uint8(3), x))[1],
    lax.while_loop(lambda c: c[0] < c[1], lambda c: (c[0] + 1, c[1] - 1, c[2] * 1.1), (0, 9, x))[2],
    lax.fori_loop(0, 3, lambda i, c: lax.while_loop(lambda d: d[0] < i + 2, lambda d: (d[0] + 1, d[1] * 0.9),
                                                    (0, c))[1], x),
    jax.vmap(lambda a: lax.while_loop(lambda c: c < 5, lambda c: c * 1.5 + 1, a))(x)), rand(66, 5), grad=False)
program("many_branches", lambda x, i: (
    sum(jnp.sum(y) for y in (
        lax.switch(i[0], [jnp.sin, jnp.cos, jnp.tanh, lambda x: x * 2], x),
        jax.vmap(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x))(i, x),
        jax.vmap(lambda a: lax.cond(a > 0, jnp.sin, jnp.exp, a))(x),
        lax.cond(x[0] > 0, lambda x: lax.cond(x[1] > 0, jnp.sin, jnp.cos, x), lambda x: x * x, x))),),
        rand(67, 5), np.array([-7, 5, 1, 2, -1], np.int32))
program("many_scans", lambda x, w: (
    sum(jnp.sum(y) for y in (
        lax.scan(lambda c, a: (jnp.tanh(w @ c + a), c.sum()), jnp.zeros(3, F), x)[1],
        lax.scan(lambda c, a: (c * 0.5 + a, c), x[0], x, reverse=True, unroll=2)[1],
        lax.associative_scan(jnp.add, x), jnp.cumprod(x, 0), lax.cummax(x, 1), lax.cumlogsumexp(x, reverse=True))),),
        rand(68, 7, 3), rand(69, 3, 3))
INDEX = np.array([-6, 8, 0, 5, 2, -1, 3], np.int32)
program("many_gathers", lambda x, i: (
    sum(jnp.sum(jnp.where(jnp.isnan(y), 0, y) * jnp.cos(jnp.arange(y.size, dtype=F).reshape(y.shape))) for y in (
        jnp.take(x, i, axis=1, mode="clip"), jnp.take(x, i, axis=1, mode="fill"), jnp.take(x, i, axis=1, mode="wrap"),
        x[i % 3, :, -1], jnp.take_along_axis(x[0], i[None, :] % 5, 1), jax.vmap(lambda a, k: a[k])(x[0], i[:5]),
        lax.dynamic_slice(x, (i[0], i[1], i[2]), (2, 3, 2)))),), rand(70, 3, 5, 4), INDEX)
program("many_scatters", lambda x, i, u: (
    sum(jnp.sum(y * jnp.cos(jnp.arange(y.size, dtype=F).reshape(y.shape))) for y in (
        x.at[:, i].add(u), x.at[:, i].add(u, mode="clip"), x.at[:, i].min(u), x.at[:, i].max(u, mode="drop"),
        x.at[:, jnp.array([1, 3])].set(u[:, :2]), x.at[0, i].multiply(2.0),
        jax.ops.segment_sum(u.T, i, 5), jax.ops.segment_max(u.T[1:4], i[1:4], 5)[jnp.array([0])],
        jax.vmap(lambda a, k, v: a.at[k].add(v))(x, i[:4, None], u[:, :1]))),), rand(71, 4, 6), INDEX, rand(72, 4, 7))
program("many_windows", lambda x: (
    sum(jnp.sum(y * jnp.cos(jnp.arange(y.size, dtype=F).reshape(y.shape))) for y in (
        lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 2), "SAME"),
        lax.reduce_window(x, 0.0, lax.add, (3, 3), (1, 2), "VALID"),
        lax.reduce_window(x, jnp.inf, lax.min, (2, 2), (1, 1), ((1, 0), (0, 2))),
        lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 2), ((1, 1), (0, 1)), base_dilation=(2, 1),
                          window_dilation=(1, 2)))),), rand(73, 6, 7))
program("many_convolutions", lambda a, b, c: (
    sum(jnp.sum(y * jnp.cos(jnp.arange(y.size, dtype=F).reshape(y.shape))) for y in (
        lax.conv_general_dilated(a, b, (1, 2), ((1, 2), (0, 3)), (2, 1), (1, 2), feature_group_count=2),
        lax.conv_general_dilated(a, b, (1, 1), ((-1, 2), (1, -1)), feature_group_count=2),
        lax.conv_general_dilated(a, c, (2, 3), "SAME", batch_group_count=2),
        lax.conv_transpose(a, c, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"), transpose_kernel=True),
        lax.conv_general_dilated(a, c, (1, 1), "VALID", dimension_numbers=("NCHW", "OIHW", "NHWC")))),),
        rand(74, 2, 4, 5, 6), rand(75, 6, 2, 2, 3), rand(76, 4, 4, 3, 3), tolerance=(5e-5, 5e-5))
program("many_sorts", lambda a, b, f: (
    *lax.sort((a, f, b), num_keys=2), jnp.argsort(f), jnp.argsort(a, descending=True), *lax.top_k(f, 3), jnp.argmax(f),
    jnp.argmin(b), jnp.median(f), jnp.unique(a, size=3), jnp.searchsorted(jnp.sort(f), jnp.array([0, 1], F)),
    jnp.lexsort((b, a)), jnp.sort(a.astype(np.uint8)).astype(np.int32)), whole(77, 3, 9), whole(78, 3, 9),
        np.array([3, np.nan, -0., 0., -np.inf, 2, np.nan, 1, 1], np.float32), grad=False)
KEY = np.array([3, 7], np.uint32)
FOUR = np.array([3, 7, 1, 9], np.uint32)
program("many_random", lambda k, four: sum((
    (jax.random.uniform(key, (5,)), jax.random.normal(key, (5,)), jax.random.randint(key, (5,), -5, 50),
     jax.random.permutation(key, 7), jax.random.bits(key, (5,), dtype=jnp.uint8).astype(np.int32),
     jax.random.bits(key, (3,), dtype=jnp.uint16).astype(np.int32), jax.random.key_data(jax.random.split(key, 3)),
     jax.random.categorical(key, jnp.arange(5, dtype=F), shape=(9,)),
     jax.random.key_data(jax.random.fold_in(key, 7)))
    for key in (jax.random.wrap_key_data(k, impl="threefry2x32"), jax.random.wrap_key_data(four, impl="rbg"),
                jax.random.wrap_key_data(four, impl="unsafe_rbg"))), ()), KEY, FOUR, grad=False)
SPD = (lambda a: a @ a.T + 5 * np.eye(4, dtype=np.float32))(rand(79, 4, 4))
program("many_solves", lambda s, b: (
    sum(jnp.sum(y * jnp.cos(jnp.arange(y.size, dtype=F).reshape(y.shape))) for y in (
        *(lax.linalg.triangular_solve(s, b if left else b.T, lower=lower, transpose_a=turned, unit_diagonal=unit,
                                      left_side=left)
          for left in (False, True) for lower in (False, True) for turned in (False, True) for unit in (False, True)),
        jnp.linalg.cholesky(jnp.stack([s, 2 * s])), jax.scipy.linalg.cholesky(s, lower=False))),), SPD,
        rand(80, 4, 2) * 0.1, tolerance=(2e-3, 2e-3))


def whole_numbers(kind):
    a, b = whole(81, 120, 6).astype(kind), (whole(82, 110, 6) + 1).astype(kind)
    return lambda i: tuple(y.astype(np.int64 if y.dtype != bool else bool).astype(np.int32) for y in (
        a & b, a << (b & kind(3)), a >> (b & kind(3)), ~a, lax.population_count(a), lax.clz(a), a // b, a % b, a * b,
        -a, jnp.minimum(a, b), a > b, lax.div(a, b), lax.rem(a, b), jnp.sign(a), a + i.astype(kind)))


program("many_integers", lambda i: sum((whole_numbers(k)(i) for k in (np.int8, np.uint8, np.int16, np.uint16)), ()),
        whole(83, 9, 6), grad=False, tolerance=(0, 0))
program("many_small_floats", lambda x: (
    x.astype(jnp.float8_e4m3fn).astype(F), x.astype(jnp.float8_e5m2).astype(F), x.astype(jnp.float16).astype(F),
    x.astype(jnp.bfloat16).astype(F), jnp.round(x), lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.trunc(x),
    jnp.nextafter(x, -x), jnp.signbit(x), jnp.isinf(x), lax.bitcast_convert_type(x, np.int32),
    lax.bitcast_convert_type(lax.bitcast_convert_type(x, np.uint8), F), lax.reduce_precision(x, 5, 10)),
        np.array([1.5, 2.5, -0.5, 0.3, 100, -7e4, np.inf, 1e-3], np.float32), grad=False, tolerance=(0, 0))
program("many_functions", lambda x: (
    sum(jnp.sum(y * jnp.cos(jnp.arange(y.size, dtype=F))) for y in (
        lax.erf(x), lax.erfc(x), lax.erf_inv(x * 0.3), lax.digamma(jnp.abs(x) + 0.6), jnp.cbrt(jnp.abs(x) + 0.1),
        jnp.log1p(x * x), jnp.arcsinh(x), jnp.arctanh(x * 0.3), jnp.hypot(x, x[::-1]), jnp.arctan2(x, x[::-1]),
        jnp.logaddexp(x, x[::-1]), jnp.power(jnp.abs(x) + 0.1, x), lax.integer_pow(x, -2), jax.nn.gelu(x),
        jax.nn.softplus(x), jnp.sinc(x), jnp.nan_to_num(x), jnp.interp(x, jnp.arange(3, dtype=F), jnp.arange(3) ** 2),
        jax.scipy.special.i0e(x), jax.scipy.special.i1e(x))),), rand(84, 7), tolerance=(1e-4, 1e-4))
program("many_empty", lambda x: (
    jnp.sum(x[:0]) + jnp.sum(x), jnp.concatenate([x, x[:0]]), x[:0].max(initial=-1.0),
    jnp.zeros((3, 0), F) @ jnp.ones((0, 2), F), x.at[jnp.zeros(0, int)].add(x[:0]), jnp.sort(x[:0]), jnp.cumsum(x[:0]),
    lax.conv(x[:0].reshape(0, 1, 1, 1), jnp.ones((2, 1, 1, 1), F), (1, 1), "SAME"), x.sum()), rand(85, 4))

# ---- the generic form, with locations and without
generic_form = lambda x: x.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
generic_located = lambda x: re.sub(r'\("[^"]*/([^"/]+)"', r'("\1"', x.compiler_ir("stablehlo").operation.get_asm(
    print_generic_op_form=True, enable_debug_info=True))
local_located = lambda x: re.sub(r'\("[^"]*/([^"/]+)"', r'("\1"', x.compiler_ir("stablehlo").operation.get_asm(
    use_local_scope=True, enable_debug_info=True))


def mixed(x, i):
    return (jnp.sum(lax.scan(lambda c, a: (jnp.tanh(c + a), c.sum()), x[0], x)[1]), *lax.top_k(x, 2),
            x.at[i].add(1.0), x[i], jnp.argmax(x, 0), lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "SAME"),
            lax.switch(i[0], [jnp.sin, jnp.cos], x), lax.optimization_barrier(x))


program("generic_form", mixed, rand(86, 3, 4), np.array([0, 2], np.int32), shown=generic_form)
program("generic_located", mixed, rand(86, 3, 4), np.array([0, 2], np.int32), shown=generic_located)
program("local_located", mixed, rand(86, 3, 4), np.array([0, 2], np.int32),
        shown=lambda x: local_located(x).rstrip("\n") + "\n")
