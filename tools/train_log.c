// SPDX-License-Identifier: Apache-2.0
// train_log.c - the log of a run: a JSON object a line, numbers and texts only. Written with 17 digits, so that what is
// read back is what was written.
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"

void log_number(FILE *f, const char *key, double v) {
    if (isfinite(v))
        fprintf(f, ", \"%s\": %.17g", key, v);
    else
        fprintf(f, ", \"%s\": null", key);
}

// ---- reading: a flat object; what it holds beyond the known keys is passed over
static const char *blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    return p;
}

// A string from its quote on; the text, as it stands between the quotes, is cut to cap. NULL: it does not end.
static const char *string_end(const char *p, char *text, size_t cap) {
    size_t n = 0;
    if (*p++ != '"') return NULL;
    for (; *p != '"'; p++) {
        if (*p == '\0' || *p == '\n') return NULL;
        if (n + 1 < cap) text[n++] = *p;
        if (*p == '\\' && p[1] != '\0') p++;
    }
    text[n] = '\0';
    return p + 1;
}

static double *place_of(log_line *l, const char *key) {
    static const struct {
        const char *key;
        size_t at;
    } known[] = {{"step", offsetof(log_line, step)},         {"epoch", offsetof(log_line, epoch)},
                 {"loss", offsetof(log_line, loss)},         {"valid_loss", offsetof(log_line, valid_loss)},
                 {"accuracy", offsetof(log_line, accuracy)}, {"seconds", offsetof(log_line, seconds)}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].key, key) == 0) return (double *)(void *)((char *)l + known[i].at);
    return NULL;
}

// A value; numbers go to *number when that is not NULL.
static const char *value_end(const char *p, const char *key, log_line *l) {
    static const char *const words[] = {"null", "true", "false"};
    char text[sizeof l->event], *end;
    if (*p == '"') {
        p = string_end(p, text, sizeof text);
        if (p != NULL && strcmp(key, "event") == 0) memcpy(l->event, text, sizeof text);
        return p;
    }
    for (int i = 0; i < 3; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
    if (*p != '-' && !isdigit((unsigned char)*p)) return NULL;
    double v = strtod(p, &end);
    if (place_of(l, key) != NULL) *place_of(l, key) = v;
    return end;
}

static bool parse_line(const char *p, log_line *l) {
    char key[32];
    *l = (log_line){.step = NAN, .epoch = NAN, .loss = NAN, .valid_loss = NAN, .accuracy = NAN, .seconds = NAN};
    p = blanks(p);
    if (*p++ != '{') return false;
    p = blanks(p);
    for (bool first = true; *p != '}'; first = false) {
        if (!first && *p++ != ',') return false;
        p = string_end(blanks(p), key, sizeof key);
        if (p == NULL) return false;
        p = blanks(p);
        if (*p++ != ':') return false;
        p = value_end(blanks(p), key, l);
        if (p == NULL) return false;
        p = blanks(p);
    }
    p = blanks(p + 1);
    return *p == '\n' || *p == '\0';
}

int log_read(const char *cmd, const char *path, bool (*fn)(void *user, const log_line *line, long end), void *user) {
    FILE *f = fopen(path, "r");
    if (f == NULL) return file_trouble(cmd, path);
    char text[4096];
    log_line line;
    int status = OK;
    for (int n = 1; status == OK && fgets(text, sizeof text, f) != NULL; n++) {
        if (*blanks(text) == '\n') continue;
        if (strchr(text, '\n') == NULL && feof(f)) break; // being written, or torn when the writer was killed
        if (!parse_line(text, &line)) {
            fprintf(stderr, "chaac %s: %s: line %d is no JSON object of numbers and texts\n", cmd, path, n);
            status = FAILED;
        } else if (!fn(user, &line, ftell(f))) {
            break;
        }
    }
    if (status == OK && ferror(f)) status = file_trouble(cmd, path);
    fclose(f);
    return status;
}
