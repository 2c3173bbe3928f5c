/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are not worth a translator's time:
 *
 *   wordless    there is hardly a word in it: its words have fewer than 2 letters, or less than
 *               WORD_SHARE of the characters that are no white space and in no placeholder
 *   lengths     its number of tokens is an outlier: log tokens is beyond the quartiles of the
 *               candidates by more than FENCE times their distance (Tukey 1977, the outer fence)
 *   templates   it has the same words as an earlier candidate or a labeled text, so that it differs
 *               in numbers, placeholders, punctuation and case only; the first one stays
 *
 * Each text counts for the first of these that holds. Texts without a word have no length and no
 * template: what they are is told by wordless alone. Memory: 32 bytes a row of the pool, 24 a row
 * of the labeled pool while it is read, and about 30 for each template. */
#include "request/text_masks.h"

#include <math.h>
#include <string.h>

#include "pool/hash_index.h"
#include "text/text_content.h"

enum { MASK_WORDLESS = 1, MASK_LENGTHS = 2, MASK_TEMPLATES = 4, MASKS_ALL = 7 };

#define WORD_SHARE 0.4
#define FENCE 3.0

static const struct {
    const char *name;
    uint32_t mask;
} names[] = {
    {"wordless", MASK_WORDLESS},
    {"lengths", MASK_LENGTHS},
    {"templates", MASK_TEMPLATES},
};

/* Reads "all", "none" or names with commas between: *out, bits MASK_*. */
static alcore_status parse(const char *text, uint32_t *out) {
    *out = strcmp(text, "all") == 0 ? MASKS_ALL : 0;
    if (*out || strcmp(text, "none") == 0) return ALCORE_OK;
    for (const char *next = text;;) {
        next += strspn(next, " ");
        const size_t length = strcspn(next, ", ");
        uint32_t found = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strlen(names[i].name) == length && memcmp(names[i].name, next, length) == 0)
                found = names[i].mask;
        if (!found)
            return alcore__fail(
                ALCORE_E_PARAM,
                "masks: \"%.*s\" is none of wordless, lengths and templates; all or "
                "none stands alone",
                (int)length, next);
        *out |= found;
        next += length + strspn(next + length, " ");
        if (*next == '\0') return ALCORE_OK;
        if (*next++ != ',')
            return alcore__fail(ALCORE_E_PARAM, "masks: a comma is missing before \"%s\"",
                                next - 1);
    }
}

/* ---- reading the texts, on all threads ---- */

/* What is kept of a text. */
typedef struct row_content {
    uint64_t pattern; /* 0: it has no word */
    int64_t tokens;
    bool wordless;
} row_content;

/* What the tasks share: one for each block of rows. */
typedef struct read_job {
    const alcore_pool *pool;
    const uint8_t *mask; /* [rows] 1: the row is read */
    int64_t rows;
    row_content *out; /* [rows] */
} read_job;

static bool is_wordless(const alcore__text_content *content) {
    return content->letters < 2 ||
           (double)content->letters < WORD_SHARE * (double)content->characters;
}

static alcore_status read_block(void *data, int64_t index, int32_t worker) {
    const read_job *job = data;
    const int64_t first = index * ALCORE_BLOCK_ROWS;
    const int64_t end =
        first + ALCORE_BLOCK_ROWS < job->rows ? first + ALCORE_BLOCK_ROWS : job->rows;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        alcore__text_content content;
        size_t length;
        if (!job->mask[row]) continue;
        const char *text = alcore_pool_text(job->pool, row, &length);
        alcore__text_content_read(text, length, &content);
        job->out[row] = (row_content){.pattern = content.pattern,
                                      .tokens = content.tokens,
                                      .wordless = is_wordless(&content)};
    }
    return ALCORE_OK;
}

/* Reads the texts of the rows with mask [rows] 1; *out [rows] is freed by the caller, also after a
 * failure. */
static alcore_status read_texts(alcore_ctx *ctx, const alcore_pool *pool, const uint8_t *mask,
                                int64_t rows, row_content **out) {
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof **out, out));
    read_job job = {.pool = pool, .mask = mask, .rows = rows, .out = *out};
    return alcore__parallel(ctx, "masks", (rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS,
                            read_block, &job);
}

/* ---- the masks ---- */

/* The candidates and what is known of them. */
typedef struct texts {
    alcore_ctx *ctx;
    alcore__masks *masks;
    row_content *rows;    /* [masks->rows] of the candidates, owned */
    row_content *labeled; /* of what was read last of labeled texts, owned */
    int64_t *sorted;      /* [candidates] numbers of tokens, owned */
    uint64_t *patterns;   /* [pattern_count] templates that were met, owned */
    int64_t pattern_count;
    size_t pattern_capacity;
    alcore__hash_index index; /* of patterns */
} texts;

static void mask_row(texts *self, int64_t row, int32_t cause) {
    self->masks->candidate_mask[row] = 0;
    self->masks->eligible--;
    self->masks->by_cause[cause]++;
}

static void mask_wordless(texts *self) {
    for (int64_t row = 0; row < self->masks->rows; row++)
        if (self->masks->candidate_mask[row] && self->rows[row].wordless)
            mask_row(self, row, ALCORE__CAUSE_WORDLESS);
}

static int compare_counts(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static bool has_length(const texts *self, int64_t row) {
    return self->masks->candidate_mask[row] && self->rows[row].pattern != 0;
}

/* The quartiles are the entries at a quarter and at three quarters of the sorted counts. */
static alcore_status mask_lengths(texts *self) {
    int64_t count = 0;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->masks->rows, sizeof *self->sorted,
                                  &self->sorted));
    for (int64_t row = 0; row < self->masks->rows; row++)
        if (has_length(self, row)) self->sorted[count++] = self->rows[row].tokens;
    if (count < 4) return ALCORE_OK;
    ALCORE__TRY(
        alcore__sort(self->ctx, self->sorted, (size_t)count, sizeof *self->sorted, compare_counts));
    const double low = log((double)self->sorted[count / 4]);
    const double high = log((double)self->sorted[count * 3 / 4]);
    /* Where half of the texts are equally long, twice a length still is no outlier. */
    const double fence = FENCE * (high - low > log(2) / FENCE ? high - low : log(2) / FENCE);
    for (int64_t row = 0; row < self->masks->rows; row++) {
        if (!has_length(self, row)) continue;
        const double tokens = log((double)self->rows[row].tokens);
        if (tokens < low - fence || tokens > high + fence)
            mask_row(self, row, ALCORE__CAUSE_LENGTH);
    }
    return ALCORE_OK;
}

/* Whether a template was met before; it is from now on. There is room for it. */
static bool is_met(texts *self, uint64_t pattern) {
    size_t slot = alcore__index_home(&self->index, pattern);
    for (;;) {
        const int64_t number = alcore__index_next(&self->index, pattern, &slot);
        if (number < 0) break;
        if (self->patterns[number] == pattern) return true;
    }
    self->patterns[self->pattern_count] = pattern;
    alcore__index_put(&self->index, slot, pattern, self->pattern_count++);
    return false;
}

static alcore_status reserve(texts *self, int64_t more) {
    ALCORE__TRY(alcore__grow(self->ctx, &self->patterns, &self->pattern_capacity,
                             (size_t)(self->pattern_count + more), sizeof *self->patterns));
    return alcore__index_reserve(self->ctx, &self->index, (size_t)more, 0,
                                 self->pattern_count + more);
}

/* The templates of labeled texts: rows of a pool with mask [rows] 1. */
static alcore_status meet_labeled(texts *self, const alcore_pool *pool, const uint8_t *mask,
                                  int64_t rows) {
    ALCORE__TRY(read_texts(self->ctx, pool, mask, rows, &self->labeled));
    ALCORE__TRY(reserve(self, rows));
    for (int64_t row = 0; row < rows; row++)
        if (mask[row] && self->labeled[row].pattern != 0) is_met(self, self->labeled[row].pattern);
    alcore__free(self->ctx, self->labeled);
    self->labeled = NULL;
    return ALCORE_OK;
}

static alcore_status mask_templates(texts *self, const alcore_request *request) {
    const alcore__masks *masks = self->masks;
    if (masks->labeled_count > 0)
        ALCORE__TRY(meet_labeled(self, request->candidates, masks->labeled_rows, masks->rows));
    if (masks->labeled_mask)
        ALCORE__TRY(
            meet_labeled(self, request->labeled, masks->labeled_mask, masks->labeled_pool_rows));
    ALCORE__TRY(reserve(self, masks->eligible));
    for (int64_t row = 0; row < masks->rows; row++) {
        if (!masks->candidate_mask[row] || self->rows[row].pattern == 0) continue;
        if (is_met(self, self->rows[row].pattern)) mask_row(self, row, ALCORE__CAUSE_TEMPLATE);
    }
    return ALCORE_OK;
}

static alcore_status apply(texts *self, const alcore_request *request, uint32_t masks) {
    ALCORE__TRY(read_texts(self->ctx, request->candidates, self->masks->candidate_mask,
                           self->masks->rows, &self->rows));
    if (masks & MASK_WORDLESS) mask_wordless(self);
    if (masks & MASK_LENGTHS) ALCORE__TRY(mask_lengths(self));
    return masks & MASK_TEMPLATES ? mask_templates(self, request) : ALCORE_OK;
}

alcore_status alcore__text_masks_apply(const alcore_request *request, alcore__masks *out) {
    texts self = {.ctx = request->object.ctx, .masks = out};
    uint32_t masks;
    ALCORE__TRY(parse(request->options.masks, &masks));
    if (masks == 0) return ALCORE_OK;
    const alcore_status status = apply(&self, request, masks);
    alcore__free(self.ctx, self.rows);
    alcore__free(self.ctx, self.labeled);
    alcore__free(self.ctx, self.sorted);
    alcore__free(self.ctx, self.patterns);
    alcore__index_clear(self.ctx, &self.index);
    return status;
}
