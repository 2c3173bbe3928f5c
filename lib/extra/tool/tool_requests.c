/* SPDX-License-Identifier: Apache-2.0 */
/* The open items of annotations as a batch for a tool (alcore_tool_write_requests()). */
#include <math.h>
#include <string.h>

#include "alcore/extra/tool.h"
#include "extra/annotation/annotation_contexts.h"
#include "extra/tool/tool_annotations.h"
#include "formats/records.h"
#include "pool/pool_internal.h"

/* Suggestions by the text or the row that they are for. */
typedef struct draft_list {
    alcore_ctx *ctx;
    alcore__arena strings;
    alcore__vocabulary texts; /* of the records with a reference */
    const char **list;        /* [count] the reference of each text, or the line of each row */
    size_t count, capacity;
    bool by_row;
} draft_list;

/* A batch: items, in arrays that own nothing but themselves, and what their strings lie in. */
typedef struct batch {
    const alcore_annotations *annotations;
    alcore_ctx *ctx;
    alcore__arena strings;
    alcore__annotation_contexts contexts;
    alcore__vocabulary ids; /* of the items of the batch */
    alcore__buffer text;    /* workspace */
    draft_list drafts;
    int64_t count;
    const char **strings_of[7]; /* [items] each: the columns of alcore_tool_items, below */
    size_t *lengths;            /* [items] of the texts */
    double *scores, *costs;     /* [items] */
} batch;
enum { IDS, TEXTS, CONTEXTS, DRAFTS, REASONS, GROUPS, LANGUAGES, COLUMNS };

/* ---- drafts ---- */

static alcore_status add_draft(draft_list *self, const char *text, size_t length) {
    ALCORE__TRY(
        alcore__grow(self->ctx, &self->list, &self->capacity, self->count + 1, sizeof *self->list));
    ALCORE__TRY(
        alcore__arena_text(self->ctx, &self->strings, text, length, &self->list[self->count]));
    self->count++;
    return ALCORE_OK;
}

/* alcore__record_sink */
static alcore_status keep_drafts(void *user, const alcore__record *records, int64_t count,
                                 int64_t coming) {
    draft_list *self = user;
    (void)coming;
    for (int64_t i = 0; i < count; i++) {
        const alcore__record *record = &records[i];
        if (self->by_row) {
            ALCORE__TRY(add_draft(self, record->text, record->text_length));
            continue;
        }
        const uint32_t known = self->texts.count;
        uint32_t number;
        if (!record->reference) continue;
        ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->texts, record->text,
                                           record->text_length, &number));
        if (number == known)
            ALCORE__TRY(add_draft(self, record->reference, record->reference_length));
    }
    return ALCORE_OK;
}

static alcore_status read_drafts(draft_list *self, const char *path, const alcore_pool *pool) {
    const int64_t rows = alcore_pool_row_count(pool);
    self->by_row = alcore__records_format(path) == ALCORE_FORMAT_TEXT;
    ALCORE__TRY(alcore__read_records(self->ctx, path, NULL, 0, keep_drafts, self));
    if (self->by_row && (int64_t)self->count != rows)
        return alcore__fail(ALCORE_E_SHAPE, "%s has %zu lines, the pool has %lld rows", path,
                            self->count, (long long)rows);
    if (self->count > 0 || rows == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s has no translation: a draft is the reference of a text",
                        path);
}

/* The draft of an item; NULL: there is none. */
static const char *draft_of(const draft_list *self, const alcore__annotation *item) {
    if (self->count == 0) return NULL;
    if (self->by_row) return item->phrase || item->row < 0 ? NULL : self->list[item->row];
    const uint32_t text = alcore__vocabulary_find(&self->texts, item->text, item->text_length);
    return text == ALCORE__WORD_NONE ? NULL : self->list[text];
}

static void clear_drafts(draft_list *self) {
    alcore__arena_clear(self->ctx, &self->strings);
    alcore__vocabulary_clear(self->ctx, &self->texts);
    alcore__free(self->ctx, self->list);
}

/* ---- items ---- */

alcore_status alcore__tool_item_id(alcore_ctx *ctx, const alcore__annotation *item,
                                   alcore__buffer *out) {
    out->length = 0;
    if (!item->phrase) return alcore__buffer_append(ctx, out, item->id, strlen(item->id));
    ALCORE__TRY(alcore__buffer_append(ctx, out, "phrase:", 7));
    return alcore__buffer_append(ctx, out, item->text, item->text_length);
}

/* *out: a copy of the workspace among the strings of the batch. */
static alcore_status keep(batch *self, const char **out) {
    return alcore__arena_text(self->ctx, &self->strings, self->text.data, self->text.length, out);
}

/* Appends a line to the workspace. */
static alcore_status add_line(batch *self, const char *text, size_t length) {
    if (self->text.length > 0) ALCORE__TRY(alcore__buffer_append(self->ctx, &self->text, "\n", 1));
    return alcore__buffer_append(self->ctx, &self->text, text, length);
}

/* Appends a row of the pool where it is of the group. */
static alcore_status add_neighbor(batch *self, int64_t row, const char *group) {
    const alcore_pool *pool = self->annotations->pool;
    if (row < 0 || row >= alcore_pool_row_count(pool)) return ALCORE_OK;
    const char *other = alcore_pool_group(pool, row);
    if (!other || strcmp(other, group) != 0) return ALCORE_OK;
    size_t length;
    const char *text = alcore_pool_text(pool, row, &length);
    return add_line(self, text, length);
}

/* *out: the context of an item; NULL: it has none. */
static alcore_status make_context(batch *self, int64_t index, const char **out) {
    const alcore__annotation *item = &self->annotations->items[index];
    const char *group =
        item->row < 0 ? NULL : alcore_pool_group(self->annotations->pool, item->row);
    self->text.length = 0;
    if (item->phrase) {
        const char *text;
        size_t length;
        for (int n = 0;
             (text = alcore__contexts_at(self->annotations, &self->contexts, index, n, &length));
             n++)
            ALCORE__TRY(add_line(self, text, length));
    } else if (group) {
        ALCORE__TRY(add_neighbor(self, item->row - 1, group));
        const size_t before = self->text.length;
        ALCORE__TRY(add_line(self, item->text, item->text_length));
        const size_t own = self->text.length;
        ALCORE__TRY(add_neighbor(self, item->row + 1, group));
        if (before == 0 && self->text.length == own) self->text.length = 0;
    }
    return self->text.length > 0 ? keep(self, out) : ALCORE_OK;
}

/* Appends an item, unless one of its id and text is there already. */
static alcore_status add_item(batch *self, int64_t index) {
    const alcore__annotation *item = &self->annotations->items[index];
    const alcore_pool *pool = self->annotations->pool;
    const int64_t at = self->count;
    const uint32_t known = self->ids.count;
    uint32_t number;
    ALCORE__TRY(alcore__tool_item_id(self->ctx, item, &self->text));
    ALCORE__TRY(
        alcore__vocabulary_add(self->ctx, &self->ids, self->text.data, self->text.length, &number));
    /* Of equal ids with other texts the form complains. */
    if (number < known && self->lengths[number] == item->text_length &&
        memcmp(self->strings_of[TEXTS][number], item->text, item->text_length) == 0)
        return ALCORE_OK;
    ALCORE__TRY(keep(self, &self->strings_of[IDS][at]));
    ALCORE__TRY(make_context(self, index, &self->strings_of[CONTEXTS][at]));
    self->strings_of[TEXTS][at] = item->text;
    self->lengths[at] = item->text_length;
    self->strings_of[DRAFTS][at] = draft_of(&self->drafts, item);
    self->strings_of[REASONS][at] = item->reason;
    self->strings_of[GROUPS][at] = item->row < 0 ? NULL : alcore_pool_group(pool, item->row);
    self->strings_of[LANGUAGES][at] = item->row < 0 ? NULL : alcore_pool_language(pool, item->row);
    self->scores[at] = item->score;
    self->costs[at] = item->cost;
    self->count++;
    return ALCORE_OK;
}

static alcore_status make_batch(batch *self, const char *drafts_path) {
    const size_t items = (size_t)self->annotations->count;
    if (drafts_path) ALCORE__TRY(read_drafts(&self->drafts, drafts_path, self->annotations->pool));
    ALCORE__TRY(alcore__contexts_find(self->annotations, &self->contexts));
    for (int i = 0; i < COLUMNS; i++)
        ALCORE__TRY(alcore__new_array(self->ctx, items, sizeof(char *), &self->strings_of[i]));
    ALCORE__TRY(alcore__new_array(self->ctx, items, sizeof *self->lengths, &self->lengths));
    ALCORE__TRY(alcore__new_array(self->ctx, items, sizeof *self->scores, &self->scores));
    ALCORE__TRY(alcore__new_array(self->ctx, items, sizeof *self->costs, &self->costs));
    for (int64_t i = 0; i < (int64_t)items; i++)
        if (self->annotations->items[i].answer == ALCORE__ANSWER_OPEN)
            ALCORE__TRY(add_item(self, i));
    return ALCORE_OK;
}

static alcore_status write_batch(const batch *self, const char *tool, const char *path,
                                 const alcore_tool_options *options) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.count = self->count;
    items.ids = self->strings_of[IDS];
    items.texts = self->strings_of[TEXTS];
    items.text_lengths = self->lengths;
    items.contexts = self->strings_of[CONTEXTS];
    items.drafts = self->strings_of[DRAFTS];
    items.reasons = self->strings_of[REASONS];
    items.groups = self->strings_of[GROUPS];
    items.languages = self->strings_of[LANGUAGES];
    items.scores = self->scores;
    items.costs = self->costs;
    return alcore_tool_write(self->ctx, tool, path, &items, options);
}

static alcore_status write_requests(const alcore_annotations *annotations, const char *tool,
                                    const char *path, const char *drafts_path,
                                    const alcore_tool_options *options) {
    alcore_ctx *ctx = annotations->object.ctx;
    batch self = {.annotations = annotations, .ctx = ctx, .drafts = {.ctx = ctx}};
    alcore_status status = make_batch(&self, drafts_path);
    if (status == ALCORE_OK) status = write_batch(&self, tool, path, options);
    for (int i = 0; i < COLUMNS; i++) alcore__free(ctx, self.strings_of[i]);
    alcore__free(ctx, self.lengths);
    alcore__free(ctx, self.scores);
    alcore__free(ctx, self.costs);
    clear_drafts(&self.drafts);
    alcore__contexts_clear(ctx, &self.contexts);
    alcore__vocabulary_clear(ctx, &self.ids);
    alcore__buffer_clear(ctx, &self.text);
    alcore__arena_clear(ctx, &self.strings);
    return status;
}

alcore_status alcore_tool_write_requests(alcore_annotations *annotations, const char *tool,
                                         const char *path, const char *drafts,
                                         const alcore_tool_options *options) {
    if (!annotations || !tool || !path)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_tool_write_requests: annotations, tool and path are needed");
    ALCORE__TRY(alcore__enter(annotations->object.ctx));
    alcore_status status = alcore__read_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = alcore__read_begin(annotations->pool, "pool");
        if (status == ALCORE_OK) {
            status = write_requests(annotations, tool, path, drafts, options);
            alcore__read_end(annotations->pool);
        }
        alcore__read_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}
