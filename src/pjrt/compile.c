// SPDX-License-Identifier: Apache-2.0
// compile.c - from StableHLO text to a program of the plugin, once for each text and options of a session.
//
// The first thread that asks for a text compiles it, others that ask meanwhile wait for it. A text that fails is not
// kept. Between processes programs are kept by disk_cache.c, when that is asked for. On CUDA compiles take turns: the
// measurements that its compiler makes have blocked each other.
#include "pjrt/pjrt.h"

#include <inttypes.h>
#include <string.h>

void ch__pjrt_program_free(ch_session *s, ch__pjrt_program *p) {
    if (p == NULL) return;
    if (p->executable != NULL) {
        pj_executable_destroy_args d = {PJ_ARGS(pj_executable_destroy_args), .executable = p->executable};
        ch__pjrt_quiet(s->plugin, PJ_EXECUTABLE_DESTROY, &d);
    }
    if (p->loaded != NULL) {
        pj_loaded_executable_destroy_args d = {PJ_ARGS(pj_loaded_executable_destroy_args), .executable = p->loaded};
        ch__pjrt_quiet(s->plugin, PJ_LOADED_EXECUTABLE_DESTROY, &d);
    }
    pthread_mutex_destroy(&p->running);
    while (p->keys != NULL) {
        ch__pjrt_key *k = p->keys;
        p->keys = k->next;
        ch__free(k);
    }
    ch__pjrt_signature_free(&p->sig);
    ch__free(p->text);
    ch__free(p->options);
    ch__free(p->in);
    ch__free(p->lists);
    ch__free(p->error);
    ch__free(p);
}

// ---------------------------------------------------------------- the table
static uint64_t compile_hash(const char *text, size_t n, const char *options, size_t options_n) {
    return ch__hash_bytes(options, options_n, ch__hash_bytes(text, n, 0));
}

static ch__pjrt_program *compile_find(ch_session *s, uint64_t hash, const char *text, size_t n, const char *options,
                                      size_t options_n) {
    ch__pjrt_program *p = s->table[hash % (uint64_t)s->n_table];
    for (; p != NULL; p = p->chain)
        if (p->hash == hash && p->text_n == n && p->options_n == options_n && memcmp(p->text, text, n) == 0 &&
            memcmp(p->options, options, options_n) == 0)
            return p;
    return NULL;
}

static void compile_grow(ch_session *s) {
    int n = s->n_table * 4;
    ch__pjrt_program **table = ch__calloc((size_t)n, sizeof *table);
    if (table == NULL) return; // chains get longer
    for (ch__pjrt_program *p = s->programs; p != NULL; p = p->next) {
        p->chain = table[p->hash % (uint64_t)n];
        table[p->hash % (uint64_t)n] = p;
    }
    ch__free(s->table);
    s->table = table;
    s->n_table = n;
}

static void compile_insert(ch_session *s, ch__pjrt_program *p) {
    if (s->n_programs >= s->n_table) compile_grow(s);
    p->next = s->programs;
    s->programs = p;
    p->chain = s->table[p->hash % (uint64_t)s->n_table];
    s->table[p->hash % (uint64_t)s->n_table] = p;
    s->n_programs++;
}

static void compile_remove(ch_session *s, ch__pjrt_program *p) {
    ch__pjrt_program **at = &s->programs, **chain = &s->table[p->hash % (uint64_t)s->n_table];
    while (*at != p) at = &(*at)->next;
    while (*chain != p) chain = &(*chain)->chain;
    *at = p->next;
    *chain = p->chain;
    s->n_programs--;
}

// ---------------------------------------------------------------- keys of the caller's
ch__pjrt_program *ch__pjrt_find_key(ch_session *s, const char *key) {
    uint64_t hash = ch__hash_str(key);
    pthread_mutex_lock(&s->lock);
    ch__pjrt_key *k = s->keys[hash % CH__PJRT_KEYS];
    while (k != NULL && (k->hash != hash || strcmp(k->text, key) != 0)) k = k->chain;
    pthread_mutex_unlock(&s->lock);
    if (k == NULL) return NULL;
    atomic_fetch_add_explicit(&s->hits, 1, memory_order_relaxed);
    return k->program;
}

static ch_status compile_give_key(ch_session *s, ch__pjrt_program *p, const char *key) {
    size_t n = strlen(key) + 1;
    ch__pjrt_key *made = ch__alloc(sizeof *made + n);
    if (made == NULL) return ch__fail_oom("a key");
    *made = (ch__pjrt_key){.hash = ch__hash_str(key), .program = p, .text = (char *)(made + 1)};
    memcpy(made + 1, key, n);
    pthread_mutex_lock(&s->lock);
    ch__pjrt_key **at = &s->keys[made->hash % CH__PJRT_KEYS], *k = *at;
    while (k != NULL && (k->hash != made->hash || strcmp(k->text, key) != 0)) k = k->chain;
    ch__pjrt_program *other = k == NULL ? p : k->program;
    if (k == NULL) {
        made->chain = *at;
        *at = made;
        made->next = p->keys;
        p->keys = made;
        made = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    ch__free(made);
    if (other == p) return CH_OK;
    return ch__fail(CH__E_argument, "session run: the key \"%s\" names another program, '%s' — a key for each program",
                    key, other->sig.name);
}

// ---------------------------------------------------------------- compile
static ch_status compile_by_plugin(ch_session *s, ch__pjrt_program *p) {
    pj_program program = {PJ_ARGS(pj_program), .code = p->text, .code_size = p->text_n, .format = "mlir",
                          .format_size = 4};
    pj_client_compile_args c = {PJ_ARGS(pj_client_compile_args), .client = s->client, .program = &program,
                                .compile_options = p->options, .compile_options_size = p->options_n};
    bool turns = s->target == CH_CUDA;
    if (turns) pthread_mutex_lock(&s->compiling);
    ch_status st = ch__ffi_explain(s->plugin, ch__pjrt_call(s->plugin, PJ_CLIENT_COMPILE, &c, "compile"));
    if (turns) pthread_mutex_unlock(&s->compiling);
    if (st != CH_OK) return st;
    p->loaded = c.executable;
    atomic_fetch_add(&s->compiles, 1);
    return CH_OK;
}

// p->loaded: from the disk, else compiled.
static ch_status compile_load(ch_session *s, ch__pjrt_program *p, const ch__sha256 *key, bool *keep) {
    double begin = ch__now();
    p->loaded = *keep ? ch__pjrt_disk_load(s, key) : NULL;
    if (p->loaded != NULL) *keep = false;
    ch_status st = p->loaded != NULL ? CH_OK : compile_by_plugin(s, p);
    p->seconds = ch__now() - begin;
    return st;
}

static ch_status compile_one_text(ch_session *s, ch__pjrt_program *p) {
    ch__sha256 key;
    bool keep = ch__pjrt_disk_key(s, p->text, p->text_n, p->options, p->options_n, &key);
    CH_TRY(compile_load(s, p, &key, &keep));
    pj_loaded_executable_get_executable_args g = {PJ_ARGS(pj_loaded_executable_get_executable_args),
                                                  .loaded_executable = p->loaded};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_LOADED_EXECUTABLE_GET_EXECUTABLE, &g, "compile"));
    p->executable = g.executable;
    if (keep) ch__pjrt_disk_keep(s, &key, p->executable);
    pj_executable_num_outputs_args o = {PJ_ARGS(pj_executable_num_outputs_args), .executable = p->executable};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_EXECUTABLE_NUM_OUTPUTS, &o, "compile"));
    if (o.num_outputs != (size_t)p->sig.n_out)
        return ch__fail(CH__E_device_failed, "compile: the plugin gives '%s' %zu results — its text has %d",
                        p->sig.name, o.num_outputs, p->sig.n_out);
    size_t in = (size_t)p->n_devices * (size_t)p->sig.n_in, out = (size_t)p->n_devices * (size_t)p->sig.n_out;
    p->in = ch__calloc(in + out + 1, sizeof *p->in);
    if (p->in == NULL) return ch__fail_oom("a program");
    p->out = p->in + in;
    p->lists = ch__calloc(3 * (size_t)p->n_devices, sizeof *p->lists);
    if (p->lists == NULL) return ch__fail_oom("a program");
    p->in_lists = (pj_buffer *const **)(void *)p->lists;
    p->out_lists = (pj_buffer ***)(void *)(p->lists + p->n_devices);
    p->events = (pj_event **)(void *)(p->lists + 2 * p->n_devices);
    return CH_OK;
}

// What the options of a call say, with the signature's counts where they say nothing. options_n 0: not made.
static ch_status compile_options(ch_session *s, const ch__pjrt_signature *sig, const ch_session_call *call,
                                 ch__pjrt_program *shape, char **out_options, size_t *out_n) {
    int r = call != NULL && call->n_replicas > 0 ? call->n_replicas : sig->n_replicas;
    int q = call != NULL && call->n_partitions > 0 ? call->n_partitions : sig->n_partitions;
    if ((int64_t)r * q > s->n_devices)
        return ch__fail(CH__E_argument,
                        "compile: '%s' runs on %" PRId64 " devices (%d replicas of %d partitions) — the session has %d",
                        sig->name, (int64_t)r * q, r, q, s->n_devices);
    shape->n_devices = r * q;
    shape->n_partitions = q;
    ch__pjrt_build b = {.n_replicas = r, .n_partitions = q, .device_ids = s->device_ids, .shardy = sig->shardy};
    if (call != NULL) b.n_flags = call->n_flags, b.flags = call->flags;
    return ch__pjrt_options(&b, out_options, out_n);
}

static ch__pjrt_program *compile_new(const char *text, size_t n) {
    ch__pjrt_program *p = ch__calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->text = ch__alloc(n + 1);
    if (p->text == NULL) {
        ch__free(p);
        return NULL;
    }
    memcpy(p->text, text, n);
    p->text[n] = '\0';
    p->text_n = n;
    pthread_mutex_init(&p->running, NULL);
    return p;
}

// Another thread compiles it: the session's lock is held.
static ch_status compile_wait(ch_session *s, ch__pjrt_program *p) {
    p->waiting++;
    while (p->state == CH__PJRT_COMPILING) pthread_cond_wait(&s->changed, &s->lock);
    bool last = --p->waiting == 0;
    if (p->state == CH__PJRT_READY) return CH_OK;
    ch_status st = p->error == NULL ? ch__fail_oom("a program") : ch__error_publish(p->error);
    if (last) ch__pjrt_program_free(s, p);
    return st;
}

static ch_status compile_first(ch_session *s, ch__pjrt_program *p) {
    ch_status st = compile_one_text(s, p);
    ch__error_copy *error = st == CH_OK ? NULL : ch__alloc(sizeof *error);
    if (error != NULL) ch__error_save(error);
    pthread_mutex_lock(&s->lock);
    p->error = error;
    p->state = st == CH_OK ? CH__PJRT_READY : CH__PJRT_FAILED;
    p->order = st == CH_OK ? ++s->n_compiled : 0;
    if (st != CH_OK) compile_remove(s, p);
    bool mine = st != CH_OK && p->waiting == 0;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (mine) ch__pjrt_program_free(s, p);
    return st;
}

// A compiler that meets an array of 2^40 numbers may end the process, so that none with more than 2^38 reaches it.
static ch_status compile_check_sizes(const char *text) {
    for (const char *t = text; (t = strstr(t, "tensor<")) != NULL;) {
        const char *type = t;
        double n = 1;
        for (t += 7; *t >= '0' && *t <= '9'; t++) {
            double d = 0;
            for (; *t >= '0' && *t <= '9'; t++) d = 10 * d + (*t - '0');
            if (*t != 'x') break;
            n *= d;
        }
        if (n > 0x1p38)
            return ch__fail(CH__E_limit,
                            "compile: %.*s at byte %lld is an array of more than 2^38 numbers — no device holds it",
                            (int)strcspn(type, " ,>\n") + 1, type, (long long)(type - text));
    }
    return CH_OK;
}

static void compile_say_precision(ch_session *s, const char *text) {
    if (ch_session_computes_in(s, CH_F64) == CH_F64) return;
    if (strstr(text, "xf64>") == NULL && strstr(text, "tensor<f64>") == NULL) return;
    if (!atomic_exchange(&s->f64_is_f32, true))
        ch__log(2, "session: f64 is computed in f32 on %s — docs/precision.md", ch_target_name(s->target));
}

static ch_status compile_get(ch_session *s, const char *text, size_t n, const ch_session_call *call,
                             ch__pjrt_program **out_program) {
    ch__pjrt_signature sig;
    char *options = NULL;
    size_t options_n = 0;
    ch__pjrt_program shape = {.n_devices = 1};
    CH_TRY(compile_check_sizes(text));
    compile_say_precision(s, text);
    CH_TRY(ch__pjrt_signature_read(text, n, &sig));
    ch_status st = compile_options(s, &sig, call, &shape, &options, &options_n);
    ch__pjrt_program *made = st == CH_OK ? compile_new(text, n) : NULL;
    if (st == CH_OK && made == NULL) st = ch__fail_oom("a program");
    if (st != CH_OK) {
        ch__pjrt_signature_free(&sig);
        ch__free(options);
        return st;
    }
    made->sig = sig;
    made->n_devices = shape.n_devices;
    made->n_partitions = shape.n_partitions;
    made->options = options;
    made->options_n = options_n;
    made->hash = compile_hash(text, n, options, options_n);
    pthread_mutex_lock(&s->lock);
    ch__pjrt_program *p = compile_find(s, made->hash, text, n, options, options_n);
    if (p == NULL) compile_insert(s, made);
    st = p == NULL ? CH_OK : compile_wait(s, p);
    pthread_mutex_unlock(&s->lock);
    if (p == NULL) {
        CH_TRY(compile_first(s, made));
        *out_program = made;
        return CH_OK;
    }
    ch__pjrt_program_free(s, made);
    if (st == CH_OK) atomic_fetch_add_explicit(&s->hits, 1, memory_order_relaxed);
    *out_program = p;
    return st;
}

// The text of a call without options is looked up by itself first: nothing is read of it then.
static ch__pjrt_program *compile_known(ch_session *s, const char *text, size_t n) {
    uint64_t hash = ch__hash_bytes(text, n, 1);
    pthread_mutex_lock(&s->lock);
    ch__pjrt_program *p = s->plain[hash % CH__PJRT_KEYS];
    while (p != NULL && (p->plain_hash != hash || p->text_n != n || memcmp(p->text, text, n) != 0)) p = p->plain_chain;
    pthread_mutex_unlock(&s->lock);
    return p;
}

static void compile_make_known(ch_session *s, ch__pjrt_program *p) {
    uint64_t hash = ch__hash_bytes(p->text, p->text_n, 1);
    pthread_mutex_lock(&s->lock);
    if (!p->is_plain) {
        p->is_plain = true;
        p->plain_hash = hash;
        p->plain_chain = s->plain[hash % CH__PJRT_KEYS];
        s->plain[hash % CH__PJRT_KEYS] = p;
    }
    pthread_mutex_unlock(&s->lock);
}

static ch_status compile_kept(ch_session *s, const char *text, size_t n, const ch_session_call *call,
                              ch__pjrt_program **out_program) {
    bool plain = call == NULL || (call->n_flags == 0 && call->n_replicas == 0 && call->n_partitions == 0);
    ch__pjrt_program *p = plain ? compile_known(s, text, n) : NULL;
    if (p != NULL) {
        atomic_fetch_add_explicit(&s->hits, 1, memory_order_relaxed);
    } else {
        CH_TRY(compile_get(s, text, n, call, &p));
        if (plain) compile_make_known(s, p);
    }
    if (call != NULL && call->key != NULL) CH_TRY(compile_give_key(s, p, call->key));
    *out_program = p;
    return CH_OK;
}

// The text that the device takes is the key.
ch_status ch__pjrt_compile(ch_session *s, const char *text, size_t n, const ch_session_call *call,
                           ch__pjrt_program **out_program) {
    char *own = NULL;
    size_t own_n = 0;
    if (s->target == CH_TPU || s->target == CH_METAL) CH_TRY(ch__pjrt_rewrite(text, n, &own, &own_n));
    ch_status st = compile_kept(s, own == NULL ? text : own, own == NULL ? n : own_n, call, out_program);
    ch__free(own);
    return st;
}
