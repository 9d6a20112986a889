/* SPDX-License-Identifier: Apache-2.0 */
/* directives.c - what chaac grad reads. */
#include "directives.h"
