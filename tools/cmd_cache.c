// SPDX-License-Identifier: Apache-2.0
// cmd_cache.c - chaac cache list|verify|clear: compiled code that is kept on disk, of this machine and of devices.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"

typedef struct {
    bool json, verify;
    int64_t entries, bytes, wrong;
} cache_sums;

static void show_entry(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    cache_sums *s = user;
    char when[32] = "";
    time_t t = (time_t)used;
    struct tm date;
    if (gmtime_r(&t, &date) != NULL) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &date);
    if (s->json) {
        printf("%s\n  {\"name\": ", s->entries > 0 ? "," : "");
        json_text(name);
        printf(", \"bytes\": %lld, \"used\": \"%s\", \"wrong\": ", (long long)bytes, when);
        if (wrong != NULL)
            json_text(wrong);
        else
            printf("null");
        printf("}");
    } else if (!s->verify) {
        printf("%10lld  %s  %.16s\n", (long long)bytes, when, name);
    } else if (wrong != NULL) {
        printf("%.16s: %s — removed\n", name, wrong);
    }
    s->entries++;
    s->bytes += bytes;
    s->wrong += wrong != NULL;
}

static void forget_entry(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    cache_sums *s = user;
    (void)name, (void)used, (void)wrong;
    s->entries++;
    s->bytes += bytes;
}

static const char *entries(int64_t n) { return n == 1 ? "entry" : "entries"; }

int cmd_cache(int argc, char **argv) {
    const char *what = NULL, *folder = ch_cache_folder();
    cache_sums s = {false, false, 0, 0, 0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            s.json = true;
        else if (what == NULL && argv[i][0] != '-')
            what = argv[i];
        else
            return usage_error("cache", "\"%s\" is not known here", argv[i]);
    }
    if (what == NULL) return usage_error("cache", "list, verify or clear?");
    s.verify = strcmp(what, "verify") == 0;
    bool clear = strcmp(what, "clear") == 0;
    if (!s.verify && !clear && strcmp(what, "list") != 0)
        return usage_error("cache", "\"%s\" — there are list, verify and clear", what);
    if (clear && s.json) return usage_error("cache", "--json goes with list and verify");
    if (s.json) printf("[");
    ch_status status = clear      ? ch_cache_clear(forget_entry, &s)
                       : s.verify ? ch_cache_verify(show_entry, &s)
                                  : ch_cache_list(show_entry, &s);
    if (s.json) printf("\n]\n");
    if (status != CH_OK) return library_error();
    if (folder == NULL && s.entries == 0) {
        fprintf(stderr, "nothing is kept: CHAAC_CACHE_DIR is off or not a whole path, or there is no home\n");
    } else if (clear) {
        fprintf(stderr, "%lld %s, %lld bytes removed\n", (long long)s.entries, entries(s.entries), (long long)s.bytes);
    } else {
        fprintf(stderr, "%lld %s, %lld bytes", (long long)s.entries, entries(s.entries), (long long)s.bytes);
        if (s.verify) fprintf(stderr, ", %lld wrong", (long long)s.wrong);
        fprintf(stderr, "\n");
    }
    return s.wrong > 0 ? FAILED : OK;
}
