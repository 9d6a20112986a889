#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_jax - programs as JAX prints them, with inputs, results and gradients as JAX computes them.

usage: make_jax.py FOLDER [NAME...]      only those programs
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


def program(name, f, *inputs, grad=True, tolerance=(2e-5, 2e-6), text=None):
    if bench or (wanted and name not in wanted):
        return
    out = by_hand(text)(*inputs) if text else jax.jit(f)(*inputs)
    text = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', text or jax.jit(f).lower(*inputs).as_text())  # files of locations
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
