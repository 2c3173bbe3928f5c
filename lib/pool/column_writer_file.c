/* SPDX-License-Identifier: Apache-2.0 */
/* What a column writer saves for another process to merge. The file, in little-endian order:
 *
 *     header                     struct file_header, 80 bytes
 *     name                       name_bytes bytes of the column's name
 *     rows                       int64 [entries] pool rows
 *     lengths                    int64 [entries] tokens of each, for ragged columns only
 *     values                     float32, float64 or int64 [tokens or entries, dims], in that order
 *     checksum                   uint64: see add_piece()
 *
 * The pool's fingerprint and rows say which pool the rows belong to. */
#include <inttypes.h>
#include <string.h>

#include <xxhash.h>

#include "pool/column_array.h"
#include "pool/column_writer.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "column files are written as they lie in memory, in little-endian order"
#endif

enum { VERSION = 1, BLOCK = 1 << 16 };
static const char file_magic[8] = {'A', 'L', 'C', 'O', 'L', 'W', '\r', '\n'};

typedef struct file_header {
    char magic[8];        /* file_magic */
    uint32_t version;     /* VERSION */
    uint32_t name_bytes;  /* 1 to ALCORE__COLUMN_NAME_BYTES */
    uint64_t fingerprint; /* of the pool, and its rows when the writer was made */
    int64_t pool_rows;
    int32_t shape, dtype;          /* see stored_shape() and stored_dtype() */
    int64_t dims, entries, stored; /* values of a row or token; entries; rows of values */
    int64_t meaning;               /* see stored_meaning() */
    double log_base;               /* of log-probabilities; 0: e */
} file_header;
_Static_assert(sizeof(file_header) == 80, "the header's layout");

/* The file has numbers of its own, which stay as they are whatever the enums have: shapes 0
 * (scalar) to 3 (ragged, dense), in the order of ALCORE_COLUMN_*; ... */
static int32_t stored_shape(int32_t shape) {
    return shape - ALCORE_COLUMN_SCALAR;
}
/* ... types of numbers 3 (float32), 4 (float64) and 6 (int64); others are -1, which no file has; */
static int32_t stored_dtype(int32_t dtype) {
    return dtype == ALCORE_FLOAT32   ? 3
           : dtype == ALCORE_FLOAT64 ? 4
           : dtype == ALCORE_INT64   ? 6
                                     : -1;
}
/* ... and meanings 1 to 8, in the order of ALCORE_MEANS_*, with 0 for what the name says. */
static int64_t stored_meaning(int32_t meaning) {
    return meaning == 0 ? 0 : meaning - ALCORE_MEANS_UNCERTAINTY + 1;
}

/* The dtype of a stored number; 0: it is none. */
static int32_t dtype_of(int32_t stored) {
    static const int32_t known[] = {ALCORE_FLOAT32, ALCORE_FLOAT64, ALCORE_INT64};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (stored_dtype(known[i]) == stored) return known[i];
    return 0;
}

/* The checksum: each part of the file, cut into pieces of BLOCK bytes, is hashed with the hash so
 * far as the seed. */
static void add_piece(uint64_t *checksum, const void *piece, size_t bytes) {
    *checksum = XXH64(piece, bytes, *checksum);
}

/* ---- save ---- */

/* The file that is being written. */
typedef struct sink {
    alcore__writer *writer;
    uint64_t checksum; /* of the bytes so far */
    bool asks;         /* whether a cancelled call ends the writing */
} sink;

/* Writes data [bytes] to the file in pieces of BLOCK bytes, each added to the checksum. */
static alcore_status write_bytes(alcore_ctx *ctx, sink *out, const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const size_t block = bytes - done > BLOCK ? BLOCK : bytes - done;
        add_piece(&out->checksum, (const char *)data + done, block);
        ALCORE__TRY(alcore__writer_put(out->writer, (const char *)data + done, block));
        if (out->asks) ALCORE__TRY(alcore__tick(ctx, "saving", (int64_t)done, (int64_t)bytes));
        done += block;
    }
    return ALCORE_OK;
}

/* Writes the lengths [entries], int64, of ragged entries: tokens of each, computed from the offsets
 * a block of 64 KiB at a time, which is what the checksum is cut into too. */
static alcore_status write_lengths(alcore_ctx *ctx, const alcore__column_builder *builder,
                                   sink *out) {
    int64_t block[BLOCK / sizeof(int64_t)];
    const int64_t capacity = BLOCK / (int64_t)sizeof *block;
    for (int64_t first = 0; first < builder->count; first += capacity) {
        const int64_t count = builder->count - first < capacity ? builder->count - first : capacity;
        for (int64_t i = 0; i < count; i++)
            block[i] = builder->offsets[first + i + 1] - builder->offsets[first + i];
        ALCORE__TRY(write_bytes(ctx, out, block, (size_t)count * sizeof *block));
    }
    return ALCORE_OK;
}

/* Writes the whole file in the order given at the top. The checksum itself is not part of the
 * checksum. */
static alcore_status write_all(const alcore_column_writer *writer, sink *out) {
    alcore_ctx *ctx = writer->object.ctx;
    const alcore__column_builder *builder = &writer->builder;
    file_header header = {.version = VERSION,
                          .name_bytes = (uint32_t)strlen(writer->name),
                          .fingerprint = writer->fingerprint,
                          .pool_rows = builder->pool_rows,
                          .shape = stored_shape(builder->shape),
                          .dtype = stored_dtype(builder->dtype),
                          .dims = builder->dims,
                          .entries = builder->count,
                          .stored = alcore__builder_stored(builder),
                          .meaning = stored_meaning(writer->options.meaning),
                          .log_base = writer->options.log_base};
    memcpy(header.magic, file_magic, sizeof file_magic);
    ALCORE__TRY(write_bytes(ctx, out, &header, sizeof header));
    ALCORE__TRY(write_bytes(ctx, out, writer->name, header.name_bytes));
    ALCORE__TRY(
        write_bytes(ctx, out, builder->rows, (size_t)builder->count * sizeof *builder->rows));
    if (alcore__builder_ragged(builder)) ALCORE__TRY(write_lengths(ctx, builder, out));
    ALCORE__TRY(write_bytes(ctx, out, builder->values,
                            (size_t)(header.stored * header.dims) *
                                alcore_sys_dtype_bytes(builder->dtype)));
    return alcore__writer_put(out->writer, &out->checksum, sizeof out->checksum);
}

/* The file appears under its name only when all of it is written. */
alcore_status alcore__column_writer_save(const alcore_column_writer *writer, const char *path,
                                         bool asks) {
    sink out = {.asks = asks};
    ALCORE__TRY(alcore__writer_open(writer->object.ctx, path, &out.writer));
    alcore_status status = write_all(writer, &out);
    if (status == ALCORE_OK) return alcore__writer_commit(out.writer);
    alcore__writer_abort(out.writer);
    return status;
}

/* ---- merge ---- */

/* A file that is being read. The arrays are owned. */
typedef struct source {
    alcore_ctx *ctx;
    alcore__file *file;
    bool asks;         /* whether a cancelled call ends the reading */
    int64_t offset;    /* of the byte of the file that is read next */
    uint64_t checksum; /* of the bytes so far */
    file_header header;
    char *name;       /* of the column */
    int64_t *rows;    /* [entries] pool rows */
    int64_t *lengths; /* [entries] tokens of each; NULL unless ragged */
    char *values;     /* [stored, dims] of header.dtype */
} source;

/* The error of a damaged file, with its path. */
static alcore_status fail_corrupt(const source *in, const char *what) {
    return alcore__fail(ALCORE_E_CORRUPT, "%s: %s", alcore__file_path(in->file), what);
}

/* Reads the next `bytes` bytes of the file to data in the pieces in which they were written, and
 * adds them to the checksum. */
static alcore_status read_bytes(source *in, void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const size_t block = bytes - done > BLOCK ? BLOCK : bytes - done;
        alcore_status status =
            alcore__file_read_all(in->file, in->offset, (char *)data + done, block);
        if (status == ALCORE_E_DATA) return fail_corrupt(in, "the file is cut off");
        ALCORE__TRY(status);
        add_piece(&in->checksum, (const char *)data + done, block);
        if (in->asks) ALCORE__TRY(alcore__tick(in->ctx, "merging", in->offset, -1));
        in->offset += (int64_t)block;
        done += block;
    }
    return ALCORE_OK;
}

/* Checks the header against the length of the file before any memory is allocated, so that a
 * damaged header cannot ask for gigabytes. lists: bytes of rows and lengths, 8 an entry each;
 * `values` becomes the length of the whole file, whose last 8 bytes are the checksum. */
static alcore_status check_length(const source *in) {
    const file_header *header = &in->header;
    const bool ragged = header->shape >= stored_shape(ALCORE_COLUMN_RAGGED);
    const int32_t dtype = dtype_of(header->dtype);
    const size_t value_bytes = alcore_sys_dtype_bytes(dtype);
    int64_t length, lists, values;
    ALCORE__TRY(alcore__file_length(in->file, &length));
    if (header->shape < 0 || header->shape > stored_shape(ALCORE_COLUMN_RAGGED_DENSE) || !dtype ||
        header->name_bytes == 0 || header->name_bytes > ALCORE__COLUMN_NAME_BYTES ||
        header->dims < 0 || header->entries < 0 || header->stored < 0 ||
        header->entries > header->pool_rows || (header->dims == 0 && header->entries > 0) ||
        (!ragged && header->stored != header->entries))
        return fail_corrupt(in, "the header is damaged");
    if (__builtin_mul_overflow(header->entries, ragged ? 16 : 8, &lists) ||
        __builtin_mul_overflow(header->stored, header->dims, &values) ||
        __builtin_mul_overflow(values, (int64_t)value_bytes, &values) ||
        __builtin_add_overflow(values, lists, &values) ||
        __builtin_add_overflow(values, (int64_t)(sizeof *header + header->name_bytes + 8),
                               &values) ||
        values != length)
        return fail_corrupt(in, "the length of the file is not what its header says");
    return ALCORE_OK;
}

/* Reads the header and checks that the file is one of this kind, of this version, and of the length
 * that the header tells. */
static alcore_status read_header(source *in) {
    ALCORE__TRY(read_bytes(in, &in->header, sizeof in->header));
    if (memcmp(in->header.magic, file_magic, sizeof file_magic) != 0)
        return fail_corrupt(in, "this is no file of a column writer");
    if (in->header.version != VERSION)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: version %" PRIu32 "; version %d is read",
                            alcore__file_path(in->file), in->header.version, VERSION);
    return check_length(in);
}

/* Reads and checks the whole file; nothing of it reaches the writer before the checksum has agreed.
 */
static alcore_status read_all(source *in) {
    const file_header *header = &in->header;
    uint64_t found, expected;
    ALCORE__TRY(read_header(in));
    const size_t entries = (size_t)header->entries;
    ALCORE__TRY(alcore__new_array(in->ctx, header->name_bytes + 1, 1, &in->name));
    ALCORE__TRY(read_bytes(in, in->name, header->name_bytes));
    ALCORE__TRY(alcore__new_array(in->ctx, entries, sizeof *in->rows, &in->rows));
    ALCORE__TRY(read_bytes(in, in->rows, entries * sizeof *in->rows));
    if (header->shape >=
        stored_shape(ALCORE_COLUMN_RAGGED)) { /* _RAGGED or _RAGGED_DENSE, the last shapes */
        ALCORE__TRY(alcore__new_array(in->ctx, entries, sizeof *in->lengths, &in->lengths));
        ALCORE__TRY(read_bytes(in, in->lengths, entries * sizeof *in->lengths));
    }
    const size_t bytes =
        (size_t)(header->stored * header->dims) * alcore_sys_dtype_bytes(dtype_of(header->dtype));
    in->values = alcore__alloc(in->ctx, bytes);
    if (!in->values) return alcore__fail_memory(bytes);
    ALCORE__TRY(read_bytes(in, in->values, bytes));
    expected = in->checksum;
    ALCORE__TRY(read_bytes(in, &found, sizeof found));
    return found == expected ? ALCORE_OK : fail_corrupt(in, "the checksum does not agree");
}

/* Checks that the file was saved by a writer of the same pool and column: fingerprint, rows, name,
 * shape and meaning. */
static alcore_status check_match(const alcore_column_writer *writer, const source *in) {
    const file_header *header = &in->header;
    const char *path = alcore__file_path(in->file);
    if (header->fingerprint != writer->fingerprint || header->pool_rows != writer->pool_rows)
        return alcore__fail(
            ALCORE_E_SHAPE,
            "%s was written for another pool: expected %" PRId64
            " rows with fingerprint %016" PRIx64 ", found %" PRId64 " with %016" PRIx64,
            path, writer->pool_rows, writer->fingerprint, header->pool_rows, header->fingerprint);
    if (strcmp(in->name, writer->name) != 0)
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected column \"%s\", found \"%s\"", path,
                            writer->name, in->name);
    if (header->shape != stored_shape(writer->shape))
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected shape %d (ALCORE_COLUMN_*), found %d",
                            path, writer->shape, header->shape + ALCORE_COLUMN_SCALAR);
    if (header->meaning != stored_meaning(writer->options.meaning) ||
        header->log_base != writer->options.log_base)
        return alcore__fail(
            ALCORE_E_SHAPE,
            "%s: expected meaning %d (ALCORE_MEANS_*) with base %g, found %" PRId64 " with %g",
            path, writer->options.meaning, writer->options.log_base,
            header->meaning ? header->meaning - 1 + ALCORE_MEANS_UNCERTAINTY : 0, header->log_base);
    return ALCORE_OK;
}

/* Puts the entries of the file into the writer, all or none, after check_match(); rows that it has
 * already keep their values. The rows and lengths themselves are checked by the builder. */
static alcore_status put_all(alcore_column_writer *writer, const source *in) {
    const file_header *header = &in->header;
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(dtype_of(header->dtype));
    const alcore__builder_input input = {.rows = in->rows,
                                         .count = header->entries,
                                         .values = in->values,
                                         .strides = {header->dims * bytes, bytes},
                                         .value_rows = header->stored,
                                         .dims = header->dims,
                                         .dtype = dtype_of(header->dtype),
                                         .lengths = in->lengths};
    alcore_status status = alcore__builder_put(&writer->builder, &input);
    return status == ALCORE_OK ? status
                               : alcore__fail_within(status, "%s", alcore__file_path(in->file));
}

/* A failure leaves the writer as it was: the file is read and checked as a whole first, and a put
 * is all or nothing. */
alcore_status alcore__column_writer_merge(alcore_column_writer *writer, const char *path,
                                          bool asks) {
    source in = {.ctx = writer->object.ctx, .asks = asks};
    ALCORE__TRY(alcore__file_open(in.ctx, path, &in.file));
    alcore_status status = read_all(&in);
    if (status == ALCORE_OK) status = check_match(writer, &in);
    if (status == ALCORE_OK) status = put_all(writer, &in);
    alcore__free(in.ctx, in.name);
    alcore__free(in.ctx, in.rows);
    alcore__free(in.ctx, in.lengths);
    alcore__free(in.ctx, in.values);
    alcore__file_close(in.file);
    return status;
}
