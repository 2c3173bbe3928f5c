/* SPDX-License-Identifier: Apache-2.0 */
/* A corpus metric of files: they are read side by side, a block of lines at a time, so that memory
 * does not grow with them. With bootstrap samples the statistics of all segments are kept, at most
 * 256 bytes each. */
#include <string.h>

#include "formats/records.h"
#include "metric/corpus_metric.h"
#include "text/utf8.h"

#define MAX_LINE_BYTES ((int64_t)64 << 20)
enum {
    BLOCK_LINES = 8192,    /* of each file */
    BLOCK_BYTES = 8 << 20, /* of the hypotheses, after which a block ends */
    MOST_FILES = 1000
};

/* One of the files. */
typedef struct text_file {
    const char *path;
    alcore__record_reader *reader;
    const alcore__record *records; /* [count] the batch that is being copied */
    int64_t count, at;             /* records of the batch; the next one */
    int64_t lines;                 /* read so far: entries of the file */
    alcore__buffer bytes;          /* the texts of the block, one after the other */
    size_t length[BLOCK_LINES];    /* bytes of each */
} text_file;

/* One call. */
typedef struct files_run {
    alcore_ctx *ctx;
    alcore__corpus_metric *metric;
    const alcore_text_files *given;
    alcore_read_options options, usual; /* of the caller; without the name of a column */
    text_file *files;                   /* [given->count] hypotheses, then sets of references */
    const char **texts; /* [given->count * BLOCK_LINES] file after file, as many as a block has */
    size_t *lengths;    /* the same */
    double scores[BLOCK_LINES]; /* of the block's segments */
    int64_t *kept;              /* [segments, width] with bootstrap samples */
    size_t kept_room;
    int64_t segments;
} files_run;

/* Makes the next record of a file the one at file->at; *more: there is one. */
static alcore_status next_record(text_file *file, bool *more) {
    if (file->at == file->count) {
        file->at = 0;
        ALCORE__TRY(alcore__record_reader_next(file->reader, &file->records, &file->count));
    }
    *more = file->count > 0;
    return ALCORE_OK;
}

/* Copies up to `wanted` texts of a file into its block, fewer at its end and, of hypotheses, where
 * they are large; *out: how many. */
static alcore_status fill(files_run *self, text_file *file, int64_t wanted, int64_t *out) {
    const bool hypotheses = file == self->files;
    file->bytes.length = 0;
    for (*out = 0; *out < wanted; ++*out) {
        bool more;
        if (hypotheses && file->bytes.length >= BLOCK_BYTES) return ALCORE_OK;
        ALCORE__TRY(next_record(file, &more));
        if (!more) return ALCORE_OK;
        const alcore__record *record = &file->records[file->at++];
        const size_t valid = alcore__utf8_check(record->text, record->text_length);
        if (valid < record->text_length)
            return alcore__fail(ALCORE_E_DATA, "%s:%lld: the text is not valid UTF-8 at byte %zu",
                                file->path, (long long)record->line, valid);
        ALCORE__TRY(
            alcore__buffer_append(self->ctx, &file->bytes, record->text, record->text_length));
        file->length[*out] = record->text_length;
        file->lines++;
    }
    return ALCORE_OK;
}

/* The error of files of different lengths, which reads them to their ends. */
static alcore_status fail_unequal(files_run *self) {
    const text_file *first = self->files;
    for (int64_t f = 0; f < self->given->count; f++) {
        text_file *file = &self->files[f];
        file->lines += file->count - file->at;
        do {
            file->at = file->count;
            bool more;
            ALCORE__TRY(next_record(file, &more));
            file->lines += file->count;
        } while (file->count > 0);
    }
    for (int64_t f = 1; f < self->given->count; f++)
        if (self->files[f].lines != first->lines)
            return alcore__fail(ALCORE_E_DATA,
                                "%s has %lld lines and %s has %lld: line i of each belong together",
                                first->path, (long long)first->lines, self->files[f].path,
                                (long long)self->files[f].lines);
    return alcore__fail(ALCORE_E_INTERNAL, "files of one length");
}

/* Reads a block of all files into metric->pairs, whose count is 0 at their end. */
static alcore_status read_block(files_run *self) {
    int64_t count, found;
    ALCORE__TRY(fill(self, self->files, BLOCK_LINES, &count));
    for (int64_t f = 1; f < self->given->count; f++) {
        ALCORE__TRY(fill(self, &self->files[f], count > 0 ? count : 1, &found));
        if (found != count) return fail_unequal(self);
    }
    for (int64_t f = 0; f < self->given->count; f++) {
        const char *text = self->files[f].bytes.data;
        for (int64_t i = 0; i < count; i++) {
            self->texts[f * count + i] = text ? text : "";
            self->lengths[f * count + i] = self->files[f].length[i];
            if (text) text += self->files[f].length[i];
        }
    }
    self->metric->pairs = (alcore__segment_pairs){.hypotheses = self->texts,
                                                  .hypothesis_lengths = self->lengths,
                                                  .references = self->texts + count,
                                                  .reference_lengths = self->lengths + count,
                                                  .count = count,
                                                  .sets = self->given->count - 1};
    return ALCORE_OK;
}

/* Counts the block and hands out its scores. */
static alcore_status count_block(files_run *self) {
    const alcore_text_files *given = self->given;
    const alcore__corpus_metric *metric = self->metric;
    const int64_t count = metric->pairs.count;
    if (metric->resamples > 0)
        ALCORE__TRY(alcore__grow(self->ctx, &self->kept, &self->kept_room,
                                 (size_t)((self->segments + count) * metric->width),
                                 sizeof *self->kept));
    ALCORE__TRY(alcore__corpus_metric_count(
        self->ctx, self->metric, given->score ? self->scores : NULL,
        metric->resamples > 0 ? self->kept + self->segments * metric->width : NULL));
    for (int64_t i = 0; given->score && i < count; i++)
        given->score(given->score_user, self->segments + i, self->scores[i]);
    self->segments += count;
    return ALCORE_OK;
}

/* Opens a file with its first batch, with the options' column of texts or by the usual names. */
static alcore_status open_file(files_run *self, text_file *file,
                               const alcore_read_options *options) {
    bool more;
    ALCORE__TRY(
        alcore__record_reader_open(self->ctx, file->path, options, MAX_LINE_BYTES, &file->reader));
    return next_record(file, &more);
}

/* Opens a file. One that lacks the column of the options, which may be that of another file, is
 * read by the usual names of a column of texts; if that fails too, the first error is reported. */
static alcore_status open_either(files_run *self, text_file *file) {
    alcore_status status = open_file(self, file, &self->options);
    for (int again = 0; again < 2 && status == ALCORE_E_DATA && self->options.text_column &&
                        strcmp(file->path, "-") != 0;
         again++) {
        alcore__record_reader_close(file->reader);
        file->reader = NULL;
        status = open_file(self, file, again == 0 ? &self->usual : &self->options);
    }
    return status;
}

/* Reads and counts all blocks, then draws the bootstrap samples. */
static alcore_status run(files_run *self) {
    alcore__corpus_metric *metric = self->metric;
    for (int64_t f = 0; f < self->given->count; f++) {
        self->files[f].path = self->given->paths[f];
        ALCORE__TRY(open_either(self, &self->files[f]));
    }
    for (;;) {
        ALCORE__TRY(read_block(self));
        if (metric->pairs.count == 0) break;
        ALCORE__TRY(count_block(self));
    }
    if (self->segments == 0)
        return alcore__fail(ALCORE_E_DATA, "%s is empty: there is nothing to measure",
                            self->given->paths[0]);
    return alcore__resample(self->ctx, self->kept, self->segments, metric->width, metric->resamples,
                            metric->seed, metric->score, metric, &metric->interval);
}

/* Checks the struct; at most one of the files is standard input. */
static alcore_status check_files(files_run *self) {
    const alcore_text_files *given = self->given;
    int inputs = 0;
    if (given->count < 2 || given->count > MOST_FILES || !given->paths)
        return alcore__fail(ALCORE_E_INVALID,
                            "%lld files; 2 to %d are needed, the hypotheses first",
                            (long long)given->count, MOST_FILES);
    for (int64_t f = 0; f < given->count; f++) {
        if (!given->paths[f])
            return alcore__fail(ALCORE_E_INVALID, "path %lld is NULL", (long long)f + 1);
        inputs += strcmp(given->paths[f], "-") == 0;
    }
    if (inputs > 1) return alcore__fail(ALCORE_E_INVALID, "only one file can be standard input");
    ALCORE__TRY(alcore__struct_read(&self->options, sizeof self->options,
                                    ALCORE__FIRST_SIZE(alcore_read_options, text_column),
                                    given->options, "alcore_read_options"));
    if (self->options.references || self->options.reference_column || self->options.language)
        return alcore__fail(ALCORE_E_INVALID, "references, reference_column and language do not "
                                              "apply: text_column names the column of every file");
    self->usual = self->options;
    self->usual.text_column = NULL;
    return ALCORE_OK;
}

alcore_status alcore__corpus_files_run(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                       const alcore_text_files *theirs) {
    alcore_text_files given;
    files_run *self;
    ALCORE__TRY(alcore__struct_read(&given, sizeof given,
                                    ALCORE__FIRST_SIZE(alcore_text_files, score_user), theirs,
                                    "alcore_text_files"));
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->metric = metric;
    self->given = &given;
    alcore_status status = check_files(self);
    const size_t files = status == ALCORE_OK ? (size_t)given.count : 0;
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, files, sizeof *self->files, &self->files);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, files * BLOCK_LINES, sizeof *self->texts, &self->texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, files * BLOCK_LINES, sizeof *self->lengths, &self->lengths);
    if (status == ALCORE_OK) status = run(self);
    for (size_t f = 0; self->files && f < files; f++) {
        alcore__record_reader_close(self->files[f].reader);
        alcore__buffer_clear(ctx, &self->files[f].bytes);
    }
    alcore__free(ctx, self->files);
    alcore__free(ctx, self->texts);
    alcore__free(ctx, self->lengths);
    alcore__free(ctx, self->kept);
    alcore__free(ctx, self);
    return status;
}
