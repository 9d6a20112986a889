// SPDX-License-Identifier: Apache-2.0
// bench_safetensors.c - a safetensors file of 500 MB: opening it, reading all of it, the memory that takes.
//
// usage: bench_safetensors [FOLDER]     where the file is made (and removed): $TMPDIR or /tmp
//
// Bars: open in 5 ms; read at 0.8 of the speed at which the disk cache is copied; peak memory at most the file and 5 %.
// The file is in the disk cache. Copying it is measured as a program would do it without a library: read() into fresh
// memory as large as the file; and, harder, by blocks of 1 MiB into memory that stays in the processor's cache. Reading
// is measured twice: ch_safetensors_read, which copies, and ch_safetensors_view, which maps, where one byte of each
// cache line is looked at, since a mapped file costs only what is touched. The peak is that of a child that opens,
// reads all tensors and keeps them.
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "chaac/chaac.h"

enum { TENSORS = 120, ROWS = 1024, COLUMNS = 1024, RUNS = 5 };
static char path[512];
static double file_bytes;
static volatile unsigned sink;

static int make_file(void) {
    static char names[TENSORS][16];
    const char *name[TENSORS];
    ch_tensor *t[TENSORS];
    float *x = malloc((size_t)ROWS * COLUMNS * 4);
    if (!x) return 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)i;
    ch_tensor *one = ch_borrow(CH_F32, x, 2, (int64_t[]){ROWS, COLUMNS}, NULL, NULL);
    for (int i = 0; i < TENSORS; i++) {
        snprintf(names[i], sizeof names[i], "layer%d", i);
        name[i] = names[i];
        t[i] = one;
    }
    ch_status s = ch_safetensors_save(path, TENSORS, name, t, 0, NULL, NULL);
    ch_thread_end();
    free(x);
    struct stat st;
    if (s != CH_OK || stat(path, &st) != 0) return 1;
    file_bytes = (double)st.st_size;
    return 0;
}

// Seconds of one whole copy; block 0: at once, into fresh memory.
static double copy(size_t block) {
    size_t room = block ? block : (size_t)file_bytes;
    char *to = malloc(room);
    int fd = open(path, O_RDONLY);
    if (block) memset(to, 1, room);
    double begin = bench_now();
    for (size_t at = 0;;) {
        ssize_t n = read(fd, block ? to : to + at, block ? block : room - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    double seconds = bench_now() - begin;
    sink += (unsigned char)to[room / 2];
    close(fd);
    free(to);
    return seconds;
}

static ch_safetensors *opened(void) {
    ch_safetensors *f = NULL;
    if (ch_safetensors_open(path, &f) != CH_OK) {
        fprintf(stderr, "%s\n", ch_error_message());
        exit(1);
    }
    return f;
}

static double open_only(void) {
    double begin = bench_now();
    ch_safetensors *f = opened();
    double seconds = bench_now() - begin;
    ch_safetensors_close(f);
    return seconds;
}

// Reads all tensors, keeping them until all are read.
static double read_all(int view) {
    static ch_tensor *t[TENSORS];
    double begin = bench_now();
    ch_safetensors *f = opened();
    unsigned sum = 0;
    for (int i = 0; i < TENSORS; i++) {
        const char *name = ch_safetensors_name(f, i);
        if ((view ? ch_safetensors_view(f, name, &t[i]) : ch_safetensors_read(f, name, &t[i])) != CH_OK) exit(1);
        const unsigned char *p = ch_data(t[i]);
        for (size_t k = 0; view && k < (size_t)ROWS * COLUMNS * 4; k += 64) sum += p[k];
    }
    ch_safetensors_close(f);
    double seconds = bench_now() - begin;
    sink += sum;
    for (int i = 0; i < TENSORS; i++) ch_release(t[i]);
    return seconds;
}

// KiB of a child at its peak, above what it began with.
static double peak(int view) {
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    pid_t child = fork();
    if (child == 0) {
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        read_all(view);
        getrusage(RUSAGE_SELF, &after);
        double kib = (double)(after.ru_maxrss - before.ru_maxrss);
        _exit(write(ends[1], &kib, sizeof kib) == sizeof kib ? 0 : 1);
    }
    double kib = 0;
    int status = 1;
    if (child < 0 || read(ends[0], &kib, sizeof kib) != sizeof kib) exit(1);
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    return kib;
}

static void memory(const char *name, int view) {
    double share = peak(view) * 1024 / file_bytes;
    bench_report(name, &share, 1, "of the file's size", 1.05);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(path, sizeof path, "%s/chaac-bench-%ld.safetensors", folder, (long)getpid());
    if (make_file() != 0) {
        fprintf(stderr, "bench_safetensors: %s\n", ch_error_message());
        return 1;
    }
    // Before anything large was allocated here: a child's peak begins with its parent's.
    memory("safetensors read, peak memory", 0);
    memory("safetensors view, peak memory", 1);
    double fresh[RUNS], blocks[RUNS], opens[RUNS], reads[RUNS], views[RUNS], ratio[4];
    copy(0);
    for (int i = 0; i < RUNS; i++) {
        fresh[i] = copy(0);
        blocks[i] = copy(1 << 20);
        opens[i] = open_only() * 1e3;
        reads[i] = read_all(0);
        views[i] = read_all(1);
    }
    bench_report("copy of the disk cache into fresh memory", fresh, RUNS, "s", 0);
    bench_report("copy of the disk cache by blocks", blocks, RUNS, "s", 0);
    bench_report("safetensors open", opens, RUNS, "ms", 5);
    bench_report("safetensors read", reads, RUNS, "s", 0);
    bench_report("safetensors view, all of it looked at", views, RUNS, "s", 0);
    ratio[0] = reads[0] / fresh[0];
    ratio[1] = views[0] / fresh[0];
    ratio[2] = reads[0] / blocks[0];
    ratio[3] = views[0] / blocks[0];
    static const char *const names[] = {
        "safetensors read, time against a copy", "safetensors view, time against a copy",
        "safetensors read, time against a copy by blocks", "safetensors view, time against a copy by blocks"};
    // a copy by blocks touches no fresh memory, which nothing that keeps its copy can do: no bar for that row
    for (int i = 0; i < 4; i++) bench_report(names[i], &ratio[i], 1, "times", i == 2 ? 0 : 1 / 0.8);
    unlink(path);
    return 0;
}
