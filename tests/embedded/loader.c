// SPDX-License-Identifier: Apache-2.0
// loader.c - opens a library of `chaac build --shared` by its one entry and runs what it holds: loader FILE.so.
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step.h" // for the table's types alone

int main(int argc, char **argv) {
    void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL, *symbol = NULL;
    const chaac_model_1 *(*entry)(void);
    if (lib != NULL) symbol = dlsym(lib, "chaac_model_1_of_library");
    if (symbol == NULL) return 1;
    memcpy(&entry, &symbol, sizeof entry);
    const chaac_model_1 *m = entry();
    void *in[32], *out[32], *arena = malloc((size_t)m->arena_bytes);
    if (arena == NULL || m->version != 1 || m->n_in > 32 || m->n_out > 32) return 1;
    printf("%s: %d in, %d out\n", m->name, m->n_in, m->n_out);
    for (int i = 0; i < m->n_in; i++) {
        const chaac_value_1 *v = &m->in[i];
        in[i] = calloc(1, (size_t)v->bytes);
        if (in[i] == NULL) return 1;
        for (int64_t k = 0; k < v->bytes / 4 && v->type[0] == 'f'; k++)
            ((float *)in[i])[k] = 0.01f * (float)(k % 7 + 1);
        printf("in %d %s %s %lld bytes, becomes %d\n", i, v->name, v->type, (long long)v->bytes, v->tied);
    }
    for (int i = 0; i < m->n_out; i++) out[i] = calloc(1, (size_t)m->out[i].bytes);
    float before[64];
    memcpy(before, in[2], sizeof before);
    int status = m->run(arena, in, out), again = m->run(NULL, in, out); // in the caller's memory, in its own
    printf("run: %d, out 0 %s, in 2 %s\n", status + again, isfinite(*(float *)out[0]) ? "finite" : "not finite",
           memcmp(before, in[2], sizeof before) != 0 ? "changed" : "as it was");
    return 0;
}
