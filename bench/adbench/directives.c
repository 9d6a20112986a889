// SPDX-License-Identifier: Apache-2.0
// directives.c - what chaac grad is asked for.
#include "directives.h"
