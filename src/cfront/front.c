// SPDX-License-Identifier: Apache-2.0
// front.c - what the command calls: reads files, makes every derivative asked for, gives texts.
#include "cfront/front.h"

#include <stdlib.h>
#include <string.h>

#include "cfront/clang.h"
#include "cfront/write.h"

const char *cf_shape_of(const cf_decl *f, const char *param) {
    for (int64_t i = 0; i < f->shapes.n; i++)
        if (!strcmp(f->shapes.data[i].param, param)) return f->shapes.data[i].product;
    return NULL;
}

// ---------------------------------------------------------------- the inputs' hash
// Not part of what the user wrote, wherever it is installed.
static bool is_system(const char *path) {
    size_t n = strlen(path);
    return strncmp(path, "/usr/", 5) == 0 || (n >= 12 && strcmp(path + n - 12, "chaac/grad.h") == 0);
}

const char *cf_program_hash(const cf_program *p) {
    ch__text t;
    ch__text_init(&t, p->a);
    for (int64_t u = 0; u < p->units.n; u++) {
        const cf_unit *unit = p->units.data[u];
        for (int64_t i = 0; i < unit->includes.n; i++) {
            char *data;
            size_t n;
            if (is_system(unit->includes.data[i])) continue;
            if (ch__file_read(unit->includes.data[i], (size_t)64 << 20, &data, &n) != CH_OK) continue;
            ch__sha256 h = ch__sha256_of(data, n);
            ch__free(data);
            for (int k = 0; k < 32; k++) ch__putf(&t, "%02x", (unsigned)h.b[k]);
        }
    }
    ch__sha256 all = ch__sha256_of(t.data ? t.data : "", (size_t)t.n);
    ch__text out;
    ch__text_init(&out, p->a);
    for (int k = 0; k < 16; k++) ch__putf(&out, "%02x", (unsigned)all.b[k]);
    return out.data;
}

// ---------------------------------------------------------------- a run
typedef struct {
    const cf_job *job;
    cf_report *report;
    cf_program *p;
    ch__text text, depends;
    char *out, *out_depends;
} front_run;

static _Thread_local cf_report *warn_to;

// Warnings of the transforms: "gradient of @f: param 'x' cannot influence the result".
static void on_log(void *user, int level, const char *text) {
    (void)user;
    const char *name = strstr(text, "param '"), *end = name ? strchr(name + 7, '\'') : NULL;
    if (!warn_to || level < 2 || !end) return;
    const char *s = ch__arena_strndup(warn_to->a, name + 7, (size_t)(end - name - 7));
    CH_PUSH(warn_to->a, &warn_to->detached, s);
}

// Rules belong to the function they name.
static void find_rules(front_run *f) {
    for (int64_t u = 0; u < f->p->units.n; u++)
        for (int64_t i = 0; i < f->p->units.data[u]->directives.n; i++) {
            const cf_directive *d = &f->p->units.data[u]->directives.data[i];
            if (strncmp(d->kind, "custom_", 7) != 0) continue;
            cf_decl *of = cf_find_function(f->p, d->func), *rule = cf_find_function(f->p, d->prototype->name);
            if (!of || !of->has_body || !rule || !rule->has_body) {
                cf_say(f->report, CF_ERROR, "CH143", d->loc, "there is no body of '%s' in the files given",
                       of && of->has_body ? d->prototype->name : d->func);
                continue;
            }
            if (!strcmp(d->kind, "custom_vjp"))
                of->vjp = rule;
            else
                of->jvp = rule;
        }
}

// The flags that a compilation database has for a file, then those given.
static int flags_of(front_run *f, const char *path, const char *const **out) {
    ch__arena *a = f->report->a;
    CXCompilationDatabase_Error e;
    *out = f->job->flags;
    if (!f->job->database) return f->job->n_flags;
    cf_clang_open();
    if (!ch__file_exists(ch__arena_printf(a, "%s/compile_commands.json", f->job->database)))
        ch__raise(CH__E_file, "%s: there is no compile_commands.json there", f->job->database);
    CXCompilationDatabase db = clang.CompilationDatabase_fromDirectory(f->job->database, &e);
    if (e != CXCompilationDatabase_NoError)
        ch__raise(CH__E_file, "%s: compile_commands.json there cannot be read", f->job->database);
    CXCompileCommands commands = clang.CompilationDatabase_getCompileCommands(db, path);
    int n = 0;
    const char **flags = NULL;
    if (commands && clang.CompileCommands_getSize(commands) > 0) {
        CXCompileCommand c = clang.CompileCommands_getCommand(commands, 0);
        unsigned count = clang.CompileCommand_getNumArgs(c);
        flags = CH_NEW_ARRAY(a, const char *, (int)count + f->job->n_flags + 1);
        for (unsigned i = 1; i < count; i++) {
            const char *s = cf_clang_string(a, clang.CompileCommand_getArg(c, i));
            if (!strcmp(s, "-o") || !strcmp(s, "-MF") || !strcmp(s, "-MT") || !strcmp(s, "-MQ"))
                i++;
            else if (s[0] == '-' && strcmp(s, "-c") && strcmp(s, "--") && strncmp(s, "-M", 2) && strncmp(s, "-W", 2))
                flags[n++] = s;
        }
    }
    if (commands) clang.CompileCommands_dispose(commands);
    clang.CompilationDatabase_dispose(db);
    if (!flags) ch__raise(CH__E_file, "%s: compile_commands.json in %s does not name it", path, f->job->database);
    for (int i = 0; i < f->job->n_flags; i++) flags[n++] = f->job->flags[i];
    *out = flags;
    return n;
}

static void open_program(front_run *f) {
    ch__arena *a = f->report->a;
    f->p = CH_NEW(a, cf_program);
    f->p->a = a;
    ch__strmap_init(&f->p->externals, a);
    for (int i = 0; i < f->job->n_files; i++) {
        const char *const *flags;
        int n = flags_of(f, f->job->files[i], &flags);
        cf_read(f->p, f->job->files[i], n, flags);
    }
    find_rules(f);
}

static const char *copied_text(const ch__text *t) {
    char *s = ch__alloc((size_t)t->n + 1);
    if (!s) ch__raise_oom();
    memcpy(s, t->data ? t->data : "", (size_t)t->n);
    s[t->n] = 0;
    return s;
}

static void put_path(ch__text *t, const char *path) { // as make reads it
    for (; *path; path++) {
        if (*path == ' ' || *path == '#') ch__putc(t, '\\');
        if (*path == '$') ch__putc(t, '$');
        ch__putc(t, *path);
    }
}

static void put_dependencies(front_run *f) {
    put_path(&f->depends, f->job->target ? f->job->target : "out");
    ch__putc(&f->depends, ':');
    for (int64_t u = 0; u < f->p->units.n; u++)
        for (int64_t i = 0; i < f->p->units.data[u]->includes.n; i++) {
            ch__put(&f->depends, " \\\n  ");
            put_path(&f->depends, f->p->units.data[u]->includes.data[i]);
        }
    ch__putc(&f->depends, '\n');
}

static void do_grad(void *arg) {
    front_run *f = arg;
    open_program(f);
    CH_VEC(cf_wanted *) list = {0};
    ch__arena *a = f->report->a;
    int asked = 0;
    for (int64_t u = 0; u < f->p->units.n; u++)
        for (int64_t i = 0; i < f->p->units.data[u]->directives.n; i++) {
            cf_directive *d = &f->p->units.data[u]->directives.data[i];
            asked++;
            if (!strncmp(d->kind, "custom_", 7)) continue;
            const cf_loc *before = NULL;
            for (int64_t k = 0; k < list.n && !before; k++)
                if (!strcmp(list.data[k]->name, d->prototype->name)) before = &list.data[k]->d->loc;
            if (before && before->line == d->loc.line && ch__streq(before->file, d->loc.file))
                continue; // of a header that several of the files include
            if (before) {
                cf_say(f->report, CF_ERROR, "CH101", d->loc, "'%s' is asked for twice", d->prototype->name);
                cf_say(f->report, CF_NOTE, NULL, *before, "here before");
                continue;
            }
            cf_wanted *w = cf_want(f->p, f->report, d);
            if (w) CH_PUSH(a, &list, w);
            if (w && w->func && f->job->remarks) cf_remark_kept(f->report, w);
        }
    if (asked == 0 && f->job->may_ask_nothing) return;
    if (asked == 0 && f->job->n_files > 0)
        cf_say(f->report, CF_WARNING, NULL, (cf_loc){f->job->files[0], 1, 1, NULL},
               "nothing is asked for: write CH_GRAD(f, x) before the prototype of the gradient");
    if (f->report->errors) return;
    ch__text_init(&f->text, a);
    cf_write_file(&f->text, f->p, (int)list.n, list.data, f->job->lines ? f->job->target : NULL);
    if (f->job->header) {
        ch__text h;
        ch__text_init(&h, a);
        cf_write_header(&h, f->p, (int)list.n, list.data, f->job->header);
        *f->job->header_text = (char *)(uintptr_t)copied_text(&h);
    }
    ch__text_init(&f->depends, a);
    put_dependencies(f);
    f->out = (char *)(uintptr_t)copied_text(&f->text);
    f->out_depends = (char *)(uintptr_t)copied_text(&f->depends);
}

typedef struct {
    front_run *f;
    cf_decl *d;
    cf_lowered *l;
} one_function;

static void lower_one(void *arg) {
    one_function *j = arg;
    j->l = cf_lower_function(j->f->p, j->f->report, j->d, &(cf_lower_options){0});
}

// A function as C of its own, so that several can be told apart by the line before.
static void put_as_c(front_run *f, const ch_func *func) {
    char *text = NULL;
    size_t n = 0;
    FILE *m = open_memstream(&text, &n);
    if (!m) ch__raise_oom();
    ch_status s = ch_func_print_c(func, m);
    fclose(m);
    if (!f->job->func) ch__putf(&f->text, "/* function %s */\n", ch_func_name(func));
    if (s == CH_OK)
        ch__put(&f->text, text);
    else
        ch__putf(&f->text, "/* not printed: %s */\n", ch_error_message());
    free(text);
}

static void do_lower(void *arg) {
    front_run *f = arg;
    open_program(f);
    ch__arena *a = f->report->a;
    ch__text_init(&f->text, a);
    bool any = false;
    for (int64_t u = 0; u < f->p->units.n && !any; u++)
        for (int64_t i = 0; i < f->p->units.data[u]->functions.n; i++) {
            cf_decl *d = f->p->units.data[u]->functions.data[i]->definition;
            if (!d || (f->job->func ? strcmp(d->name, f->job->func) != 0 : !d->in_main)) continue;
            if (!f->job->func && u > 0) continue;
            if (any && f->job->func) continue;
            bool before = false; // by another declaration
            for (int64_t k = 0; k < i && !before; k++) before = f->p->units.data[u]->functions.data[k]->definition == d;
            if (before) continue;
            one_function j = {f, d, NULL};
            if (ch__protect(lower_one, &j) != CH_OK)
                cf_say(f->report, CF_ERROR, "CH199", d->loc, "%s: %s — a bug in the front end, please report it",
                       d->name, ch_error_message());
            cf_lowered *l = j.l;
            if (!l) continue;
            if (!any && !f->job->c) ch__put(&f->text, "chaac-ir 1\n");
            any = true;
            for (ch_func *g = l->func->module->first; g; g = g->next) {
                ch__optimize(g);
                if (g != l->func && !f->job->c) ch__print_func(&f->text, g);
            }
            if (f->job->c)
                put_as_c(f, l->func);
            else
                ch__print_func(&f->text, l->func); // last: the one that is meant
        }
    if (!any && f->report->errors == 0)
        ch__raise(CH__E_unknown_func, "%s: there is no function%s%s with a body here", f->job->files[0],
                  f->job->func ? " " : "", f->job->func ? f->job->func : "");
    if (f->report->errors && f->job->func) return;
    f->out = (char *)(uintptr_t)copied_text(&f->text);
}

static ch_status run_job(const cf_job *job, void (*fn)(void *), cf_report *report, char **out, char **depends) {
    front_run f = {.job = job, .report = report};
    warn_to = report;
    ch_set_log(on_log, NULL);
    ch_status s = ch__protect(fn, &f);
    warn_to = NULL;
    if (s != CH_OK) return s;
    *out = f.out;
    if (depends) *depends = f.out_depends;
    return CH_OK;
}

typedef struct {
    const cf_job *job;
    void (*fn)(void *);
    FILE *messages;
    int errors;
    char *out, *depends;
    ch_status inner;
} whole_run;

// The report lives in an arena of its own, so that what was said before a failure is printed.
static void do_whole(void *arg) {
    whole_run *w = arg;
    ch__arena *a = ch__arena_create();
    cf_report r = {.a = a, .lenient = w->job->lenient};
    w->inner = run_job(w->job, w->fn, &r, &w->out, &w->depends);
    cf_print_report(&r, w->messages, w->job->json);
    w->errors = r.errors;
    ch__error_copy e;
    if (w->inner != CH_OK) ch__error_save(&e);
    ch__arena_list_destroy(ch__protect_list()); // a, and every module and tree that was made on the way
    if (w->inner != CH_OK) ch__error_publish(&e);
}

static ch_status whole(const cf_job *job, void (*fn)(void *), FILE *messages, char **out, char **depends, int *errors) {
    whole_run w = {.job = job, .fn = fn, .messages = messages};
    ch_status s = ch__protect(do_whole, &w);
    if (s == CH_OK) s = w.inner;
    *errors = w.errors;
    *out = w.out;
    if (depends)
        *depends = w.depends;
    else
        ch__free(w.depends);
    return s;
}

ch_status cf_grad(const cf_job *job, FILE *messages, char **out, char **depends, int *errors) {
    return whole(job, do_grad, messages, out, depends, errors);
}

ch_status cf_ir(const cf_job *job, FILE *messages, char **out, int *errors) {
    return whole(job, do_lower, messages, out, NULL, errors);
}
