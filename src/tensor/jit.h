// SPDX-License-Identifier: Apache-2.0
// jit.h - the jit inside: one run of a function, the program it becomes, and what hooks of other files tell it.
#ifndef CHAAC_JIT_INTERNAL_H
#define CHAAC_JIT_INTERNAL_H

#include <pthread.h>

#include "chaac/jit.h"
#include "tensor/tensor.h"

struct ch_var {
    atomic_int refs;
    int64_t lo, hi;
    char name[];
};

// ---------------------------------------------------------------- jit_body.c: one run of the function
// A tensor from outside (or an input) that the function assigned: what it was, so that it can be put back.
typedef struct {
    ch_tensor *handle; // kept
    ch__storage *storage;
    ch_tensor *view_of; // kept
    int64_t offset, *strides;
    int input; // a placeholder: which input; else -1
    uint8_t had_expression;
} ch__jit_assigned;
// A key drawn from a random source: at a replay the source is asked again, in the same order.
typedef struct {
    ch_rng *rng;
    uint64_t before[2]; // its state when the call began
    bool first;         // the first draw from that source in this call
} ch__jit_draw;

typedef enum { CH__JIT_EAGER, CH__JIT_RECORD } ch__jit_mode;
typedef struct ch__jit_body {
    ch_jit *jit;
    ch__jit_mode mode;
    int paused, quiet;
    uint64_t first_serial;  // tensors made before come from outside
    ch__trace_state *trace; // RECORD
    int n_in, n_vars;
    const ch_bind *vars;
    // Heap memory, because hooks are called outside of ch__protect.
    CH_VEC(ch__jit_assigned) assigned;
    CH_VEC(ch_tensor *) realized; // RECORD: asked to be realized; kept
    CH_VEC(ch__jit_draw) draws;
    ch__arena *arena; // of the map
    ch__map made;     // tensor -> its number in the order of making
    int64_t n_made;
    uint64_t hash;
    ch__error_copy *error; // the first error of the jit itself inside the function
} ch__jit_body;
ch__jit_body *ch__jit_current(void); // of this thread, or NULL
// The one that is recording now, and not paused, on this thread; NULL: none.
ch__jit_body *ch__jit_recording(void);
// Runs the function. The body is current until ch__jit_body_end.
ch_status ch__jit_body_run(ch__jit_body *b, ch_tensor *const *in, ch_tensor **out);
void ch__jit_put_back(ch__jit_body *b); // assigned tensors are what they were; sources of keys too
void ch__jit_body_end(ch__jit_body *b); // forgets what they were
// An error of the jit: "jit 'NAME' call N: ...".
ch_status ch__jit_fail(const ch_jit *j, ch__err id, const char *fmt, ...) CH_PRINTF(3, 4);
bool ch__jit_is_error(ch__err id);                      // one of the rows jit_*, or what is passed on as it is
ch_status ch__jit_prefix(const ch_jit *j, ch_status s); // puts the beginning before the current sentence

// ---------------------------------------------------------------- hooks, called by other files of the folder
ch_status ch__jit_note_assign(int n, ch_tensor *const *handles); // before they are assigned
bool ch__jit_may_assign(void);                                   // to what lies outside of the trace that is on
void ch__jit_note_node(const ch_tensor *t);                      // a node was made
bool ch__jit_defer(int n, ch_tensor *const *t, ch_status *s);    // realizing waits for the program; *s: out of memory
ch_status ch__jit_refuse_read(const char *what);                 // CH_OK when nothing is being recorded
// Draws a key from r while the function is recorded (*key: a placeholder); false: draw as usual.
bool ch__jit_key(const char *where, ch_rng *r, ch_tensor **key);
void ch__rng_next(ch_rng *r, uint32_t out[2]); // rng.c: the words of the next key
int ch__jit_quiet(int by); // while positive, nodes are not compared (they hold what differs by right)

// ---------------------------------------------------------------- jit_program.c: what a recorded body becomes
typedef enum { CH__JIT_NEW, CH__JIT_HANDLE, CH__JIT_SAME } ch__jit_out_kind;
typedef struct {
    ch__jit_out_kind kind;
    int at; // NEW: result of the program; HANDLE: which handle of `returned`; SAME: the output it is another one of
} ch__jit_out;
// A tensor that the program writes: a handle from outside or input `input`.
typedef struct {
    ch_tensor *handle; // kept, or NULL: an input
    int input;
    int param; // that has its old value, or -1
} ch__jit_state;

typedef struct ch__jit_program {
    ch_exec *exec;
    int n_in, n_vars, n_draws, n_captured; // params in this order
    int n_new, n_states;                   // results in this order
    ch_tensor **captured;                  // kept
    bool *captured_written;                // it is a state's old value
    ch__jit_draw *draws;                   // in the order they were drawn
    ch__jit_state *states;
    ch__jit_out *outs;
    ch_tensor **returned; // handles that outs speak of; kept
    int n_returned;
    ch__limits limits;   // of its runs
    bool fixed;          // result types do not depend on variables
    ch__slot *slots;     // params, then results; dims of fixed ones filled in
    ch__storage **made;  // for each result, during a call
    ch__storage **spare; // for each new result memory to use again, or NULL
    ch_tensor **fresh;   // for each output a new tensor, during a call
    ch_tensor **stable;  // stable outputs: the tensors of call 2; kept
    ch__change *changes; // for each state, during a call
    uint32_t *key_words; // two for each draw
} ch__jit_program;
// The program of a recorded body that gave out. Afterwards assigned tensors are what they were.
ch_status ch__jit_program_make(ch__jit_body *b, ch_tensor *const *out, ch__jit_program **program);
// For jit_file.c: tables for what p counts; the rest once they are filled.
ch_status ch__jit_program_allocate(ch__jit_program *p, int n_captured, int n_results);
ch_status ch__jit_program_allocate_outs(ch__jit_program *p, int n_out);
ch_status ch__jit_program_finish(const struct ch_jit *j, ch__jit_program *p, const ch_func *f);
void ch__jit_program_free(ch__jit_program *p, int n_out);

// ---------------------------------------------------------------- jit.c
typedef struct {
    ch_dtype dtype;
    int8_t rank;
    bool plain; // row-major
    int64_t offset, dims[CH__MAX_RANK], strides[CH__MAX_RANK];
} ch__jit_layout;
struct ch_jit {
    pthread_mutex_t lock;
    _Atomic(const void *) runner; // the thread that is inside, by the address of something of its own
    ch_jit_fn fn;
    void *user;
    int n_out;
    char *name;
    char engine[16];             // "": native where there is a compiler
    struct ch__jit_sizes *sizes; // of a signature with symbolic sizes, or NULL
    bool stable, loaded;
    ch_jit_mode mode;
    int64_t calls; // that succeeded, since creation or reset
    int n_in, n_vars;
    ch__jit_layout *layouts;
    const ch_var **vars; // retained
    uint64_t hash;       // of call 1
    ch__jit_program *program;
};

ch_status ch__jit_not_inside(const ch_jit *j, const char *what); // refused inside its own function

// ---------------------------------------------------------------- jit_sizes.c: signatures with symbolic sizes
typedef struct ch__jit_sizes ch__jit_sizes;
void ch__jit_sizes_free(ch__jit_sizes *s); // NULL is fine
const char *ch__jit_sizes_text(const ch__jit_sizes *s);
// Do inputs (with values) and the names of variables go with it?
ch_status ch__jit_sizes_check(const ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars);
ch_status ch__jit_choose(ch_jit *j, const char *what); // refused when there is a program

// ---------------------------------------------------------------- jit_replay.c
// Runs the program on realized inputs; out as in ch_jit_call.
ch_status ch__jit_replay(ch_jit *j, ch_tensor *const *in, const ch_bind *vars, ch_tensor **out);
// Whether inputs lie apart from each other and from what the function reads from outside.
ch_status ch__jit_check_apart(const ch_jit *j, int n_in, ch_tensor *const *in);

#endif
