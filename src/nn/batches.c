// SPDX-License-Identifier: Apache-2.0
// batches.c - shuffled batches: rows of x and y, copied in the epoch's order.

#include <inttypes.h>
#include <string.h>

#include "nn/nn.h"

struct ch_batches {
    ch_tensor *x, *y;
    const char *x_data, *y_data;
    size_t x_row, y_row;     // bytes
    int64_t rows, batch, at; // at: batches given this epoch
    uint64_t epoch;
    int64_t *order;
    int given_order; // order was set for the epoch about to begin
    ch_key key;
};

// Fisher and Yates with numbers from the epoch's key: i from the end, j = hash mod (i + 1).
static void shuffle(ch_batches *b) {
    ch_key key = ch_key_fold(b->key, b->epoch);
    for (int64_t i = 0; i < b->rows; i++) b->order[i] = i;
    for (int64_t i = b->rows - 1; i > 0; i--) {
        ch_key h = ch_key_fold(key, (uint64_t)i);
        uint64_t word = (uint64_t)h.word[0] << 32 | h.word[1];
        int64_t j = (int64_t)(word % (uint64_t)(i + 1)), t = b->order[i];
        b->order[i] = b->order[j];
        b->order[j] = t;
    }
}

static ch_status check(ch_tensor *x, ch_tensor *y, int64_t batch) {
    CH_TRY(ch_realize(x));
    CH_TRY(ch_realize(y));
    char a[256], c[256];
    ch_tensor_type(x, a, sizeof a);
    ch_tensor_type(y, c, sizeof c);
    if (ch_tensor_rank(x) < 1 || ch_tensor_rank(y) < 1 || ch_tensor_dim(x, 0) != ch_tensor_dim(y, 0))
        return ch_error_set("shape_mismatch",
                            "batches: %s and %s — both need the same number of rows as their first axis", a, c);
    if (batch < 1 || batch > ch_tensor_dim(x, 0))
        return ch_error_set("argument",
                            "batches: a batch of %" PRId64 " of %" PRId64 " rows — between 1 and the rows is allowed",
                            batch, ch_tensor_dim(x, 0));
    return CH_OK;
}

ch_status ch_batches_create(ch_tensor *x, ch_tensor *y, int64_t batch, ch_key key, ch_batches **out_batches) {
    if (out_batches == NULL)
        return ch_error_set("argument", "batches_create: the place for the batches is NULL — give one");
    CH_TRY(check(x, y, batch));
    int64_t rows = ch_tensor_dim(x, 0);
    ch_batches *b = ch_memory_alloc(sizeof *b);
    int64_t *order = ch_memory_alloc((size_t)rows * sizeof *order);
    if (b == NULL || order == NULL) {
        ch_memory_free(b);
        ch_memory_free(order);
        return ch_error_set("out_of_memory", "batches: no memory");
    }
    *b = (ch_batches){.x = ch_keep(x),
                      .y = ch_keep(y),
                      .x_data = ch_data(x),
                      .y_data = ch_data(y),
                      .rows = rows,
                      .batch = batch,
                      .order = order,
                      .key = key};
    b->x_row = (size_t)(ch_tensor_numel(x) / rows) * ch_dtype_size(ch_tensor_dtype(x));
    b->y_row = (size_t)(ch_tensor_numel(y) / rows) * ch_dtype_size(ch_tensor_dtype(y));
    *out_batches = b;
    return CH_OK;
}

void ch_batches_destroy(ch_batches *b) {
    if (b == NULL) return;
    ch_release(b->x);
    ch_release(b->y);
    ch_memory_free(b->order);
    ch_memory_free(b);
}

int64_t ch_batches_per_epoch(const ch_batches *b) { return b->rows / b->batch; }

ch_status ch_batches_set_order(ch_batches *b, const int64_t *order, int64_t rows) {
    if (b == NULL || order == NULL)
        return ch_error_set("argument", "batches_set_order: batches and order are needed — one is NULL");
    if (rows != b->rows)
        return ch_error_set("argument", "batches: an order of %" PRId64 " rows — the data has %" PRId64, rows, b->rows);
    for (int64_t i = 0; i < rows; i++)
        if (order[i] < 0 || order[i] >= rows)
            return ch_error_set("bounds", "batches: order[%" PRId64 "] is %" PRId64 " — rows are 0 to %" PRId64, i,
                                order[i], rows - 1);
    if (b->at != 0)
        return ch_error_set("argument",
                            "batches: the order of an epoch that has begun — set it before its first batch");
    memcpy(b->order, order, (size_t)rows * sizeof *order);
    b->given_order = 1;
    return CH_OK;
}

static void free_rows(void *user, void *data) {
    (void)user;
    ch_memory_free(data);
}

static ch_tensor *pick(const ch_batches *b, ch_tensor *from, const char *data, size_t row) {
    int64_t dims[16];
    int rank = ch_tensor_rank(from);
    for (int i = 0; i < rank; i++) dims[i] = i == 0 ? b->batch : ch_tensor_dim(from, i);
    char *rows = ch_memory_alloc((size_t)b->batch * row + 1);
    for (int64_t i = 0; rows != NULL && i < b->batch; i++)
        memcpy(rows + (size_t)i * row, data + (size_t)b->order[b->at * b->batch + i] * row, row);
    if (rows == NULL) {
        ch_error_set("out_of_memory", "batch_next: no memory");
        return ch_error_tensor();
    }
    return ch_borrow(ch_tensor_dtype(from), rows, rank, dims, free_rows, NULL);
}

int ch_batch_next(ch_batches *b, ch_tensor **out_x, ch_tensor **out_y) {
    if (b->at == ch_batches_per_epoch(b)) {
        b->at = 0;
        b->epoch++;
        return 0;
    }
    if (b->at == 0 && !b->given_order) shuffle(b);
    b->given_order = 0;
    *out_x = pick(b, b->x, b->x_data, b->x_row);
    *out_y = pick(b, b->y, b->y_data, b->y_row);
    b->at++;
    return 1;
}

ch_status ch_batches_back(ch_batches *b) {
    if (b == NULL || b->at == 0)
        return ch_error_set("argument", "batches_back: %s",
                            b == NULL ? "the batches are NULL — give them"
                                      : "no batch of this epoch was given yet — call it after ch_batch_next gave one");
    b->at--;
    b->given_order = b->at == 0; // the order of this epoch stays
    return CH_OK;
}

// ---- checkpoints: epoch, place in it, key, and the order of the rows
ch_status ch__batches_put(const ch_batches *b, ch_checkpoint *c) {
    ch_tensor *order = ch_from_i64(b->order, 1, &b->rows);
    CH_TRY(ch_checkpoint_put(c, "data", "order", order));
    CH_TRY(ch_checkpoint_put_i64(c, "data.batch", b->batch));
    CH_TRY(ch_checkpoint_put_i64(c, "data.at", b->at));
    CH_TRY(ch_checkpoint_put_i64(c, "data.epoch", (int64_t)b->epoch));
    CH_TRY(ch_checkpoint_put_i64(c, "data.given_order", b->given_order));
    return ch_checkpoint_put_i64(c, "data.key", (int64_t)((uint64_t)b->key.word[0] << 32 | b->key.word[1]));
}

ch_status ch__batches_get(ch_batches *b, ch_checkpoint *c, int take) {
    int64_t batch = 0, at = 0, epoch = 0, given = 0, key = 0;
    ch_tensor *order = NULL, *like = ch_from_i64(b->order, 1, &b->rows);
    CH_TRY(ch_checkpoint_match(c, "data", 1, (const char *[]){"order"}, &like));
    CH_TRY(ch_checkpoint_get_i64(c, "data.batch", &batch));
    CH_TRY(ch_checkpoint_get_i64(c, "data.at", &at));
    CH_TRY(ch_checkpoint_get_i64(c, "data.epoch", &epoch));
    CH_TRY(ch_checkpoint_get_i64(c, "data.given_order", &given));
    CH_TRY(ch_checkpoint_get_i64(c, "data.key", &key));
    if (batch != b->batch)
        return ch_error_set("argument",
                            "trainer_load: batches of %" PRId64 " rows in the checkpoint, these are of %" PRId64
                            " — make them as they were",
                            batch, b->batch);
    CH_TRY(ch_checkpoint_get(c, "data", "order", &order));
    const int64_t *rows = ch_data(order);
    ch_status s = rows == NULL ? ch_error_set("out_of_memory", "trainer_load: no memory") : CH_OK;
    int64_t most = ch_batches_per_epoch(b);
    if (s == CH_OK && (at < 0 || at > most))
        s = ch_error_set("file_format", "trainer_load: batch %" PRId64 " of an epoch of %" PRId64, at, most);
    for (int64_t i = 0; s == CH_OK && i < b->rows; i++)
        if (rows[i] < 0 || rows[i] >= b->rows)
            s = ch_error_set("file_format", "trainer_load: order[%" PRId64 "] is %" PRId64 " — rows are 0 to %" PRId64,
                             i, rows[i], b->rows - 1);
    if (s == CH_OK && take) {
        memcpy(b->order, rows, (size_t)b->rows * sizeof *rows);
        b->at = at;
        b->epoch = (uint64_t)epoch;
        b->given_order = given != 0;
        b->key = (ch_key){{(uint32_t)((uint64_t)key >> 32), (uint32_t)key}};
    }
    ch_release(order);
    return s;
}
