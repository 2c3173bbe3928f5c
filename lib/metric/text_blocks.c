/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of texts side by side (text_blocks.h). A line of each file is copied in turn until
 * the block has BLOCK_LINES lines or BLOCK_BYTES bytes, so that files of long lines make blocks of
 * few lines. */
#include "metric/text_blocks.h"

#include <string.h>

#include "formats/records.h"
#include "formats/test_set_sides.h"
#include "text/utf8.h"

#define MAX_LINE_BYTES ((int64_t)64 << 20)
enum {
    BLOCK_LINES = 8192,   /* of each file */
    BLOCK_BYTES = 8 << 20 /* of all files, after which a block ends */
};

/* One of the files. */
typedef struct text_file {
    const char *path;
    alcore_read_options options; /* valid while the reader is open */
    alcore__record_reader *reader;
    const alcore__record *records; /* [count] the batch that is being copied */
    int64_t count, at;             /* records of the batch; the next one */
    int64_t texts;                 /* records that were copied so far, of all blocks */
    alcore__buffer bytes;          /* the texts of the block, one after the other */
    size_t length[BLOCK_LINES];    /* bytes of each text of the block */
    int64_t line[BLOCK_LINES];     /* line of the file that each begins in, from 1 */
} text_file;

/* One call. */
typedef struct blocks_run {
    alcore_ctx *ctx;
    alcore_text_files given;     /* the caller's struct */
    alcore_read_options options; /* the caller's */
    text_file *files;            /* [given.count] */
    /* [given.count * BLOCK_LINES] the arrays of the block, of which the first given.count *
     * block.count entries are used */
    const char **texts;
    size_t *lengths;
    int64_t *lines;
    alcore__text_block block;
} blocks_run;

/* Makes the next record of a file the one at file->at; *more: there is one. */
static alcore_status next_record(text_file *file, bool *more) {
    if (file->at == file->count) {
        file->at = 0;
        ALCORE__TRY(alcore__record_reader_next(file->reader, &file->records, &file->count));
    }
    *more = file->count > 0;
    return ALCORE_OK;
}

/* Copies the record at file->at, which becomes text `index` of the block. */
static alcore_status copy_record(alcore_ctx *ctx, text_file *file, int64_t index) {
    const alcore__record *record = &file->records[file->at++];
    const size_t valid = alcore__utf8_check(record->text, record->text_length);
    if (valid < record->text_length)
        return alcore__fail(ALCORE_E_DATA, "%s:%lld: the text is not valid UTF-8 at byte %zu",
                            file->path, (long long)record->line, valid);
    ALCORE__TRY(alcore__buffer_append(ctx, &file->bytes, record->text, record->text_length));
    file->length[index] = record->text_length;
    file->line[index] = record->line;
    file->texts++;
    return ALCORE_OK;
}

/* The error of files of different lengths, which reads them to their ends. */
static alcore_status fail_unequal(blocks_run *self) {
    const text_file *first = self->files;
    for (int64_t f = 0; f < self->given.count; f++) {
        text_file *file = &self->files[f];
        file->texts += file->count - file->at;
        do {
            file->at = file->count;
            bool more;
            ALCORE__TRY(next_record(file, &more));
            file->texts += file->count;
        } while (file->count > 0);
    }
    for (int64_t f = 1; f < self->given.count; f++)
        if (self->files[f].texts != first->texts)
            return alcore__fail(ALCORE_E_DATA,
                                "%s has %lld lines and %s has %lld: line i of each belong together",
                                first->path, (long long)first->texts, self->files[f].path,
                                (long long)self->files[f].texts);
    return alcore__fail(ALCORE_E_INTERNAL, "files of one length");
}

/* Copies the next texts of all files and sets block.count, which is 0 at the end of the files. */
static alcore_status copy_block(blocks_run *self) {
    size_t bytes = 0;
    int64_t count = 0;
    for (int64_t f = 0; f < self->given.count; f++) self->files[f].bytes.length = 0;
    for (bool more = true; more && count < BLOCK_LINES && bytes < BLOCK_BYTES;) {
        ALCORE__TRY(next_record(&self->files[0], &more));
        for (int64_t f = 1; f < self->given.count; f++) {
            bool too;
            ALCORE__TRY(next_record(&self->files[f], &too));
            if (too != more) return fail_unequal(self);
        }
        if (!more) break;
        for (int64_t f = 0; f < self->given.count; f++) {
            ALCORE__TRY(copy_record(self->ctx, &self->files[f], count));
            bytes += self->files[f].length[count];
        }
        count++;
    }
    self->block.count = count;
    return ALCORE_OK;
}

/* Fills the arrays of the block. This follows the copying because a text's place in memory changes
 * while the bytes of its file grow. */
static void list_block(blocks_run *self) {
    const int64_t count = self->block.count;
    for (int64_t f = 0; f < self->given.count; f++) {
        const text_file *file = &self->files[f];
        const char *text = file->bytes.data;
        for (int64_t i = 0; i < count; i++) {
            self->texts[f * count + i] = text ? text : "";
            self->lengths[f * count + i] = file->length[i];
            self->lines[f * count + i] = file->line[i];
            if (text) text += file->length[i];
        }
    }
}

/* Opens a file with its first batch, with the options' column of texts or by the usual names. */
static alcore_status open_file(blocks_run *self, text_file *file) {
    bool more;
    ALCORE__TRY(alcore__record_reader_open(self->ctx, file->path, &file->options, MAX_LINE_BYTES,
                                           &file->reader));
    return next_record(file, &more);
}

/* Opens a file. One that lacks the column of the options, which may be that of another file, is
 * read by the usual names of a column of texts; if that fails too, the first error is reported. */
static alcore_status open_either(blocks_run *self, text_file *file) {
    const char *column = file->options.text_column;
    alcore_status status = open_file(self, file);
    for (int again = 0;
         again < 2 && status == ALCORE_E_DATA && column && strcmp(file->path, "-") != 0; again++) {
        alcore__record_reader_close(file->reader);
        file->reader = NULL;
        file->options.text_column = again == 0 ? NULL : column;
        status = open_file(self, file);
    }
    return status;
}

/* Sets the options of file f: those of the caller, of which a choice among the sides of test sets
 * is divided among the first file and the others, its references. */
static alcore_status set_options(blocks_run *self, int64_t f) {
    const char *const *paths = self->given.paths;
    alcore_read_options first = self->options, other = self->options;
    other.side = other.translator = other.system = other.domain = NULL;
    ALCORE__TRY(alcore__sides_split(&self->options, alcore__is_test_set(paths[0], &first),
                                    alcore__is_test_set(paths[f > 0 ? f : 1], &other), &first,
                                    &other));
    self->files[f].options = f > 0 ? other : first;
    return ALCORE_OK;
}

/* Opens the files and visits all blocks. */
static alcore_status run(blocks_run *self,
                         alcore_status (*visit)(void *data, const alcore__text_block *block),
                         void *data) {
    for (int64_t f = 0; f < self->given.count; f++) {
        self->files[f].path = self->given.paths[f];
        ALCORE__TRY(set_options(self, f));
        ALCORE__TRY(open_either(self, &self->files[f]));
    }
    for (;;) {
        ALCORE__TRY(copy_block(self));
        if (self->block.count == 0) break;
        list_block(self);
        ALCORE__TRY(visit(data, &self->block));
        self->block.before += self->block.count;
    }
    if (self->block.before > 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s is empty: there is nothing to measure",
                        self->given.paths[0]);
}

/* The error of a wrong number of files. */
static alcore_status fail_count(const blocks_run *self, const alcore__text_files_rule *rule) {
    char needed[64];
    if (rule->least == rule->most)
        alcore__format(needed, sizeof needed, "%lld are", (long long)rule->least);
    else
        alcore__format(needed, sizeof needed, "%lld to %lld are", (long long)rule->least,
                       (long long)rule->most);
    return alcore__fail(ALCORE_E_INVALID, "%lld files; %s needed, %s", (long long)self->given.count,
                        needed, rule->order);
}

/* Checks the struct; at most one of the files is standard input. */
static alcore_status check_files(blocks_run *self, const alcore__text_files_rule *rule) {
    const alcore_text_files *given = &self->given;
    int inputs = 0;
    if (given->count < rule->least || given->count > rule->most || !given->paths)
        return fail_count(self, rule);
    if (given->score && !rule->scores_lines)
        return alcore__fail(ALCORE_E_INVALID,
                            "score is set, but only BLEU, chrF and TER have a score of each line");
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
    return ALCORE_OK;
}

/* Allocates what files and blocks are kept in. */
static alcore_status allocate(blocks_run *self) {
    const size_t files = (size_t)self->given.count;
    ALCORE__TRY(alcore__new_array(self->ctx, files, sizeof *self->files, &self->files));
    ALCORE__TRY(
        alcore__new_array(self->ctx, files * BLOCK_LINES, sizeof *self->texts, &self->texts));
    ALCORE__TRY(
        alcore__new_array(self->ctx, files * BLOCK_LINES, sizeof *self->lengths, &self->lengths));
    ALCORE__TRY(
        alcore__new_array(self->ctx, files * BLOCK_LINES, sizeof *self->lines, &self->lines));
    self->block = (alcore__text_block){.files = &self->given,
                                       .texts = self->texts,
                                       .lengths = self->lengths,
                                       .lines = self->lines};
    return ALCORE_OK;
}

alcore_status alcore__text_blocks_visit(
    alcore_ctx *ctx, const alcore_text_files *files, const alcore__text_files_rule *rule,
    alcore_status (*visit)(void *data, const alcore__text_block *block), void *data) {
    blocks_run self = {.ctx = ctx};
    ALCORE__TRY(alcore__struct_read(&self.given, sizeof self.given,
                                    ALCORE__FIRST_SIZE(alcore_text_files, score_user), files,
                                    "alcore_text_files"));
    ALCORE__TRY(check_files(&self, rule));
    alcore_status status = allocate(&self);
    if (status == ALCORE_OK) status = run(&self, visit, data);
    for (int64_t f = 0; self.files && f < self.given.count; f++) {
        alcore__record_reader_close(self.files[f].reader);
        alcore__buffer_clear(ctx, &self.files[f].bytes);
    }
    alcore__free(ctx, self.files);
    alcore__free(ctx, self.texts);
    alcore__free(ctx, self.lengths);
    alcore__free(ctx, self.lines);
    return status;
}
