# SPDX-License-Identifier: Apache-2.0
chaac run "$ROOT/tests/cli/cases/square.ir" --size n=3 1,2,3 --out=results
chaac grad "$ROOT/tests/cli/cases/square.ir" --mode=gradient > g.ir
chaac run g.ir --size n=1 7 --out results
chaac run "$ROOT/tests/cli/cases/square.ir" @results/x_bar.npy
