// SPDX-License-Identifier: Apache-2.0
// pjrt/devices.c - a func on several devices of a session, from host tensors and back.
//
// Replicas: replica r runs the func on inputs of its own, and collectives join them. Partitions: the func is of whole
// arrays, its params and results say how they lie on a mesh (Shardy); inputs are cut into the shards of the devices
// here and results are joined from theirs. Both: each replica is parted; device r * partitions + p is partition p of
// replica r. Device d of a mesh stands at its digits in row-major order of the axes, or where device_ids names it. What
// says nothing lies whole on every device; an open dim ({?}) gets no more axes, and of axes that do not part a dim
// evenly only the first ones stay that do, as Shardy has it for params and results. So the compiler's shards are those
// that are cut here: some plugins end the process when they are not. What a param that is tied to a result (inout)
// sends up is donated.
#include "pjrt/pjrt.h"

#include <string.h>

#include "chaac/hlo.h"
#include "hlo/hlo.h"
#include "ir/ir.h"

typedef struct {
    ch_session *s;
    const ch_func *given;
    const ch_hlo_options *sizes;
    ch_func *f; // with its sizes; sharded throughout, when there are partitions
    ch__arena *a;
    int n_in, n_out, replicas, partitions, devices;
    const ch__sharding **layout; // of the params, then of the results; NULL: whole
    char *text;
    ch_buffer **in, **out;
} devices_job;

// ---------------------------------------------------------------- who holds what
// Piece of an axis that a device holds.
static int64_t piece_on(const ch__sharding *s, int dim, int64_t device) {
    int64_t piece = 0;
    if (s->ids != NULL) { // where it stands
        int64_t at = 0;
        while (s->ids[at] != device) at++;
        device = at;
    }
    for (int i = 0; i < s->dims[dim].n; i++) {
        const ch__axis_part *p = &s->dims[dim].parts[i];
        int64_t below = 1; // devices that a step along the axis passes
        int at = s->n_axes - 1;
        for (; strcmp(s->axes[at], p->axis) != 0; at--) below *= s->sizes[at];
        int64_t digit = device / below % s->sizes[at], size = s->sizes[at], part = p->size ? p->size : size;
        if (p->size) digit = digit / (size / (p->before * p->size)) % p->size;
        piece = piece * part + digit;
    }
    return piece;
}

// Sizes of a shard and where it begins.
typedef struct {
    int64_t sizes[CH__MAX_RANK], from[CH__MAX_RANK];
} devices_shard;

static void shard_of(const ch__sharding *s, int rank, const int64_t *dims, int64_t device, devices_shard *out) {
    *out = (devices_shard){{0}, {0}};
    for (int i = 0; i < rank; i++) {
        out->sizes[i] = dims[i] / (s ? ch__sharding_pieces(s, i) : 1);
        out->from[i] = s ? piece_on(s, i, device) * out->sizes[i] : 0;
    }
}

// Row by row between an array and its block; to_block: out of the array.
static void move_shard(char *array, const int64_t *dims, char *block, const devices_shard *s, int rank, size_t size,
                       bool to_block) {
    int64_t rows = 1, at[CH__MAX_RANK] = {0};
    for (int i = 0; i + 1 < rank; i++) rows *= s->sizes[i];
    size_t row = (rank ? (size_t)s->sizes[rank - 1] : 1) * size;
    for (int64_t k = 0; k < rows && row > 0; k++) {
        int64_t place = 0;
        for (int i = 0; i < rank; i++) place = place * dims[i] + s->from[i] + at[i];
        char *a = array + (size_t)place * size, *b = block + (size_t)k * row;
        memcpy(to_block ? b : a, to_block ? a : b, row);
        for (int i = rank - 2; i >= 0 && ++at[i] == s->sizes[i]; i--) at[i] = 0;
    }
}

// ---------------------------------------------------------------- the func made ready
static const char *border_name(const ch_func *f, int i, char buf[32]) {
    int n = ch_func_num_params(f);
    if (i < n) return ch_func_param_name(f, i);
    snprintf(buf, 32, "%d", i - n);
    return buf;
}

static void read_layouts(void *arg) {
    devices_job *j = arg;
    const char *mesh = NULL;
    j->a = ch__arena_create();
    j->layout = CH_NEW_ARRAY(j->a, const ch__sharding *, j->n_in + j->n_out + 1);
    for (int i = 0; i < j->n_in + j->n_out; i++) {
        const char *text = i < j->n_in ? ch__param_sharding(j->f, i) : ch__result_sharding(j->f, i - j->n_in);
        if (!text) continue;
        const ch__sharding *s = j->layout[i] = ch__sharding_read(j->a, "session run", text);
        ch__text name;
        ch__text_init(&name, j->a);
        ch__put(&name, s->mesh);
        ch__mesh_print(&name, s, "");
        if (mesh && strcmp(mesh, name.data) != 0)
            ch__raise(CH__E_unsupported, "session run: @%s has the meshes %s and %s — one for all params and results",
                      j->f->name, mesh, name.data);
        mesh = name.data;
        j->partitions = (int)ch__sharding_devices(s);
    }
    ch__arena_keep(j->a);
}

// How many of the axes that cut a dim, the first ones, part it evenly.
static int even_parts(const ch__sharding *s, const ch__shard_dim *d, int64_t size) {
    int64_t pieces = 1;
    int n = 0;
    for (; n < d->n; n++) {
        pieces *= ch__axis_part_size(s, &d->parts[n]);
        if (size % pieces != 0) break;
    }
    return n;
}

// Params and results that say nothing lie whole; open dims are closed, and cut evenly or not.
static void close_layouts(void *arg) {
    devices_job *j = arg;
    const ch__sharding *any = NULL;
    for (int i = 0; i < j->n_in + j->n_out && !any; i++) any = j->layout[i];
    for (int i = 0; i < j->n_in + j->n_out; i++) {
        const ch__region *b = j->f->body;
        const ch__value *v = i < j->n_in ? b->params[i] : b->results[i - j->n_in];
        ch__sharding s = j->layout[i] ? *j->layout[i] : *any;
        ch__shard_dim *dims = CH_NEW_ARRAY(j->a, ch__shard_dim, v->type->rank + 1);
        for (int d = 0; d < v->type->rank; d++) {
            dims[d] = j->layout[i] ? s.dims[d] : (ch__shard_dim){.priority = -1};
            dims[d].open = false;
            dims[d].priority = -1;
            dims[d].n = even_parts(&s, &dims[d], v->type->dims[d].val);
        }
        s.dims = dims;
        s.rank = v->type->rank;
        s.n_replicated = 0;
        ch__text t;
        ch__text_init(&t, j->a);
        ch__sharding_print(&t, &s);
        j->layout[i] = ch__sharding_read(j->a, "session run", t.data);
        if (i < j->n_in)
            ch__set_param_sharding(j->f, i, t.data);
        else
            ch__set_result_sharding(j->f, i - j->n_in, t.data);
    }
}

static void devices_with_sizes(void *arg) {
    devices_job *j = arg;
    j->f = ch__emit_sized(j->given, j->sizes);
    j->f->owns_module = true;
    ch__arena_keep(j->f->module->arena);
}

// The sizes of f that are symbols, from the inputs of the first replica; those of the others are compared later.
static ch_status bind_sizes(devices_job *j, ch_tensor *const *in) {
    const char *names[CH__PJRT_SIZES];
    int64_t values[CH__PJRT_SIZES];
    ch_hlo_options o = {.struct_size = sizeof o, .size_names = names, .size_values = values};
    CH_TRY(ch__pjrt_sizes(j->given, j->n_in, ch__pjrt_tensor_dims, in, &o.n_sizes, names, values));
    if (o.n_sizes == 0) return ch_func_clone(j->given, &j->f);
    j->sizes = &o;
    return ch__protect(devices_with_sizes, j);
}

static ch_status make_ready(devices_job *j, ch_tensor *const *in) {
    const ch_func *f = j->given;
    CH_TRY(bind_sizes(j, in));
    j->replicas = (int)ch_func_num_replicas(f);
    if (j->replicas < 0) return ch__fail_oom("a run on devices");
    if (j->replicas == 0) j->replicas = 1;
    j->partitions = 1;
    ch_status st = ch__protect(read_layouts, j);
    if (st != CH_OK) {
        j->a = NULL; // it went with the error
        return st;
    }
    j->devices = j->replicas * j->partitions;
    if (j->devices > ch_session_device_count(j->s))
        return ch__fail(CH__E_replica_count,
                        "session run: @%s is for %d devices, the session has %d — open it with device_count", f->name,
                        j->devices, ch_session_device_count(j->s));
    if (j->partitions > 1) CH_TRY(ch__protect(close_layouts, j));
    const ch_hlo_options o = {.struct_size = sizeof o};
    return ch__pjrt_emit(j->s, j->f, &o, &j->text);
}

// ---------------------------------------------------------------- up, down
static ch_status send_one(devices_job *j, int device, int i, ch_tensor *t) {
    const ch__type *type = j->f->body->params[i]->type;
    int64_t dims[CH__MAX_RANK] = {0};
    devices_shard shard;
    size_t size = ch_dtype_size(type->dtype), bytes = size;
    char name[512], buf[32];
    bool same = ch_tensor_dtype(t) == type->dtype && ch_tensor_rank(t) == type->rank;
    for (int d = 0; same && d < type->rank; d++) same = ch_tensor_dim(t, d) == type->dims[d].val;
    if (!same) {
        ch_tensor_type(t, name, sizeof name);
        return ch__fail(CH__E_shape_mismatch, "session run: %s is %s, the param is %s — give one of its type",
                        border_name(j->f, i, buf), name, ch_func_param_type(j->f, i));
    }
    for (int d = 0; d < type->rank; d++) dims[d] = type->dims[d].val;
    shard_of(j->layout[i], type->rank, dims, device % j->partitions, &shard);
    for (int d = 0; d < type->rank; d++) bytes *= (size_t)shard.sizes[d];
    char *block = ch__alloc(bytes + 1), *data = (char *)(uintptr_t)ch_data(t);
    if (block == NULL) return ch__fail_oom("a shard");
    move_shard(data, dims, block, &shard, type->rank, size, true);
    ch__pjrt_type_text(name, sizeof name, type->dtype, type->rank, shard.sizes);
    ch_status st = ch_buffer_from_host_on(j->s, device, block, name, &j->in[device * j->n_in + i]);
    ch__free(block);
    return st;
}

// Result i of a replica, or of all partitions, as a new tensor.
static ch_status fetch_one(devices_job *j, int replica, int i, ch_tensor **out) {
    const ch__type *type = j->f->body->results[i]->type;
    int64_t dims[CH__MAX_RANK] = {0};
    devices_shard shard;
    size_t size = ch_dtype_size(type->dtype), bytes = size, part = size;
    for (int d = 0; d < type->rank; d++) bytes *= (size_t)(dims[d] = type->dims[d].val);
    shard_of(j->layout[j->n_in + i], type->rank, dims, 0, &shard);
    for (int d = 0; d < type->rank; d++) part *= (size_t)shard.sizes[d]; // every shard has this size
    char *whole = ch__alloc(bytes + 1), *block = ch__alloc(part + 1);
    ch_status st = whole == NULL || block == NULL ? ch__fail_oom("a result") : CH_OK;
    for (int p = 0; p < j->partitions && st == CH_OK; p++) {
        ch_buffer *b = j->out[(replica * j->partitions + p) * j->n_out + i];
        shard_of(j->layout[j->n_in + i], type->rank, dims, p, &shard);
        st = ch_buffer_read(b, block, part);
        if (st == CH_OK) move_shard(whole, dims, block, &shard, type->rank, size, false);
    }
    if (st == CH_OK) {
        *out = ch_keep(ch_from_data(type->dtype, whole, type->rank, dims));
        st = *out == NULL ? ch__fail_oom("a result") : ch_check(*out);
    }
    ch__free(whole);
    ch__free(block);
    return st;
}

static ch_status run_devices_job(devices_job *j, ch_tensor *const *in, ch_tensor **out) {
    CH_TRY(make_ready(j, in));
    int n = j->devices * j->n_in, m = j->devices * j->n_out;
    CH_TRY(ch_realize_all(j->replicas * j->n_in, in));
    j->in = ch__calloc((size_t)n + 1, sizeof *j->in);
    j->out = ch__calloc((size_t)m + 1, sizeof *j->out);
    if (j->in == NULL || j->out == NULL) return ch__fail_oom("a run on devices");
    for (int d = 0; d < j->devices; d++)
        for (int i = 0; i < j->n_in; i++) CH_TRY(send_one(j, d, i, in[d / j->partitions * j->n_in + i]));
    ch_session_call call = {.struct_size = sizeof call, .n_replicas = j->replicas, .n_partitions = j->partitions};
    CH_TRY(ch_session_run_text_with(j->s, &call, j->text, n, j->in, m, j->out));
    for (int r = 0; r < j->replicas; r++)
        for (int i = 0; i < j->n_out; i++) CH_TRY(fetch_one(j, r, i, &out[r * j->n_out + i]));
    return CH_OK;
}

ch_status ch_session_run_devices(ch_session *s, const ch_func *f, int n_in, ch_tensor *const *in, int n_out,
                                 ch_tensor **out) {
    CH_TRY(ch__pjrt_check_args("session run", s, f, n_in, in, n_out, out));
    CH_TRY(ch__pjrt_check_arity(f, n_in, n_out));
    int64_t replicas = ch_func_num_replicas(f);
    if (replicas < 0) return ch__fail_oom("a run on devices");
    if (replicas == 0) replicas = 1;
    for (int64_t i = 0; i < replicas * n_in; i++)
        if (in[i] == NULL) return ch__fail(CH__E_argument, "session run: input %d is NULL — give a tensor", (int)i);
    for (int64_t i = 0; i < replicas * n_out; i++) out[i] = NULL;
    devices_job j = {.s = s, .given = f, .n_in = n_in, .n_out = n_out};
    ch_status st = run_devices_job(&j, in, out);
    ch__error_copy error;
    if (st != CH_OK) ch__error_save(&error);
    for (int i = 0; j.in != NULL && i < j.devices * n_in; i++) ch_buffer_release(j.in[i]);
    for (int i = 0; j.out != NULL && i < j.devices * n_out; i++) ch_buffer_release(j.out[i]);
    for (int64_t i = 0; st != CH_OK && i < replicas * n_out; i++) {
        ch_release(out[i]);
        out[i] = NULL;
    }
    ch__free(j.in);
    ch__free(j.out);
    ch_string_free(j.text);
    ch__arena_destroy(j.a);
    ch_func_destroy(j.f);
    return st == CH_OK ? st : ch__error_publish(&error);
}
