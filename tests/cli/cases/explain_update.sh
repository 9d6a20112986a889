# SPDX-License-Identifier: Apache-2.0
# A training step: the updates of all parameters are one call.
chaac grad "$ROOT/examples/embedded/network.ir" --func=loss --wrt=w1,b1,w2,b2 > step.ir
cat "$ROOT/examples/embedded/update.ir" >> step.ir
chaac explain step.ir | sed -n '/  native:/,$p'
