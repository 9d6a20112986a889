// SPDX-License-Identifier: Apache-2.0
// train_flags.c - the flags of a training run: one table reads them from the command line and from the run's folder,
// checks them, and writes them down.
//
// The file "flags" of a run holds one flag a line. What may change when a run is gone on with is marked in the table;
// everything else would make it another run.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train.h"

typedef enum { TEXT, WHOLE, NUMBER, SWITCH } kind;
static const struct {
    const char *name;
    kind kind;
    size_t at;
    double least, most;
    const char *initial; // NULL: not said
    bool changes;        // may be given beside --resume
} flags[] = {
#define AT(field) offsetof(settings, field)
    {"--model", TEXT, AT(model), 0, 0, NULL, false},
    {"--data", TEXT, AT(data), 0, 0, NULL, false},
    {"--target", TEXT, AT(target), 0, 0, NULL, false},
    {"--loss", TEXT, AT(loss), 0, 0, NULL, false},
    {"--classes", WHOLE, AT(classes), 1, 1e6, NULL, false},
    {"--hidden", TEXT, AT(hidden), 0, 0, NULL, false},
    {"--activation", TEXT, AT(activation), 0, 0, "relu", false},
    {"--standardize", SWITCH, AT(standardize), 0, 0, NULL, false},
    {"--context", WHOLE, AT(context), 1, 1e5, "32", false},
    {"--holdout", NUMBER, AT(holdout), 0, 0.9, "0.1", false},
    {"--epochs", WHOLE, AT(epochs), 1, 1e6, "10", true},
    {"--batch", WHOLE, AT(batch), 1, 1e9, "32", false},
    {"--optimizer", TEXT, AT(optimizer), 0, 0, "adam", false},
    {"--lr", NUMBER, AT(lr), 1e-12, 1e6, "0.001", false},
    {"--decay", NUMBER, AT(decay), 0, 1e6, "0", false},
    {"--no-decay", TEXT, AT(no_decay), 0, 0, NULL, false},
    {"--clip", NUMBER, AT(clip), 0, 1e12, "0", false},
    {"--clip-value", NUMBER, AT(clip_value), 0, 1e12, "0", false},
    {"--accumulate", WHOLE, AT(accumulate), 1, 1e6, "1", false},
    {"--average", NUMBER, AT(average), 0, 0.999999999, "0", false},
    {"--frozen", TEXT, AT(frozen), 0, 0, NULL, false},
    {"--compute", TEXT, AT(compute), 0, 0, NULL, false},
    {"--schedule", TEXT, AT(schedule), 0, 0, "constant", false},
    {"--warmup", WHOLE, AT(warmup), 0, 1e12, "0", false},
    {"--patience", WHOLE, AT(patience), 0, 1e6, "0", true},
    {"--seed", WHOLE, AT(seed), 0, 9e15, "0", false},
    {"--engine", TEXT, AT(engine), 0, 0, NULL, false},
    {"--save-every", WHOLE, AT(save_every), 0, 1e12, "0", true},
    {"--log-every", WHOLE, AT(log_every), 1, 1e12, "1", true},
    {"--out", TEXT, AT(out), 0, 0, NULL, true},
#undef AT
};
enum { N_FLAGS = sizeof flags / sizeof flags[0] };

const char *path_in(const settings *s, const char *name, char path[PATH_MOST]) {
    snprintf(path, PATH_MOST, "%s/%s", s->out, name);
    return path;
}

int file_trouble(const char *cmd, const char *path) {
    fprintf(stderr, "chaac %s: %s: %s\n", cmd, path, strerror(errno));
    return FAILED;
}

static int flag_find(const char *name, size_t n) {
    for (int i = 0; i < N_FLAGS; i++)
        if (strlen(flags[i].name) == n && strncmp(flags[i].name, name, n) == 0) return i;
    return -1;
}

static bool flag_set(settings *s, int i, const char *value) {
    char *place = (char *)s + flags[i].at, *end;
    int64_t whole;
    double number;
    switch (flags[i].kind) {
    case TEXT: *(const char **)(void *)place = value; return value[0] != '\0' && strchr(value, '\n') == NULL;
    case SWITCH: *(bool *)place = true; return true;
    case WHOLE:
        if (!whole_number(value, &whole) || (double)whole < flags[i].least || (double)whole > flags[i].most)
            return false;
        *(int64_t *)(void *)place = whole;
        return true;
    case NUMBER:
        number = strtod(value, &end); // the command never calls setlocale
        if (end == value || *end != '\0' || !(number >= flags[i].least && number <= flags[i].most)) return false;
        *(double *)(void *)place = number;
        return true;
    }
    return false;
}

static int flag_trouble(const char *cmd, int i, const char *value) {
    if (flags[i].kind == TEXT) return usage_error(cmd, "%s=%.60s — a text of one line is needed", flags[i].name, value);
    return usage_error(cmd, "%s=%.60s — a %s from %.9g to %.9g is needed", flags[i].name, value,
                       flags[i].kind == WHOLE ? "whole number" : "number", flags[i].least, flags[i].most);
}

static void set_initial(settings *s) {
    *s = (settings){.out = NULL};
    for (int i = 0; i < N_FLAGS; i++)
        if (flags[i].initial != NULL) flag_set(s, i, flags[i].initial);
    s->engine = ch_engine_default(); // written down, so that a run that is gone on with has the same
}

// ---- words that are known
#define SCHEDULES                                                                                                      \
    "constant cosine linear one-cycle step:STEPS,FACTOR exponential:FACTOR polynomial:POWER restarts:STEPS,GROWTH "    \
    "cyclic:STEPS,TOP piecewise:STEP,FACTOR,..."
static bool is_one_of(const char *text, const char *list) { // "a b c"
    size_t n = strlen(text);
    for (const char *p = list; *p != '\0';) {
        size_t word = strcspn(p, " ");
        if (word == n && strncmp(p, text, n) == 0) return true;
        p += word + (p[word] == ' ');
    }
    return false;
}

int hidden_sizes(const char *text, int64_t sizes[MOST_HIDDEN]) {
    int n = 0;
    for (const char *p = text; *p != '\0'; p += *p == ',') {
        char *end;
        if (n == MOST_HIDDEN) return -1;
        sizes[n] = strtoll(p, &end, 10);
        if (end == p || (*end != ',' && *end != '\0') || sizes[n] < 1 || sizes[n] > 1000000) return -1;
        n++;
        p = end;
    }
    return n;
}

// "10,0.5,20,0.1": from step 10 on 0.5 of the rate, from 20 on 0.1.
static int pieces_of(const char *text, pieces *room) {
    int n = 0, end = 0;
    for (long long step; *text != '\0'; n++) {
        if (n == MOST_PIECES || sscanf(text, "%lld,%lf%n", &step, &room->factors[n], &end) != 2) return -1;
        room->steps[n] = step;
        text += end;
        if (*text == ',' && text[1] != '\0')
            text++;
        else if (*text != '\0')
            return -1;
    }
    return n;
}

bool schedule_of(const char *text, int64_t total, pieces *room, ch_schedule *out) {
    long long every;
    double number = 0, growth = 0;
    int end = -1, n = (int)strlen(text), count;
    if (strcmp(text, "constant") == 0)
        *out = ch_schedule_constant();
    else if (strcmp(text, "cosine") == 0)
        *out = ch_schedule_cosine(total, 0);
    else if (strcmp(text, "linear") == 0)
        *out = ch_schedule_linear(1, 0, total);
    else if (strcmp(text, "one-cycle") == 0)
        *out = ch_schedule_one_cycle(total);
    else if (sscanf(text, "step:%lld,%lf%n", &every, &number, &end) == 2 && end == n && every > 0)
        *out = ch_schedule_step(every, number);
    else if (sscanf(text, "exponential:%lf%n", &number, &end) == 1 && end == n)
        *out = ch_schedule_exponential(number);
    else if (sscanf(text, "polynomial:%lf%n", &number, &end) == 1 && end == n)
        *out = ch_schedule_polynomial(total, number);
    else if (sscanf(text, "restarts:%lld,%lf%n", &every, &growth, &end) == 2 && end == n && every > 0 && growth >= 1)
        *out = ch_schedule_restarts(every, growth, 0), number = 1;
    else if (sscanf(text, "cyclic:%lld,%lf%n", &every, &number, &end) == 2 && end == n && every > 0)
        *out = ch_schedule_cyclic(every, number);
    else if (strncmp(text, "piecewise:", 10) == 0 && (count = pieces_of(text + 10, room)) > 0)
        *out = ch_schedule_piecewise(count, room->steps, room->factors), end = -1;
    else
        return false;
    return (end < 0 || (number > 0 && number <= 1e3)) && ch_schedule_check(out) == CH_OK;
}

ch_dtype compute_of(const char *text) {
    static const ch_dtype all[] = {CH_F16, CH_BF16, CH_F32, CH_F64};
    for (int i = 0; text != NULL && i < 4; i++)
        if (strcmp(text, ch_dtype_name(all[i])) == 0) return all[i];
    return 0;
}

static int check_words(const char *cmd, const settings *s) {
    static const struct {
        const char *name;
        size_t at;
        const char *words;
    } known[] = {{"--loss", offsetof(settings, loss), "cross-entropy mse huber"},
                 {"--activation", offsetof(settings, activation), "relu gelu silu tanh sigmoid"},
                 {"--optimizer", offsetof(settings, optimizer),
                  "sgd momentum nesterov adam adamw rmsprop adagrad adadelta adamax nadam radam lion lamb"},
                 {"--compute", offsetof(settings, compute), "f16 bf16 f32 f64"},
                 {"--schedule", offsetof(settings, schedule), NULL}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *text = *(const char *const *)(const void *)((const char *)s + known[i].at);
        ch_schedule schedule;
        pieces room;
        bool good = text == NULL ||
                    (known[i].words != NULL ? is_one_of(text, known[i].words) : schedule_of(text, 1, &room, &schedule));
        if (!good)
            return usage_error(cmd, "%s=%.60s — known are: %s", known[i].name, text,
                               known[i].words != NULL ? known[i].words : SCHEDULES);
    }
    int64_t sizes[MOST_HIDDEN];
    if (s->hidden != NULL && hidden_sizes(s->hidden, sizes) < 0)
        return usage_error(cmd, "--hidden=%.60s — up to %d sizes are needed, as in --hidden=64,32", s->hidden,
                           MOST_HIDDEN);
    if (s->model == NULL) return usage_error(cmd, "--model is needed — mlp, cnn, char-lm or FILE.ir");
    if (s->data == NULL) return usage_error(cmd, "--data is needed — a CSV, npz or text file, or a folder of idx");
    return OK;
}

// ---- the run's folder
static char *file_text(FILE *f) {
    long n = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = n < 0 || n > 1000000 || fseek(f, 0, SEEK_SET) != 0 ? NULL : calloc((size_t)n + 1, 1);
    if (text != NULL && fread(text, 1, (size_t)n, f) == (size_t)n) return text;
    free(text);
    return NULL;
}

// Sets what the lines say; they are cut where they end. The number of a line that says nothing, 0: all are good.
static int set_lines(settings *s, char *text) {
    for (int n = 1; *text != '\0'; n++) {
        size_t length = strcspn(text, "\n"), name = strcspn(text, "=\n");
        char *next = text + length + (text[length] == '\n');
        text[length] = '\0';
        int i = flag_find(text, name);
        if (i < 0 || !flag_set(s, i, text + name + (name < length))) return n;
        text = next;
    }
    return 0;
}

int settings_of_run(const char *cmd, const char *folder, settings *s) {
    char path[PATH_MOST];
    set_initial(s);
    s->out = folder;
    FILE *f = fopen(path_in(s, "flags", path), "r");
    char *text = f == NULL ? NULL : file_text(f);
    if (f != NULL) fclose(f);
    if (text == NULL) {
        fprintf(stderr, "chaac %s: %s: %s — name the folder of a run, as `chaac train --out=FOLDER` makes it\n", cmd,
                path, strerror(errno));
        return FAILED;
    }
    s->texts[0] = text;
    int bad = set_lines(s, text);
    s->out = folder;
    if (bad == 0) return check_words(cmd, s);
    fprintf(stderr, "chaac %s: %s: line %d is no flag of a run\n", cmd, path, bad);
    return FAILED;
}

void settings_free(settings *s) {
    for (size_t i = 0; i < sizeof s->texts / sizeof s->texts[0]; i++) free(s->texts[i]);
}

// As few digits as read back to the same number.
static void number_print(FILE *f, const char *name, double v) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    fprintf(f, "%s=%s\n", name, text);
}

static void flag_print(FILE *f, const settings *s, int i) {
    const char *place = (const char *)s + flags[i].at;
    if (flags[i].kind == TEXT && *(const char *const *)(const void *)place != NULL)
        fprintf(f, "%s=%s\n", flags[i].name, *(const char *const *)(const void *)place);
    if (flags[i].kind == WHOLE && *(const int64_t *)(const void *)place >= (int64_t)flags[i].least)
        fprintf(f, "%s=%lld\n", flags[i].name, (long long)*(const int64_t *)(const void *)place);
    if (flags[i].kind == NUMBER) number_print(f, flags[i].name, *(const double *)(const void *)place);
    if (flags[i].kind == SWITCH && *(const bool *)place) fprintf(f, "%s\n", flags[i].name);
}

int settings_save(const settings *s) {
    char path[PATH_MOST], beside[PATH_MOST];
    path_in(s, "flags", path);
    path_in(s, "flags.tmp", beside);
    FILE *f = fopen(beside, "w");
    if (f == NULL) return file_trouble("train", beside);
    for (int i = 0; i < N_FLAGS; i++)
        if (strcmp(flags[i].name, "--out") != 0) flag_print(f, s, i);
    bool bad = ferror(f) != 0;
    if (fclose(f) != 0 || bad || rename(beside, path) != 0) return file_trouble("train", path);
    return OK;
}

// ---- the command line
static int set_arguments(int argc, char **argv, settings *s, bool *given) {
    const char *valued[N_FLAGS + 1] = {NULL}, *value;
    for (int i = 0, n = 0; i < N_FLAGS; i++)
        if (flags[i].kind != SWITCH) valued[n++] = flags[i].name;
    options o = {argc, argv, 1};
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        if (strcmp(arg, "--resume") == 0) {
            s->resume = true;
            continue;
        }
        int i = flag_find(arg, strlen(arg));
        if (arg[0] != '-') return usage_error("train", "\"%.60s\" is one argument too many", arg);
        if (i < 0 || (value == NULL && flags[i].kind != SWITCH))
            return usage_error("train", "\"%.60s\" is unknown or needs a value", arg);
        if (!flag_set(s, i, value)) return flag_trouble("train", i, value);
        given[i] = true;
    }
    return OK;
}

// A flag that the model, the loss or the data has no use for is a mistake. Words that are not known have been refused,
// or are by who reads them.
static int check_uses(const settings *s, const bool *given) {
    static const struct {
        const char *flag, *models;
    } uses[] = {{"--context", "char-lm"},
                {"--hidden", "mlp cnn char-lm"},
                {"--activation", "mlp cnn"},
                {"--classes", "mlp cnn FILE.ir"},
                {"--target", "mlp cnn FILE.ir"}};
    const char *model = strstr(s->model, ".ir") != NULL ? "FILE.ir" : s->model;
    bool known = is_one_of(model, "mlp cnn char-lm FILE.ir");
    for (size_t i = 0; known && i < sizeof uses / sizeof uses[0]; i++)
        if (given[flag_find(uses[i].flag, strlen(uses[i].flag))] && !is_one_of(model, uses[i].models))
            return usage_error("train", "%s beside --model=%.60s — it is for: %s", uses[i].flag, s->model,
                               uses[i].models);
    if (s->classes > 0 && s->loss != NULL && strcmp(s->loss, "cross-entropy") != 0)
        return usage_error("train", "--classes beside --loss=%s — it is for labels, and those want cross-entropy",
                           s->loss);
    size_t n = strlen(s->data);
    if (s->target != NULL && (n < 4 || strcmp(s->data + n - 4, ".csv") != 0))
        return usage_error("train", "--target beside --data=%.60s — it is for FILE.csv", s->data);
    return OK;
}

int settings_of_arguments(int argc, char **argv, settings *s) {
    bool given[N_FLAGS] = {false};
    set_initial(s);
    int status = set_arguments(argc, argv, s, given);
    if (status != OK) return status;
    if (s->out == NULL) return usage_error("train", "--out is needed — the folder of the run");
    if (!s->resume) {
        status = check_words("train", s);
        return status != OK ? status : check_uses(s, given);
    }
    for (int i = 0; i < N_FLAGS; i++)
        if (given[i] && !flags[i].changes)
            return usage_error("train",
                               "%s beside --resume — the run has its own in %s/flags; --epochs, --patience, "
                               "--save-every and --log-every may change",
                               flags[i].name, s->out);
    status = settings_of_run("train", s->out, s);
    if (status != OK) return status;
    status = set_arguments(argc, argv, s, given); // once more, over what the run has
    return status != OK ? status : check_words("train", s);
}
