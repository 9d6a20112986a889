// SPDX-License-Identifier: Apache-2.0
// scope.c - scopes: who releases the results of operations.
//
// Each thread has one stack of tensors and one of marks into it. Ending a scope releases what stands above its mark,
// newest first. A realized tensor that somebody kept loses its expression then, so that a loop which keeps its state
// does not keep its history.

#include "tensor/tensor.h"

#include <pthread.h>
#include <stdlib.h>

enum { ROOT_WARNING = 100000 };

typedef struct {
    int64_t begin;
    uint64_t token;
} mark;

typedef struct {
    ch_tensor **items;
    int64_t n, cap;
    mark *marks;
    int64_t n_marks, cap_marks;
    uint64_t next_token;
    bool registered, warned;
} scopes;

static _Thread_local scopes mine;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static bool have_key;

static void end_all(void);

// Traces that were begun and never ended go first: they hold placeholders.
static void process_exit(void) {
    while (ch__trace_current() != NULL) ch__trace_drop(ch__trace_current());
    end_all();
}

static void thread_exit(void *arg) {
    (void)arg;
    process_exit();
}

static void make_key(void) {
    have_key = pthread_key_create(&at_exit, thread_exit) == 0;
    atexit(process_exit);
}

static void register_thread(void) {
    pthread_once(&once, make_key);
    if (have_key) pthread_setspecific(at_exit, &mine);
    mine.registered = true;
}

void ch__thread_register(void) {
    if (!mine.registered) register_thread();
}

static bool grow(void **data, int64_t n, int64_t *cap, size_t elem) {
    if (n < *cap) return true;
    int64_t want = *cap < 64 ? 64 : *cap * 2;
    void *p = ch__realloc(*data, (size_t)want * elem);
    if (p == NULL) return false;
    *data = p;
    *cap = want;
    return true;
}

bool ch__scope_add(ch_tensor *t) {
    ch__thread_register();
    void *items = mine.items;
    if (!grow(&items, mine.n, &mine.cap, sizeof(ch_tensor *))) return false;
    mine.items = items;
    mine.items[mine.n++] = t;
    t->noted = mine.n_marks == 0 ? UINT64_MAX : mine.marks[mine.n_marks - 1].token;
    if (mine.n_marks == 0 && mine.n == ROOT_WARNING && !mine.warned) {
        mine.warned = true;
        ch__log(2,
                "tensor: the root scope of this thread holds %d tensors — put ch_scope_begin and ch_scope_end around "
                "the body of the loop that makes them",
                ROOT_WARNING);
    }
    return true;
}

bool ch__scope_note(ch_tensor *t) {
    uint64_t token = mine.n_marks == 0 ? UINT64_MAX : mine.marks[mine.n_marks - 1].token;
    if (t->noted == token) return true;
    if (!ch__scope_add(t)) return false;
    ch_keep(t);
    return true;
}

// A realized tensor that somebody kept becomes plain data; a view is remembered to be one (to assign through), as long
// as somebody has what it is a view of.
static bool forget_history(ch_tensor *t) {
    if (t->storage == NULL || (t->kind != CH__T_OP && t->kind != CH__T_RESULT && t->kind != CH__T_VERSION))
        return false;
    ch_tensor *base = ch__view_base(t);
    if (base != NULL) ch_keep(base);
    ch__tensor_drop_expression(t);
    t->view_of = base;
    return base != NULL;
}

static bool is_pending(const ch_tensor *t) { return t->kind == CH__T_VERSION && t->storage == NULL; }

// Newest first. Views that were kept, and pending assignments, wait for the end, when it can be seen who has what they
// are views of, or them: a pending assignment to a tensor that somebody has stays with the scope around.
static void release_from(int64_t begin, bool root) {
    enum { AHEAD = 6 }; // nodes that memory fetches meanwhile
    int64_t later = mine.n, all = mine.n;
    while (mine.n > begin) {
        if (mine.n - begin > AHEAD) ch__tensor_fetch(mine.items[mine.n - 1 - AHEAD]);
        ch_tensor *t = mine.items[--mine.n];
        if (ch__tensor_refs(t) > 1 && (is_pending(t) || forget_history(t)))
            mine.items[--later] = t; // above what is still to be looked at
        else
            ch__tensor_release(t);
    }
    for (int64_t i = later; i < all; i++) {
        ch_tensor *t = mine.items[i], *base = t->view_of;
        if (is_pending(t) && !root && ch__tensor_refs(t) - ch__tensor_operands(t) > 1) {
            t->noted = mine.n_marks == 0 ? UINT64_MAX : mine.marks[mine.n_marks - 1].token;
            mine.items[mine.n++] = t;
            continue;
        }
        if (t->kind == CH__T_DATA && base != NULL && ch__tensor_refs(base) == 1 && ch__view_base(base) == NULL)
            ch__tensor_drop_expression(t);
        ch__tensor_release(t);
    }
}

ch_scope ch_scope_begin(void) {
    void *marks = mine.marks;
    if (!grow(&marks, mine.n_marks, &mine.cap_marks, sizeof(mark))) {
        ch__fail_oom("a scope");
        return (ch_scope){0};
    }
    mine.marks = marks;
    mine.marks[mine.n_marks++] = (mark){mine.n, ++mine.next_token};
    return (ch_scope){mine.next_token};
}

ch_status ch_scope_end(ch_scope s) {
    if (s.token == 0) return ch__fail_oom("the scope that ch_scope_begin could not open");
    int64_t at = mine.n_marks - 1;
    while (at >= 0 && mine.marks[at].token != s.token) at--;
    if (at < 0)
        return ch__fail(CH__E_scope,
                        "scope_end: scope %" PRIu64 " is not open on this thread — it was ended before, or begun "
                        "on another thread",
                        s.token);
    if (at != mine.n_marks - 1)
        return ch__fail(CH__E_scope,
                        "scope_end: scope %" PRIu64 " holds %" PRId64 " scopes that are still open — end the "
                        "innermost first",
                        s.token, mine.n_marks - 1 - at);
    int64_t begin = mine.marks[at].begin;
    mine.n_marks = at;
    release_from(begin, false);
    return CH_OK;
}

int64_t ch__scope_held(ch_scope s, ch_tensor *const **out_items) {
    int64_t at = mine.n_marks - 1;
    while (at >= 0 && mine.marks[at].token != s.token) at--;
    if (at < 0) return 0;
    *out_items = mine.items + mine.marks[at].begin;
    return mine.n - mine.marks[at].begin;
}

// Also ends the scopes that were begun inside it and left open.
void ch__scope_unwind(ch_scope s) {
    int64_t at = mine.n_marks - 1;
    while (at >= 0 && mine.marks[at].token != s.token) at--;
    if (at < 0) return;
    int64_t begin = mine.marks[at].begin;
    mine.n_marks = at;
    release_from(begin, false);
}

static void end_all(void) {
    mine.n_marks = 0;
    release_from(0, true);
    ch__free(mine.items);
    ch__free(mine.marks);
    uint64_t token = mine.next_token;
    mine = (scopes){.next_token = token};
    ch__quarantine_clear();
    ch__pool_thread_end();
}

// A function that is being captured still needs what the scopes hold: nothing ends then.
void ch_thread_end(void) {
    if (ch__trace_current() == NULL) end_all();
}
