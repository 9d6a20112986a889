#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pjrt_add.py - bench_pjrt's sum of f32[4] by jax.jit: N. Prints the microseconds of the fastest of many calls, each
awaited, on arrays that are committed to the device."""
import sys
import time

import jax
import numpy as np

n = int(sys.argv[1])
device = jax.devices("cpu")[0]
arrays = [jax.device_put(np.arange(1, 5, dtype=np.float32), device) for _ in range(n)]
call = jax.jit(lambda *a: sum(a[1:], a[0]))
for _ in range(100):
    call(*arrays).block_until_ready()
best = 1e9
for _ in range(400):
    begin = time.perf_counter()
    for _ in range(50):
        call(*arrays).block_until_ready()
    best = min(best, time.perf_counter() - begin)
print(f"{1e6 * best / 50:.4g}")
