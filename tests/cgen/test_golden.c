// SPDX-License-Identifier: Apache-2.0
// test_golden.c - the C of small funcs, letter by letter: FOLDER [--bless | --compile]
//
// A file holds cases; each begins with `// case: NAME`, then perhaps `// gradient: x, y` or `// hessian: x` (the value
// and gradient, or the Hessian, of the func is printed instead), the func as IR, and what is expected behind `//|`: the
// C, or the error's sentence. --compile: every text that is expected is compiled, with all warnings.
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <chaac/chaac.h>

enum { MAX_TEXT = 1 << 18 };
static int ran, failed;

typedef struct {
    char name[160], wrt[160];
    bool hessian;
    char *text, *want;
} golden;

static char *new_text(void) {
    char *s = calloc(1, MAX_TEXT);
    if (!s) abort();
    return s;
}

static void add(char *to, const char *s, size_t n) {
    size_t old = strlen(to);
    if (old + n + 2 > MAX_TEXT) abort();
    memcpy(to + old, s, n);
    memcpy(to + old + n, "\n", 2);
}

// One case from *at; false at the end.
static bool next_case(const char **at, golden *c) {
    *c = (golden){.text = new_text(), .want = new_text()};
    bool any = false;
    while (**at) {
        const char *line = *at;
        size_t n = strcspn(line, "\n");
        if (strncmp(line, "// case: ", 9) == 0) {
            if (any) return true;
            any = true;
            snprintf(c->name, sizeof c->name, "%.*s", (int)n - 9, line + 9);
        } else if (strncmp(line, "// gradient: ", 13) == 0) {
            snprintf(c->wrt, sizeof c->wrt, "%.*s", (int)n - 13, line + 13);
        } else if (strncmp(line, "// hessian: ", 12) == 0) {
            snprintf(c->wrt, sizeof c->wrt, "%.*s", (int)n - 12, line + 12);
            c->hessian = true;
        } else if (strncmp(line, "//|", 3) == 0) {
            size_t skip = n > 3 && line[3] == ' ' ? 4 : 3;
            add(c->want, line + skip, n - skip);
        } else if (any && n > 0) {
            add(c->text, line, n);
        }
        *at = line + n + (line[n] == '\n');
    }
    return any;
}

static char *print_case(const golden *c) {
    ch_func *f = NULL, *g = NULL;
    char *out = NULL, *copy = new_text();
    ch_status s = ch_func_parse(c->text, "golden.ir", &f);
    if (s == CH_OK && c->wrt[0]) s = (c->hessian ? ch_hessian : ch_value_and_grad)(f, c->wrt, &g);
    if (s == CH_OK) s = ch_func_to_c(c->wrt[0] ? g : f, &out);
    snprintf(copy, MAX_TEXT, "%s%s", s == CH_OK ? out : ch_error_message(), s == CH_OK ? "" : "\n");
    ch_string_free(out);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return copy;
}

static void show_difference(const char *want, const char *got) {
    int line = 1;
    while (*want && *want == *got) {
        line += *want == '\n';
        want++, got++;
    }
    printf("#   line %d: expected \"%.*s\", got \"%.*s\"\n", line, (int)strcspn(want, "\n"), want,
           (int)strcspn(got, "\n"), got);
}

static void check_file(const char *file, const char *text) {
    golden c;
    while (next_case(&text, &c)) {
        char *once = print_case(&c), *twice = print_case(&c);
        bool ok = strcmp(once, c.want) == 0 && strcmp(once, twice) == 0;
        printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", ++ran, file, c.name);
        if (!ok) show_difference(c.want, once);
        failed += !ok;
        free(once);
        free(twice);
        free(c.text);
        free(c.want);
    }
    free(c.text);
    free(c.want);
}

// ---------------------------------------------------------------- compiling
static char compilers[2][8];
static int n_compilers;

static void find_compilers(void) {
    static const char *const known[] = {"gcc", "clang"};
    for (int i = 0; i < 2; i++) {
        char command[64];
        snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", known[i]);
        if (system(command) == 0)
            snprintf(compilers[n_compilers++], sizeof compilers[0], "%s", known[i]);
        else
            printf("# %s is not here: the texts are not compiled with it\n", known[i]);
    }
}

static bool compiles(const char *text, const char *compiler, const char *optimize) {
    char command[160];
    snprintf(command, sizeof command,
             "%s -x c -std=c99 %s -Wall -Wextra -Wpedantic -Wshadow -Werror -c -o /dev/null - 2>&1", compiler,
             optimize);
    FILE *p = popen(command, "w");
    if (!p) return false;
    fputs(text, p);
    return pclose(p) == 0;
}

static void compile_file(const char *file, const char *text) {
    golden c;
    while (next_case(&text, &c)) {
        bool is_c = strncmp(c.want, "/*", 2) == 0; // else a sentence
        for (int i = 0; is_c && i < n_compilers; i++) {
            bool ok = compiles(c.want, compilers[i], "-O0") && compiles(c.want, compilers[i], "-O2");
            printf("%s %d - %s: %s, %s\n", ok ? "ok" : "not ok", ++ran, file, c.name, compilers[i]);
            failed += !ok;
        }
        free(c.text);
        free(c.want);
    }
    free(c.text);
    free(c.want);
}

static void bless(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!f) abort();
    fprintf(f, "// SPDX-License-Identifier: Apache-2.0\n");
    golden c;
    for (bool first = true; next_case(&text, &c); first = false) {
        char *now = print_case(&c);
        fprintf(f, "%s// case: %s\n", first ? "" : "\n", c.name);
        if (c.wrt[0]) fprintf(f, "// %s: %s\n", c.hessian ? "hessian" : "gradient", c.wrt);
        fputs(c.text, f);
        for (const char *s = now; *s;) {
            size_t n = strcspn(s, "\n");
            fprintf(f, "//|%s%.*s\n", n ? " " : "", (int)n, s);
            s += n + (s[n] == '\n');
        }
        free(now);
        free(c.text);
        free(c.want);
    }
    fclose(f);
}

static int is_ir(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 3 && strcmp(e->d_name + n - 3, ".ir") == 0;
}

int main(int argc, char **argv) {
    bool blessing = argc > 2 && strcmp(argv[2], "--bless") == 0,
         compiling = argc > 2 && strcmp(argv[2], "--compile") == 0;
    if (argc < 2) {
        fprintf(stderr, "usage: test_golden FOLDER [--bless | --compile]\n");
        return 2;
    }
    if (compiling) find_compilers();
    if (compiling && n_compilers == 0) {
        printf("1..0 # SKIP there is no C compiler here\n");
        return 0;
    }
    struct dirent **names;
    int n = scandir(argv[1], &names, is_ir, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096], *text = new_text();
        snprintf(path, sizeof path, "%s/%s", argv[1], names[i]->d_name);
        FILE *f = fopen(path, "rb");
        if (!f || fread(text, 1, MAX_TEXT - 1, f) == 0) abort();
        fclose(f);
        if (blessing)
            bless(path, text);
        else if (compiling)
            compile_file(names[i]->d_name, text);
        else
            check_file(names[i]->d_name, text);
        free(text);
        free(names[i]);
    }
    if (n >= 0) free(names);
    if (!blessing) printf("1..%d\n", ran);
    return failed > 0;
}
