/* SPDX-License-Identifier: Apache-2.0 */
/* The option "masks" where candidates lie in shards: each shard writes what the masks look at, and
 * makes those of all shards from it, as one machine does.
 *
 * What a shard writes, in multiples of 8 bytes:
 *
 *     part_header
 *     tags of its languages, as tag_union.h has them
 *     for each candidate, and then for each bought row, ascending by row, if the masks look at
 *     these: text_record; where its near texts are looked for, its keys and parts follow
 *
 * Memory: that of text_masks.c, for the candidates of all shards. */
#include "request/text_masks_shards.h"

#include "pool/tag_union.h"
#include "request/text_masks_internal.h"

typedef struct part_header {
    int64_t by_cause[ALCORE__CAUSES]; /* rows that other masks mask */
    int64_t languages, candidates, bought;
} part_header;

/* What is kept of a text (alcore__text_facts, alcore__text_near). */
typedef struct text_record {
    uint64_t pattern, named_pattern;
    uint32_t tokens;
    uint32_t language; /* among the tags of the shard */
    uint32_t parts;    /* 0: no keys and parts follow */
    uint8_t wordless, first, second, unspaced;
} text_record;
_Static_assert(sizeof(text_record) == 32, "as docs/distributed.md says");
_Static_assert(ALCORE__NEAR_KEYS % 2 == 0, "keys take a multiple of 8 bytes");

alcore_status alcore__text_masks_asked(const alcore_request *request, bool recommended, bool *out) {
    uint32_t masks;
    const alcore_status status = alcore__text_masks_wanted(request, recommended, &masks);
    *out = status == ALCORE_OK && masks != 0;
    return status;
}

/* ---- writing ---- */

static alcore_status write_text(alcore_ctx *ctx, const alcore__read_texts *texts, int64_t row,
                                const alcore_pool *pool, bool near, alcore__buffer *out) {
    static const uint32_t nothing[1];
    const alcore__text_facts *facts = &texts->facts[row];
    text_record record = {.pattern = facts->pattern,
                          .named_pattern = facts->named_pattern,
                          .tokens = facts->tokens,
                          .language = (uint32_t)alcore__pool_language_rank(pool, row),
                          .wordless = facts->wordless,
                          .first = facts->scripts.first,
                          .second = facts->scripts.second};
    if (near && texts->near[row].count > 0) {
        record.parts = texts->near[row].count;
        record.unspaced = texts->near[row].unspaced;
    }
    ALCORE__TRY(alcore__buffer_append(ctx, out, &record, sizeof record));
    if (record.parts == 0) return ALCORE_OK;
    const alcore__near_parts parts = alcore__texts_read_parts(texts, row);
    const size_t bytes = parts.count * sizeof *parts.parts;
    ALCORE__TRY(
        alcore__buffer_append(ctx, out, texts->near[row].keys, sizeof texts->near[row].keys));
    ALCORE__TRY(alcore__buffer_append(ctx, out, parts.parts, bytes));
    return alcore__buffer_append(ctx, out, nothing, alcore__cursor_padded(bytes) - bytes);
}

/* The texts that were read, the near ones of wordless texts left out where the first mask masks
 * them. */
static alcore_status write_texts(alcore_ctx *ctx, const alcore__read_texts *texts,
                                 const alcore_pool *pool, uint32_t masks, bool candidates,
                                 alcore__buffer *out) {
    for (int64_t row = 0; row < texts->rows; row++) {
        if (row % ALCORE_BLOCK_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, "masks", row, texts->rows));
        if (!texts->mask[row]) continue;
        const bool masked =
            candidates && (masks & ALCORE__MASK_WORDLESS) && texts->facts[row].wordless;
        ALCORE__TRY(write_text(ctx, texts, row, pool, (masks & ALCORE__MASK_NEAR) && !masked, out));
    }
    return ALCORE_OK;
}

static alcore_status write_part(const alcore__masked_texts *texts, uint32_t masks,
                                alcore__buffer *out) {
    const char *const *tags;
    part_header header = {.languages = alcore__pool_languages(texts->pool, &tags),
                          .candidates = texts->masks->eligible,
                          .bought = texts->bought[0].rows > 0 ? texts->masks->bought_count : 0};
    memcpy(header.by_cause, texts->masks->by_cause, sizeof header.by_cause);
    ALCORE__TRY(alcore__buffer_append(texts->ctx, out, &header, sizeof header));
    ALCORE__TRY(alcore__tags_write(texts->ctx, texts->pool, out));
    ALCORE__TRY(write_texts(texts->ctx, &texts->candidates, texts->pool, masks, true, out));
    return write_texts(texts->ctx, &texts->bought[0], texts->pool, masks, false, out);
}

alcore_status alcore__text_masks_write(const alcore_request *request, bool recommended,
                                       alcore__masks *own, alcore__buffer *out) {
    alcore__masked_texts texts = {.ctx = request->object.ctx, .masks = own};
    uint32_t masks;
    ALCORE__TRY(alcore__text_masks_wanted(request, recommended, &masks));
    alcore_status status = alcore__masked_texts_read(&texts, request, masks);
    if (status == ALCORE_OK) status = write_part(&texts, masks, out);
    alcore__masked_texts_clear(&texts);
    return status;
}

/* ---- reading ---- */

/* Texts of all shards while they are read. */
typedef struct text_list {
    alcore__read_texts *texts; /* facts, near, parts of those that were read; mask and rows too */
    uint8_t *mask;             /* ones for these, owned */
} text_list;

/* The parts of all shards while they are read. */
typedef struct all_parts {
    alcore_ctx *ctx;
    alcore__masked_texts *texts;
    text_list candidates, bought;
    int32_t *languages;     /* [candidates] owned, in the numbers of tags */
    alcore__tag_union tags; /* of all shards */
} all_parts;

static alcore_status fail_part(const alcore__shard_part *part) {
    return alcore__fail(ALCORE_E_CORRUPT,
                        "the message of a job has no texts of the rows %lld to %lld",
                        (long long)part->first, (long long)part->end - 1);
}

/* Reads the header of a part and checks that what it counts may be there. */
static alcore_status read_header(const alcore__shard_part *part, alcore__byte_cursor *cursor,
                                 part_header *out) {
    const int64_t rows = part->end - part->first;
    *cursor = (alcore__byte_cursor){part->bytes, part->length};
    if (!alcore__cursor_read(cursor, out, sizeof *out) || out->candidates < 0 || out->bought < 0 ||
        out->candidates > rows || out->bought > rows - out->candidates)
        return fail_part(part);
    for (int32_t cause = 0; cause < ALCORE__CAUSES; cause++)
        if (out->by_cause[cause] < 0 || out->by_cause[cause] > rows) return fail_part(part);
    return ALCORE_OK;
}

/* Room for texts, all of which are read. */
static alcore_status make_list(alcore_ctx *ctx, int64_t count, alcore__read_texts *texts,
                               text_list *out) {
    *out = (text_list){.texts = texts};
    texts->blocks = (count + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *out->mask, &out->mask));
    texts->mask = out->mask;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *texts->facts, &texts->facts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *texts->near, &texts->near));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *texts->outlines, &texts->outlines));
    return alcore__new_array(ctx, (size_t)texts->blocks, sizeof *texts->parts, &texts->parts);
}

/* Reads the keys and parts of the text with a number; *complete: false where the bytes end. */
static alcore_status read_near(alcore_ctx *ctx, alcore__byte_cursor *cursor,
                               const text_record *record, alcore__read_texts *texts, int64_t number,
                               bool *complete) {
    alcore__text_near *near = &texts->near[number];
    alcore__parts_block *block = &texts->parts[number / ALCORE_BLOCK_ROWS];
    *complete = alcore__cursor_read(cursor, near->keys, sizeof near->keys);
    const size_t bytes = record->parts * sizeof *block->parts;
    const char *parts = alcore__cursor_take(cursor, 1, alcore__cursor_padded(bytes));
    *complete &= parts != NULL;
    if (!*complete) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(ctx, &block->parts, &block->capacity, block->count + record->parts,
                             sizeof *block->parts));
    memcpy(block->parts + block->count, parts, bytes);
    near->first = block->count;
    near->count = record->parts;
    near->unspaced = record->unspaced;
    alcore__texts_read_outline(texts, number);
    block->count += record->parts;
    return ALCORE_OK;
}

/* Reads `count` texts of a part behind those that the list has. numbers [languages]: of the tags
 * of the part; languages NULL: they are not wanted. */
static alcore_status read_texts(all_parts *self, const alcore__shard_part *part,
                                alcore__byte_cursor *cursor, int64_t count, text_list *list,
                                const int32_t *numbers, int64_t tags, int32_t *languages) {
    alcore__read_texts *texts = list->texts;
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = texts->rows;
        text_record record;
        bool complete = true;
        if (i % ALCORE_BLOCK_ROWS == 0) ALCORE__TRY(alcore__tick(self->ctx, "masks", i, count));
        if (!alcore__cursor_read(cursor, &record, sizeof record) || record.language >= tags)
            return fail_part(part);
        texts->facts[number] = (alcore__text_facts){.pattern = record.pattern,
                                                    .named_pattern = record.named_pattern,
                                                    .tokens = record.tokens,
                                                    .wordless = record.wordless != 0,
                                                    .scripts = {record.first, record.second}};
        if (languages) languages[number] = numbers[record.language];
        if (record.parts > 0)
            ALCORE__TRY(read_near(self->ctx, cursor, &record, texts, number, &complete));
        if (!complete) return fail_part(part);
        list->mask[number] = 1;
        texts->rows++;
    }
    return ALCORE_OK;
}

/* Reads a part, of which nothing may be left. */
static alcore_status read_part(all_parts *self, const alcore__shard_part *part) {
    alcore__byte_cursor cursor;
    part_header header;
    int32_t *numbers = NULL; /* [header.languages] */
    bool complete;
    ALCORE__TRY(read_header(part, &cursor, &header));
    alcore_status status = alcore__tag_union_read(self->ctx, &cursor, header.languages, &self->tags,
                                                  &numbers, &complete);
    if (status == ALCORE_OK && !complete) status = fail_part(part);
    if (status == ALCORE_OK)
        status = read_texts(self, part, &cursor, header.candidates, &self->candidates, numbers,
                            header.languages, self->languages);
    if (status == ALCORE_OK)
        status = read_texts(self, part, &cursor, header.bought, &self->bought, numbers,
                            header.languages, NULL /* not wanted */);
    if (status == ALCORE_OK && cursor.left > 0) status = fail_part(part);
    alcore__free(self->ctx, numbers);
    for (int32_t cause = 0; cause < ALCORE__CAUSES; cause++)
        self->texts->masks->by_cause[cause] += header.by_cause[cause];
    return status;
}

/* Reads all parts: candidates and bought rows, in the order of all shards. */
static alcore_status read_parts(all_parts *self, const alcore__shard_part *parts, int64_t count) {
    alcore__masked_texts *texts = self->texts;
    int64_t candidates = 0, bought = 0;
    for (int64_t i = 0; i < count; i++) {
        alcore__byte_cursor cursor;
        part_header header;
        ALCORE__TRY(read_header(&parts[i], &cursor, &header));
        candidates += header.candidates;
        bought += header.bought;
    }
    ALCORE__TRY(make_list(self->ctx, candidates, &texts->candidates, &self->candidates));
    ALCORE__TRY(make_list(self->ctx, bought, &texts->bought[0], &self->bought));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)candidates, sizeof *self->languages,
                                  &self->languages));
    for (int64_t i = 0; i < count; i++) ALCORE__TRY(read_part(self, &parts[i]));
    texts->languages = self->languages;
    texts->language_count = self->tags.count;
    texts->masks->rows = texts->masks->eligible = candidates;
    texts->masks->candidate_mask = self->candidates.mask;
    texts->masks->bought_count = bought;
    return ALCORE_OK;
}

/* Marks the rows of the own part that the masks leave out: those of its candidates, own->eligible
 * from `before` on among the candidates of all shards. */
static alcore_status mark_left_out(const alcore__masked_texts *texts, const alcore__masks *own,
                                   const alcore__shard_part *part, int64_t before,
                                   uint8_t *left_out) {
    part_header header;
    alcore__byte_cursor cursor;
    ALCORE__TRY(read_header(part, &cursor, &header));
    if (header.candidates != own->eligible) return fail_part(part);
    for (int64_t row = 0; row < own->rows; row++)
        if (own->candidate_mask[row]) left_out[row] = !texts->masks->candidate_mask[before++];
    return ALCORE_OK;
}

/* The number of candidates of the parts before one. */
static alcore_status count_before(const alcore__shard_part *parts, int64_t count, int64_t *out) {
    *out = 0;
    for (int64_t i = 0; i < count; i++) {
        alcore__byte_cursor cursor;
        part_header header;
        ALCORE__TRY(read_header(&parts[i], &cursor, &header));
        *out += header.candidates;
    }
    return ALCORE_OK;
}

alcore_status alcore__text_masks_read(const alcore_request *request, bool recommended,
                                      const alcore__masks *own, const alcore__shard_parts *parts,
                                      alcore__masks *all, uint8_t *left_out) {
    alcore__masked_texts texts = {.ctx = request->object.ctx, .masks = all};
    all_parts self = {.ctx = texts.ctx, .texts = &texts};
    uint32_t masks;
    int64_t before = 0;
    *all = (alcore__masks){.labeled_mask = own->labeled_mask,
                           .labeled_pool_rows = own->labeled_pool_rows,
                           .labeled_pool_count = own->labeled_pool_count};
    ALCORE__TRY(alcore__text_masks_wanted(request, recommended, &masks));
    alcore_status status = read_parts(&self, parts->parts, parts->count);
    if (status == ALCORE_OK) status = alcore__masked_texts_read_labeled(&texts, request, masks);
    if (status == ALCORE_OK) status = alcore__text_masks_decide(&texts, masks);
    if (status == ALCORE_OK) status = count_before(parts->parts, parts->own, &before);
    if (status == ALCORE_OK)
        status = mark_left_out(&texts, own, &parts->parts[parts->own], before, left_out);
    alcore__masked_texts_clear(&texts);
    alcore__free(self.ctx, self.candidates.mask);
    alcore__free(self.ctx, self.bought.mask);
    alcore__free(self.ctx, self.languages);
    alcore__tag_union_clear(self.ctx, &self.tags);
    all->candidate_mask = all->labeled_mask = NULL;
    return status;
}
