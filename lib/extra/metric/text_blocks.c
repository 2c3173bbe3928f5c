/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of texts side by side (text_blocks.h). A line of each file is copied in turn until
 * the block has BLOCK_LINES lines or BLOCK_BYTES bytes, so that files of long lines make blocks of
 * few lines. */
#include "extra/metric/text_blocks.h"

#include <string.h>

#include "alcore/remedy.h"
#include "extra/metric/text_file.h"
#include "formats/test_set_sides.h"

#define BLOCK_LINES ALCORE__BLOCK_LINES
enum { BLOCK_BYTES = 8 << 20 /* of all files, after which a block ends */ };

/* One call. */
typedef struct blocks_run {
    alcore_ctx *ctx;
    alcore_text_files given; /* the caller's struct */
    const alcore__text_files_rule *rule;
    alcore_read_options options; /* the caller's */
    alcore__text_file *files;    /* [given.count] */
    alcore__id_list list;        /* of the first file, where a file is joined to it by id */
    bool by_id;                  /* whether one is */
    size_t *marks; /* [given.count] bytes of each file's block before the present text */
    /* [given.count * BLOCK_LINES] the arrays of the block, of which the first given.count *
     * block.count entries are used */
    const char **texts;
    size_t *lengths;
    int64_t *lines;
    alcore__text_block block;
} blocks_run;

/* The error of files of different lengths, which reads them to their ends. */
static alcore_status fail_unequal(blocks_run *self) {
    const alcore__text_file *first = self->files;
    for (int64_t f = 0; f < self->given.count; f++) {
        alcore__text_file *file = &self->files[f];
        file->texts += file->count - file->at;
        do {
            file->at = file->count;
            bool more;
            ALCORE__TRY(alcore__text_file_next(file, &more));
            file->texts += file->count;
        } while (file->count > 0);
    }
    for (int64_t f = 1; f < self->given.count; f++)
        if (!self->files[f].by_id && self->files[f].texts != first->texts)
            return alcore__fail(ALCORE_E_DATA,
                                "%s has %lld lines and %s has %lld: line i of each belong together",
                                first->path, (long long)first->texts, self->files[f].path,
                                (long long)self->files[f].texts);
    return alcore__fail(ALCORE_E_INTERNAL, "files of one length");
}

/* Notes whether the next record of a file has an id: some with and some without are an error where
 * ids could count. */
static alcore_status note_id(const blocks_run *self, alcore__text_file *file) {
    if (self->options.by == ALCORE_JOIN_LINE) return ALCORE_OK;
    alcore__id_use_note(&file->ids, &file->records[file->at]);
    return alcore__id_use_check(&file->ids);
}

/* Copies the text of file f that belongs to the next text of the first file, by its id or its line;
 * *found: there is one. A file that is joined by lines always has one. */
static alcore_status copy_partner(blocks_run *self, int64_t f, int64_t index, bool *found) {
    const alcore__text_file *first = self->files;
    const alcore__record *record = &first->records[first->at];
    alcore__text_file *file = &self->files[f];
    if (!file->by_id) {
        ALCORE__TRY(alcore__text_file_next(file, found));
        if (!*found) return fail_unequal(self);
        ALCORE__TRY(note_id(self, file));
        return alcore__text_file_copy(self->ctx, file, index);
    }
    ALCORE__TRY(
        alcore__text_file_find(self->ctx, file, record->id, record->id_length, index, found));
    if (*found)
        file->tally.joined++;
    else
        alcore__some_ids_add(&file->tally.lost, record->id, record->id_length);
    return ALCORE_OK;
}

/* Checks the id of the next text of the first file, where a file is joined by id. */
static alcore_status note_text(blocks_run *self, const alcore__record *record) {
    uint32_t number;
    ALCORE__TRY(note_id(self, self->files));
    if (!self->by_id) return ALCORE_OK;
    return alcore__id_list_add(self->ctx, &self->list, self->files->path, record, &number);
}

/* Copies the next text of the first file with those of the others that belong to it; *complete: all
 * were there, and it is text `index` of the block. */
static alcore_status copy_texts(blocks_run *self, int64_t index, bool *complete) {
    alcore__text_file *first = self->files;
    const alcore__record *record = &first->records[first->at];
    *complete = !(self->by_id && record->malformed);
    if (*complete) ALCORE__TRY(note_text(self, record));
    for (int64_t f = 1; f < self->given.count; f++) {
        bool found = true;
        if (*complete || !self->files[f].by_id) ALCORE__TRY(copy_partner(self, f, index, &found));
        *complete = *complete && found;
    }
    return alcore__text_file_copy(self->ctx, first, index);
}

/* Takes back what copy_texts() copied of a text that is not complete. */
static void drop_texts(blocks_run *self, const size_t *marks) {
    for (int64_t f = 0; f < self->given.count; f++) self->files[f].bytes.length = marks[f];
}

/* After the last text of the first file: the others have to have ended too, or are joined by id. */
static alcore_status end_files(blocks_run *self) {
    for (int64_t f = 1; f < self->given.count; f++) {
        alcore__text_file *file = &self->files[f];
        bool more = false;
        if (file->by_id)
            ALCORE__TRY(alcore__text_file_drain(self->ctx, file));
        else
            ALCORE__TRY(alcore__text_file_next(file, &more));
        if (more) return fail_unequal(self);
    }
    for (int64_t f = 1; f < self->given.count; f++)
        if (self->files[f].by_id) ALCORE__TRY(alcore__join_end(self->ctx, &self->files[f].tally));
    return ALCORE_OK;
}

/* Copies the next texts of all files and sets block.count; *more becomes false at the end of the
 * files. */
static alcore_status copy_block(blocks_run *self, bool *more) {
    size_t bytes = 0;
    int64_t count = 0;
    for (int64_t f = 0; f < self->given.count; f++) self->files[f].bytes.length = 0;
    while (count < BLOCK_LINES && bytes < BLOCK_BYTES) {
        bool complete;
        ALCORE__TRY(alcore__text_file_next(self->files, more));
        if (!*more) break;
        for (int64_t f = 0; f < self->given.count; f++)
            self->marks[f] = self->files[f].bytes.length;
        ALCORE__TRY(copy_texts(self, count, &complete));
        if (!complete) drop_texts(self, self->marks);
        for (int64_t f = 0; complete && f < self->given.count; f++)
            bytes += self->files[f].length[count];
        count += complete;
    }
    self->block.count = count;
    return *more ? ALCORE_OK : end_files(self);
}

/* Fills the arrays of the block. This follows the copying because a text's place in memory changes
 * while the bytes of its file grow. */
static void list_block(blocks_run *self) {
    const int64_t count = self->block.count;
    for (int64_t f = 0; f < self->given.count; f++) {
        const alcore__text_file *file = &self->files[f];
        const char *text = file->bytes.data;
        for (int64_t i = 0; i < count; i++) {
            self->texts[f * count + i] = text ? text : "";
            self->lengths[f * count + i] = file->length[i];
            self->lines[f * count + i] = file->line[i];
            if (text) text += file->length[i];
        }
    }
}

/* Whether the last error is that a file lacks the column of texts that the options name. */
static bool lacks_column(void) {
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    return alcore_last_remedy(&remedy) == 1 && strcmp(remedy.name, "text_column") == 0;
}

static alcore_status open_again(blocks_run *self, alcore__text_file *file, const char *column) {
    alcore__record_reader_close(file->reader);
    file->reader = NULL;
    file->options.text_column = column;
    return alcore__text_file_open(self->ctx, file);
}

/* Opens a file. One that lacks the column of the options, which may be that of another file, is
 * read by the usual names of a column of texts, with a warning; if that fails too, the first error
 * is reported. *lacking counts such files. */
static alcore_status open_either(blocks_run *self, alcore__text_file *file, int64_t *lacking) {
    const char *column = file->options.text_column;
    char message[300];
    alcore_status status = alcore__text_file_open(self->ctx, file);
    if (status != ALCORE_E_DATA || !column || strcmp(file->path, "-") == 0 || !lacks_column())
        return status;
    alcore__format(message, sizeof message, "%s", alcore_last_error());
    if (open_again(self, file, NULL) != ALCORE_OK) return open_again(self, file, column);
    ++*lacking;
    alcore__log(self->ctx, ALCORE_LOG_WARN, "metric", NULL,
                "%s; this file is read by its usual column of texts", message);
    return ALCORE_OK;
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

/* Opens the files and decides by what each belongs to the first one. */
static alcore_status open_files(blocks_run *self) {
    int64_t lacking = 0;
    for (int64_t f = 0; f < self->given.count; f++) {
        alcore__text_file *file = &self->files[f];
        file->path = self->given.paths[f];
        ALCORE__TRY(set_options(self, f));
        ALCORE__TRY(open_either(self, file, &lacking));
        file->tally = (alcore__join_tally){
            .texts = self->files->path, .partners = file->path, .whole = self->rule->whole};
        if (f > 0)
            ALCORE__TRY(alcore__join_decide(self->ctx, self->options.by, &self->files->ids,
                                            &file->ids, &file->by_id));
        self->by_id = self->by_id || file->by_id;
    }
    if (lacking == self->given.count) /* a column that no file has is no column */
        return open_again(self, self->files, self->options.text_column);
    return ALCORE_OK;
}

/* Opens the files and visits all blocks. */
static alcore_status run(blocks_run *self,
                         alcore_status (*visit)(void *data, const alcore__text_block *block),
                         void *data) {
    ALCORE__TRY(open_files(self));
    for (bool more = true; more;) {
        ALCORE__TRY(copy_block(self, &more));
        if (self->block.count == 0) continue;
        list_block(self);
        ALCORE__TRY(visit(data, &self->block));
        self->block.before += self->block.count;
    }
    if (self->block.before > 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s is empty: there is nothing to measure",
                        self->given.paths[0]);
}

/* The error of a wrong number of files. */
static alcore_status fail_count(const blocks_run *self) {
    char needed[64];
    if (self->rule->least == self->rule->most)
        alcore__format(needed, sizeof needed, "%lld are", (long long)self->rule->least);
    else
        alcore__format(needed, sizeof needed, "%lld to %lld are", (long long)self->rule->least,
                       (long long)self->rule->most);
    return alcore__fail(ALCORE_E_INVALID, "%lld files; %s needed, %s", (long long)self->given.count,
                        needed, self->rule->order);
}

/* Checks the struct; at most one of the files is standard input. */
static alcore_status check_files(blocks_run *self) {
    const alcore_text_files *given = &self->given;
    int inputs = 0;
    if (given->count < self->rule->least || given->count > self->rule->most || !given->paths)
        return fail_count(self);
    if (given->score && !self->rule->scores_lines)
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
    if (self->options.bad_lines != 0 && self->options.bad_lines != ALCORE_BAD_LINES_ERROR &&
        self->options.bad_lines != ALCORE_BAD_LINES_MASK)
        return alcore__fail(ALCORE_E_INVALID, "bad_lines is %d; expected ALCORE_BAD_LINES_*",
                            self->options.bad_lines);
    return alcore__join_check(self->options.by);
}

/* Allocates what files and blocks are kept in. */
static alcore_status allocate(blocks_run *self) {
    const size_t files = (size_t)self->given.count;
    ALCORE__TRY(alcore__new_array(self->ctx, files, sizeof *self->files, &self->files));
    ALCORE__TRY(alcore__new_array(self->ctx, files, sizeof *self->marks, &self->marks));
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
    blocks_run self = {.ctx = ctx, .rule = rule};
    ALCORE__TRY(alcore__struct_read(&self.given, sizeof self.given,
                                    ALCORE__FIRST_SIZE(alcore_text_files, score_user), files,
                                    "alcore_text_files"));
    ALCORE__TRY(check_files(&self));
    alcore_status status = allocate(&self);
    if (status == ALCORE_OK) status = run(&self, visit, data);
    for (int64_t f = 0; self.files && f < self.given.count; f++)
        alcore__text_file_close(ctx, &self.files[f]);
    alcore__id_list_clear(ctx, &self.list);
    alcore__free(ctx, self.files);
    alcore__free(ctx, self.marks);
    alcore__free(ctx, self.texts);
    alcore__free(ctx, self.lengths);
    alcore__free(ctx, self.lines);
    return status;
}
