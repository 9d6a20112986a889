// SPDX-License-Identifier: Apache-2.0
// golden.c - IR texts with what is expected of them, one TAP case each.
//
// A file holds cases, each after a line `// case: NAME` (a file without one is a case). What a case expects stands in
// comments of the case itself:
//   // expect: LINE          one line of the canonical text (all such lines together are the whole of it)
//   // expect canonical      the case, without its comments and blank ends, is the canonical text
//   // expect error: LINE    one line of the message; the text is refused with exactly this message
//   // expect id: ID         and this identifier
// A text that is not refused is always printed, read again and printed again: both prints are the same. Every prefix of
// it is read too, which must come to an end. `--bless` writes what came out into the file, in place of what was
// expected (an error or nothing; look at the difference before you believe it).
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

enum { MAX_TEXT = 1 << 20 };

typedef struct test_case {
    char name[128];
    char *text;   // without the lines of expectation
    char *expect; // canonical text, or NULL
    char *error;  // message, or NULL
    char id[64];
    bool canonical;
} test_case;

static int failed, ran;
static bool ops_seen[CH_OP_COUNT];

static void report(bool ok, const char *file, const char *name, const char *detail) {
    printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", ++ran, file, name);
    if (!ok) {
        failed++;
        for (const char *s = detail; *s;) {
            size_t n = strcspn(s, "\n");
            printf("# %.*s\n", (int)n, s);
            s += n + (s[n] == '\n');
        }
    }
    fflush(stdout);
}

// ---------------------------------------------------------------- reading and printing
typedef struct job {
    const char *text, *name;
    size_t n;
    char *out; // heap
} job;

static void see_op(void *arg, ch__op *op) {
    (void)arg;
    ops_seen[op->code] = true;
}

static void run_job(void *arg) {
    job *j = arg;
    ch__module *m = ch__parse_module(j->text, j->n, j->name);
    for (ch_func *f = m->first; f; f = f->next) ch__walk(f->body, see_op, NULL);
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__text_init(&t, a);
    ch__print_module(&t, m);
    j->out = strdup(t.data);
    ch__arena_destroy(a);
    ch__module_destroy(m);
}

// The canonical text, or NULL with the error set.
static char *canonical(const char *text, size_t n, const char *name) {
    job j = {.text = text, .n = n, .name = name};
    return ch__protect(run_job, &j) == CH_OK ? j.out : NULL;
}

static void differ(char *out, size_t n, const char *what, const char *want, const char *got) {
    snprintf(out, n, "%s\n--- wanted\n%s\n--- got\n%s", what, want, got);
}

static void check_prefixes(const char *text, size_t n) {
    size_t step = n > 4000 ? n / 200 : 7;
    for (size_t i = 0; i < n; i += step) {
        char *copy = malloc(i + 1); // of that size, so that a sanitizer sees a byte too far
        if (!copy) abort();
        memcpy(copy, text, i);
        free(canonical(copy, i, "prefix"));
        free(copy);
    }
}

static void run_case(const char *file, const test_case *c) {
    static char detail[4 * MAX_TEXT];
    size_t n = strlen(c->text);
    char *once = canonical(c->text, n, c->name);
    if (c->error) {
        bool ok =
            !once && strcmp(ch_error_message(), c->error) == 0 && (!c->id[0] || strcmp(c->id, ch_error_id()) == 0);
        differ(detail, sizeof detail, once ? "not refused" : ch_error_id(), c->error, once ? once : ch_error_message());
        report(ok, file, c->name, detail);
        free(once);
        return;
    }
    if (!once) {
        differ(detail, sizeof detail, "refused", "to be read", ch_error_message());
        report(false, file, c->name, detail);
        return;
    }
    char *twice = canonical(once, strlen(once), "printed");
    const char *want = c->canonical ? c->text : c->expect ? c->expect : once;
    bool ok = twice && strcmp(once, twice) == 0 && strcmp(want, once) == 0;
    if (!twice)
        differ(detail, sizeof detail, ch_error_message(), "the printed text to be read", once);
    else if (strcmp(once, twice) != 0)
        differ(detail, sizeof detail, "printed twice", once, twice);
    else
        differ(detail, sizeof detail, "printed", want, once);
    if (ok) check_prefixes(c->text, n);
    report(ok, file, c->name, detail);
    free(once);
    free(twice);
}

// ---------------------------------------------------------------- files
static void append(char **to, const char *s, size_t n) {
    size_t old = *to ? strlen(*to) : 0;
    char *p = realloc(*to, old + n + 1);
    if (!p) abort();
    memcpy(p + old, s, n);
    p[old + n] = 0;
    *to = p;
}

static bool starts(const char *line, size_t n, const char *with) {
    return strlen(with) <= n && memcmp(line, with, strlen(with)) == 0;
}

// The text after a directive; one blank behind it is not part of it.
static void directive(char **to, const char *line, size_t n, const char *with) {
    size_t skip = strlen(with);
    if (skip < n && line[skip] == ' ') skip++;
    append(to, line + skip, n - skip);
    append(to, "\n", 1);
}

static void trim_end(char *s, const char *keep) {
    size_t n = strlen(s);
    while (n > 0 && (s[n - 1] == '\n' || s[n - 1] == ' ')) s[--n] = 0;
    if (*keep && n > 0) strcat(s, keep); // there was a newline at least
}

// Reads one case from *at; gives false at the end of the file.
static bool read_case(const char *file, const char **at, test_case *c) {
    *c = (test_case){0};
    snprintf(c->name, sizeof c->name, "%s", file);
    if (!**at) return false;
    bool any = false;
    while (**at) {
        const char *line = *at;
        size_t n = strcspn(line, "\n");
        if (starts(line, n, "// case:")) {
            if (any) break;
            const char *name = line + strlen("// case: ");
            snprintf(c->name, sizeof c->name, "%.*s", (int)(line + n - name), name);
        } else if (starts(line, n, "// expect canonical")) {
            c->canonical = true;
        } else if (starts(line, n, "// expect error:")) {
            directive(&c->error, line, n, "// expect error:");
        } else if (starts(line, n, "// expect id:")) {
            snprintf(c->id, sizeof c->id, "%.*s", (int)(n - strlen("// expect id: ")), line + strlen("// expect id: "));
        } else if (starts(line, n, "// expect:")) {
            directive(&c->expect, line, n, "// expect:");
        } else if (!starts(line, n, "// SPDX")) {
            if (n > 0) any = true;
            if (any) append(&c->text, line, n + (line[n] == '\n'));
        }
        *at = line + n + (line[n] == '\n');
    }
    if (c->text) trim_end(c->text, "\n");
    if (c->error) trim_end(c->error, "");
    return c->text != NULL;
}

static void free_case(test_case *c) {
    free(c->text);
    free(c->expect);
    free(c->error);
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, MAX_TEXT);
    if (!f || !text) abort();
    size_t n = fread(text, 1, MAX_TEXT - 1, f);
    if (n == MAX_TEXT - 1 || strlen(text) != n) {
        printf("Bail out! %s is too long or holds the byte 0\n", path);
        exit(1);
    }
    fclose(f);
    return text;
}

static void bless_lines(FILE *out, const char *with, const char *text) {
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        fprintf(out, "%s%s%.*s\n", with, n ? " " : "", (int)n, s);
        s += n + (s[n] == '\n');
    }
}

static void bless(const char *path, const char *text, const char *file) {
    FILE *out = fopen(path, "wb");
    if (!out) abort();
    fprintf(out, "// SPDX-License-Identifier: Apache-2.0\n");
    test_case c;
    while (read_case(file, &text, &c)) {
        if (strcmp(c.name, file) != 0) fprintf(out, "// case: %s\n", c.name);
        fputs(c.text, out);
        char *once = canonical(c.text, strlen(c.text), c.name);
        if (!once) {
            bless_lines(out, "// expect error:", ch_error_message());
            fprintf(out, "// expect id: %s\n", ch_error_id());
        } else if (strcmp(once, c.text) == 0) {
            fputs("// expect canonical\n", out);
        } else {
            bless_lines(out, "// expect:", once);
        }
        if (*text) fputc('\n', out);
        free(once);
        free_case(&c);
    }
    fclose(out);
}

static int is_ir(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 3 && strcmp(e->d_name + n - 3, ".ir") == 0;
}

// Every op of the table occurs in the texts that were read.
static void check_ops_seen(void) {
    static char missing[4096];
    for (int i = 0; i < CH_OP_COUNT; i++) {
        if (ops_seen[i]) continue;
        size_t n = strlen(missing);
        snprintf(missing + n, sizeof missing - n, "%s%s", n ? " " : "", ch__op_name((ch__opcode)i));
    }
    report(!missing[0], "ops.def", "every op occurs", missing);
}

int main(int argc, char **argv) {
    bool blessing = argc > 1 && strcmp(argv[1], "--bless") == 0;
    if (argc < 2 + blessing) {
        fprintf(stderr, "usage: golden [--bless] FOLDER...\n");
        return 2;
    }
    for (int i = 1 + blessing; i < argc; i++) {
        struct dirent **names;
        int n = scandir(argv[i], &names, is_ir, alphasort);
        for (int k = 0; k < n; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], names[k]->d_name);
            char *text = read_file(path);
            const char *at = text;
            test_case c;
            if (blessing) bless(path, text, names[k]->d_name);
            while (!blessing && read_case(names[k]->d_name, &at, &c)) {
                run_case(names[k]->d_name, &c);
                free_case(&c);
            }
            free(text);
            free(names[k]);
        }
        if (n >= 0) free(names);
    }
    if (blessing) return 0;
    check_ops_seen();
    printf("1..%d\n", ran);
    return failed ? 1 : 0;
}
