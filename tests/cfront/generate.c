// SPDX-License-Identifier: Apache-2.0
// generate.c - random C functions of n numbers: generate FOLDER SEED COUNT [FIRST].
//
// Writes FOLDER/random.c, random.h and random.def, in the form of language.c, and prints how many functions hold each
// construct. A function is a function of its number and the seed. Everything stays finite: what grows is put through
// sin or tanh, divisors are at least 1, loops end. Indices are in range by construction.
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static uint64_t state;
static int indent, depth, loops, counters, n_doubles;
static bool in_loop_ok;

enum construct {
    C_FOR,
    C_WHILE,
    C_DO,
    C_IF,
    C_ELSE,
    C_SWITCH,
    C_BREAK,
    C_CONTINUE,
    C_RETURN,
    C_COND,
    C_LOGICAL,
    C_COMPOUND,
    C_ARRAY,
    C_VLA,
    C_MATRIX,
    C_STRUCT,
    C_STRUCT_ARROW,
    C_POINTER,
    C_WALK,
    C_CALL,
    C_OUT,
    C_MACRO,
    C_FLOAT,
    C_INT,
    C_UNSIGNED,
    C_COMMA,
    C_COUNTER,
    C_LIBM,
    C_COUNT
};
static const char *const construct_names[] = {"for",
                                              "while",
                                              "do",
                                              "if",
                                              "else",
                                              "switch",
                                              "break",
                                              "continue",
                                              "return",
                                              "?:",
                                              "&& ||",
                                              "op=",
                                              "array",
                                              "array of run-time size",
                                              "array [][]",
                                              "struct by value",
                                              "struct by pointer",
                                              "pointer into an array",
                                              "pointer that walks",
                                              "call",
                                              "output pointer",
                                              "macro",
                                              "float",
                                              "int",
                                              "unsigned",
                                              "comma",
                                              "a[k++]",
                                              "libm"};
static int uses[C_COUNT];
static bool used[C_COUNT];

static uint64_t next(void) {
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static int pick(int n) { return (int)(next() % (uint64_t)n); }
static void use(enum construct c) { used[c] = true; }

static void line(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fprintf(out, "%*s", 4 * indent, "");
    vfprintf(out, format, ap);
    fputc('\n', out);
    va_end(ap);
}

// ---------------------------------------------------------------- expressions
static char pool[1 << 16];
static size_t pool_used;
static const char *text(const char *format, ...) {
    va_list ap;
    if (pool_used > sizeof pool - 4096) pool_used = 0;
    char *s = pool + pool_used;
    va_start(ap, format);
    int n = vsnprintf(s, 2048, format, ap);
    va_end(ap);
    pool_used += (size_t)n + 1;
    return s;
}

// A non-negative int.
static const char *count_expr(void) {
    switch (pick(counters > 0 ? 6 : 2)) {
    case 0: return text("%d", pick(8));
    case 1: use(C_INT); return "k";
    case 2: return text("i%d", pick(counters));
    case 3: use(C_INT); return text("(i%d + %d)", pick(counters), pick(5));
    case 4: use(C_INT); return text("(i%d * %d + k)", pick(counters), 1 + pick(3));
    default: use(C_UNSIGNED); return text("(int)(u >> %d & 15u)", pick(20));
    }
}

static const char *place(void) { // an lvalue, a double
    switch (pick(9)) {
    case 0: use(C_ARRAY); return text("a[%s %% 8]", count_expr());
    case 1: use(C_VLA); return text("v[%s %% n]", count_expr());
    case 2: use(C_MATRIX); return text("m[%s %% 3][%s %% 4]", count_expr(), count_expr());
    case 3: use(C_STRUCT); return pick(2) ? "s.p" : text("s.w[%s %% 3]", count_expr());
    case 4: use(C_STRUCT_ARROW); return pick(2) ? "t->p" : text("t->w[%s %% 3]", count_expr());
    case 5: use(C_POINTER); return text("q[%s %% 4]", count_expr());
    default: return text("d%d", pick(n_doubles));
    }
}

static const char *expr(int size) {
    static const char *const functions[] = {"sin", "cos", "tanh", "atan", "fabs", "erf"};
    if (size <= 0) switch (pick(4)) {
        case 0: return text("x[%s %% n]", count_expr());
        case 1: return text("%d.%d", pick(2), pick(100));
        default: return place();
        }
    const char *a = expr(size - 1 - pick(2));
    switch (pick(12)) {
    case 0:
    case 1: return text("(%s + %s)", a, expr(size - 2));
    case 2: return text("(%s - %s)", a, expr(size - 2));
    case 3:
    case 4: return text("%s * %s", a, expr(size - 2));
    case 5: use(C_LIBM); return text("%s(%s)", functions[pick(6)], a);
    case 6: use(C_LIBM); return text("%s / (1.5 + %s * %s)", a, "d0", "d0");
    case 7: use(C_COND); return text("(%s < %s ? %s : %s)", place(), expr(0), a, expr(size - 2));
    case 8: use(C_CALL); return text("mix(%s, %s)", a, expr(0));
    case 9: use(C_MACRO); return text("HALF(%s)", a);
    case 10: use(C_INT); return text("(%s * %s)", a, count_expr());
    default: use(C_LIBM); return text("sqrt(1.0 + %s * %s)", "d1", "d1");
    }
}

static const char *condition(void) {
    switch (pick(5)) {
    case 0: return text("%s < %s", place(), expr(1));
    case 1: return text("%s %% 3 == %d", count_expr(), pick(3));
    case 2: use(C_LOGICAL); return text("%s > 0.1 && %s < 0.9", place(), place());
    case 3: use(C_LOGICAL); return text("%s %% 2 || !(%s > 0.0)", count_expr(), place());
    default: return text("%s >= %s", place(), place());
    }
}

// ---------------------------------------------------------------- statements
static void statement(void);
static void block(int n) {
    indent++;
    while (n-- > 0) statement();
    indent--;
}

static void assign(void) {
    const char *to = place();
    switch (pick(4)) {
    case 0:
        use(C_COMPOUND);
        line("%s += 0.5 * sin(%s);", to, expr(2));
        break;
    case 1:
        use(C_COMPOUND);
        line("%s *= cos(%s);", to, expr(1));
        break;
    case 2:
        use(C_COMPOUND);
        line("%s -= tanh(%s);", to, expr(2));
        break;
    default: line("%s = tanh(%s);", to, expr(3)); break;
    }
}

static void loop(void) {
    int i = counters, kind = pick(5);
    bool outer = in_loop_ok;
    if (depth > 3 || loops > 6 || counters > 3) {
        assign();
        return;
    }
    loops++, depth++;
    in_loop_ok = true;
    switch (kind) {
    case 0:
    case 1:
    case 2:
        use(C_FOR);
        if (kind == 2)
            line("for (int i%d = n - 1; i%d >= %d; i%d--) {", i, i, pick(3), i);
        else
            line("for (int i%d = %d; i%d < %s; i%d%s) {", i, pick(2), i, pick(2) ? "n" : "5", i,
                 pick(3) ? "++" : " += 2");
        counters++;
        block(1 + pick(3));
        break;
    case 3:
        use(C_WHILE);
        line("{");
        indent++;
        line("int i%d = 0;", i);
        line("while (i%d < 4 && (%s)) {", i, condition());
        counters++;
        indent++, line("i%d++;", i), indent--;
        block(1 + pick(3));
        line("}");
        indent--;
        break;
    default:
        use(C_DO);
        line("{");
        indent++;
        line("int i%d = 0;", i);
        line("do {");
        counters++;
        indent++, line("i%d++;", i), indent--;
        block(1 + pick(2));
        line("} while (i%d < 3 && (%s));", i, condition());
        indent--;
        break;
    }
    line("}");
    counters--;
    in_loop_ok = outer;
    depth--;
}

static void jump(void) {
    if (!in_loop_ok || pick(3) == 0) {
        if (pick(3)) return assign();
        use(C_RETURN);
        line("if (%s > 0.8) return %s;", place(), expr(1));
        return;
    }
    bool stop = pick(2);
    use(stop ? C_BREAK : C_CONTINUE);
    line("if (%s) %s;", condition(), stop ? "break" : "continue");
}

static void branch(void) {
    if (depth > 4) return assign();
    depth++;
    use(C_IF);
    line("if (%s) {", condition());
    block(1 + pick(2));
    if (pick(2)) {
        use(C_ELSE);
        line("} else {");
        block(1 + pick(2));
    }
    line("}");
    depth--;
}

static void choice(void) {
    if (depth > 3) return assign();
    bool outer = in_loop_ok;
    depth++;
    in_loop_ok = false; // break would leave the switch
    use(C_SWITCH);
    line("switch (%s %% 4) {", count_expr());
    for (int i = 0; i < 3; i++) {
        line("case %d:", i);
        block(1);
        if (i == 2 || pick(3)) indent++, line("break;"), indent--;
    }
    line("default:");
    block(1);
    line("}");
    in_loop_ok = outer;
    depth--;
}

static void statement(void) {
    switch (pick(16)) {
    case 0:
    case 1:
    case 2: loop(); break;
    case 3: branch(); break;
    case 4: branch(); break;
    case 5: jump(); break;
    case 6:
        if (pick(2))
            choice();
        else
            jump();
        break;
    case 7: use(C_OUT), line("split(%s, &d%d, a + %d);", expr(1), pick(n_doubles), pick(7)); break;
    case 8: use(C_STRUCT), line("s = turned(s, %s);", expr(1)); break;
    case 9:
        if (depth > 2 || loops > 5) return assign();
        use(C_WALK);
        line("for (const double *r = v; r < v + n; r++) d%d += 0.1 * *r * *r;", pick(n_doubles));
        break;
    case 10: use(C_COUNTER), line("a[k++ %% 8] = 0.5 * %s;", place()); break;
    case 11: use(C_UNSIGNED), line("u = (u ^ (unsigned)%s) * 16777619u;", count_expr()); break;
    case 12:
        if (pick(3)) return assign();
        use(C_FLOAT), line("f = (float)(0.25 * %s) + f * 0.5f;", place());
        break;
    case 13: use(C_COMMA), line("d%d = (d0 = sin(d0), d0 + %s);", pick(n_doubles), place()); break;
    case 14: use(C_POINTER), line("q = %s;", pick(2) ? text("a + %d", pick(4)) : text("&m[%d][0]", pick(3))); break;
    default: assign(); break;
    }
}

// ---------------------------------------------------------------- a function
static void function_text(int number) {
    memset(used, 0, sizeof used);
    loops = counters = depth = 0;
    in_loop_ok = false;
    n_doubles = 2 + pick(3);
    line("double random_%d(int n, const double x[n]) {", number);
    indent = 1;
    line("double a[8] = {0.5, -0.25}, v[n], m[3][4] = {{0.1, 0.2}, {0.3}}, *q = a;");
    line("struct state s = {0.5, {0.1, 0.2, 0.3}}, *t = &s, other = {.w[1] = 0.7};");
    line("int k = 0;");
    line("unsigned u = 2166136261u;");
    line("float f = 0.25f;");
    for (int i = 0; i < n_doubles; i++)
        line("double d%d = %s;", i, text("x[%d %% n] * %d.%d", pick(7), pick(2), 1 + pick(9)));
    line("for (int i = 0; i < n; i++) v[i] = x[i] * 0.5;");
    if (pick(2)) line("t = k ? &s : &other;");
    int n = 3 + pick(6);
    for (int i = 0; i < n; i++) statement();
    line("(void)u;");
    line("return d0 + d1 * s.p + t->w[0] + a[3] * q[1] + v[n - 1] + m[2][1] + %sf;",
         used[C_FLOAT] ? "(double)" : "0.0 * ");
    indent = 0;
    line("}");
    line("");
    for (int i = 0; i < C_COUNT; i++) uses[i] += used[i];
}

static const char prelude[] =
    "#include \"random.h\"\n\n#include <math.h>\n\n"
    "struct state {\n    double p, w[3];\n};\n"
    "#define HALF(v) (0.5 * (v))\n"
    "static double mix(double a, double b) { return a > b ? a * cos(b) : 0.5 * (a + b); }\n"
    "static void split(double v, double *low, double *high) {\n    *low = 0.5 * sin(v);\n    high[0] += tanh(v);\n}\n"
    "static struct state turned(struct state s, double by) {\n    struct state r = s;\n    r.p = s.w[0] * cos(by);\n"
    "    for (int i = 0; i < 3; i++) r.w[i] = s.w[(i + 1) % 3] * 0.5 + s.p;\n    return r;\n}\n\n";

static FILE *open_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "generate: %s cannot be written\n", path);
        exit(1);
    }
    return f;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    uint64_t seed = strtoull(argv[2], NULL, 10);
    int count = atoi(argv[3]), first = argc > 4 ? atoi(argv[4]) : 0;
    FILE *list = open_file(argv[1], "random.def");
    for (int i = first; i < first + count; i++) fprintf(list, "FUNCTION(random_%d)\n", i);
    fclose(list);
    out = open_file(argv[1], "random.h");
    fprintf(out, "#ifndef RANDOM_H\n#define RANDOM_H\n#include <chaac/grad.h>\n\n"
                 "#define FUNCTION(f) double f(int n, const double x[n]); \\\n    CH_VALUE_AND_GRAD(f, x) "
                 "double f##_vg(int n, const double x[n], double dx[n]); \\\n    CH_JVP(f, x) "
                 "double f##_jvp(int n, const double x[n], const double t[n], double *value_t);\n"
                 "#include \"random.def\"\n#undef FUNCTION\n#endif\n");
    fclose(out);
    out = open_file(argv[1], "random.c");
    fputs(prelude, out);
    for (int i = first; i < first + count; i++) {
        state = seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        state = next() ^ (uint64_t)i; // elsewhere on the sequence, not a step further
        state = next();
        function_text(i);
    }
    fclose(out);
    for (int i = 0; i < C_COUNT; i++)
        printf("# %-24s %5d of %d, %d %%\n", construct_names[i], uses[i], count,
               100 * uses[i] / (count > 0 ? count : 1));
    return 0;
}
