// SPDX-License-Identifier: Apache-2.0
// kept.h - what lies in a folder of the devices' disk cache.
#ifndef CHAAC_TESTS_KEPT_H
#define CHAAC_TESTS_KEPT_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// Entries that hold programs; the sums of plugins' files are small. path: the last of them, or NULL.
static inline int kept_programs(const char *cache, char path[512]) {
    DIR *d = opendir(cache);
    int n = 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char one[512];
        struct stat st;
        snprintf(one, sizeof one, "%.250s/%.255s", cache, e->d_name);
        if (strstr(e->d_name, ".exec") == NULL || lstat(one, &st) != 0 || st.st_size < 128) continue;
        if (path != NULL) strcpy(path, one);
        n++;
    }
    if (d != NULL) closedir(d);
    return n;
}

#endif
