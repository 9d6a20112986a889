// SPDX-License-Identifier: Apache-2.0
// hlo_gpt.h - the part of bench_hlo that runs a program of JAX.
#ifndef CHAAC_HLO_GPT_H
#define CHAAC_HLO_GPT_H

int hlo_gpt(void); // 0, or 1 when something failed or the two programs do not agree

#endif
