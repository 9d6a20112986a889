// SPDX-License-Identifier: Apache-2.0
// disk_cache.c - compiled programs of devices, kept on disk between processes when CHAAC_PJRT_CACHE_DIR is set.
//
// The files, their checks and the folder's are those of the native engine's cache (rt/cache.c). The key is the SHA-256
// of all that a program depends on: the text, the compile options, the plugin's own file, what it says of platform and
// device, the processor's instructions, $XLA_FLAGS as it was when the plugin was loaded, the names of registered
// handlers that the text has. Plugins call their version "cpu" and take any bytes: programs of another plugin run and
// give nothing, damaged ones give other numbers. So what differs anywhere does not reach the plugin. Whatever fails
// here means that the plugin compiles; a notice says why.
//
// A plugin's file has 200 MB. Its sum is computed once for each file (path, device, inode, size, times) and kept beside
// the programs.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "chaac/ffi.h"
#include "pjrt/pjrt.h"
#include "rt/rt.h"

// ---------------------------------------------------------------- the plugin's file
enum { FILE_PIECE = 4 << 20 };
typedef struct {
    ch__infile *file;
    ch__sha256 *sums; // of pieces
    atomic_bool failed;
} file_job;

static void hash_pieces(void *arg, int64_t begin, int64_t end) {
    file_job *j = arg;
    char *data = ch__alloc(FILE_PIECE);
    if (data == NULL) atomic_store(&j->failed, true);
    for (int64_t i = begin; i < end && data != NULL && !atomic_load(&j->failed); i++) {
        uint64_t at = (uint64_t)i * FILE_PIECE, left = ch__infile_size(j->file) - at;
        size_t n = left < FILE_PIECE ? (size_t)left : FILE_PIECE;
        if (ch__infile_read(j->file, at, data, n) != CH_OK) atomic_store(&j->failed, true);
        j->sums[i] = ch__sha256_of(data, n);
    }
    ch__free(data);
}

static bool hash_file(const char *path, ch__sha256 *out) {
    file_job j = {0};
    if (ch__infile_open(path, &j.file) != CH_OK) return false;
    int64_t pieces = (int64_t)((ch__infile_size(j.file) + FILE_PIECE - 1) / FILE_PIECE);
    j.sums = ch__calloc((size_t)pieces + 1, sizeof *j.sums);
    atomic_init(&j.failed, j.sums == NULL);
    if (j.sums != NULL) ch__parallel_for(pieces, 1, hash_pieces, &j);
    bool good = !atomic_load(&j.failed);
    if (good) *out = ch__sha256_of(j.sums, (size_t)pieces * sizeof *j.sums);
    ch__free(j.sums);
    ch__infile_close(j.file);
    return good;
}

// From the folder when this very file was summed up before.
static bool sum_of_file(const char *path, ch__sha256 *out) {
    struct stat st;
    struct {
        char what[24];
        ch__sha256 path;
        int64_t dev, ino, size, times[4];
    } of = {.what = "plugin file 1", .path = ch__sha256_of(path, strlen(path))};
    if (stat(path, &st) != 0) return false;
    of.dev = (int64_t)st.st_dev;
    of.ino = (int64_t)st.st_ino;
    of.size = (int64_t)st.st_size;
    of.times[0] = (int64_t)st.st_mtim.tv_sec, of.times[1] = (int64_t)st.st_mtim.tv_nsec;
    of.times[2] = (int64_t)st.st_ctim.tv_sec, of.times[3] = (int64_t)st.st_ctim.tv_nsec;
    ch__sha256 key = ch__sha256_of(&of, sizeof of);
    void *data = NULL;
    size_t n = 0;
    bool known = ch__cache_get(&ch__cache_devices, &key, &data, &n) && n == sizeof *out;
    if (known) memcpy(out, data, sizeof *out);
    ch__free(data);
    if (known) return true;
    if (!hash_file(path, out)) return false;
    ch__cache_put(&ch__cache_devices, &key, out, sizeof *out);
    return true;
}

// Once for each plugin.
static bool plugin_sum(ch_plugin *p, ch__sha256 *out) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (p->sum_state == 0) p->sum_state = sum_of_file(p->path, &p->sum) ? 1 : -1;
    bool good = p->sum_state > 0;
    *out = p->sum;
    pthread_mutex_unlock(&lock);
    return good;
}

// ---------------------------------------------------------------- the key
// Of the handlers that the text may call: their names, whatever the order they were registered in.
static void sum_handlers(ch_plugin *p, const char *text, ch__sha256 *out) {
    const char *name;
    for (int i = 0; (name = ch_ffi_registered(p, i)) != NULL; i++) {
        if (strstr(text, name) == NULL) continue;
        ch__sha256 one = ch__sha256_of(name, strlen(name));
        for (size_t k = 0; k < sizeof one.b; k++) out->b[k] ^= one.b[k];
    }
}

bool ch__pjrt_disk_key(ch_session *s, const char *text, size_t n, const char *options, size_t options_n,
                       ch__sha256 *out) {
    char folder[1024];
    struct {
        char what[24];
        ch__sha256 plugin, text, options, platform, version, device, flags, handlers;
        uint64_t cpu;
        int64_t minor, xla, devices;
    } of = {.what = "device program 1"};
    if (atomic_load(&s->disk_off) || !ch__cache_devices.home(folder, sizeof folder)) return false;
    if (!ch__plugin_has(s->plugin, PJ_EXECUTABLE_SERIALIZE) ||
        !ch__plugin_has(s->plugin, PJ_EXECUTABLE_DESERIALIZE_AND_LOAD))
        return false;
    if (!plugin_sum(s->plugin, &of.plugin)) {
        ch__log(2, "cache: %s cannot be read to know it again — programs are compiled again by every process",
                s->plugin->path);
        atomic_store(&s->disk_off, true);
        return false;
    }
    of.text = ch__sha256_of(text, n);
    of.options = ch__sha256_of(options, options_n);
    of.platform = ch__sha256_of(s->platform, strlen(s->platform));
    of.version = ch__sha256_of(s->platform_version, strlen(s->platform_version));
    of.device = ch__sha256_of(s->device_kind, strlen(s->device_kind));
    of.flags = s->plugin->flags;
    sum_handlers(s->plugin, text, &of.handlers);
    of.cpu = ch__cpu_features();
    of.minor = s->plugin->minor;
    of.xla = s->plugin->xla_version;
    of.devices = s->n_devices;
    *out = ch__sha256_of(&of, sizeof of);
    return true;
}

// ---------------------------------------------------------------- in and out
pj_loaded_executable *ch__pjrt_disk_load(ch_session *s, const ch__sha256 *key) {
    void *data = NULL;
    size_t n = 0;
    if (!ch__cache_get(&ch__cache_devices, key, &data, &n)) return NULL;
    pj_executable_deserialize_and_load_args a = {PJ_ARGS(pj_executable_deserialize_and_load_args), .client = s->client,
                                                 .serialized_executable = data, .serialized_executable_size = n};
    ch_status status = ch__pjrt_call(s->plugin, PJ_EXECUTABLE_DESERIALIZE_AND_LOAD, &a, "cache");
    ch__free(data);
    if (status == CH_OK) {
        atomic_fetch_add(&s->from_disk, 1);
        return a.loaded_executable;
    }
    ch__cache_drop(&ch__cache_devices, key, ch_error_message());
    return NULL;
}

void ch__pjrt_disk_keep(ch_session *s, const ch__sha256 *key, pj_executable *executable) {
    pj_executable_serialize_args a = {PJ_ARGS(pj_executable_serialize_args), .executable = executable};
    if (ch__pjrt_call(s->plugin, PJ_EXECUTABLE_SERIALIZE, &a, "cache") != CH_OK) {
        bool never = ch__pjrt_code() == PJ_CODE_UNIMPLEMENTED;
        ch__log(2, "%s — %s compiled again by every process", ch_error_message(),
                never ? "programs of this plugin are" : "this program is");
        if (never) atomic_store(&s->disk_off, true);
        return;
    }
    ch__cache_put(&ch__cache_devices, key, a.serialized_bytes, a.serialized_bytes_size);
    if (a.deleter != NULL) a.deleter(a.serialized_executable);
}
