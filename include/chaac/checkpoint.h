// SPDX-License-Identifier: Apache-2.0
// checkpoint.h - all that a computation goes on from, in one safetensors file.
//
// A checkpoint holds tensors, each in a part ("model", "optimizer", ...) under a name, and texts and whole numbers
// under keys. The file is a safetensors file like any other ("model/dense0.weight"; texts are its metadata) with the
// version of this form and a checksum of everything, which opening verifies. Saving writes beside, syncs and renames:
// whatever ends the program, the old file or the new one is there. Trainers save and load themselves: nn.h,
// ch_trainer_save.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_checkpoint *c = NULL;
//     ch_tensor *w = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}), *back = NULL;
//     int64_t step = 0;
//     if (ch_checkpoint_create(&c) != CH_OK || ch_checkpoint_put(c, "model", "w", w) != CH_OK ||
//         ch_checkpoint_put_i64(c, "step", 10) != CH_OK || ch_checkpoint_save(c, "run.safetensors") != CH_OK) return 1;
//     ch_checkpoint_close(c);
//     if (ch_checkpoint_open("run.safetensors", &c) != CH_OK ||
//         ch_checkpoint_match(c, "model", 1, (const char *[]){"w"}, &w) != CH_OK ||
//         ch_checkpoint_get(c, "model", "w", &back) != CH_OK ||
//         ch_checkpoint_get_i64(c, "step", &step) != CH_OK) return 1;
//     printf("step %d: ", (int)step);
//     ch_print(back, stdout);
//     ch_checkpoint_close(c);
//     ch_release(back);
//     remove("run.safetensors");
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_CHECKPOINT_H
#define CHAAC_CHECKPOINT_H

#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ch_checkpoint ch_checkpoint;

// ---- to be saved
CH_API CH_MUST_USE ch_status ch_checkpoint_create(ch_checkpoint **out_checkpoint);
// Realizes t and keeps it. A part has no slash; a name is put once.
CH_API CH_MUST_USE ch_status ch_checkpoint_put(ch_checkpoint *c, const char *part, const char *name, ch_tensor *t);
// A key is put once; keys that begin with "chaac." are the library's.
CH_API CH_MUST_USE ch_status ch_checkpoint_put_text(ch_checkpoint *c, const char *key, const char *value);
CH_API CH_MUST_USE ch_status ch_checkpoint_put_i64(ch_checkpoint *c, const char *key, int64_t value);
// Replaces the file, or leaves it as it was. What is equal is the same file, byte for byte. A program that is killed
// leaves the unfinished file beside ("PATH.PID-N.tmp").
CH_API CH_MUST_USE ch_status ch_checkpoint_save(const ch_checkpoint *c, const char *path);

// ---- that was saved
// Reads all of it once, for the checksum. Errors: file_format (no checkpoint, or damaged), newer_version.
CH_API CH_MUST_USE ch_status ch_checkpoint_open(const char *path, ch_checkpoint **out_checkpoint);
// Whether a part holds exactly the n names, each of its tensor's type; else no_param with all that is missing, is extra
// or has another type. Look before anything is replaced.
CH_API CH_MUST_USE ch_status ch_checkpoint_match(const ch_checkpoint *c, const char *part, int n,
                                                 const char *const *names, ch_tensor *const *like);
// A tensor of the caller's.
CH_API CH_MUST_USE ch_status ch_checkpoint_get(ch_checkpoint *c, const char *part, const char *name,
                                               ch_tensor **out_tensor);
CH_API const char *ch_checkpoint_text(const ch_checkpoint *c, const char *key); // NULL: none
CH_API CH_MUST_USE ch_status ch_checkpoint_get_i64(const ch_checkpoint *c, const char *key, int64_t *out_value);

// ---- both
CH_API void ch_checkpoint_close(ch_checkpoint *c); // NULL is fine
// Tensors in it, in order of their names: "part/name".
CH_API int ch_checkpoint_count(const ch_checkpoint *c);
CH_API const char *ch_checkpoint_name(const ch_checkpoint *c, int i); // NULL when i is out of range

#ifdef __cplusplus
}
#endif
#endif
