# SPDX-License-Identifier: Apache-2.0
CHAAC_NUM_THREADS=1 chaac env
CHAAC_CHECK=1 chaac env --json
