#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_layers - values and gradients of layers and losses by JAX in f64: tests/data/layers.safetensors.

Needs Python 3 with numpy, jax (CPU) and safetensors; imports nothing of the project. For each case: inputs in0, in1, ...,
results out0, ..., and for each floating input d0, ... the gradient of sum(seed * result) summed over the results, with
seeds seed0, ... The formulas here are JAX's own functions or written out from the papers, not the project's.
"""
import os

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from safetensors.numpy import save_file

OUT = {}
RNG = np.random.default_rng(20240517)


def rand(*shape, lo=-1.0, hi=1.0):
    """Numbers that are f32 numbers, so that f32 runs start from the same ones."""
    return RNG.uniform(lo, hi, shape).astype(np.float32).astype(np.float64)


def case(name, fn, *inputs):
    floats = [i for i, x in enumerate(inputs) if x.dtype == np.float64]

    def results(*x):
        r = fn(*x)
        return r if isinstance(r, tuple) else (r,)

    outs = results(*[jnp.asarray(x) for x in inputs])
    seeds = [np.asarray(rand(*o.shape)) for o in outs]

    def total(*x):
        return sum(jnp.sum(o * s) for o, s in zip(results(*x), seeds))

    grads = jax.grad(total, argnums=tuple(floats))(*[jnp.asarray(x) for x in inputs]) if floats else ()
    for i, x in enumerate(inputs):
        OUT[f"{name}.in{i}"] = np.array(x, order="C")
    for i, (o, s) in enumerate(zip(outs, seeds)):
        OUT[f"{name}.out{i}"] = np.array(o, np.float64, order="C")
        OUT[f"{name}.seed{i}"] = np.array(s, order="C")
    for i, g in zip(floats, grads):
        OUT[f"{name}.d{i}"] = np.array(g, np.float64, order="C")


def conv(x, w, b=None, stride=1, pad="VALID", dilation=1, groups=1, mode=None):
    n = x.ndim - 2
    if mode:
        x, pad = jnp.pad(x, [(0, 0), (0, 0)] + list(pad), mode=mode), "VALID"
    y = lax.conv_general_dilated(x, w, (stride,) * n, pad, rhs_dilation=(dilation,) * n, feature_group_count=groups,
                                 dimension_numbers=("NCH", "OIH", "NCH") if n == 1 else ("NCHW", "OIHW", "NCHW"))
    return y if b is None else y + b.reshape((1, -1) + (1,) * n)


def convs():
    x1, w1, b = rand(2, 4, 9), rand(6, 4, 3), rand(6)
    x2, w2 = rand(2, 4, 6, 7), rand(6, 4, 3, 2)
    case("conv1d", lambda x, w, b: conv(x, w, b), x1, w1, b)
    case("conv1d_same_stride", lambda x, w: conv(x, w, stride=2, pad="SAME"), x1, rand(6, 4, 4))
    case("conv1d_groups", lambda x, w: conv(x, w, stride=2, pad=[(1, 2)], dilation=2, groups=2), x1, rand(6, 2, 3))
    case("conv2d", lambda x, w, b: conv(x, w, b, pad=[(1, 1), (0, 2)]), x2, w2, b)
    case("conv2d_same", lambda x, w: conv(x, w, pad="SAME"), x2, w2)
    case("conv2d_depthwise", lambda x, w: conv(x, w, stride=2, pad="SAME", groups=4), x2, rand(4, 1, 3, 3))
    case("conv2d_circular", lambda x, w: conv(x, w, pad=[(2, 1), (1, 3)], mode="wrap"), x2, w2)
    case("conv2d_reflect", lambda x, w: conv(x, w, pad=[(2, 1), (1, 3)], mode="reflect"), x2, w2)
    case("conv2d_replicate", lambda x, w: conv(x, w, pad=[(2, 1), (1, 3)], mode="edge"), x2, w2)
    case("conv1d_reflect_same", lambda x, w: conv(x, w, pad=[(2, 2)], mode="reflect"), x1, rand(6, 4, 5))

    def transposed(x, w, stride, pad, dilation, groups, extra):
        """The adjoint of the convolution in its first argument."""
        k = [d * (s - 1) for d, s in zip(dilation, w.shape[2:])]
        size = [(n - 1) * s - p[0] - p[1] + r + e + 1 for n, s, p, r, e in zip(x.shape[2:], stride, pad, k, extra)]
        zero = jnp.zeros((x.shape[0], w.shape[1] * groups, *size))

        def forward(z):
            return lax.conv_general_dilated(z, w, stride, pad, rhs_dilation=dilation, feature_group_count=groups)

        return jax.vjp(forward, zero)[1](x)[0]

    case("conv_transpose", lambda x, w: transposed(x, w, (2,), [(1, 1)], (1,), 1, (1,)), rand(2, 4, 5), rand(4, 3, 3))
    case("conv_transpose_groups", lambda x, w, b: transposed(x, w, (2, 1), [(0, 1), (1, 0)], (1, 2), 2, (0, 0))
         + b.reshape(1, -1, 1, 1), rand(2, 4, 3, 4), rand(4, 3, 3, 2), rand(6))


def window(x, op, init, size, stride, pad, dilation=(1, 1)):
    return lax.reduce_window(x, init, op, (1, 1, *size), (1, 1, *stride), [(0, 0), (0, 0), *pad],
                             window_dilation=(1, 1, *dilation))


def pools():
    x = rand(2, 3, 7, 8)
    pad = [(1, 1), (0, 1)]
    case("pool_max", lambda x: window(x, lax.max, -jnp.inf, (3, 2), (2, 2), pad), x)
    case("pool_max_dilated", lambda x: jnp.stack([x[:, :, i:i + 5, j:j + 4:2] for i in (0, 2)
                                                for j in (0, 2, 4)]).max(0), x)
    case("pool_avg", lambda x: window(x, lax.add, 0.0, (3, 2), (2, 2), pad)
         / window(jnp.ones_like(x), lax.add, 0.0, (3, 2), (2, 2), pad), x)
    case("pool_avg_counted", lambda x: window(x, lax.add, 0.0, (3, 2), (2, 2), pad) / 6, x)

    def adaptive(x, sizes, op):
        rows = []
        for i in range(sizes[0]):
            a, b = i * 7 // sizes[0], -(-(i + 1) * 7 // sizes[0])
            row = []
            for j in range(sizes[1]):
                c, d = j * 8 // sizes[1], -(-(j + 1) * 8 // sizes[1])
                row.append(op(x[:, :, a:b, c:d], axis=(2, 3)))
            rows.append(jnp.stack(row, -1))
        return jnp.stack(rows, -2)

    case("adaptive_avg_pool", lambda x: adaptive(x, (3, 5), jnp.mean), x)
    case("adaptive_max_pool", lambda x: adaptive(x, (2, 3), jnp.max), x)
    case("global_avg_pool", lambda x: jnp.mean(x, (2, 3), keepdims=True), x)


def norms():
    x, g, b = rand(3, 4, 2, 3), rand(4), rand(4)
    m, v = rand(4), rand(4, lo=0.5, hi=2)

    def side(a):
        return a.reshape(1, -1, 1, 1)

    case("batch_norm", lambda x, g, b, m, v: (x - side(m)) / jnp.sqrt(side(v) + 1e-3) * side(g) + side(b), x, g, b, m, v)

    def train(x, g, b, m, v):
        mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
        y = (x - side(mean)) / jnp.sqrt(side(var) + 1e-3) * side(g) + side(b)
        return y, lax.stop_gradient(0.9 * m + 0.1 * mean), lax.stop_gradient(0.9 * v + 0.1 * x.var((0, 2, 3), ddof=1))

    case("batch_norm_train", train, x, g, b, m, v)

    def group(x, g, b):
        y = x.reshape(3, 2, 2, 2, 3)
        y = (y - y.mean((2, 3, 4), keepdims=True)) / jnp.sqrt(y.var((2, 3, 4), keepdims=True) + 1e-5)
        return y.reshape(x.shape) * side(g) + side(b)

    case("group_norm", group, x, g, b)
    ids = np.array([[1, 3, 0], [3, 3, 2]], np.int32)
    case("embedding", lambda t, i: t[i], rand(5, 4), ids)
    case("embedding_padding", lambda t, i: jnp.where((i == 3)[..., None], lax.stop_gradient(t[i]), t[i]), rand(5, 4), ids)


def recurrences():
    x, h0, c0 = rand(2, 5, 3), rand(2, 4), rand(2, 4)

    def gru(x, h, wi, wh, bi, bh):
        out = []
        for t in range(x.shape[1]):
            a, b = x[:, t] @ wi + bi, h @ wh + bh
            (ar, az, an), (br, bz, bn) = jnp.split(a, 3, -1), jnp.split(b, 3, -1)
            z = nn.sigmoid(az + bz)
            h = (1 - z) * jnp.tanh(an + nn.sigmoid(ar + br) * bn) + z * h
            out.append(h)
        return jnp.stack(out, 1), h

    def lstm(x, h, c, wi, wh, bi, bh):
        out = []
        for t in range(x.shape[1]):
            i, f, g, o = jnp.split(x[:, t] @ wi + bi + h @ wh + bh, 4, -1)
            c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
            h = nn.sigmoid(o) * jnp.tanh(c)
            out.append(h)
        return jnp.stack(out, 1), h, c

    w3 = rand(3, 12), rand(4, 12), rand(12), rand(12)
    w4 = rand(3, 16), rand(4, 16), rand(16), rand(16)
    case("gru", gru, x, h0, *w3)
    case("gru_plain", lambda x, wi, wh: gru(x, jnp.zeros((2, 4)), wi, wh, 0, 0), x, w3[0], w3[1])

    def back(x, h, wi, wh, bi, bh):
        y, last = gru(x[:, ::-1], h, wi, wh, bi, bh)
        return y[:, ::-1], last

    case("gru_backwards", back, x, h0, *w3)
    case("lstm", lstm, x, h0, c0, *w4)


def attend(q, k, v, keep=None, add=0.0, scale=None):
    rep = q.shape[1] // k.shape[1]
    k, v = jnp.repeat(k, rep, 1), jnp.repeat(v, rep, 1)
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (scale or q.shape[-1] ** -0.5) + add
    if keep is not None:
        s = jnp.where(keep, s, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(s, -1), v)


def turn(x, positions, base, interleaved):
    d = x.shape[-1]
    ang = np.asarray(positions, np.float64)[..., None] * base ** (-np.arange(0, d, 2) / d)
    while ang.ndim < x.ndim and ang.ndim > 2:
        ang = ang[:, None]
    z = (x[..., ::2] + 1j * x[..., 1::2] if interleaved else x[..., :d // 2] + 1j * x[..., d // 2:]) * np.exp(1j * ang)
    if interleaved:
        return jnp.stack([z.real, z.imag], -1).reshape(x.shape)
    return jnp.concatenate([z.real, z.imag], -1)


def rms(x, g, eps):
    return x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + eps) * g


def attentions():
    q, k, v = rand(2, 4, 3, 6), rand(2, 2, 5, 6), rand(2, 2, 5, 7)
    i, j = np.arange(3)[:, None] + 2, np.arange(5)
    case("attention", lambda q, k, v: attend(q, k, v), q, k, v)
    case("attention_causal", lambda q, k, v: attend(q, k, v, j <= i), q, k, v)
    case("attention_window", lambda q, k, v: attend(q, k, v, (j <= i) & (j > i - 2), scale=0.3), q, k, v)
    case("attention_bias", lambda q, k, v, m: attend(q, k, v, add=m), q, k, v, rand(4, 3, 5))
    keep = RNG.integers(0, 2, (2, 1, 3, 5)).astype(bool)
    keep[..., 0] = True
    case("attention_mask", lambda q, k, v, m: attend(q, k, v, m), q, k, v, keep)
    x, p1, p2 = rand(2, 3, 4, 6), np.array([0, 1, 5, 9], np.int32), np.array([[0, 1, 2, 3], [7, 8, 9, 20]], np.int64)
    case("rope", lambda x: turn(x, np.arange(4), 10000.0, False), x)
    case("rope_interleaved", lambda x, p: turn(x, p1, 100.0, True), x, p1)
    case("rope_batch", lambda x, p: turn(x, p2, 500.0, False), x, p2)

    def mha(x, wq, wk, wv, wo, bq, bk, bv, bo, qn, kn):
        def heads(y, n):
            return y.reshape(*y.shape[:2], n, -1).swapaxes(1, 2)
        q, k, v = heads(x @ wq + bq, 4), heads(x @ wk + bk, 2), heads(x @ wv + bv, 2)
        q, k = turn(rms(q, qn, 1e-6), np.arange(5), 100.0, False), turn(rms(k, kn, 1e-6), np.arange(5), 100.0, False)
        y = attend(q, k, v, np.tril(np.ones((5, 5), bool)))
        return y.swapaxes(1, 2).reshape(*x.shape[:2], -1) @ wo + bo

    case("multi_head_attention", mha, rand(2, 5, 6), rand(6, 16), rand(6, 8), rand(6, 8), rand(16, 6), rand(16), rand(8),
         rand(8), rand(6), rand(4), rand(4))

    def cross(x, y, wq, wk, wv, wo):
        def heads(z):
            return z.reshape(*z.shape[:2], 2, -1).swapaxes(1, 2)
        a = attend(heads(x @ wq), heads(y @ wk), heads(y @ wv))
        return a.swapaxes(1, 2).reshape(*x.shape[:2], -1) @ wo

    case("cross_attention", cross, rand(2, 3, 6), rand(2, 5, 4), rand(6, 8), rand(4, 8), rand(4, 8), rand(8, 6))
    case("swiglu_mlp", lambda x, g, u, d: (nn.silu(x @ g) * (x @ u)) @ d, rand(2, 3, 4), rand(4, 6), rand(4, 6), rand(6, 4))

    def llama(x, n1, n2, wq, wk, wv, wo, g, u, d):
        def heads(y, n):
            return y.reshape(*y.shape[:2], n, -1).swapaxes(1, 2)
        h = rms(x, n1, 1e-5)
        q, k = turn(heads(h @ wq, 2), np.arange(4), 100.0, False), turn(heads(h @ wk, 1), np.arange(4), 100.0, False)
        a = attend(q, k, heads(h @ wv, 1), np.tril(np.ones((4, 4), bool)))
        x = x + a.swapaxes(1, 2).reshape(*x.shape[:2], -1) @ wo
        h = rms(x, n2, 1e-5)
        return x + (nn.silu(h @ g) * (h @ u)) @ d

    case("block_llama", llama, rand(2, 4, 6), rand(6, lo=0.5), rand(6, lo=0.5), rand(6, 8), rand(6, 4), rand(6, 4),
         rand(8, 6), rand(6, 10), rand(6, 10), rand(10, 6))

    def gpt(x, n1, b1, n2, b2, wq, wk, wv, wo, u, bu, d, bd):
        def ln(y, g, b):
            return (y - y.mean(-1, keepdims=True)) / jnp.sqrt(y.var(-1, keepdims=True) + 1e-5) * g + b

        def heads(y):
            return y.reshape(*y.shape[:2], 2, -1).swapaxes(1, 2)
        h = ln(x, n1, b1)
        a = attend(heads(h @ wq), heads(h @ wk), heads(h @ wv), np.tril(np.ones((4, 4), bool)))
        x = x + a.swapaxes(1, 2).reshape(*x.shape[:2], -1) @ wo
        return x + nn.gelu(ln(x, n2, b2) @ u + bu, approximate=False) @ d + bd

    case("block_gpt", gpt, rand(2, 4, 6), rand(6), rand(6), rand(6), rand(6), rand(6, 8), rand(6, 8), rand(6, 8),
         rand(8, 6), rand(6, 10), rand(10), rand(10, 6), rand(6))


def losses():
    x, y = rand(3, 4, lo=-2, hi=2), np.array([1, 3, 0], np.int32)
    p = nn.softmax(rand(3, 4), -1)
    p = np.asarray(p).astype(np.float32).astype(np.float64)

    def ce(lp, y, eps=0.0):
        n = lp.shape[-1]
        target = nn.one_hot(y, n, dtype=jnp.float64) * (1 - eps) + eps / n
        return -(target * lp).sum(-1)

    case("cross_entropy_smooth", lambda x, y: ce(nn.log_softmax(x), y, 0.1).mean(), x, y)
    case("cross_entropy_ignore", lambda x, y: ce(nn.log_softmax(x), y, 0.2)[np.array([0, 2])].mean(), x, y)
    case("cross_entropy_none", lambda x, y: ce(nn.log_softmax(x), y) * (y != 3), x, y)
    case("nll", lambda x, y: ce(x, y).sum(), x, y)
    case("kl_divergence", lambda q, p: (p * (jnp.log(p) - q)).sum(-1).mean(), np.asarray(nn.log_softmax(rand(3, 4)))
         .astype(np.float32).astype(np.float64), p)
    a, b = rand(3, 4, lo=-2, hi=2), rand(3, 4, lo=-2, hi=2)
    case("squared_error", lambda a, b: ((a - b) ** 2).sum(), a, b)

    def huber(a, b):
        d = jnp.abs(a - b)
        return jnp.where(d <= 0.7, d * d / 2, 0.7 * (d - 0.35)).mean()

    case("huber", huber, a, b)
    t = rand(3, 4, lo=0, hi=1)
    case("bce", lambda p, t: -(t * jnp.log(p) + (1 - t) * jnp.log(1 - p)).mean(), rand(3, 4, lo=0.05, hi=0.95), t)
    case("bce_logits", lambda x, t: -(t * nn.log_sigmoid(x) + (1 - t) * nn.log_sigmoid(-x)), rand(3, 4, lo=-4, hi=4), t)


def main():
    for make in (convs, pools, norms, recurrences, attentions, losses):
        make()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.safetensors")
    save_file(OUT, path, {"made_by": "make_layers.py", "jax": jax.__version__, "numpy": np.__version__})
    print(len({k.split(".")[0] for k in OUT}), "cases,", os.path.getsize(path), "bytes")


main()
