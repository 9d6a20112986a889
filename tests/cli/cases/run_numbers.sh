# SPDX-License-Identifier: Apache-2.0
chaac run "$ROOT/tests/cli/cases/square.ir" --size n=3 1,2,3
chaac run "$ROOT/tests/cli/cases/square.ir" --size=n=2 x=-1.5,2e1 --json
chaac run "$ROOT/tests/cli/cases/square.ir" --size n=4 --pattern
