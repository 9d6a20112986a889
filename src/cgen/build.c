// SPDX-License-Identifier: Apache-2.0
// build.c - a func as a C file and a header to be built into other programs: ch_func_build.
//
// Sizes are given, so every array has its place in one arena whose bytes are a macro; nothing is allocated, read,
// written or locked. The numbers are those of ch_func_print_c, the interpreter's. What only asks for memory while it
// runs (tapes of loops, arrays of computed sizes) gets it from a heap behind the planned arrays: as large as tapes of
// known length need, or as the caller says. A table describes params and results, so that a program that knows nothing
// of the func can call it (docs/embedding.md).
#include "cgen/cgen.h"

#include <string.h>

#include "chaac/version.h"

typedef struct {
    const ch_func *given;
    const ch_build_options *options;
    char *source, *header;
    ch__arena *a;
    ch_func *f;
    const char *name, *upper;
    const char **in, **out; // what params and results are called in C; of a tied result NULL
    ch__c_arena arena;
    ch__c_function body;
    int64_t heap;
} model_build;

// ---------------------------------------------------------------- names
// Letters, digits and _; what C or the file means by the name gets a trailing _, what is taken a number.
static const char *name_in_c(model_build *b, const char *want, int n, const char *const *taken) {
    char *s = ch__arena_strdup(b->a, want);
    for (char *c = s; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", *c)) *c = '_';
    const char *name = *s == '\0' || (*s >= '0' && *s <= '9') || *s == '_' ? ch__arena_printf(b->a, "v%s", s) : s;
    while (ch__c_name_is_taken(name)) name = ch__arena_printf(b->a, "%s_", name);
    const char *base = name;
    bool again = true;
    for (int k = 1; again; k++) {
        again = strcmp(name, "arena") == 0 || strcmp(name, b->name != NULL ? b->name : "") == 0;
        for (int i = 0; i < n; i++) again = again || (taken[i] != NULL && strcmp(taken[i], name) == 0);
        if (again) name = ch__arena_printf(b->a, "%s_%d", base, k);
    }
    return name;
}

static bool is_tied_result(const ch_func *f, int result) {
    for (int i = 0; f->inout != NULL && i < f->body->n_params; i++)
        if (f->inout[i] == result) return true;
    return false;
}

static bool is_tied_param(const ch_func *f, int i) { return f->inout != NULL && f->inout[i] >= 0; }

static void choose_names(model_build *b) {
    const ch__region *r = b->f->body;
    int n_in = r->n_params, n_out = r->n_results;
    const char **all = CH_NEW_ARRAY(b->a, const char *, n_in + n_out + 1);
    for (int i = 0; i < n_in; i++) all[i] = name_in_c(b, r->params[i]->name, i, all);
    for (int i = 0; i < n_out; i++) {
        const char *own = b->f->result_names != NULL ? b->f->result_names[i] : NULL;
        if (is_tied_result(b->f, i)) continue;
        all[n_in + i] = name_in_c(b, own != NULL ? own : "out", n_in + i, all);
    }
    b->in = all;
    b->out = all + n_in;
}

// ---------------------------------------------------------------- options
static int find_name(int n, const char *const *names, const char *want) {
    for (int i = 0; i < n; i++)
        if (names[i] != NULL && strcmp(names[i], want) == 0) return i;
    return -1;
}

static void tie_model(model_build *b, const char *param, const char *result) {
    ch__region *r = b->f->body;
    ch__arena *a = b->f->module->arena;
    const char **names = CH_NEW_ARRAY(b->a, const char *, r->n_params + 1);
    for (int i = 0; i < r->n_params; i++) names[i] = r->params[i]->name;
    int i = find_name(r->n_params, names, param);
    int k = b->f->result_names == NULL ? -1 : find_name(r->n_results, b->f->result_names, result);
    if (i < 0 || k < 0)
        ch__raise(CH__E_unknown_name, "build: %s=%s: @%s has no %s of that name", param, result, b->given->name,
                  i < 0 ? "param" : "result");
    if (!ch__type_same_shape(r->params[i]->type, r->results[k]->type) ||
        r->params[i]->type->dtype != r->results[k]->type->dtype)
        ch__raise(CH__E_shape_mismatch, "build: %s=%s: %s and %s — what is updated in place keeps its type", param,
                  result, ch__type_text(b->a, r->params[i]->type), ch__type_text(b->a, r->results[k]->type));
    if (b->f->inout == NULL) {
        b->f->inout = CH_NEW_ARRAY(a, int32_t, r->n_params + 1);
        for (int p = 0; p < r->n_params; p++) b->f->inout[p] = -1;
    }
    if (is_tied_result(b->f, k) || b->f->inout[i] >= 0)
        ch__raise(CH__E_duplicate_name, "build: %s=%s: one of them is updated in place already", param, result);
    b->f->inout[i] = k;
}

static void check_model(model_build *b) {
    const ch__region *r = b->f->body;
    for (int i = 0; i < r->n_results; i++) {
        if (r->results[i]->type->tape)
            ch__raise(CH__E_unsupported, "build: result %d of @%s is a tape — only numbers and arrays can be given", i,
                      b->given->name);
        if (!ch__type_is_static(r->results[i]->type))
            ch__raise(CH__E_unsupported,
                      "build: the size of result %d of @%s is computed while it runs (%s) — no room can be planned", i,
                      b->given->name, ch__type_text(b->a, r->results[i]->type));
    }
    for (int i = 0; i < r->n_params; i++)
        if (r->params[i]->type->tape)
            ch__raise(CH__E_unsupported, "build: param %s of @%s is a tape", r->params[i]->name, b->given->name);
}

// ---------------------------------------------------------------- parameters as C
static void put_prototype(model_build *b, ch__text *t, const char *before, const char *name, bool arena) {
    const ch__region *r = b->f->body;
    int64_t column = t->n, n = 0, indent;
    ch__putf(t, "%s%s(", before, name);
    indent = t->n - column;
    for (int k = arena ? -1 : 0; k < r->n_params + r->n_results; k++) {
        const char *s = "void *arena";
        const ch__type *type = k < 0 ? NULL : k < r->n_params ? r->params[k]->type : r->results[k - r->n_params]->type;
        if (k >= r->n_params && b->out[k - r->n_params] == NULL) continue;
        if (k >= r->n_params)
            s = ch__arena_printf(b->a, "%s *%s", ch__cg_ctype(type->dtype), b->out[k - r->n_params]);
        else if (k >= 0)
            s = ch__arena_printf(b->a, "%s%s %s%s", type->rank > 0 && !is_tied_param(b->f, k) ? "const " : "",
                                 ch__cg_ctype(type->dtype), type->rank > 0 || is_tied_param(b->f, k) ? "*" : "",
                                 b->in[k]);
        if (n++ > 0) ch__put(t, ",");
        if (n > 1 && t->n - column + (int64_t)strlen(s) > 110) {
            ch__putc(t, '\n');
            column = t->n;
            for (int64_t i = 0; i < indent && i < 60; i++) ch__putc(t, ' ');
        } else if (n > 1) {
            ch__putc(t, ' ');
        }
        ch__put(t, s);
    }
    ch__put(t, n == 0 ? "void)" : ")");
}

// The call of the printed function, which takes the arena, the params, and results that are not its value.
static void put_body_call(model_build *b, ch__text *t, const char *arena) {
    const ch__region *r = b->f->body;
    ch__put(t, "    ");
    if (b->body.by_value) ch__putf(t, "*%s = ", b->out[0]);
    if (b->body.fails) ch__put(t, "return ");
    ch__putf(t, "%s(%s", b->body.name, arena);
    for (int i = 0; i < r->n_params; i++) ch__putf(t, ", %s", b->in[i]);
    for (int i = 0; i < r->n_results && !b->body.by_value; i++)
        if (b->out[i] != NULL) ch__putf(t, ", %s", b->out[i]);
    ch__put(t, ");\n");
    if (!b->body.fails) ch__put(t, "    return 0;\n");
}

static int64_t model_bytes(const ch__type *t) {
    int64_t n = (int64_t)ch_dtype_size(t->dtype);
    for (int i = 0; i < t->rank; i++)
        if (!ch__mul_i64(n, t->dims[i].val, &n))
            ch__raise(CH__E_dim_overflow, "build: an array does not fit in memory");
    return n;
}

// ---------------------------------------------------------------- the table
static const char table_types[] =
    "/* What a func takes and gives, for programs that do not know it: the same of every file made so. */\n"
    "#ifndef CHAAC_MODEL_1\n#define CHAAC_MODEL_1\n"
    "typedef struct chaac_value_1 {\n"
    "    const char *name, *type; /* \"x\", \"f32[8,64]\" */\n"
    "    int64_t bytes;\n"
    "    int rank, tied; /* tied: of an input, the result that takes its place; -1: none */\n"
    "    const int64_t *dims;\n"
    "} chaac_value_1;\n"
    "typedef struct chaac_model_1 {\n"
    "    int version, n_in, n_out; /* version: 1 */\n"
    "    const char *name;\n"
    "    const chaac_value_1 *in, *out;\n"
    "    int64_t arena_bytes;\n"
    "    /* arena NULL: the file's own. in[i] is read, and written when it is tied; out[i] of a tied result is not "
    "read. */\n"
    "    int (*run)(void *arena, void *const *in, void *const *out);\n"
    "} chaac_model_1;\n#endif\n";

static void put_values(model_build *b, ch__text *t, const char *what, int n, ch__value *const *values, bool params) {
    if (n == 0) return;
    for (int i = 0; i < n; i++) {
        const ch__type *type = values[i]->type;
        if (type->rank == 0) continue;
        ch__putf(t, "static const int64_t %s_%s_dims_%d[] = {", b->name, what, i);
        for (int k = 0; k < type->rank; k++) ch__putf(t, "%s%" PRId64, k > 0 ? ", " : "", type->dims[k].val);
        ch__put(t, "};\n");
    }
    ch__putf(t, "static const chaac_value_1 %s_%s[] = {\n", b->name, what);
    for (int i = 0; i < n; i++) {
        const ch__type *type = values[i]->type;
        const char *own = params ? values[i]->name : b->f->result_names != NULL ? b->f->result_names[i] : NULL;
        ch__putf(t, "    {\"%s\", \"%s\", %" PRId64 ", %d, %d, ", own != NULL ? own : "", ch__type_text(b->a, type),
                 model_bytes(type), type->rank, params && is_tied_param(b->f, i) ? (int)b->f->inout[i] : -1);
        if (type->rank > 0)
            ch__putf(t, "%s_%s_dims_%d},\n", b->name, what, i);
        else
            ch__put(t, "0},\n");
    }
    ch__put(t, "};\n");
}

static void put_table(model_build *b, ch__text *t) {
    const ch__region *r = b->f->body;
    ch__putf(t,
             "\n/* By position: what the table calls. */\n"
             "static int %s_by_position(void *arena, void *const *in, void *const *out)\n{\n",
             b->name);
    if (r->n_params == 0) ch__put(t, "    (void)in;\n");
    bool reads_out = false;
    for (int i = 0; i < r->n_results; i++) reads_out = reads_out || b->out[i] != NULL;
    if (!reads_out) ch__put(t, "    (void)out;\n");
    ch__putf(t, "    if (arena == 0) arena = %s_arena.bytes;\n    return %s_in(arena", b->name, b->name);
    for (int i = 0; i < r->n_params; i++) {
        const ch__type *type = r->params[i]->type;
        if (type->rank > 0 || is_tied_param(b->f, i))
            ch__putf(t, ", in[%d]", i);
        else
            ch__putf(t, ", *(const %s *)in[%d]", ch__cg_ctype(type->dtype), i);
    }
    for (int i = 0; i < r->n_results; i++)
        if (b->out[i] != NULL) ch__putf(t, ", out[%d]", i);
    ch__put(t, ");\n}\n\n");
    put_values(b, t, "takes", r->n_params, r->params, true);
    put_values(b, t, "gives", r->n_results, r->results, false);
    ch__putf(t, "const chaac_model_1 %s_model = {1, %d, %d, \"%s\", ", b->name, r->n_params, r->n_results, b->name);
    ch__putf(t, r->n_params > 0 ? "%s_takes, " : "0, ", b->name);
    ch__putf(t, r->n_results > 0 ? "%s_gives, " : "0, ", b->name);
    ch__putf(t, "%s_ARENA_BYTES, %s_by_position};\n", b->upper, b->name);
    ch__putf(t,
             "\n#ifdef CHAAC_SHARED /* the one name that a shared library made so shows beside its functions */\n"
             "const chaac_model_1 *chaac_model_1_of_library(void);\n"
             "const chaac_model_1 *chaac_model_1_of_library(void)\n{\n    return &%s_model;\n}\n#endif\n",
             b->name);
}

// ---------------------------------------------------------------- the C file
// First fit: a block is a word with its size in words, negative when it is in use, then its bytes. Neighbours that are
// free are joined on the way.
static const char heap_text[] = "/* The heap behind the planned arrays: blocks of a size in words, negative when it is "
                                "taken, and that many words. */\n"
                                "static int64_t *arena_heap;\n\n"
                                "static void *arena_take(size_t bytes)\n{\n"
                                "    int64_t *p = arena_heap;\n"
                                "    const size_t words = bytes / 8 + (bytes % 8 != 0) + (bytes == 0);\n"
                                "    while (*p != 0) {\n"
                                "        if (*p < 0) {\n            p += 1 - *p;\n            continue;\n        }\n"
                                "        while (p[1 + *p] > 0) *p += 1 + p[1 + *p]; /* the next is free too */\n"
                                "        if ((size_t)*p >= words) {\n"
                                "            const int64_t rest = *p - (int64_t)words;\n"
                                "            if (rest > 1) p[1 + words] = rest - 1;\n"
                                "            *p = rest > 1 ? -(int64_t)words : -*p;\n"
                                "            return p + 1;\n"
                                "        }\n"
                                "        p += 1 + *p;\n"
                                "    }\n"
                                "    return 0;\n}\n\n"
                                "static void arena_give(void *block)\n{\n"
                                "    int64_t *p = block;\n"
                                "    if (p != 0) p[-1] = -p[-1];\n}\n\n";
static const char heap_more[] = "static void *arena_more(void *block, size_t bytes)\n{\n"
                                "    int64_t *from = block, *to = arena_take(bytes), i;\n"
                                "    if (to == 0 || from == 0) return to;\n"
                                "    for (i = 0; i < -from[-1] && i < -to[-1]; i++) to[i] = from[i];\n"
                                "    arena_give(from);\n"
                                "    return to;\n}\n\n";

static void put_before(void *arg, ch__text *t, const char *functions) {
    model_build *b = arg;
    int64_t least = b->arena.heap > 0 ? b->arena.heap + 16 : 0;
    b->heap = b->options->heap_bytes > least ? b->options->heap_bytes / 8 * 8 : least;
    if (!b->arena.asks) b->heap = 0;
    if (b->arena.unbounded != NULL && b->options->heap_bytes == 0)
        ch__raise(CH__E_unsupported,
                  "build: %s takes memory whose size nobody knows before it runs — give it a heap (--heap=BYTES)",
                  b->arena.unbounded);
    if (b->heap > 0) {
        ch__put(t, heap_text);
        if (strstr(functions, "room_in_") != NULL) ch__put(t, heap_more); // tape.c
    }
}

static void put_functions(void *arg, ch__text *t, const ch__c_function *functions) {
    model_build *b = arg;
    b->body = functions[0];
    ch__putf(t,
             "/* 8 bytes at least, so that there is an array. */\n"
             "static union {\n    double number;\n    int64_t integer;\n"
             "    unsigned char bytes[%s_ARENA_BYTES > 0 ? %s_ARENA_BYTES : 8];\n} %s_arena;\n\n",
             b->upper, b->upper, b->name);
    put_prototype(b, t, "int ", ch__arena_printf(b->a, "%s_in", b->name), true);
    ch__put(t, "\n{\n");
    if (b->arena.asks) {
        ch__putf(t, "    arena_heap = (int64_t *)(void *)((unsigned char *)arena + %" PRId64 ");\n", b->arena.bytes);
        ch__putf(t, "    arena_heap[0] = (%s_ARENA_BYTES - %" PRId64 ") / 8 - 2;\n", b->upper, b->arena.bytes);
        ch__put(t, "    arena_heap[1 + arena_heap[0]] = 0; /* the end */\n");
    }
    put_body_call(b, t, "arena");
    ch__put(t, "}\n\n");
    put_prototype(b, t, "int ", b->name, false);
    ch__putf(t, "\n{\n    return %s_in(%s_arena.bytes", b->name, b->name);
    for (int i = 0; i < b->f->body->n_params; i++) ch__putf(t, ", %s", b->in[i]);
    for (int i = 0; i < b->f->body->n_results; i++)
        if (b->out[i] != NULL) ch__putf(t, ", %s", b->out[i]);
    ch__put(t, ");\n}\n");
    put_table(b, t);
}

// ---------------------------------------------------------------- the header
static void put_where(model_build *b, ch__text *t, const char *file) {
    ch__putf(t, "/* %s.%s - made by chaac %s from the func @%s", b->name, file, CHAAC_VERSION, b->given->name);
    const ch__loc *loc = b->given->loc;
    if (loc != NULL && loc->file != NULL && strstr(loc->file, "*/") == NULL) {
        const char *slash = strrchr(loc->file, '/');
        ch__putf(t, " of %s:%d", slash != NULL ? slash + 1 : loc->file, loc->line);
    }
    for (int i = 0; i < b->options->n_sizes; i++)
        ch__putf(t, "%s%s = %" PRId64, i == 0 ? ", " : ", ", b->options->size_names[i], b->options->sizes[i]);
    ch__put(t, ".\n");
}

static void put_line_of(model_build *b, ch__text *t, const char *name, const ch__type *type, const char *more) {
    ch__putf(t, " *   %-12s %s%s\n", name, ch__type_text(b->a, type), more);
}

static void put_header(model_build *b, ch__text *t) {
    const ch__region *r = b->f->body;
    bool boolean = false;
    for (int i = 0; i < r->n_params; i++) boolean = boolean || r->params[i]->type->dtype == CH_BOOL;
    for (int i = 0; i < r->n_results; i++) boolean = boolean || r->results[i]->type->dtype == CH_BOOL;
    put_where(b, t, "h");
    ch__put(t, " * Arrays are dense, row-major, and do not overlap the results.\n */\n");
    ch__putf(t, "#ifndef %s_H\n#define %s_H\n\n", b->upper, b->upper);
    if (boolean) ch__put(t, "#include <stdbool.h>\n");
    ch__put(t, "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    ch__putf(t, "/* Bytes that a call works in%s. */\n#define %s_ARENA_BYTES %" PRId64 "\n\n",
             b->heap > 0 ? ", a heap for what grows at their end" : "", b->upper, b->arena.bytes + b->heap);
    ch__putf(t, "/* @%s\n", b->given->name);
    for (int i = 0; i < r->n_params; i++)
        put_line_of(b, t, b->in[i], r->params[i]->type, is_tied_param(b->f, i) ? ", updated in place" : "");
    for (int i = 0; i < r->n_results; i++)
        if (b->out[i] != NULL) put_line_of(b, t, b->out[i], r->results[i]->type, ", result");
    ch__putf(t, " * Gives 0; 1: there was no memory; 2: an index, a step or a size was not as required.\n"
                " * It works in static memory, so it is not called by two threads at once. */\n");
    put_prototype(b, t, "int ", b->name, false);
    ch__putf(
        t, ";\n/* The same in memory of the caller's: %s_ARENA_BYTES, aligned to 8, not initialized.%s */\n", b->upper,
        b->heap > 0 ? " The heap in it is found\n * through a static pointer: not by two threads at once either." : "");
    put_prototype(b, t, "int ", ch__arena_printf(b->a, "%s_in", b->name), true);
    ch__put(t, ";\n\n");
    ch__put(t, table_types);
    ch__putf(t, "extern const chaac_model_1 %s_model;\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n", b->name);
}

// ---------------------------------------------------------------- the whole
static void build_run(void *arg) {
    model_build *b = arg;
    const ch_build_options *o = b->options;
    ch__text source, header, head;
    b->a = ch__arena_create();
    b->f = ch__func_sized(b->given, o->n_sizes, o->size_names, o->sizes);
    for (int i = 0; i < o->n_ties; i++) tie_model(b, o->tie_params[i], o->tie_results[i]);
    check_model(b);
    b->name = name_in_c(b, o->name != NULL ? o->name : b->given->name, 0, NULL);
    char *upper = ch__arena_strdup(b->a, b->name);
    for (char *c = upper; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
    b->upper = upper;
    choose_names(b);
    ch__text_init(&source, b->a);
    ch__text_init(&header, b->a);
    ch__text_init(&head, b->a);
    put_where(b, &head, "c");
    ch__putf(&head, " * C99: %s.h, libm, nothing else; no allocation, no input or output.\n */\n#include \"%s.h\"\n\n",
             b->name, b->name);
    b->f->name = ch__module_fresh_name(b->f->module, ch__arena_printf(b->f->module->arena, "%s_body", b->name));
    b->arena.text = b->a;
    ch__c_frame frame = {.head = head.data, .before = put_before, .tail = put_functions, .arg = b, .arena = &b->arena};
    const ch_func *one = b->f;
    ch__print_c_framed(&source, 1, &one, &frame);
    put_header(b, &header);
    b->source = ch__alloc((size_t)source.n + 1);
    b->header = ch__alloc((size_t)header.n + 1);
    if (b->source != NULL) memcpy(b->source, source.data, (size_t)source.n + 1);
    if (b->header != NULL) memcpy(b->header, header.data, (size_t)header.n + 1);
    ch__module_destroy(b->f->module);
    ch__arena_destroy(b->a);
}

ch_status ch_func_build(const ch_func *f, const ch_build_options *options, char **out_source, char **out_header) {
    ch_build_options o = {0};
    if (f == NULL || out_source == NULL || out_header == NULL)
        return ch__fail(CH__E_argument, "ch_func_build: %s is NULL",
                        f == NULL            ? "f"
                        : out_source == NULL ? "out_source"
                                             : "out_header");
    if (options != NULL && options->struct_size != sizeof o)
        return ch__fail(CH__E_argument,
                        "ch_func_build: options.struct_size is %zu — set it to sizeof(ch_build_options), %zu",
                        options->struct_size, sizeof o);
    if (options != NULL) o = *options;
    if (o.n_sizes < 0 || o.n_ties < 0 || o.heap_bytes < 0 || o.heap_bytes > INT64_MAX / 4)
        return ch__fail(CH__E_argument, "ch_func_build: %d sizes, %d ties, %lld bytes of heap — none can be negative",
                        o.n_sizes, o.n_ties, (long long)o.heap_bytes);
    model_build b = {.given = f, .options = &o};
    CH_TRY(ch__protect(build_run, &b));
    if (b.source == NULL || b.header == NULL) {
        ch__free(b.source);
        ch__free(b.header);
        return ch__fail_oom("ch_func_build");
    }
    *out_source = b.source;
    *out_header = b.header;
    return CH_OK;
}
