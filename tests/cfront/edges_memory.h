/* SPDX-License-Identifier: Apache-2.0 */
/* edges_memory.h - stands before the generated file, which asks for memory here and tells when there is none. */
#ifndef EDGES_MEMORY_H
#define EDGES_MEMORY_H
#include <stdlib.h>
void *edges_malloc(size_t n);
void *edges_calloc(size_t n, size_t size);
void *edges_realloc(void *old, size_t n);
void edges_free(void *p);
void edges_no_memory(size_t bytes);
#ifdef EDGES_GENERATED
#define malloc edges_malloc
#define calloc edges_calloc
#define realloc edges_realloc
#define free edges_free
#define CH_OOM(bytes) edges_no_memory(bytes)
#endif
#endif
