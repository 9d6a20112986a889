# SPDX-License-Identifier: Apache-2.0
chaac ir --c "$ROOT/tests/cli/cases/square.ir"
chaac ir --c --func=loops "$ROOT/tests/cli/cases/loops.ir"
chaac ir --c --after=fold "$ROOT/tests/cli/cases/rule.ir" | sed '1,/^{/d'
