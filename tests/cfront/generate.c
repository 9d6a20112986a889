// SPDX-License-Identifier: Apache-2.0
// generate.c - random C functions of n numbers: generate FOLDER SEED COUNT [FIRST [variants]].
//
// Writes FOLDER/random.c, random.h and random.def, in the form of language.c, floats.def with those that hold a float,
// and prints how many functions hold each construct. A function is a function of its number and the seed. Everything
// stays finite: what grows is put through
// sin or tanh, divisors are at least 1, loops end. Indices are in range by construction.
//
// variants: each function comes again with other names, wrapped in macros, with operations put into functions of their
// own, with functions written out in place, with loops of few turns unrolled: the values have to have the same bits,
// the derivatives too, or nearly so where sums are taken in another order.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out, *floats;
static uint64_t state;
static int indent, depth, loops, counters, n_doubles, labels;
static bool in_loop_ok, in_helper;

static const char *const variants[] = {"plain", "renamed", "wrapped", "outlined", "inlined", "unrolled"};
enum variant { PLAIN, RENAMED, WRAPPED, OUTLINED, INLINED, UNROLLED, VARIANTS };
static enum variant variant;

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
    C_HELPER,
    C_RECURSION,
    C_STRUCTS,
    C_NESTED,
    C_TABLE,
    C_MEMCPY,
    C_MALLOC,
    C_GOTO,
    C_FUNCTION_POINTER,
    C_STATEMENT_MACRO,
    C_EARLY,
    C_NARROW,
    C_WIDE,
    C_BOOL,
    C_GLOBAL,
    C_STATIC,
    C_PRINTED,
    C_SWAPPED,
    C_CARRIED,
    C_SKIP,
    C_SQUARE,
    C_SIZEOF,
    C_LITERAL,
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
                                              "libm",
                                              "static function of its own",
                                              "recursion",
                                              "array of structs",
                                              "struct in a struct",
                                              "constant table",
                                              "memcpy",
                                              "malloc",
                                              "goto",
                                              "pointer to a function",
                                              "macro of statements",
                                              "return out of a loop",
                                              "char and short",
                                              "long, long long, size_t",
                                              "_Bool",
                                              "variable of the file",
                                              "static local",
                                              "assert and printf",
                                              "pointers swapped in a loop",
                                              "pointer moved by a condition",
                                              "goto over statements",
                                              "array [n][n]",
                                              "sizeof",
                                              "compound literal"};
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
    if (in_helper) return counters > 0 && pick(2) ? text("i%d", pick(counters)) : text("%d", pick(5));
    switch (pick(counters > 0 ? 9 : 5)) {
    case 0: return text("%d", pick(8));
    case 1: use(C_INT); return "k";
    case 5: use(C_INT); return text("(i%d + %d)", pick(counters), pick(5));
    case 6: use(C_INT); return text("(i%d * %d + k)", pick(counters), 1 + pick(3));
    case 7: use(C_UNSIGNED); return text("(int)(u >> %d & 15u)", pick(20));
    case 8: use(C_INT); return text("i%d", pick(counters));
    case 2: use(C_NARROW); return pick(2) ? "b8" : "(s16 < 0 ? -s16 : s16)";
    case 3: use(C_WIDE); return "(int)(u64 >> 60)";
    default: use(C_BOOL); return pick(2) ? "(flag ? 1 : 4)" : "flag";
    }
}

static const char *place(void) { // an lvalue, a double
    if (in_helper) return text("h%d", pick(2));
    switch (pick(11)) {
    case 9:
        use(C_STRUCTS);
        return pick(2) ? text("l[%s %% 3].p", count_expr()) : text("l[%s %% 3].w[%d]", count_expr(), pick(3));
    case 10: use(C_NESTED); return pick(2) ? "o.in.p" : text("o.in.w[%s %% 3]", count_expr());
    case 0: use(C_ARRAY); return text("a[%s %% 8]", count_expr());
    case 1: use(C_VLA); return text("v[%s %% n]", count_expr());
    case 2: use(C_MATRIX); return text("m[%s %% 3][%s %% 4]", count_expr(), count_expr());
    case 3: use(C_STRUCT); return pick(2) ? "s.p" : text("s.w[%s %% 3]", count_expr());
    case 4: use(C_STRUCT_ARROW); return pick(2) ? "t->p" : text("t->w[%s %% 3]", count_expr());
    case 5: use(C_POINTER); return text("q[%s %% 4]", count_expr());
    default: return text("d%d", pick(n_doubles));
    }
}

static int number_now; // of the function being written
static const char *binary(char op, const char *a, const char *b) {
    if (variant == OUTLINED) return text("%s(%s, %s)", op == '+' ? "plus" : op == '-' ? "minus" : "times", a, b);
    if (variant == WRAPPED) return text("%s(%s, %s)", op == '+' ? "PLUS" : op == '-' ? "MINUS" : "TIMES", a, b);
    return text(op == '*' ? "%s %c %s" : "(%s %c %s)", a, op, b);
}

static const char *expr(int size);
static const char *turned_literal(const char *a) {
    const char *first = expr(0), *by = expr(0);
    return text("turned((struct state){.p = %s, .w = {%s, 0.5}}, %s).w[%d]", a, first, by, pick(3));
}

static const char *expr(int size) {
    static const char *const functions[] = {"sin", "cos", "tanh", "atan", "fabs", "erf"};
    if (size <= 0) switch (pick(5)) {
        case 0: return in_helper ? "h0" : text("x[%s %% n]", count_expr());
        case 1: return text("%d.%d", pick(2), pick(100));
        case 2:
            if (in_helper || pick(2)) return place();
            use(C_TABLE);
            return text("table[%s %% 4]", count_expr());
        default: return place();
        }
    const char *a = expr(size - 1 - pick(2));
    switch (pick(in_helper ? 7 : 22)) {
    case 0:
    case 1: return binary('+', a, expr(size - 2));
    case 2: return binary('-', a, expr(size - 2));
    case 3:
    case 4: return binary('*', a, expr(size - 2));
    case 5: use(C_LIBM); return text("%s(%s)", functions[pick(6)], a);
    case 6: use(C_LIBM); return text("%s / (1.5 + %s * %s)", a, in_helper ? "h0" : "d0", in_helper ? "h0" : "d0");
    case 7: use(C_COND); return text("(%s < %s ? %s : %s)", place(), expr(0), a, expr(size - 2));
    case 8: {
        use(C_CALL);
        const char *b = expr(0);
        return variant == INLINED ? text("((%s) > (%s) ? (%s) * cos(%s) : 0.5 * ((%s) + (%s)))", a, b, a, b, a, b)
                                  : text("mix(%s, %s)", a, b);
    }
    case 11:
        use(C_HELPER);
        return text("helper_%d%s(%s, %s)", number_now, variant == PLAIN ? "" : variants[variant], a, expr(0));
    case 14: use(C_NARROW); return text("(%s + (double)%s / 70000.0)", a, pick(2) ? "s16" : "(c8 * b8)");
    case 15: use(C_WIDE); return text("(%s - (double)(u64 >> 40) * 0x1p-24)", a);
    case 16: use(C_GLOBAL); return pick(2) ? text("(%s * gain)", a) : text("(%s + steps[%s %% 3])", a, count_expr());
    case 17: use(C_STATIC); return text("(%s * weights[%s %% 3])", a, count_expr());
    case 18: use(C_BOOL); return text("(flag ? %s : %s)", a, expr(0));
    case 19: use(C_LITERAL); return turned_literal(a);
    case 20: use(C_SIZEOF); return text("(%s / (double)(sizeof a / sizeof *a))", a);
    case 12: use(C_RECURSION); return text("fold(%s, %d)", a, 1 + pick(4));
    case 13: use(C_FUNCTION_POINTER); return text("applied(%s, %s)", pick(2) ? "squashed" : "waved", a);
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
    switch (pick(in_helper ? 4 : 5)) {
    case 4:
        use(C_STATEMENT_MACRO);
        line("NUDGE(%s, %s);", to, expr(1));
        break;
    case 0:
        use(C_COMPOUND);
        if (variant == WRAPPED)
            line("ADD_TO(%s, 0.5 * sin(%s));", to, expr(2));
        else
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

// A loop of few turns without jumps: unrolled, each turn is a block of its own.
static void few_turns(void) {
    int i = counters, turns = 2 + pick(3);
    use(C_FOR);
    counters++;
    if (variant == UNROLLED) {
        uint64_t start = state;
        for (int k = 0; k < turns; k++) {
            state = start; // the same statements again
            line("{");
            indent++;
            line("const int i%d = %d;", i, k);
            assign();
            assign();
            indent--;
            line("}");
        }
    } else {
        line("for (int i%d = 0; i%d < %d; i%d++) {", i, i, turns, i);
        indent++;
        assign();
        assign();
        indent--;
        line("}");
    }
    counters--;
}

static void leave(void) {
    if (!in_helper && pick(4) == 0) {
        use(C_EARLY), use(C_RETURN);
        line("if (%s) return %s;", condition(), expr(1));
        return;
    }
    bool stop = pick(2);
    use(stop ? C_BREAK : C_CONTINUE);
    line("if (%s) %s;", condition(), stop ? "break" : "continue");
}

// What is left of a turn may not be reached.
static void turn(int n) {
    bool early = pick(3) == 0;
    if (early) {
        indent++;
        assign();
        leave();
        indent--;
    }
    block(n);
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
            line("for (int i%d = %s - 1; i%d >= %d; i%d--) {", i, in_helper ? "4" : "n", i, pick(3), i);
        else
            line("for (int i%d = %d; i%d < %s; i%d%s) {", i, pick(2), i, pick(2) && !in_helper ? "n" : "5", i,
                 pick(3) ? "++" : " += 2");
        counters++;
        turn(1 + pick(2));
        break;
    case 3:
        use(C_WHILE);
        line("{");
        indent++;
        line("int i%d = 0;", i);
        line("while (i%d < 4 && (%s)) {", i, condition());
        counters++;
        indent++, line("i%d++;", i), indent--;
        turn(1 + pick(2));
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
        turn(1 + pick(2));
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
    leave();
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

// Out of two loops at once.
static void leave_both(void) {
    if (depth > 2 || loops > 5 || counters > 2) return assign();
    int i = counters, label = labels++;
    use(C_GOTO);
    loops += 2, depth++;
    bool outer = in_loop_ok;
    in_loop_ok = false;
    line("for (int i%d = 0; i%d < 3; i%d++)", i, i, i);
    line("    for (int i%d = 0; i%d < n; i%d++) {", i + 1, i + 1, i + 1);
    counters += 2;
    indent++;
    block(1 + pick(2));
    line("    if (%s) goto out_%d;", condition(), label);
    indent--;
    line("    }");
    counters -= 2;
    line("out_%d:;", label);
    in_loop_ok = outer;
    depth--;
}

// Two buffers that change places.
static void swapped(void) {
    if (depth > 2 || loops > 5) return assign();
    use(C_SWAPPED);
    loops += 2;
    line("{");
    indent++;
    line("double one[4] = {0.25, %s}, two[4] = {0}, *from = one, *to = two;", expr(1));
    line("for (int i = 0; i < %s; i++) {", pick(2) ? "n" : "3");
    line("    for (int j = 0; j < 4; j++) to[j] = sin(from[(j + 1) %% 4] + v[i %% n]) + 0.5 * from[j];");
    line("    double *swap = from;");
    line("    from = to, to = swap;");
    if (pick(3) == 0) line("    if (to[1] > 0.7) break;");
    line("}");
    line("d%d = tanh(from[%d] + to[2]);", pick(n_doubles), pick(4));
    indent--;
    line("}");
}

static void carried(void) {
    if (depth > 2 || loops > 5) return assign();
    use(C_CARRIED);
    loops++;
    line("for (const double *r = %s; r < v + n;) {", pick(2) ? "v" : "v + n - 1");
    line("    d%d += 0.25 * sin(*r);", pick(n_doubles));
    if (pick(2)) line("    if (*r > 0.2) *(v + (r - v)) *= 0.5;");
    line("    r += *r > %s ? 2 : 1;", pick(2) ? "d0" : "0.1");
    line("}");
}

static void skip(void) {
    if (depth > 3) return assign();
    int label = labels++;
    use(C_SKIP);
    depth++;
    line("if (%s) goto skip_%d;", condition(), label);
    assign();
    indent--;
    block(1);
    indent++;
    line("skip_%d:;", label);
    depth--;
}

static void square(void) {
    if (depth > 2 || loops > 4) return assign();
    use(C_SQUARE);
    loops += 3;
    line("{");
    indent++;
    line("double w[n][n];");
    line("for (int i = 0; i < n; i++)");
    line("    for (int j = 0; j < n; j++) w[i][j] = i < j ? v[i] * x[j] : i == j ? 1.0 + v[i] * v[i] : 0.0;");
    if (pick(2)) {
        line("for (int i = 1; i < n; i++)");
        line("    for (int j = 0; j < i; j++) w[i][j] += 0.5 * w[i - 1][j] * w[j][i] / w[j][j];");
    }
    line("d%d = tanh(w[n - 1][0] + w[%s %% n][%s %% n]);", pick(n_doubles), count_expr(), count_expr());
    indent--;
    line("}");
}

static void integers(void) {
    switch (pick(8)) {
    case 0: use(C_NARROW), line("b8 = (unsigned char)(b8 * 5 + %s);", count_expr()); break;
    case 1: use(C_NARROW), line("c8 = (signed char)((c8 + %s) / 2 - 3);", count_expr()); break;
    case 2: use(C_NARROW), line("s16 = (short)(s16 %% 100 * 7 - %s);", count_expr()); break;
    case 3: use(C_NARROW), line("w16 ^= (unsigned short)(w16 << 3 | %s);", count_expr()); break;
    case 4: use(C_WIDE), line("u64 = u64 * 6364136223846793005ull + (unsigned)%s;", count_expr()); break;
    case 5: use(C_WIDE), line("l64 = (l64 - %s) / 3 + (long)w16;", count_expr()); break;
    case 6: use(C_BOOL), line("flag = %s;", condition()); break;
    default: use(C_WIDE), line("if (l64 < %s) d%d -= 0.125;", count_expr(), pick(n_doubles)); break;
    }
}

static void printed(void) {
    use(C_PRINTED);
    switch (pick(3)) {
    case 0: line("assert(n > 0 && k >= 0);"); break;
    case 1: line("if (n < 0) printf(\"%%d %%g\\n\", n, %s);", place()); break;
    default: line("if (!(fabs(%s) < 1e300)) fprintf(stderr, \"large\\n\");", place()); break;
    }
}

static void statement(void) {
    if (in_helper) {
        if (pick(3))
            assign();
        else if (depth < 2)
            pick(2) ? branch() : loop();
        return;
    }
    switch (pick(28)) {
    case 16: few_turns(); break;
    case 17: leave_both(); break;
    case 18:
        use(C_MEMCPY);
        if (pick(2))
            line("memcpy(a + %d, %s, 3 * sizeof *a);", pick(5), pick(2) ? "s.w" : "m[1]");
        else
            line("memcpy(l[%d].w, a + %d, sizeof l[0].w);", pick(3), pick(5));
        break;
    case 19:
        use(C_MALLOC);
        line("{");
        indent++;
        line("double *z = malloc(n * sizeof *z);");
        line("for (int i = 0; i < n; i++) z[i] = 0.5 * v[i] + %s;", place());
        line("d%d = tanh(z[%s %% n] * z[0]);", pick(n_doubles), count_expr());
        line("free(z);");
        indent--;
        line("}");
        break;
    case 21: swapped(); break;
    case 22: carried(); break;
    case 23: skip(); break;
    case 24: square(); break;
    case 25:
    case 26: integers(); break;
    case 27: printed(); break;
    case 20: use(C_NESTED), line("o.in = s, o.far = 0.5 * o.in.w[%d];", pick(3)); break;
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
    case 10: use(C_COUNTER), line("a[k++ %% 8] = 0.5 * d%d;", pick(n_doubles)); break;
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
// A static function of two numbers, with loops, branches and returns of its own.
static void helper_text(int number) {
    in_helper = true;
    line("static double helper_%d%s(double h0, double h1) {", number, variant == PLAIN ? "" : variants[variant]);
    indent = 1;
    if (pick(2)) line("if (h0 > %d.%d) return 0.5 * h1;", pick(2), pick(10));
    int n = 1 + pick(3);
    for (int i = 0; i < n; i++) statement();
    line("return 0.5 * h0 + tanh(h1);");
    indent = 0;
    line("}");
    line("");
    in_helper = false;
}

static void function_text(int number) {
    memset(used, 0, sizeof used);
    loops = counters = depth = labels = 0;
    in_loop_ok = false;
    number_now = number;
    helper_text(number);
    memset(used, 0, sizeof used);
    loops = counters = depth = 0;
    n_doubles = 2 + pick(3);
    line("double random_%d%s(int n, const double x[n]) {", number, variant == PLAIN ? "" : variants[variant]);
    indent = 1;
    line("double a[8] = {0.5, -0.25}, v[n], m[3][4] = {{0.1, 0.2}, {0.3}}, *q = a;");
    line("struct state s = {0.5, {0.1, 0.2, 0.3}}, *t = &s, other = {.w[1] = 0.7}, l[3] = {{0.2, {0.4}}};");
    line("struct outer o = {{0.3, {0.1}}, 0.6};");
    line("int k = 0;");
    line("unsigned u = 2166136261u;");
    line("float f = 0.25f;");
    line("unsigned char b8 = 250;");
    line("signed char c8 = -7;");
    line("short s16 = 300;");
    line("unsigned short w16 = 65000;");
    line("unsigned long long u64 = 88172645463325252ull;");
    line("long l64 = -3;");
    line("bool flag = n > 2;");
    line("static const double weights[3] = {0.5, -0.75, 0.125};");
    for (int i = 0; i < n_doubles; i++)
        line("double d%d = %s;", i, text("x[%d %% n] * %d.%d", pick(7), pick(2), 1 + pick(9)));
    line("for (int i = 0; i < n; i++) v[i] = x[i] * 0.5;");
    line("l[1].p = d0;");
    if (pick(2)) line("t = k ? &s : &other;");
    int n = 4 + pick(6);
    for (int i = 0; i < n; i++) statement();
    line("(void)u, (void)b8, (void)c8, (void)s16, (void)w16, (void)u64, (void)l64, (void)flag, (void)weights;");
    line("return d0 + d1 * s.p + t->w[0] + a[3] * q[1] + v[n - 1] + m[2][1] + l[1].p * l[2].w[1] + o.in.p * o.far + "
         "%sf;",
         used[C_FLOAT] ? "(double)" : "0.0 * ");
    indent = 0;
    line("}");
    line("");
    if (variant == PLAIN)
        for (int i = 0; i < C_COUNT; i++) uses[i] += used[i];
    if (variant == PLAIN && used[C_FLOAT]) fprintf(floats, "FLOATS(random_%d)\n", number);
}

// The text with other names for what is local.
static void put_renamed(const char *s) {
    static const char *const names[] = {"a", "v",    "m",  "q",  "s",  "t",  "other", "l",   "o",   "k",   "u",
                                        "f", "flag", "h0", "h1", "b8", "c8", "s16",   "w16", "u64", "l64", "weights"};
    for (const char *word = s; *s != '\0'; s = word) {
        while (*word != '\0' && (*word == '_' || ('a' <= *word && *word <= 'z') || ('A' <= *word && *word <= 'Z') ||
                                 ('0' <= *word && *word <= '9')))
            word++;
        size_t n = (size_t)(word - s);
        if (n == 0) {
            fputc(*word++, out);
            continue;
        }
        bool local = ((*s == 'd' || *s == 'i') && n > 1 && '0' <= s[1] && s[1] <= '9');
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            local = local || (strlen(names[i]) == n && memcmp(names[i], s, n) == 0);
        bool member = s[-1] == '.' || s[-1] == '>';
        fprintf(out, "%.*s%s", (int)n, s, local && !member ? "_other_name" : "");
    }
}

static void function_in_all_variants(uint64_t start, int number, int count) {
    for (int k = 0; k < count; k++) {
        FILE *file = out;
        char *written = NULL;
        size_t n = 0;
        variant = (enum variant)k;
        state = start;
        if (variant == RENAMED) out = open_memstream(&written, &n);
        function_text(number);
        if (variant != RENAMED) continue;
        fclose(out);
        out = file;
        put_renamed(written);
        free(written);
    }
    variant = PLAIN;
}

static const char prelude[] =
    "#include \"random.h\"\n\n#include <assert.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n\ndouble gain = 0.75;\nint steps[3] = {1, -2, 3};\n"
    "struct state {\n    double p, w[3];\n};\nstruct outer {\n    struct state in;\n    double far;\n};\n"
    "static const double table[4] = {0.5, -1.25, 0x1p-3, 2.0};\n"
    "#define PLUS(x, y) ((x) + (y))\n#define MINUS(x, y) ((x) - (y))\n#define TIMES(x, y) (x) * (y)\n"
    "#define ADD_TO(to, y) (to) += (y)\n"
    "#define NUDGE(to, y) do { double by_ = (y); if (by_ > 0.1) (to) = sin((to) + by_); } while (0)\n"
    "static double plus(double x, double y) { return x + y; }\n"
    "static double minus(double x, double y) { return x - y; }\n"
    "static double times(double x, double y) { return x * y; }\n"
    "static double squashed(double v) { return tanh(v); }\nstatic double waved(double v) { return 0.5 * sin(v); }\n"
    "static double applied(double (*g)(double), double v) { return g(v) + 0.25 * v; }\n"
    "static double fold(double v, int depth) {\n    if (depth == 0) return v;\n"
    "    return 0.5 * fold(0.9 * sin(v), depth - 1) + 0.1 * v;\n}\n"
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
    int count = atoi(argv[3]), first = argc > 4 ? atoi(argv[4]) : 0, all = argc > 5 ? VARIANTS : 1;
    FILE *list = open_file(argv[1], "random.def");
    for (int i = first; i < first + count; i++) {
        fprintf(list, "FUNCTION(random_%d)\n", i);
        for (int k = 1; k < all; k++)
            fprintf(list, "VARIANT(random_%d, random_%d%s, %d)\n", i, i, variants[k], k <= WRAPPED);
    }
    fclose(list);
    out = open_file(argv[1], "random.h");
    fprintf(out, "#ifndef RANDOM_H\n#define RANDOM_H\n#include <chaac/grad.h>\n\n"
                 "#define FUNCTION(f) double f(int n, const double x[n]); \\\n    CH_VALUE_AND_GRAD(f, x) "
                 "double f##_vg(int n, const double x[n], double dx[n]); \\\n    CH_JVP(f, x) "
                 "double f##_jvp(int n, const double x[n], const double t[n], double *value_t);\n"
                 "#define VARIANT(of, f, bits) FUNCTION(f)\n"
                 "#include \"random.def\"\n#undef FUNCTION\n#undef VARIANT\n#endif\n");
    fclose(out);
    out = open_file(argv[1], "random.c");
    floats = open_file(argv[1], "floats.def");
    fputs(prelude, out);
    for (int i = first; i < first + count; i++) {
        state = seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        state = next() ^ (uint64_t)i; // elsewhere on the sequence, not a step further
        function_in_all_variants(next(), i, all);
    }
    fclose(out);
    fclose(floats);
    for (int i = 0; i < C_COUNT; i++)
        printf("# %-28s %5d of %d, %d %%\n", construct_names[i], uses[i], count,
               100 * uses[i] / (count > 0 ? count : 1));
    return 0;
}
