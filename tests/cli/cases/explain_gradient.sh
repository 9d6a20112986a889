# SPDX-License-Identifier: Apache-2.0
# The kernels of a network's gradient, and why each stands alone.
chaac grad "$ROOT/examples/embedded/network.ir" --func=loss --wrt=w1,b1,w2,b2 > g.ir
chaac explain g.ir | sed -n '/  native:/,$p'
