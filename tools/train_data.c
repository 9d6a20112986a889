// SPDX-License-Identifier: Apache-2.0
// train_data.c - data for training: a table of numbers (CSV), arrays x and y (npz), images and labels (a folder of idx
// files as MNIST has them), bytes (any other file, for char-lm). All become x and y with a row an example.
//
// Bytes of images (u8) are divided by 255. A part of the rows is held out: of text the end, of tables and arrays rows
// drawn by the seed; npz files with x_test and y_test, and folders with t10k files, have their own.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "train.h"

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int no_memory(const char *cmd) {
    fprintf(stderr, "chaac %s: no memory for the data\n", cmd);
    return FAILED;
}

// Realizes t and gives it to the part.
static int hold(ch_tensor *t, ch_tensor **out) {
    if (ch_realize(t) != CH_OK) return library_error();
    *out = ch_keep(t);
    return OK;
}

static void part_free(part *p) {
    ch_release(p->x);
    ch_release(p->y);
    *p = (part){.x = NULL};
}

void dataset_free(dataset *d) {
    part_free(&d->train);
    part_free(&d->held);
}

// ---- x and y as the models take them
static bool floating(ch_dtype d) { return d >= CH_F16 && d <= CH_F64; }

static ch_tensor *as_input(ch_tensor *x) {
    ch_tensor *f = ch_convert(x, CH_F32);
    return ch_tensor_dtype(x) == CH_U8 ? ch_div(f, ch_scalar(CH_F32, 255)) : f;
}

// Whole numbers from 0 to classes - 1, or the first row that has another.
static int check_labels(const char *cmd, settings *s, ch_tensor *y, const double *v) {
    int64_t n = ch_tensor_numel(y), most = s->classes;
    for (int64_t i = 0; i < n; i++) {
        if (v[i] != floor(v[i]) || v[i] < 0 || v[i] > 1e6 - 1) {
            fprintf(stderr,
                    "chaac %s: %s: label %g in row %lld — whole numbers from 0 are labels; --loss=mse is for "
                    "other numbers\n",
                    cmd, s->data, v[i], (long long)i + 1);
            return FAILED;
        }
        if (s->classes > 0 && v[i] >= (double)s->classes) {
            fprintf(stderr, "chaac %s: %s: label %g in row %lld — labels are 0 to %lld (--classes=%lld)\n", cmd,
                    s->data, v[i], (long long)i + 1, (long long)s->classes - 1, (long long)s->classes);
            return FAILED;
        }
        if (v[i] + 1 > (double)most) most = (int64_t)v[i] + 1;
    }
    s->classes = most;
    return OK;
}

static int as_labels(const char *cmd, settings *s, ch_tensor *y, ch_tensor **out) {
    char type[256];
    ch_tensor_type(y, type, sizeof type);
    if (ch_tensor_rank(y) != 1) {
        fprintf(stderr, "chaac %s: %s: y is %s — labels are one a row\n", cmd, s->data, type);
        return FAILED;
    }
    int64_t n = ch_tensor_numel(y);
    double *v = calloc((size_t)n + 1, sizeof *v);
    if (v == NULL) return no_memory(cmd);
    int status = ch_read_f64(ch_convert(y, CH_F64), v, n) == CH_OK ? OK : library_error();
    if (status == OK) status = check_labels(cmd, s, y, v);
    free(v);
    return status == OK ? hold(ch_convert(y, CH_I32), out) : status;
}

static int as_numbers(const char *cmd, const settings *s, ch_tensor *y, ch_tensor **out) {
    ch_tensor *f = ch_convert(y, CH_F32);
    if (ch_tensor_rank(y) == 1) f = ch_expand_dims(f, 1);
    if (ch_tensor_rank(f) == 2) return hold(f, out);
    fprintf(stderr, "chaac %s: %s: y has %d axes — numbers are [rows] or [rows, columns]\n", cmd, s->data,
            ch_tensor_rank(y));
    return FAILED;
}

static int make_part(const char *cmd, settings *s, bool labels, ch_tensor *x, ch_tensor *y, part *p) {
    char a[256], b[256];
    ch_tensor_type(x, a, sizeof a);
    ch_tensor_type(y, b, sizeof b);
    if (ch_tensor_rank(x) < 2 || ch_tensor_rank(y) < 1 || ch_tensor_dim(x, 0) != ch_tensor_dim(y, 0)) {
        fprintf(stderr, "chaac %s: %s: x is %s, y %s — x is [rows, ...], y has as many rows\n", cmd, s->data, a, b);
        return FAILED;
    }
    if (ch_tensor_dim(x, 0) == 0) {
        fprintf(stderr, "chaac %s: %s: there are no rows\n", cmd, s->data);
        return FAILED;
    }
    p->rows = ch_tensor_dim(x, 0);
    int status = hold(as_input(x), &p->x);
    if (status != OK) return status;
    return labels ? as_labels(cmd, s, y, &p->y) : as_numbers(cmd, s, y, &p->y);
}

// The loss, where it is not given: by the kind of y.
static bool choose_loss(settings *s, bool whole) {
    if (s->loss == NULL) s->loss = whole || s->classes > 0 ? "cross-entropy" : "mse";
    return strcmp(s->loss, "cross-entropy") == 0;
}

// ---- CSV
static int no_column(const char *cmd, const settings *s, const ch_csv *c) {
    fprintf(stderr, "chaac %s: %s: there is no column \"%s\" — there are", cmd, s->data, s->target);
    for (int64_t i = 0; i < ch_csv_columns(c); i++) {
        const char *name = ch_csv_name(c, i);
        if (name != NULL)
            fprintf(stderr, "%s %s", i > 0 ? "," : "", name);
        else
            fprintf(stderr, "%s %lld", i > 0 ? "," : "", (long long)i + 1);
    }
    fprintf(stderr, "\n");
    return FAILED;
}

static int split_columns(const char *cmd, settings *s, ch_csv *c, part *p, bool *labels) {
    int64_t columns = ch_csv_columns(c), at = columns - 1;
    if (s->target != NULL) {
        at = ch_csv_find(c, s->target);
        int64_t number;
        if (at < 0 && whole_number(s->target, &number) && number >= 1 && number <= columns) at = number - 1;
        if (at < 0) return no_column(cmd, s, c);
    }
    if (columns < 2) {
        fprintf(stderr, "chaac %s: %s: %lld column — inputs and a target are needed\n", cmd, s->data,
                (long long)columns);
        return FAILED;
    }
    ch_tensor *all = NULL;
    if (ch_csv_read(c, &all) != CH_OK) return library_error();
    ch_tensor *around[2] = {ch_slice_axis(all, 1, 0, at), ch_slice_axis(all, 1, at + 1, columns)};
    *labels = choose_loss(s, false);
    int status = make_part(cmd, s, *labels, ch_concat(2, around, 1),
                           ch_reshape(ch_slice_axis(all, 1, at, at + 1), 1, (int64_t[]){-1}), p);
    ch_release(all);
    return status;
}

static int load_csv(const char *cmd, settings *s, dataset *d) {
    const ch_csv_options o = {.struct_size = sizeof o, .dtype = CH_F32};
    ch_csv *c = NULL;
    if (ch_csv_open(s->data, &o, &c) != CH_OK) return library_error();
    int status = split_columns(cmd, s, c, &d->train, &d->labels);
    ch_csv_close(c);
    return status;
}

// ---- npz
static int npz_part(const char *cmd, settings *s, ch_npz *f, const char *x_name, const char *y_name, part *p,
                    bool *labels) {
    ch_tensor *x = NULL, *y = NULL;
    if (ch_npz_read(f, x_name, &x) != CH_OK || ch_npz_read(f, y_name, &y) != CH_OK) {
        ch_release(x);
        return library_error();
    }
    *labels = choose_loss(s, !floating(ch_tensor_dtype(y)));
    int status = make_part(cmd, s, *labels, x, y, p);
    ch_release(x);
    ch_release(y);
    return status;
}

static int load_npz(const char *cmd, settings *s, dataset *d) {
    ch_npz *f = NULL;
    if (ch_npz_open(s->data, &f) != CH_OK) return library_error();
    int status = OK;
    if (ch_npz_find(f, "x") < 0 || ch_npz_find(f, "y") < 0) {
        fprintf(stderr, "chaac %s: %s: arrays x and y are needed — there are", cmd, s->data);
        for (int i = 0; i < ch_npz_count(f); i++) fprintf(stderr, "%s %s", i > 0 ? "," : "", ch_npz_name(f, i));
        fprintf(stderr, "\n");
        status = FAILED;
    }
    if (status == OK) status = npz_part(cmd, s, f, "x", "y", &d->train, &d->labels);
    if (status == OK && ch_npz_find(f, "x_test") >= 0 && ch_npz_find(f, "y_test") >= 0)
        status = npz_part(cmd, s, f, "x_test", "y_test", &d->held, &d->labels);
    ch_npz_close(f);
    return status;
}

// ---- a folder of idx files
static bool idx_path(const settings *s, const char *prefix, const char *name, char path[PATH_MOST]) {
    struct stat st;
    snprintf(path, PATH_MOST, "%s/%s-%s", s->data, prefix, name);
    if (stat(path, &st) == 0) return true;
    snprintf(path, PATH_MOST, "%s/%s-%s.gz", s->data, prefix, name);
    return stat(path, &st) == 0;
}

static int idx_part(const char *cmd, settings *s, const char *prefix, part *p) {
    char images[PATH_MOST], labels[PATH_MOST];
    ch_tensor *x = NULL, *y = NULL;
    if (!idx_path(s, prefix, "images-idx3-ubyte", images)) return file_trouble(cmd, images);
    if (!idx_path(s, prefix, "labels-idx1-ubyte", labels)) return file_trouble(cmd, labels);
    if (ch_idx_load(images, &x) != CH_OK || ch_idx_load(labels, &y) != CH_OK) {
        ch_release(x);
        return library_error();
    }
    int status = make_part(cmd, s, true, x, y, p);
    ch_release(x);
    ch_release(y);
    return status;
}

static int load_idx(const char *cmd, settings *s, dataset *d) {
    char path[PATH_MOST];
    d->labels = true;
    if (!choose_loss(s, true)) {
        fprintf(stderr, "chaac %s: --loss=%s — the labels of %s want cross-entropy\n", cmd, s->loss, s->data);
        return FAILED;
    }
    int status = idx_part(cmd, s, "train", &d->train);
    if (status == OK && idx_path(s, "t10k", "images-idx3-ubyte", path)) status = idx_part(cmd, s, "t10k", &d->held);
    return status;
}

// ---- text: windows of `context` bytes, each with the bytes that follow
static int load_text(const char *cmd, settings *s, dataset *d) {
    ch_tensor *bytes = NULL;
    if (!choose_loss(s, true)) {
        fprintf(stderr, "chaac %s: --loss=%s — text wants cross-entropy\n", cmd, s->loss);
        return FAILED;
    }
    if (ch_raw_load(s->data, CH_U8, 1, (int64_t[]){-1}, &bytes) != CH_OK) return library_error();
    int64_t n = ch_tensor_numel(bytes), rows = (n - 1) / s->context;
    int status = OK;
    if (rows < 2) {
        fprintf(stderr, "chaac %s: %s: %lld bytes — two rows of --context=%lld and one byte are needed\n", cmd, s->data,
                (long long)n, (long long)s->context);
        status = FAILED;
    }
    int64_t used = rows * s->context, dims[2] = {rows, s->context};
    ch_tensor *ids = ch_convert(bytes, CH_I32);
    if (status == OK) status = hold(ch_reshape(ch_slice_axis(ids, 0, 0, used), 2, dims), &d->train.x);
    if (status == OK) status = hold(ch_reshape(ch_slice_axis(ids, 0, 1, used + 1), 2, dims), &d->train.y);
    ch_release(bytes);
    d->train.rows = rows;
    d->labels = d->text = true;
    s->classes = 256;
    return status;
}

// ---- the rows that are held out
static int take_rows(const part *from, const int64_t *rows, int64_t n, part *to) {
    ch_tensor *index = ch_from_i64(rows, 1, &n);
    int status = hold(ch_take(from->x, index, 0), &to->x);
    if (status == OK) status = hold(ch_take(from->y, index, 0), &to->y);
    to->rows = n;
    return status;
}

static void shuffle_rows(int64_t *order, int64_t n, ch_key key) { // Fisher and Yates
    for (int64_t i = n - 1; i > 0; i--) {
        ch_key h = ch_key_fold(key, (uint64_t)i);
        int64_t j = (int64_t)(((uint64_t)h.word[0] << 32 | h.word[1]) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

static int hold_out(const char *cmd, const settings *s, dataset *d) {
    int64_t n = d->train.rows, held = (int64_t)((double)n * s->holdout + 0.5);
    if (d->held.rows > 0 || held == 0) return OK;
    if (held >= n) {
        fprintf(stderr, "chaac %s: --holdout=%g of %lld rows leaves none to learn from\n", cmd, s->holdout,
                (long long)n);
        return FAILED;
    }
    int64_t *order = malloc((size_t)n * sizeof *order);
    if (order == NULL) return no_memory(cmd);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    if (!d->text) shuffle_rows(order, n, ch_key_fold(ch_key_make((uint64_t)s->seed), 1));
    part all = d->train;
    d->train = (part){.x = NULL};
    int status = take_rows(&all, order, n - held, &d->train);
    if (status == OK) status = take_rows(&all, order + (n - held), held, &d->held);
    part_free(&all);
    free(order);
    return status;
}

static int load(const char *cmd, settings *s, dataset *d) {
    struct stat st;
    if (stat(s->data, &st) != 0) return file_trouble(cmd, s->data);
    bool text = strcmp(s->model, "char-lm") == 0;
    if (text) return load_text(cmd, s, d);
    if (S_ISDIR(st.st_mode)) return load_idx(cmd, s, d);
    if (ends_with(s->data, ".npz")) return load_npz(cmd, s, d);
    if (ends_with(s->data, ".csv")) return load_csv(cmd, s, d);
    fprintf(stderr,
            "chaac %s: %s: a name that ends with .csv or .npz, or a folder of idx files, is needed; text is "
            "for --model=char-lm\n",
            cmd, s->data);
    return FAILED;
}

int dataset_load(const char *cmd, settings *s, bool all, dataset *d) {
    ch_scope scope = ch_scope_begin();
    int status = load(cmd, s, d);
    if (status == OK && all) {
        part_free(&d->held);
        d->held = d->train;
        d->train = (part){.x = NULL};
    } else if (status == OK) {
        status = hold_out(cmd, s, d);
    }
    (void)ch_scope_end(scope);
    return status;
}
