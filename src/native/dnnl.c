// SPDX-License-Identifier: Apache-2.0
// dnnl.c - convolutions by oneDNN 2 (libdnnl.so.2), opened at run time.
//
// A convolution of the IR is one of three of the library: forward; by data, where x is dilated (the gradient of a
// strided convolution, a transposed one); by weights, where w is as large as an image. The library chooses how operands
// lie in memory ("any"): with its blocked layouts it is twice as fast as on rows of images, even with the copies there
// and back; with few features the gradient by weights wants channels last (measured: 0.6 ms instead of 3.8).
//
// Images are shared out among the threads of our pool in tiles, OpenMP is told to use one thread. Sums over images are
// taken in a fixed number of parts. Primitives are kept for each shape of a tile, with the memory that one call needs.
// The library's structs are opaque here: room for them, and pointers.
#include <pthread.h>
#include <string.h>

#include "interp/exec.h"
#include "native/conv.h"

// ---------------------------------------------------------------- the library's interface, as far as it is used
typedef struct {
    int64_t room[512]; // 696 bytes in 2.6
} dnnl_layout;
typedef struct {
    int64_t room[2048]; // 5,976 bytes in 2.6
} dnnl_conv_desc;
typedef struct {
    int arg;
    void *memory;
} dnnl_arg;

enum { ANY = 1, CHANNELS_LAST = 20, F32 = 3 };
enum { FORWARD = 96, BACKWARD_DATA = 160, BACKWARD_WEIGHTS = 192, DIRECT = 1, USER_SCRATCHPAD = 1 };
enum { ARG_X = 1, ARG_OUT = 17, ARG_W = 33, ARG_BIAS = 41, ARG_SCRATCH = 80, ARG_DIFF_X = 129, ARG_DIFF_OUT = 145 };
enum { ARG_DIFF_W = 161, QUERY_X = 129, QUERY_DIFF_X, QUERY_W, QUERY_DIFF_W, QUERY_OUT, QUERY_DIFF_OUT };
enum { QUERY_SCRATCH = 136 };

static struct {
    const int *(*version)(void);
    int (*engine_create)(void **engine, int kind, size_t index);
    int (*stream_create)(void **stream, void *engine, unsigned flags);
    int (*layout_strided)(dnnl_layout *l, int rank, const int64_t *dims, int dtype, const int64_t *strides);
    int (*layout_tagged)(dnnl_layout *l, int rank, const int64_t *dims, int dtype, int tag);
    int (*layout_equal)(const void *a, const void *b);
    size_t (*layout_size)(const void *l);
    int (*forward)(dnnl_conv_desc *d, int kind, int how, const dnnl_layout *x, const dnnl_layout *w,
                   const dnnl_layout *bias, const dnnl_layout *out, const int64_t *strides, const int64_t *dilations,
                   const int64_t *lo, const int64_t *hi);
    int (*by_data)(dnnl_conv_desc *d, int how, const dnnl_layout *x, const dnnl_layout *w, const dnnl_layout *out,
                   const int64_t *strides, const int64_t *dilations, const int64_t *lo, const int64_t *hi);
    int (*by_weights)(dnnl_conv_desc *d, int how, const dnnl_layout *x, const dnnl_layout *w, const dnnl_layout *bias,
                      const dnnl_layout *out, const int64_t *strides, const int64_t *dilations, const int64_t *lo,
                      const int64_t *hi);
    int (*attr_create)(void **attr);
    int (*attr_scratch)(void *attr, int mode);
    int (*attr_destroy)(void *attr);
    int (*desc_create)(void **desc, const void *conv, const void *attr, void *engine, void *hint);
    const void *(*desc_layout)(const void *desc, int what, int index);
    int (*desc_destroy)(void *desc);
    int (*reorder_create)(void **desc, const void *from, void *engine, const void *to, void *to_engine,
                          const void *attr);
    int (*primitive_create)(void **primitive, const void *desc);
    int (*primitive_run)(const void *primitive, void *stream, int n, const dnnl_arg *args);
    int (*primitive_destroy)(void *primitive);
    int (*memory_create)(void **memory, const void *layout, void *engine, void *data);
    int (*memory_set)(void *memory, void *data);
    int (*memory_destroy)(void *memory);
} dn;
static void *dnnl_engine, *dnnl_stream;
static pthread_once_t dnnl_once = PTHREAD_ONCE_INIT;

static bool dnnl_symbols(void *library) {
    static const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"dnnl_version", &dn.version},
        {"dnnl_engine_create", &dn.engine_create},
        {"dnnl_stream_create", &dn.stream_create},
        {"dnnl_memory_desc_init_by_strides", &dn.layout_strided},
        {"dnnl_memory_desc_init_by_tag", &dn.layout_tagged},
        {"dnnl_memory_desc_equal", &dn.layout_equal},
        {"dnnl_memory_desc_get_size", &dn.layout_size},
        {"dnnl_dilated_convolution_forward_desc_init", &dn.forward},
        {"dnnl_dilated_convolution_backward_data_desc_init", &dn.by_data},
        {"dnnl_dilated_convolution_backward_weights_desc_init", &dn.by_weights},
        {"dnnl_primitive_attr_create", &dn.attr_create},
        {"dnnl_primitive_attr_set_scratchpad_mode", &dn.attr_scratch},
        {"dnnl_primitive_attr_destroy", &dn.attr_destroy},
        {"dnnl_primitive_desc_create", &dn.desc_create},
        {"dnnl_primitive_desc_query_md", &dn.desc_layout},
        {"dnnl_primitive_desc_destroy", &dn.desc_destroy},
        {"dnnl_reorder_primitive_desc_create", &dn.reorder_create},
        {"dnnl_primitive_create", &dn.primitive_create},
        {"dnnl_primitive_execute", &dn.primitive_run},
        {"dnnl_primitive_destroy", &dn.primitive_destroy},
        {"dnnl_memory_create", &dn.memory_create},
        {"dnnl_memory_set_data_handle", &dn.memory_set},
        {"dnnl_memory_destroy", &dn.memory_destroy},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *p = ch__dl_sym(library, symbols[i].name);
        if (p == NULL) return false;
        memcpy(symbols[i].to, &p, sizeof p); // POSIX gives functions as object pointers
    }
    return true;
}

static void dnnl_open(void) {
    void *library = ch__dl_open("libdnnl.so.2");
    if (library == NULL || !dnnl_symbols(library) || dn.version()[0] != 2) return;
    ch__native_one_openmp_thread();
    void *engine = NULL;
    if (dn.engine_create(&engine, 1, 0) != 0 || dn.stream_create(&dnnl_stream, engine, 1) != 0) return;
    dnnl_engine = engine;
}

bool ch__native_has_dnnl(void) {
    pthread_once(&dnnl_once, dnnl_open);
    return dnnl_engine != NULL;
}

// ---------------------------------------------------------------- a tile as the library's convolution
enum { OF_X, OF_W, OF_OUT, ROLES };

// What one primitive computes, in the library's words: the key of the table below. No padding between members.
typedef struct {
    int64_t kind, spatial, bias, groups;
    int64_t rank[ROLES], dims[ROLES][3 + CONV_AXES], strides[ROLES][3 + CONV_AXES];
    int64_t step[CONV_AXES], dilation[CONV_AXES], lo[CONV_AXES], hi[CONV_AXES];
} dnnl_shape;

static void set_axis(dnnl_shape *s, int role, int axis, int64_t size, int64_t stride) {
    s->dims[role][axis] = size;
    s->strides[role][axis] = size == 1 ? 1 : stride; // nothing lies there
    s->rank[role] = axis + 1;
}

// The padding behind that makes as many places as there are; false: elements at the end would have to be left out.
static bool set_window(dnnl_shape *s, int i, int64_t in, int64_t k, int64_t out, int64_t step, int64_t dilation,
                       int64_t lo) {
    int64_t reach = (k - 1) * dilation + 1, hi = (out - 1) * step + reach - in - lo;
    if (hi < 0 && (in + lo - reach) / step + 1 == out) hi = 0;
    s->step[i] = step;
    s->dilation[i] = dilation - 1;
    s->lo[i] = lo;
    s->hi[i] = hi;
    return lo >= 0 && hi >= 0 && k > 0 && in > 0 && out > 0;
}

static bool shape_forward(const ch__conv *c, dnnl_shape *s, int64_t images) {
    int w0 = c->groups > 1 ? 1 : 0;
    int64_t outs = c->out_dims[1] / c->groups;
    set_axis(s, OF_X, 0, images, c->x_steps[0]);
    set_axis(s, OF_X, 1, c->x_dims[1], c->x_steps[1]);
    if (w0 > 0) set_axis(s, OF_W, 0, c->groups, outs * c->w_steps[0]);
    set_axis(s, OF_W, w0, outs, c->w_steps[0]);
    set_axis(s, OF_W, w0 + 1, c->w_dims[1], c->w_steps[1]);
    set_axis(s, OF_OUT, 0, images, c->out_steps[0]);
    set_axis(s, OF_OUT, 1, c->out_dims[1], c->out_steps[1]);
    bool good = true;
    for (int i = 0; i < c->spatial; i++) {
        const ch__conv_axis *a = &c->axis[i];
        set_axis(s, OF_X, 2 + i, a->in, c->x_steps[2 + i]);
        set_axis(s, OF_W, w0 + 2 + i, a->k, c->w_steps[2 + i]);
        set_axis(s, OF_OUT, 2 + i, a->out, c->out_steps[2 + i]);
        good = good && set_window(s, i, a->in, a->k, a->out, a->stride, a->dilation, a->from);
    }
    s->kind = FORWARD;
    s->bias = c->bias != NULL;
    return good && c->batch_groups == 1;
}

// out is the input of the library's convolution, x what its result is: p = q b + k' d - ((k - 1) d - lo), w turned.
static bool shape_by_data(const ch__conv *c, dnnl_shape *s, int64_t images) {
    int w0 = c->groups > 1 ? 1 : 0;
    int64_t outs = c->out_dims[1] / c->groups;
    set_axis(s, OF_X, 0, images, c->out_steps[0]);
    set_axis(s, OF_X, 1, c->out_dims[1], c->out_steps[1]);
    if (w0 > 0) set_axis(s, OF_W, 0, c->groups, outs * c->w_steps[0]);
    set_axis(s, OF_W, w0, c->w_dims[1], c->w_steps[1]);
    set_axis(s, OF_W, w0 + 1, outs, c->w_steps[0]);
    set_axis(s, OF_OUT, 0, images, c->x_steps[0]);
    set_axis(s, OF_OUT, 1, c->x_dims[1], c->x_steps[1]);
    bool good = true;
    for (int i = 0; i < c->spatial; i++) {
        const ch__conv_axis *a = &c->axis[i];
        set_axis(s, OF_X, 2 + i, a->out, c->out_steps[2 + i]);
        set_axis(s, OF_W, w0 + 2 + i, a->k, -c->w_steps[2 + i]);
        set_axis(s, OF_OUT, 2 + i, a->in, c->x_steps[2 + i]);
        good = good && a->stride == 1 &&
               set_window(s, i, a->out, a->k, a->in, a->step, a->dilation, (a->k - 1) * a->dilation - a->from);
    }
    s->kind = BACKWARD_DATA;
    return good && c->batch_groups == 1 && c->bias == NULL;
}

// x's features are the library's images, its images the library's features; w is the gradient, out the weights.
static bool shape_by_weights(const ch__conv *c, dnnl_shape *s, int64_t images) {
    int w0 = c->batch_groups > 1 ? 1 : 0;
    int64_t outs = c->out_dims[1] / c->batch_groups;
    set_axis(s, OF_X, 0, images, c->x_steps[1]);
    set_axis(s, OF_X, 1, c->x_dims[0], c->x_steps[0]);
    if (w0 > 0) set_axis(s, OF_W, 0, c->batch_groups, outs * c->out_steps[1]);
    set_axis(s, OF_W, w0, outs, c->out_steps[1]);
    set_axis(s, OF_W, w0 + 1, c->out_dims[0], c->out_steps[0]);
    set_axis(s, OF_OUT, 0, images, c->w_steps[1]);
    set_axis(s, OF_OUT, 1, c->w_dims[0], c->w_steps[0]);
    bool good = true;
    for (int i = 0; i < c->spatial; i++) {
        const ch__conv_axis *a = &c->axis[i];
        set_axis(s, OF_X, 2 + i, a->in, c->x_steps[2 + i]);
        set_axis(s, OF_W, w0 + 2 + i, a->out, c->out_steps[2 + i]);
        set_axis(s, OF_OUT, 2 + i, a->k, c->w_steps[2 + i]);
        good = good && set_window(s, i, a->in, a->out, a->k, a->dilation, a->stride, a->from);
    }
    s->kind = BACKWARD_WEIGHTS;
    return good;
}

static bool shape_of(const ch__conv *c, dnnl_shape *s, int64_t images) {
    memset(s, 0, sizeof *s);
    s->spatial = c->spatial;
    bool dilated = false, good;
    for (int i = 0; i < c->spatial; i++) dilated = dilated || c->axis[i].step != 1;
    if (ch__conv_is_by_weights(c)) {
        s->groups = c->batch_groups;
        good = shape_by_weights(c, s, images);
    } else {
        s->groups = c->groups;
        good = dilated ? shape_by_data(c, s, images) : shape_forward(c, s, images);
    }
    for (int r = 0; r < ROLES; r++)
        for (int i = 0; i < s->rank[r]; i++) good = good && (r == OF_W || s->strides[r][i] > 0);
    return good;
}

// ---------------------------------------------------------------- primitives
// What one run needs for itself.
typedef struct dnnl_place {
    struct dnnl_place *next;
    void *given[ROLES], *own[ROLES], *bias, *scratch; // memories: as given, as the library wants it
    char *room;
} dnnl_place;

typedef struct dnnl_kept {
    struct dnnl_kept *next;
    dnnl_shape shape;
    bool good;
    void *hint, *desc, *primitive, *reorder[ROLES]; // reorder NULL: as given
    dnnl_layout given[ROLES], bias;
    const void *own[ROLES], *scratch; // layouts, inside desc
    dnnl_place *free;
} dnnl_kept;

enum { KEPT_MOST = 512 };
static pthread_mutex_t dnnl_lock = PTHREAD_MUTEX_INITIALIZER;
static dnnl_kept *dnnl_table;
static int dnnl_n_kept;

static int result_of(const dnnl_shape *s) {
    return s->kind == FORWARD ? OF_OUT : s->kind == BACKWARD_DATA ? OF_X : OF_W;
}

static int query_of(const dnnl_shape *s, int role) {
    if (role == OF_X) return s->kind == BACKWARD_DATA ? QUERY_DIFF_X : QUERY_X;
    if (role == OF_W) return s->kind == BACKWARD_WEIGHTS ? QUERY_DIFF_W : QUERY_W;
    return s->kind == FORWARD ? QUERY_OUT : QUERY_DIFF_OUT;
}

static int arg_of(const dnnl_shape *s, int role) {
    if (role == OF_X) return s->kind == BACKWARD_DATA ? ARG_DIFF_X : ARG_X;
    if (role == OF_W) return s->kind == BACKWARD_WEIGHTS ? ARG_DIFF_W : ARG_W;
    return s->kind == FORWARD ? ARG_OUT : ARG_DIFF_OUT;
}

// w with axes turned round is copied first: the library sees it dense.
static bool is_turned(const dnnl_shape *s) {
    for (int i = 0; i < s->rank[OF_W]; i++)
        if (s->strides[OF_W][i] < 0) return true;
    return false;
}

static bool make_desc(dnnl_kept *k) {
    const dnnl_shape *s = &k->shape;
    dnnl_layout want[ROLES];
    dnnl_conv_desc d;
    void *attr = NULL;
    bool last = s->kind == BACKWARD_WEIGHTS && s->spatial == 2 && s->dims[OF_X][1] < 8;
    for (int r = 0; r < ROLES; r++) {
        int64_t dense[3 + CONV_AXES], n = 1;
        for (int i = (int)s->rank[r] - 1; i >= 0; i--) {
            dense[i] = n;
            n *= s->dims[r][i];
        }
        bool turned = r == OF_W && is_turned(s);
        if (dn.layout_strided(&k->given[r], (int)s->rank[r], s->dims[r], F32, turned ? dense : s->strides[r]) != 0)
            return false;
        if (dn.layout_tagged(&want[r], (int)s->rank[r], s->dims[r], F32, last && r != OF_W ? CHANNELS_LAST : ANY) != 0)
            return false;
    }
    int64_t one = 1;
    if (dn.layout_strided(&k->bias, 1, &s->dims[OF_OUT][1], F32, &one) != 0) return false;
    if (dn.attr_create(&attr) != 0) return false;
    bool good = dn.attr_scratch(attr, USER_SCRATCHPAD) == 0 &&
                dn.forward(&d, FORWARD, DIRECT, &want[OF_X], &want[OF_W], s->bias ? &k->bias : NULL, &want[OF_OUT],
                           s->step, s->dilation, s->lo, s->hi) == 0;
    if (good && s->kind == FORWARD) {
        good = dn.desc_create(&k->desc, &d, attr, dnnl_engine, NULL) == 0;
    } else if (good) {
        good = dn.desc_create(&k->hint, &d, attr, dnnl_engine, NULL) == 0;
        if (good && s->kind == BACKWARD_DATA)
            good = dn.by_data(&d, DIRECT, &want[OF_X], &want[OF_W], &want[OF_OUT], s->step, s->dilation, s->lo,
                              s->hi) == 0;
        else if (good)
            good = dn.by_weights(&d, DIRECT, &want[OF_X], &want[OF_W], NULL, &want[OF_OUT], s->step, s->dilation, s->lo,
                                 s->hi) == 0;
        good = good && dn.desc_create(&k->desc, &d, attr, dnnl_engine, k->hint) == 0;
    }
    dn.attr_destroy(attr);
    return good;
}

static bool make_reorders(dnnl_kept *k) {
    for (int r = 0; r < ROLES; r++) {
        void *desc = NULL;
        k->own[r] = dn.desc_layout(k->desc, query_of(&k->shape, r), 0);
        if (k->own[r] == NULL) return false;
        if (dn.layout_equal(k->own[r], &k->given[r])) continue;
        bool back = r == result_of(&k->shape);
        const void *from = back ? k->own[r] : &k->given[r], *to = back ? (const void *)&k->given[r] : k->own[r];
        if (dn.reorder_create(&desc, from, dnnl_engine, to, dnnl_engine, NULL) != 0) return false;
        bool good = dn.primitive_create(&k->reorder[r], desc) == 0;
        dn.desc_destroy(desc);
        if (!good) return false;
    }
    return true;
}

// NULL: there is no memory, or too many are kept. A shape the library does not take is kept too, as not good.
static dnnl_kept *find_kept(const dnnl_shape *s) {
    pthread_mutex_lock(&dnnl_lock);
    dnnl_kept *k = dnnl_table;
    while (k != NULL && memcmp(&k->shape, s, sizeof *s) != 0) k = k->next;
    if (k == NULL && dnnl_n_kept < KEPT_MOST && (k = ch__calloc(1, sizeof *k)) != NULL) {
        ch__native_one_openmp_thread();
        k->shape = *s;
        k->good = make_desc(k) && make_reorders(k) && dn.primitive_create(&k->primitive, k->desc) == 0;
        k->scratch = k->good ? dn.desc_layout(k->desc, QUERY_SCRATCH, 0) : NULL;
        k->next = dnnl_table;
        dnnl_table = k;
        dnnl_n_kept++;
    }
    pthread_mutex_unlock(&dnnl_lock);
    return k;
}

static size_t whole_lines(size_t n) { return (n + 63) / 64 * 64; }

static dnnl_place *place_make(dnnl_kept *k) {
    size_t bytes = 0;
    dnnl_place *p = ch__calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    for (int r = 0; r < ROLES; r++)
        if (k->reorder[r] != NULL) bytes += whole_lines(dn.layout_size(k->own[r]));
    size_t scratch = k->scratch != NULL ? dn.layout_size(k->scratch) : 0;
    p->room = ch__alloc_aligned(bytes + scratch + 64, 64);
    bool good = p->room != NULL;
    char *at = p->room;
    for (int r = 0; r < ROLES && good; r++) {
        good = dn.memory_create(&p->given[r], &k->given[r], dnnl_engine, NULL) == 0;
        if (k->reorder[r] == NULL || !good) continue;
        good = dn.memory_create(&p->own[r], k->own[r], dnnl_engine, at) == 0;
        at += whole_lines(dn.layout_size(k->own[r]));
    }
    good = good && dn.memory_create(&p->bias, &k->bias, dnnl_engine, NULL) == 0;
    if (good && scratch > 0) good = dn.memory_create(&p->scratch, k->scratch, dnnl_engine, at) == 0;
    if (good) return p;
    for (int r = 0; r < ROLES; r++) {
        if (p->given[r] != NULL) dn.memory_destroy(p->given[r]);
        if (p->own[r] != NULL) dn.memory_destroy(p->own[r]);
    }
    if (p->bias != NULL) dn.memory_destroy(p->bias);
    ch__free_aligned(p->room);
    ch__free(p);
    return NULL;
}

static dnnl_place *place_take(dnnl_kept *k) {
    pthread_mutex_lock(&dnnl_lock);
    dnnl_place *p = k->free;
    if (p != NULL) k->free = p->next;
    pthread_mutex_unlock(&dnnl_lock);
    return p != NULL ? p : place_make(k);
}

static void place_give_back(dnnl_kept *k, dnnl_place *p) {
    pthread_mutex_lock(&dnnl_lock);
    p->next = k->free;
    k->free = p;
    pthread_mutex_unlock(&dnnl_lock);
}

static bool reordered(const dnnl_kept *k, const dnnl_place *p, int role, bool back) {
    dnnl_arg args[2] = {{ARG_X, back ? p->own[role] : p->given[role]}, {ARG_OUT, back ? p->given[role] : p->own[role]}};
    return dn.primitive_run(k->reorder[role], dnnl_stream, 2, args) == 0;
}

// Some runs of a primitive one after another: the data of each role where the shape says they are, and how many bytes
// further on the next run's; the same weights for all, unless those are the result.
typedef struct {
    char *data[ROLES];
    int64_t steps[ROLES], turns;
    const void *bias;
    const ch__conv *relu; // of its images from `first` on, `images` a turn; or NULL
    int64_t first, images;
} dnnl_run;

static bool run_turn(const dnnl_kept *k, const dnnl_place *p, const dnnl_run *run, int64_t turn) {
    const dnnl_shape *s = &k->shape;
    dnnl_arg args[ROLES + 2];
    int n = 0, result = result_of(s);
    bool good = true;
    for (int r = 0; r < ROLES; r++) {
        bool again = turn > 0 && r == OF_W && r != result;
        if (!again) good = good && dn.memory_set(p->given[r], run->data[r] + turn * run->steps[r]) == 0;
        if (k->reorder[r] != NULL && r != result && !again) good = good && reordered(k, p, r, false);
        args[n++] = (dnnl_arg){arg_of(s, r), k->reorder[r] != NULL ? p->own[r] : p->given[r]};
    }
    if (s->bias) args[n++] = (dnnl_arg){ARG_BIAS, p->bias};
    if (p->scratch != NULL) args[n++] = (dnnl_arg){ARG_SCRATCH, p->scratch};
    good = good && dn.primitive_run(k->primitive, dnnl_stream, n, args) == 0;
    if (good && k->reorder[result] != NULL) good = reordered(k, p, result, true);
    if (good && run->relu != NULL) {
        int64_t from = run->first + turn * run->images;
        ch__conv_finish(run->relu, from, from + run->images);
    }
    return good;
}

static bool run_kept(dnnl_kept *k, const dnnl_run *run) {
    dnnl_place *p = place_take(k);
    if (p == NULL) return false;
    ch__native_one_openmp_thread();
    union {
        const void *in;
        void *data;
    } b = {run->bias};
    bool good = !k->shape.bias || dn.memory_set(p->bias, b.data) == 0;
    for (int64_t turn = 0; turn < run->turns && good; turn++) good = run_turn(k, p, run, turn);
    place_give_back(k, p);
    return good;
}

// ---------------------------------------------------------------- tiles
enum { TILE_WORK = 4000000, WEIGHT_PARTS_MOST = 4, WEIGHT_WORK = 16000000 }; // flops that are worth a tile, a part
enum { CHUNK_BYTES = 1 << 18 };

typedef struct {
    const ch__conv *c;
    int64_t images, tiles; // tile i: images i n / tiles up to (i + 1) n / tiles
    char *w;               // dense, when it was turned round; else NULL
    char *sums;            // by weights, with several parts: their results
    atomic_int failed;
} dnnl_job;

// By data the kernel's axes run the other way: from their last element.
static int64_t last_of_kernel(const ch__conv *c) {
    int64_t at = 0;
    for (int i = 0; i < c->spatial; i++) at += (c->axis[i].k - 1) * c->w_steps[2 + i];
    return at;
}

// Images that are computed at a time: what they and the result take, in both layouts, is to stay in the second level
// of the cache, and is to be more than the weights, which are read again each time.
static int64_t chunk_of(const ch__conv *c) {
    int64_t size = (int64_t)ch_dtype_size(c->dtype);
    int64_t image = (c->x_dims[1] * c->plane + c->out_dims[1] * c->positions) * size;
    int64_t weights = c->w_dims[0] * c->w_dims[1] * c->kernel * size;
    int64_t room = weights > CHUNK_BYTES ? weights : CHUNK_BYTES;
    return room / image > 1 ? room / image : 1;
}

// So many turns over as many images each, from image `from` on.
static void run_images(dnnl_job *j, int64_t from, int64_t images, int64_t turns, int64_t tile) {
    const ch__conv *c = j->c;
    int64_t size = (int64_t)ch_dtype_size(c->dtype);
    dnnl_shape s;
    if (!shape_of(c, &s, images)) {
        atomic_store(&j->failed, CONV_NOT_HERE);
        return;
    }
    union {
        const void *in;
        char *data;
    } x = {c->x}, w = {c->w};
    ch__conv rest = *c;
    rest.bias = NULL;
    dnnl_run run = {.turns = turns, .bias = c->bias, .relu = c->relu ? &rest : NULL, .first = from, .images = images};
    bool result_is_part = s.kind == BACKWARD_WEIGHTS && j->sums != NULL;
    if (s.kind == FORWARD) {
        run.data[OF_X] = x.data + from * c->x_steps[0] * size;
        run.data[OF_W] = w.data;
        run.data[OF_OUT] = (char *)c->out + from * c->out_steps[0] * size;
        run.steps[OF_X] = images * c->x_steps[0] * size;
        run.steps[OF_OUT] = images * c->out_steps[0] * size;
    } else if (s.kind == BACKWARD_DATA) {
        run.data[OF_X] = (char *)c->out + from * c->out_steps[0] * size;
        run.data[OF_W] = w.data + last_of_kernel(c) * size;
        run.data[OF_OUT] = x.data + from * c->x_steps[0] * size;
        run.steps[OF_X] = images * c->out_steps[0] * size;
        run.steps[OF_OUT] = images * c->x_steps[0] * size;
    } else {
        run.data[OF_X] = x.data + from * c->x_steps[1] * size;
        run.data[OF_W] =
            result_is_part ? j->sums + tile * c->out_dims[0] * c->out_dims[1] * c->positions * size : c->out;
        run.data[OF_OUT] = w.data + from * c->w_steps[1] * size;
    }
    if (s.kind != BACKWARD_WEIGHTS && j->w != NULL) run.data[OF_W] = j->w;
    dnnl_kept *k = find_kept(&s);
    if (k == NULL || !k->good)
        atomic_store(&j->failed, CONV_NOT_HERE);
    else if (!run_kept(k, &run))
        atomic_store(&j->failed, CH__NATIVE_NO_MEMORY);
}

static void run_tile(dnnl_job *j, int64_t from, int64_t to, int64_t tile) {
    int64_t chunk = ch__conv_is_by_weights(j->c) ? to - from : chunk_of(j->c), turns = (to - from) / chunk;
    if (turns > 0) run_images(j, from, chunk, turns, tile);
    from += turns * chunk;
    if (from < to && atomic_load(&j->failed) == 0) run_images(j, from, to - from, 1, tile);
}

static void run_tiles(void *arg, int64_t begin, int64_t end) {
    dnnl_job *j = arg;
    for (int64_t i = begin; i < end && atomic_load(&j->failed) == 0; i++)
        run_tile(j, i * j->images / j->tiles, (i + 1) * j->images / j->tiles, i);
}

// w as the library is given it, when some of its axes run backwards there: a dense copy of [group, out, feature, k].
static bool turn_weights(dnnl_job *j, const dnnl_shape *s) {
    int64_t dense[3 + CONV_AXES], n = 1;
    const ch__conv *c = j->c;
    if (s->kind == BACKWARD_WEIGHTS || !is_turned(s)) return true;
    for (int i = (int)s->rank[OF_W] - 1; i >= 0; i--) {
        dense[i] = n;
        n *= s->dims[OF_W][i];
    }
    if ((j->w = ch__alloc_aligned((size_t)n * sizeof(float), 64)) == NULL) return false;
    const float *from = (const float *)c->w + (s->kind == BACKWARD_DATA ? last_of_kernel(c) : 0);
    ch__copy_strided(j->w, dense, from, s->strides[OF_W], s->dims[OF_W], (int)s->rank[OF_W], (int)sizeof(float));
    return true;
}

int ch__conv_by_dnnl(const ch__conv *c) {
    dnnl_shape s;
    dnnl_job j = {.c = c};
    if (c->dtype != CH_F32 || c->spatial < 1 || c->spatial > CONV_AXES || !ch__native_has_dnnl()) return CONV_NOT_HERE;
    bool by_weights = ch__conv_is_by_weights(c);
    j.images = by_weights ? c->x_dims[1] : c->x_dims[0];
    if (!shape_of(c, &s, j.images)) return CONV_NOT_HERE;
    double work = 2.0 * (double)c->out_dims[0] * (double)c->out_dims[1] * (double)c->positions * (double)c->w_dims[1] *
                  (double)c->kernel;
    int64_t most = by_weights ? WEIGHT_PARTS_MOST : ch__native_tiles(), n = c->out_dims[0] * c->out_dims[1];
    double parts = work / (by_weights ? WEIGHT_WORK : TILE_WORK);
    j.tiles = parts < (double)most ? (int64_t)parts : most;
    if (j.tiles > j.images) j.tiles = j.images;
    if (j.tiles < 1) j.tiles = 1;
    atomic_init(&j.failed, 0);
    // Parts are as the result lies: dense.
    n *= c->positions;
    if (by_weights && j.tiles > 1 && (j.sums = ch__alloc_aligned((size_t)(j.tiles * n) * sizeof(float), 64)) == NULL)
        return CH__NATIVE_NO_MEMORY;
    if (turn_weights(&j, &s)) {
        ch__parallel_for(j.tiles, 1, run_tiles, &j);
    } else {
        atomic_store(&j.failed, CH__NATIVE_NO_MEMORY);
    }
    if (atomic_load(&j.failed) == 0 && j.sums != NULL) {
        ch__conv_add_parts(CH_F32, j.sums, j.tiles, n);
        memcpy(c->out, j.sums, (size_t)n * sizeof(float));
    }
    ch__free_aligned(j.w);
    ch__free_aligned(j.sums);
    return atomic_load(&j.failed);
}
