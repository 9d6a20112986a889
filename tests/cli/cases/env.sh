# SPDX-License-Identifier: Apache-2.0
CHAAC_NUM_THREADS=1 chaac env
CHAAC_CHECK=1 chaac env --json
# What is not known is said once.
CHAAC_DEBUG=fold,optimise chaac run "$ROOT/tests/cli/cases/f.ir" --size n=1 1
