// SPDX-License-Identifier: Apache-2.0
// print_c.c - a func as a C file: ch_func_print_c, ch_func_to_c.
//
// The func is cloned, composites are put in place, stop_gradient, barrier and shard, which compute nothing,
// go. The funcs it
// calls become static functions. The file is made in this order: functions, then what they asked for (helpers, tables,
// headers), so that nothing stands in it that is not used.
#include "cgen/emit.h"

// ---------------------------------------------------------------- before printing
typedef struct {
    ch__value **to;
} passing;

static void pass_on(void *arg, ch__op *op) {
    passing *p = arg;
    if (op->code != CH_OP_stop_gradient && op->code != CH_OP_barrier && op->code != CH_OP_shard) return;
    for (int i = 0; i < op->n_results; i++) p->to[op->results[i].id] = op->operands[i];
}

static void simplify(cg_file *file, ch_func *f) {
    ch__inline_composites(f);
    ch__dce(f);
    passing p = {CH_NEW_ARRAY(file->a, ch__value *, f->n_values)};
    ch__walk(f->body, pass_on, &p);
    ch__replace_uses(f, p.to);
    ch__renumber(f);
    bool native = file->native && f == file->root;
    if (native) ch__cg_pieces(file, f);
    if (native) ch__cg_ones(file, f);
    if (native) ch__cg_concats(file, f);
    if (native) ch__cg_vectors(file, f);
    ch__cg_straight(file, f);
    ch__cg_native_marks(file, f);
    if (!native) return;
    ch__cg_rescore(file, f);
    ch__cg_again(file, f);
}

// ---------------------------------------------------------------- headers
typedef struct {
    const char *header, *words;
} header_row;
static const header_row headers[] = {
    {"math.h", NULL}, // every name of libm, and these
    {"stdbool.h", " bool true false "},
    {"stdint.h", NULL}, // int64_t and its like
    {"assert.h", " assert "},
    {"stdio.h", " fprintf stderr "},
    {"stdlib.h", " malloc calloc realloc free abort size_t NULL "},
    {"string.h", " memcpy memset "},
};

static bool is_math(const cg_file *file, const char *padded, const char *s, size_t n) {
    static const char words[] = " INFINITY NAN isnan isinf isfinite signbit ";
    return strstr(words, padded) || ch__strmap_getn(&file->libm, s, n);
}

static void see_headers(const cg_file *file, const ch__text *t, bool *wanted) {
    char padded[48];
    ch__strmap seen; // each word is looked at once
    ch__strmap_init(&seen, file->a);
    for (const char *s = t->data ? t->data : ""; *s;) {
        if (s[0] == '/' && s[1] == '*') { // comments want nothing
            const char *e = strstr(s, "*/");
            s = e ? e + 2 : s + strlen(s);
            continue;
        }
        size_t n = 0;
        while (ch__cg_in_word(s[n])) n++;
        if (n == 0) {
            s++;
            continue;
        }
        if (n <= 40 && !ch__strmap_getn(&seen, s, n)) {
            padded[0] = ' ';
            memcpy(padded + 1, s, n);
            memcpy(padded + 1 + n, " ", 2);
            ch__strmap_put(&seen, ch__arena_strndup(file->a, s, n), padded);
            for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
                if (headers[i].words && strstr(headers[i].words, padded)) wanted[i] = true;
            if (is_math(file, padded, s, n)) wanted[0] = true;
            if ((n > 4 && s[n - 2] == '_' && s[n - 1] == 't' && strstr(padded, "int")) || strstr(padded, "_MAX ") ||
                strstr(padded, "_MIN ") || strstr(padded, "64_C ") || strstr(padded, "32_C "))
                wanted[2] = true;
        }
        s += n;
    }
}

// ---------------------------------------------------------------- the file
static void put_text(ch__text *t, const ch__text *from) {
    if (from->n) ch__putn(t, from->data, (size_t)from->n);
}

static void print_func(cg_file *file, ch_func *f, ch__c_function *out, const ch__c_interface *face) {
    file->root = f;
    file->nest = 0;
    for (ch_func *each = f->module->first; each; each = each->next) simplify(file, each);
    cg_fn *fn = ch__cg_fn_make(file, NULL, f, false); // its name comes before those of what it calls
    fn->face = face;
    ch__cg_fn_of(file, NULL, f);
    if (out) *out = (ch__c_function){fn->name, fn->fails, fn->by_value};
}

static void put_file(ch__text *t, cg_file *file, const char *name, const char *head, const ch__text *before,
                     const ch__text *tail) {
    bool wanted[sizeof headers / sizeof *headers] = {false};
    ch__text pieces;
    ch__text_init(&pieces, file->a);
    ch__cg_put_pieces(file, &pieces);
    see_headers(file, &pieces, wanted);
    see_headers(file, &file->functions, wanted);
    if (before) see_headers(file, before, wanted);
    if (tail) see_headers(file, tail, wanted);
    if (head) {
        ch__put(t, head);
    } else {
        ch__putf(t, "/* Printed by chaac from %s%s: C99, libc and libm, nothing else.\n", name ? "the func @" : "funcs",
                 name ? name : "");
        ch__put(t, " * Arrays are dense, row-major, and do not overlap the results.\n */\n");
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (wanted[i])
            ch__putf(t, "#include <%s>\n",
                     file->arena && strcmp(headers[i].header, "stdlib.h") == 0 ? "stddef.h" : headers[i].header);
    ch__cg_native_prelude(file, t);
    if (file->externs.n || file->prototypes.n) ch__putc(t, '\n');
    for (int64_t i = 0; i < file->externs.n; i++) ch__putf(t, "%s /* libm's, not in C99 */\n", file->externs.data[i]);
    put_text(t, &file->prototypes);
    ch__putc(t, '\n');
    if (before) put_text(t, before);
    put_text(t, &pieces);
    if (file->functions.n) ch__putn(t, file->functions.data, (size_t)file->functions.n - 1); // no empty line at the end
    if (tail && tail->n) {
        ch__putc(t, '\n');
        put_text(t, tail);
    }
}

static void print_all(ch__text *t, int n, const ch_func *const *funcs, ch__c_function *out, const ch__c_frame *frame,
                      ch__c_native *native) {
    ch__arena *a = ch__arena_create();
    cg_file *file = CH_NEW(a, cg_file);
    file->a = a;
    file->frame = frame;
    file->hidden = frame != NULL || native != NULL;
    ch__strmap *maps[] = {&file->reserved, &file->have, &file->libm};
    ch__text *texts[] = {&file->functions, &file->prototypes};
    for (int i = 0; i < 3; i++) ch__strmap_init(maps[i], file->a);
    for (int i = 0; i < 2; i++) ch__text_init(texts[i], file->a);
    ch__map_init(&file->table_of, file->a);
    ch__map_init(&file->fns, file->a);
    ch__cg_reserve(file);
    if (native) ch__cg_native_begin(file, native, t->arena);
    file->arena = frame ? frame->arena : NULL;
    static const char *const own[] = {"arena", "arena_take", "arena_give", "arena_more", "arena_heap"};
    for (int i = 0; i < 5 && file->arena; i++) ch__strmap_put(&file->reserved, own[i], file);
    ch_func **clones = CH_NEW_ARRAY(file->a, ch_func *, n);
    for (int i = 0; i < n && frame && frame->faces; i++)
        if (frame->faces[i]) ch__strmap_put(&file->reserved, funcs[i]->name, file);
    for (int i = 0; i < n; i++) {
        clones[i] = ch__func_clone(funcs[i]);
        print_func(file, clones[i], out ? &out[i] : NULL, frame && frame->faces ? frame->faces[i] : NULL);
        if (out) out[i].name = ch__arena_strdup(frame ? a : t->arena, out[i].name);
    }
    ch__text before, tail;
    ch__text_init(&before, a);
    ch__text_init(&tail, a);
    if (frame) frame->tail(frame->arg, &tail, out);
    if (frame && frame->before) frame->before(frame->arg, &before, file->functions.data ? file->functions.data : "");
    put_file(t, file, n == 1 ? funcs[0]->name : NULL, frame ? frame->head : NULL, frame ? &before : NULL,
             frame ? &tail : NULL);
    for (int i = 0; i < n; i++) ch__module_destroy(clones[i]->module);
    ch__arena_destroy(a);
}

void ch__print_c_all(ch__text *t, int n, const ch_func *const *funcs, ch__c_function *out) {
    print_all(t, n, funcs, out, NULL, NULL);
}

void ch__print_c_framed(ch__text *t, int n, const ch_func *const *funcs, const ch__c_frame *frame) {
    ch__arena *a = ch__arena_create();
    print_all(t, n, funcs, CH_NEW_ARRAY(a, ch__c_function, n + 1), frame, NULL);
    ch__arena_destroy(a);
}

void ch__print_native(ch__text *t, const ch_func *f, ch__c_native *out) {
    *out = (ch__c_native){.timed = out->timed, .data_arena = out->data_arena};
    print_all(t, 1, &f, &out->function, NULL, out);
}

void ch__print_c(ch__text *t, const ch_func *f) { ch__print_c_all(t, 1, &f, NULL); }

bool ch__c_name_is_taken(const char *name) {
    ch__arena *a = ch__arena_create();
    cg_file *file = CH_NEW(a, cg_file);
    file->a = a;
    ch__strmap_init(&file->reserved, a);
    ch__strmap_init(&file->have, a);
    ch__strmap_init(&file->libm, a);
    ch__cg_reserve(file);
    bool taken = ch__strmap_get(&file->reserved, name) != NULL;
    ch__arena_destroy(a);
    return taken;
}

static const char flags[] =
#define FLAG(text) text " "
#include "cgen/repro.def"
#undef FLAG
    ;

const char *ch__repro_flags(void) { return flags; }

// ---------------------------------------------------------------- for users
typedef struct {
    const ch_func *f;
    FILE *file;
    char *out;
    bool failed;
} print_job;

static void print_to_file(void *arg) {
    print_job *j = arg;
    ch__text t;
    ch__text_init_file(&t, j->file);
    ch__print_c(&t, j->f);
    j->failed = t.failed;
}

ch_status ch_func_print_c(const ch_func *f, FILE *file) {
    if (!f || !file) return ch__fail(CH__E_argument, "ch_func_print_c: %s is NULL", f ? "file" : "f");
    print_job j = {.f = f, .file = file};
    CH_TRY(ch__protect(print_to_file, &j));
    if (j.failed || ferror(file)) return ch__fail(CH__E_file, "ch_func_print_c: the file could not be written");
    return CH_OK;
}

static void print_to_text(void *arg) {
    print_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    ch__text t;
    ch__text_init(&t, scratch);
    ch__print_c(&t, j->f);
    j->out = ch__alloc((size_t)t.n + 1);
    if (j->out) memcpy(j->out, t.data, (size_t)t.n + 1);
    ch__arena_destroy(scratch);
}

ch_status ch_func_to_c(const ch_func *f, char **out_text) {
    if (!f || !out_text) return ch__fail(CH__E_argument, "ch_func_to_c: %s is NULL", f ? "out_text" : "f");
    print_job j = {.f = f};
    CH_TRY(ch__protect(print_to_text, &j));
    if (!j.out) return ch__fail_oom("ch_func_to_c");
    *out_text = j.out;
    return CH_OK;
}
