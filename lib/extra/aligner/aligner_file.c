/* SPDX-License-Identifier: Apache-2.0 */
/* Trained word aligners in files (docs/spec/aligner.md, "Files"). In little-endian order:
 *
 *     header          struct file_header, 112 bytes
 *     likelihoods     float64 [iterations]
 *     source words    [words[0]] each with a line feed behind it, by the hash of their bytes
 *     target words    [words[1]] in the same way
 *     counts          uint32 [1 + words[0]] target words of the null word and of each source word
 *     pairs           [pairs] uint32 target word, from 1, and float64 t: those of the null word,
 *                     then those of each source word, target words ascending
 *     checksum        uint64 of all bytes before: each piece of 64 KiB is hashed with the hash so
 *                     far as the seed
 *
 * The symbols of a corpus depend on the timing of threads; the order of the words by their hashes
 * does not, so the same training gives the same bytes. A model that was read has the words and the
 * table of the training, not its texts. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "extra/aligner/aligner_handle.h"
#include "extra/aligner/aligner_internal.h"
#include "text/radix_sort.h"
#include "text/words.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "aligner files are written as they lie in memory, in little-endian order"
#endif

enum { VERSION = 1, PIECE = 1 << 16, PAIR_BYTES = sizeof(uint32_t) + sizeof(double) };
static const char file_magic[8] = {'A', 'L', 'A', 'L', 'G', 'N', '\r', '\n'};
static const char STAGE_WRITE[] = "writing the aligner";
static const char STAGE_READ[] = "reading the aligner";
/* Pairs of a row up to which they are sorted by insertion. */
enum { FEW_PAIRS = 48 };

typedef struct file_header {
    char magic[8];    /* file_magic */
    uint32_t version; /* VERSION */
    int32_t reverse;  /* 1: the model's sources are the caller's targets; else 0 */
    int32_t diagonal; /* 0 or 1: alcore__aligner_options, as the following */
    int32_t bayes;    /* 0 or 1 */
    int32_t tension;  /* alcore__tension */
    int32_t iterations;
    double p0, start_lambda, alpha, start;
    double lambda;          /* after the training */
    uint64_t words[2];      /* of the source and of the target */
    uint64_t word_bytes[2]; /* bytes of the two sections of words */
    uint64_t pairs;         /* of words that occurred together, the null word's included */
} file_header;
_Static_assert(sizeof(file_header) == 112, "the header's layout");

/* ---- writing ---- */

/* The words of one side in the order of the file. */
typedef struct ordered_words {
    uint32_t *symbol; /* [count] */
    uint32_t *rank; /* [max_symbol + 1] by symbol: 1 + its index in `symbol`; 0 for the boundary and
                       for numbers that no word has */
    uint64_t count, bytes; /* words; bytes of their section */
} ordered_words;

/* The file that is being written. */
typedef struct sink {
    alcore_ctx *ctx;
    alcore__writer *writer;
    const alcore__aligner *model;
    ordered_words words[2]; /* of the source and of the target; owned */
    /* [most pairs of a row] owned; put_row() sorts in them. key: rank of the target word; value:
     * slot of the pair, counted from the first of its row. */
    alcore__keyed *pairs, *spare;
    uint64_t checksum;    /* of the pieces so far */
    uint64_t done, total; /* bytes, for the progress */
    size_t used;          /* bytes of piece */
    char piece[PIECE];
} sink;

/* Writes the piece that was collected. */
static alcore_status flush(sink *out) {
    out->checksum = XXH64(out->piece, out->used, out->checksum);
    out->done += out->used;
    ALCORE__TRY(alcore__writer_put(out->writer, out->piece, out->used));
    out->used = 0;
    return alcore__tick(out->ctx, STAGE_WRITE, (int64_t)out->done, (int64_t)out->total);
}

/* Appends bytes to the file: collects them in `piece` and writes that whenever it is full. */
static alcore_status put(sink *out, const void *data, size_t bytes) {
    for (const char *next = data; bytes > 0;) {
        const size_t free_bytes = PIECE - out->used, part = bytes < free_bytes ? bytes : free_bytes;
        memcpy(out->piece + out->used, next, part);
        out->used += part;
        next += part;
        bytes -= part;
        if (out->used == PIECE) ALCORE__TRY(flush(out));
    }
    return ALCORE_OK;
}

/* Lists the words of a corpus in the order of their hashes. The caller frees what *out has, also
 * after a failure. */
static alcore_status order_words(alcore_ctx *ctx, const alcore__corpus *corpus,
                                 ordered_words *out) {
    alcore__keyed *sorted = NULL, *spare = NULL;
    size_t count = 0, next = 0;
    for (int s = 0; s < ALCORE__CORPUS_SHARDS; s++) count += corpus->shard[s].words.count;
    out->count = count;
    alcore_status status = alcore__new_array(ctx, count, sizeof *sorted, &sorted);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, count, sizeof *spare, &spare);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, count, sizeof *out->symbol, &out->symbol);
    if (status == ALCORE_OK)
        status =
            alcore__new_array(ctx, (size_t)corpus->max_symbol + 1, sizeof *out->rank, &out->rank);
    for (uint32_t s = 0; s < ALCORE__CORPUS_SHARDS && status == ALCORE_OK; s++) {
        const alcore__vocabulary *words = &corpus->shard[s].words;
        for (uint32_t i = 0; i < words->count; i++)
            sorted[next++] = (alcore__keyed){words->hash[i], alcore__corpus_symbol(i, s)};
        out->bytes += words->count + (words->count > 0 ? words->begin[words->count] : 0);
    }
    if (status == ALCORE_OK) status = alcore__radix_sort(ctx, sorted, spare, count);
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        out->symbol[i] = sorted[i].value;
        out->rank[sorted[i].value] = (uint32_t)i + 1;
    }
    alcore__free(ctx, sorted);
    alcore__free(ctx, spare);
    return status;
}

/* Writes the section of the words of one side. */
static alcore_status put_words(sink *out, const alcore__corpus *corpus,
                               const ordered_words *words) {
    for (uint64_t i = 0; i < words->count; i++) {
        size_t length;
        const char *word = alcore__corpus_word(corpus, words->symbol[i], &length);
        ALCORE__TRY(put(out, word, length));
        ALCORE__TRY(put(out, "\n", 1));
    }
    return ALCORE_OK;
}

/* Sorts pairs [count], at most FEW_PAIRS, by rising key. */
static void sort_few(alcore__keyed *pairs, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const alcore__keyed moved = pairs[i];
        size_t position = i;
        for (; position > 0 && pairs[position - 1].key > moved.key; position--)
            pairs[position] = pairs[position - 1];
        pairs[position] = moved;
    }
}

/* Writes the pairs of the row of a source symbol, by the order of the target words. The row is a
 * hash table (aligner_table.h), whose free slots have the key 0. */
static alcore_status put_row(sink *out, uint32_t source) {
    const alcore__aligner_table *table = &out->model->table;
    const uint64_t begin = table->row_begin[source], end = table->row_begin[source + 1];
    size_t count = 0;
    for (uint64_t slot = begin; slot < end; slot++)
        if (table->key[slot] != 0)
            out->pairs[count++] =
                (alcore__keyed){out->words[1].rank[table->key[slot]], (uint32_t)(slot - begin)};
    if (count <= FEW_PAIRS)
        sort_few(out->pairs, count);
    else
        ALCORE__TRY(alcore__radix_sort(out->ctx, out->pairs, out->spare, count));
    for (size_t i = 0; i < count; i++) {
        const uint32_t target = (uint32_t)out->pairs[i].key;
        ALCORE__TRY(put(out, &target, sizeof target));
        ALCORE__TRY(put(out, &table->cell[begin + out->pairs[i].value].t, sizeof(double)));
    }
    return ALCORE_OK;
}

/* The source symbol of row `index` of the file: the null word's first. */
static uint32_t row_symbol(const sink *out, uint64_t index) {
    return index == 0 ? ALCORE__CORPUS_BOUNDARY : out->words[0].symbol[index - 1];
}

/* Writes counts and pairs. */
static alcore_status put_table(sink *out) {
    const alcore__aligner_table *table = &out->model->table;
    const uint64_t rows = 1 + out->words[0].count;
    size_t most = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint32_t count = table->row_pairs[row_symbol(out, i)];
        if (count > most) most = count;
        ALCORE__TRY(put(out, &count, sizeof count));
    }
    ALCORE__TRY(alcore__new_array(out->ctx, most, sizeof *out->pairs, &out->pairs));
    ALCORE__TRY(alcore__new_array(out->ctx, most, sizeof *out->spare, &out->spare));
    for (uint64_t i = 0; i < rows; i++) ALCORE__TRY(put_row(out, row_symbol(out, i)));
    return ALCORE_OK;
}

/* The header of the model; its words are ordered already. Rows of symbols without a word have no
 * pairs, so that all rows may be added up. */
static file_header header_of(const sink *out, bool reverse) {
    const alcore__aligner *model = out->model;
    const alcore__aligner_options *options = &model->options;
    file_header header = {
        .version = VERSION,
        .reverse = reverse,
        .diagonal = options->diagonal,
        .bayes = options->variational_bayes,
        .tension = (int32_t)options->tension,
        .iterations = options->iterations,
        .p0 = options->p0,
        .start_lambda = options->lambda,
        .alpha = options->alpha,
        .start = options->start,
        .lambda = model->lambda,
        .words = {out->words[0].count, out->words[1].count},
        .word_bytes = {out->words[0].bytes, out->words[1].bytes},
    };
    memcpy(header.magic, file_magic, sizeof file_magic);
    for (uint32_t e = 0; e < model->table.source_symbols; e++)
        header.pairs += model->table.row_pairs[e];
    return header;
}

/* Bytes of the file that the header tells, without the checksum. Checks for overflow, as the header
 * may be that of a damaged file; false: the file would be too long, or a rank would exceed 32 bits.
 * 4 * (words[0] + 1), the bytes of the counts, needs no check, as words[0] is below 2^32. */
static bool file_bytes(const file_header *header, uint64_t *out) {
    uint64_t bytes = sizeof *header + 8 * (uint64_t)header->iterations, part;
    for (int side = 0; side < 2; side++)
        if (__builtin_add_overflow(bytes, header->word_bytes[side], &bytes)) return false;
    if (header->words[0] >= UINT32_MAX || header->words[1] >= UINT32_MAX) return false;
    if (__builtin_add_overflow(bytes, 4 * (header->words[0] + 1), &bytes)) return false;
    if (__builtin_mul_overflow(header->pairs, (uint64_t)PAIR_BYTES, &part) ||
        __builtin_add_overflow(bytes, part, &bytes))
        return false;
    *out = bytes;
    return bytes <= INT64_MAX - 8;
}

/* Writes the whole file in the order given at the top. */
static alcore_status put_model(sink *out, bool reverse) {
    const alcore__aligner *model = out->model;
    ALCORE__TRY(order_words(out->ctx, model->source, &out->words[0]));
    ALCORE__TRY(order_words(out->ctx, model->target, &out->words[1]));
    const file_header header = header_of(out, reverse);
    if (!file_bytes(&header, &out->total))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "the aligner is too large for a file");
    ALCORE__TRY(put(out, &header, sizeof header));
    ALCORE__TRY(put(out, model->log_likelihoods, (size_t)header.iterations * sizeof(double)));
    ALCORE__TRY(put_words(out, model->source, &out->words[0]));
    ALCORE__TRY(put_words(out, model->target, &out->words[1]));
    ALCORE__TRY(put_table(out));
    if (out->used > 0) ALCORE__TRY(flush(out));
    return alcore__writer_put(out->writer, &out->checksum, sizeof out->checksum);
}

/* Writes an aligner; the file appears under its name only when all of it is written. */
static alcore_status write_aligner(const alcore_aligner *aligner, const char *path) {
    alcore_ctx *ctx = aligner->object.ctx;
    sink *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *out, &out));
    out->ctx = ctx;
    out->model = aligner->model;
    alcore_status status = alcore__writer_open(ctx, path, &out->writer);
    if (status == ALCORE_OK) {
        status = put_model(out, aligner->reverse);
        if (status == ALCORE_OK)
            status = alcore__writer_commit(out->writer);
        else
            alcore__writer_abort(out->writer);
    }
    for (int side = 0; side < 2; side++) {
        alcore__free(ctx, out->words[side].symbol);
        alcore__free(ctx, out->words[side].rank);
    }
    alcore__free(ctx, out->pairs);
    alcore__free(ctx, out->spare);
    alcore__free(ctx, out);
    return status;
}

/* Takes no lock: a trained model does not change. */
alcore_status alcore_aligner_write(const alcore_aligner *aligner, const char *path) {
    alcore_ctx *ctx = !aligner ? NULL : aligner->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (!aligner || !path)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "aligner or path is NULL"));
    return alcore__leave(ctx, write_aligner(aligner, path));
}

/* ---- reading ---- */

/* The file that is being read. */
typedef struct input_file {
    alcore_ctx *ctx;
    alcore__file *file;
    uint64_t checksum; /* of the pieces so far */
    uint64_t offset;   /* of the byte that follows the piece */
    uint64_t end;      /* bytes before the checksum; known after the header was read */
    file_header header;
    char *words;          /* bytes of the section of words that is read; owned */
    uint32_t *symbols[2]; /* [words] the symbols of both sides, in the order of the file; owned */
    alcore__aligner *model;
    size_t next, used; /* of piece: the byte that is read next, and how many there are */
    char piece[PIECE];
} input_file;

/* The error of a damaged file, with its path. */
static alcore_status fail_corrupt(const input_file *in, const char *what) {
    return alcore__fail(ALCORE_E_CORRUPT, "%s: %s", alcore__file_path(in->file), what);
}

/* Reads the next piece, which ends at the checksum at the latest. */
static alcore_status fill(input_file *in) {
    const uint64_t left = in->end - in->offset;
    const size_t bytes = left < PIECE ? (size_t)left : PIECE;
    if (bytes == 0)
        return fail_corrupt(in, "the parts of the file are longer than its header says");
    ALCORE__TRY(alcore__tick(in->ctx, STAGE_READ, (int64_t)in->offset, (int64_t)in->end));
    const alcore_status status =
        alcore__file_read_all(in->file, (int64_t)in->offset, in->piece, bytes);
    if (status == ALCORE_E_DATA) return fail_corrupt(in, "the file is cut off");
    ALCORE__TRY(status);
    in->checksum = XXH64(in->piece, bytes, in->checksum);
    in->offset += bytes;
    in->next = 0;
    in->used = bytes;
    return ALCORE_OK;
}

/* Reads the next `bytes` bytes of the file, a piece at a time. */
static alcore_status read_bytes(input_file *in, void *data, size_t bytes) {
    for (char *next = data; bytes > 0;) {
        if (in->next == in->used) ALCORE__TRY(fill(in));
        const size_t left = in->used - in->next, part = bytes < left ? bytes : left;
        memcpy(next, in->piece + in->next, part);
        in->next += part;
        next += part;
        bytes -= part;
    }
    return ALCORE_OK;
}

/* Reads the header and checks it against the length of the file before any memory is allocated, so
 * that a damaged header cannot ask for gigabytes. */
static alcore_status read_header(input_file *in) {
    file_header *header = &in->header;
    int64_t length;
    ALCORE__TRY(alcore__file_length(in->file, &length));
    if (length < 0)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: an aligner is read from a file, not a pipe",
                            alcore__file_path(in->file));
    const size_t known = (uint64_t)length < sizeof *header ? (size_t)length : sizeof *header;
    ALCORE__TRY(alcore__file_read_all(in->file, 0, header, known));
    if (known < sizeof file_magic || memcmp(header->magic, file_magic, sizeof file_magic) != 0)
        return fail_corrupt(in, "this is no file of an aligner");
    if (known < sizeof *header) return fail_corrupt(in, "the file is cut off");
    if (header->version != VERSION)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: version %" PRIu32 "; version %d is read",
                            alcore__file_path(in->file), header->version, VERSION);
    if (header->iterations < 1 || !file_bytes(header, &in->end))
        return fail_corrupt(in, "the header is damaged");
    if (in->end + sizeof in->checksum != (uint64_t)length)
        return fail_corrupt(in, "the length of the file is not what its header says");
    file_header again; /* the bytes are known, and belong to the checksum */
    return read_bytes(in, &again, sizeof again);
}

/* Makes the model without words and table from the header, and reads the likelihoods. */
static alcore_status begin_model(input_file *in) {
    const file_header *header = &in->header;
    alcore__aligner_options options = alcore__aligner_defaults();
    options.diagonal = header->diagonal != 0;
    options.variational_bayes = header->bayes != 0;
    options.tension = (alcore__tension)header->tension;
    options.iterations = header->iterations;
    options.p0 = header->p0;
    options.lambda = header->start_lambda;
    options.alpha = header->alpha;
    options.start = header->start;
    const bool flags = (uint32_t)header->reverse <= 1 && (uint32_t)header->diagonal <= 1 &&
                       (uint32_t)header->bayes <= 1;
    if (!flags || !(header->lambda >= 0 && header->lambda <= ALCORE__ALIGNER_MAX_LAMBDA) ||
        alcore__aligner_check_options(&options) != ALCORE_OK)
        return fail_corrupt(in, "the header is damaged");
    ALCORE__TRY(alcore__new_array(in->ctx, 1, sizeof *in->model, &in->model));
    alcore__aligner *model = in->model;
    model->ctx = alcore_ctx_ref(in->ctx);
    model->options = options;
    model->lambda = header->lambda;
    const size_t iterations = (size_t)header->iterations;
    ALCORE__TRY(alcore__new_array(in->ctx, iterations, sizeof(double), &model->log_likelihoods));
    return read_bytes(in, model->log_likelihoods, iterations * sizeof(double));
}

/* Reads the words of a side into a corpus without rows; in->symbols[side] [words] receives their
 * symbols. A word has to be one by the rules of text/words.h, so without spaces, and a line feed
 * follows it. */
static alcore_status read_words(input_file *in, int side, alcore__corpus *corpus) {
    const size_t bytes = in->header.word_bytes[side], count = in->header.words[side];
    in->words = alcore__alloc(in->ctx, bytes);
    if (!in->words) return alcore__fail_memory(bytes);
    if (count > bytes) return fail_corrupt(in, "the words are damaged");
    ALCORE__TRY(alcore__new_array(in->ctx, count, sizeof(uint32_t), &in->symbols[side]));
    ALCORE__TRY(read_bytes(in, in->words, bytes));
    const char *next = in->words, *end = next + bytes;
    for (size_t i = 0; i < count; i++) {
        const char *begin = next, *word;
        size_t length;
        bool added = false;
        if (i % (PIECE / 16) == 0) ALCORE__TRY(alcore__tick(in->ctx, NULL, 0, 0));
        if (!alcore__word_next(&next, end, &word, &length) || word != begin || next == end ||
            *next++ != '\n')
            return fail_corrupt(in, "the words are damaged");
        ALCORE__TRY(alcore__corpus_add_word(corpus, word, length, &in->symbols[side][i], &added));
        if (!added) return fail_corrupt(in, "a word is there twice");
    }
    if (next != end) return fail_corrupt(in, "the words are damaged");
    alcore__corpus_end_words(corpus);
    alcore__free(in->ctx, in->words);
    in->words = NULL;
    return ALCORE_OK;
}

/* Reads the counts, the null word's first, and makes the empty rows of the table. Symbols that no
 * word has keep a row without pairs. */
static alcore_status read_counts(input_file *in) {
    alcore__aligner_table *table = &in->model->table;
    const size_t symbols = (size_t)in->model->source->max_symbol + 1;
    table->source_symbols = (uint32_t)symbols;
    ALCORE__TRY(alcore__new_array(in->ctx, symbols, sizeof(uint32_t), &table->row_pairs));
    uint64_t pairs = 0;
    for (uint64_t i = 0; i <= in->header.words[0]; i++) {
        uint32_t *count = &table->row_pairs[i == 0 ? 0 : in->symbols[0][i - 1]];
        ALCORE__TRY(read_bytes(in, count, sizeof *count));
        if (*count > in->header.words[1]) return fail_corrupt(in, "the counts are damaged");
        pairs += *count;
    }
    if (pairs != in->header.pairs) return fail_corrupt(in, "the counts are damaged");
    return alcore__aligner_table_lay_out(in->ctx, table);
}

/* Reads the pairs of a source symbol into its row. Targets have to ascend, so none is put twice. t
 * is a probability; the limit of 2 allows for rounding and still refuses garbage. */
static alcore_status read_row(input_file *in, uint32_t symbol) {
    alcore__aligner_table *table = &in->model->table;
    uint32_t before = 0;
    for (uint32_t i = 0; i < table->row_pairs[symbol]; i++) {
        uint32_t target;
        double t;
        ALCORE__TRY(read_bytes(in, &target, sizeof target));
        ALCORE__TRY(read_bytes(in, &t, sizeof t));
        if (target <= before || target > in->header.words[1] || !(t >= 0 && t <= 2))
            return fail_corrupt(in, "the pairs of words are damaged");
        alcore__aligner_table_put(table, symbol, in->symbols[1][target - 1], t);
        before = target;
    }
    return ALCORE_OK;
}

/* Reads and checks the whole file. */
static alcore_status read_all(input_file *in) {
    uint64_t found;
    ALCORE__TRY(read_header(in));
    ALCORE__TRY(begin_model(in));
    ALCORE__TRY(alcore__corpus_begin_words(in->ctx, &in->model->source));
    ALCORE__TRY(alcore__corpus_begin_words(in->ctx, &in->model->target));
    ALCORE__TRY(read_words(in, 0, in->model->source));
    ALCORE__TRY(read_words(in, 1, in->model->target));
    ALCORE__TRY(read_counts(in));
    for (uint64_t i = 0; i <= in->header.words[0]; i++)
        ALCORE__TRY(read_row(in, i == 0 ? 0 : in->symbols[0][i - 1]));
    ALCORE__TRY(alcore__file_read_all(in->file, (int64_t)in->end, &found, sizeof found));
    return found == in->checksum ? ALCORE_OK : fail_corrupt(in, "the checksum does not agree");
}

/* Reads an aligner into a handle, which then owns the model; a handle that cannot be made frees it.
 * The caller has set *out to NULL, which it is after a failure. */
static alcore_status read_aligner(alcore_ctx *ctx, const char *path, alcore_aligner **out) {
    input_file *in = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *in, &in));
    in->ctx = ctx;
    alcore_status status = alcore__file_open(ctx, path, &in->file);
    if (status == ALCORE_OK) status = read_all(in);
    if (status == ALCORE_OK)
        status = alcore__aligner_handle_new(ctx, in->model, in->header.reverse != 0, out);
    else
        alcore__aligner_free(in->model);
    alcore__file_close(in->file);
    alcore__free(ctx, in->words);
    alcore__free(ctx, in->symbols[0]);
    alcore__free(ctx, in->symbols[1]);
    alcore__free(ctx, in);
    return status;
}

alcore_status alcore_aligner_open(alcore_ctx *ctx, const char *path, alcore_aligner **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !path || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx, path or out is NULL"));
    return alcore__leave(ctx, read_aligner(ctx, path, out));
}
