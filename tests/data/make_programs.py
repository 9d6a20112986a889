#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_programs - prints tests/data/programs.txt: gradients that JAX gives for the programs of tests/cli/cases.

usage: make_programs

Needs jax (f64, CPU). Inputs follow the rule of number(), in C the one of tests/unit/test_diff_programs.c. A line is the
name of a gradient, how many of its elements follow (each step-th), the step, and the elements.
"""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def number(shape, seed, lo, hi):
    """Element k of an input: where k (2654435761 + seed) lies in a cycle of 1,000,003."""
    k = np.arange(int(np.prod(shape)), dtype=np.int64)
    return jnp.asarray(lo + (hi - lo) * ((k * (2654435761 + seed) + seed) % 1000003) / 1000003.0).reshape(shape)


def lstm(x, w, v):
    def cell(state, row):
        s, c = state
        g = jnp.tensordot(w, row, 1) + jnp.tensordot(v, s, 1)
        i, f, o = jax.nn.sigmoid(g[0]), jax.nn.sigmoid(g[1]), jax.nn.sigmoid(g[2])
        c = f * c + i * jnp.tanh(g[3])
        s = o * jnp.tanh(c)
        return (s, c), None
    h = jnp.zeros(v.shape[1])
    return jax.lax.scan(cell, (h, h), x)[0][0]


def heat(u, k, steps=1000):
    def step(u, _):
        left = jnp.concatenate([jnp.zeros(1), u[:-1]])
        right = jnp.concatenate([u[1:], jnp.zeros(1)])
        return u + k * u * ((left + right) - (u + u)), None
    return jax.lax.scan(step, u, None, steps)[0]


def factor(m):
    """The lower factor in the lower triangle, m itself above."""
    n = m.shape[0]
    low = jnp.tril(m)
    full = low + jnp.tril(m, -1).T
    return jnp.where(jnp.tril(jnp.ones((n, n))) > 0, jnp.linalg.cholesky(full), m)


def show(name, g, step):
    e = np.asarray(g).reshape(-1)[::step]
    print(name, len(e), step, *("%.17g" % x for x in e))


def main():
    print("# made by make_programs.py with jax " + jax.__version__)
    x, w, v = number((100, 4), 1, -1, 1), number((4, 8, 4), 2, -0.7, 0.7), number((4, 8, 8), 3, -0.5, 0.5)
    bar = number((8,), 4, -1, 1)
    y, back = jax.vjp(lstm, x, w, v)
    show("lstm", y, 1)
    for name, g in zip(("lstm_x", "lstm_w", "lstm_v"), back(bar)):
        show(name, g, 3 if name != "lstm_x" else 7)
    u, k, bar = number((256,), 5, 0.2, 0.9), number((256,), 6, 0.1, 0.3), number((256,), 7, -1, 1)
    y, back = jax.vjp(heat, u, k)
    show("heat", y, 9)
    for name, g in zip(("heat_u0", "heat_k"), back(bar)):
        show(name, g, 5)
    a = number((16, 16), 8, -1, 1)
    m = a @ a.T + 4 * jnp.eye(16)
    bar = number((16, 16), 9, -1, 1)
    y, back = jax.vjp(factor, m)
    show("cholesky", y, 5)
    show("cholesky_m", back(bar)[0], 3)


if __name__ == "__main__":
    main()
