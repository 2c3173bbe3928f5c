/* SPDX-License-Identifier: Apache-2.0 */
/* Making a token model of a sentencepiece file (sentencepiece.h): the layout gives each piece its
 * id, then the model is built as one of tokenizer.json is. */
#include <math.h>
#include <string.h>

#include "text/radix_sort.h"
#include "text/utf8.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/token_kinds.h"

/* With alcore__spm_layout.fairseq, four tokens stand for the first three pieces of the file, which
 * are <unk>, <s> and </s>. */
enum { FAIRSEQ_TOKENS = 4, FAIRSEQ_PIECES = 3 };

/* A model while it is made. Entries are in the order of their ids, 0 .. count - 1, without holes:
 * an index of these arrays is the number of the token in model->table. */
typedef struct maker {
    alcore_ctx *ctx;
    const alcore__sentencepiece *pieces;
    const alcore__spm_layout *layout;
    const char *path;
    alcore__token_model *model;
    alcore__token_entry *entry; /* [count] */
    double *score;              /* [count] */
    int32_t *type;              /* [count] ALCORE__PIECE_* */
    uint8_t *chosen;            /* [count] 1: a token that a text can have (Unigram), or that is
                                 * always one token (byte pairs) */
    size_t count, unknown;      /* tokens so far; the number of the unknown one */
} maker;

/* Appends a token, for which list_tokens() has made memory. location: as in alcore__token_entry. */
static void add_token(maker *state, const char *text, size_t length, double score, int32_t type,
                      int64_t location) {
    const size_t number = state->count++;
    state->entry[number] = (alcore__token_entry){text, length, (int64_t)number, location};
    state->score[number] = score;
    state->type[number] = type;
}

/* Lists the tokens in the order of their ids. */
static alcore_status list_tokens(maker *state) {
    static const char *const fairseq[FAIRSEQ_TOKENS] = {"<s>", "<pad>", "</s>", "<unk>"};
    const alcore__sentencepiece *pieces = state->pieces;
    const alcore__spm_layout *layout = state->layout;
    const size_t most = pieces->count + FAIRSEQ_TOKENS + layout->extra_count;
    if (layout->fairseq && pieces->count < FAIRSEQ_PIECES)
        return alcore__fail(ALCORE_E_DATA, "%s: a file of this family has more than two pieces",
                            state->path);
    ALCORE__TRY(alcore__new_array(state->ctx, most, sizeof *state->entry, &state->entry));
    ALCORE__TRY(alcore__new_array(state->ctx, most, sizeof *state->score, &state->score));
    ALCORE__TRY(alcore__new_array(state->ctx, most, sizeof *state->type, &state->type));
    ALCORE__TRY(alcore__new_array(state->ctx, most, sizeof *state->chosen, &state->chosen));
    for (size_t i = 0; layout->fairseq && i < FAIRSEQ_TOKENS; i++)
        add_token(state, fairseq[i], strlen(fairseq[i]), 0,
                  i == FAIRSEQ_TOKENS - 1 ? ALCORE__PIECE_UNKNOWN : ALCORE__PIECE_CONTROL, 0);
    for (size_t i = layout->fairseq ? FAIRSEQ_PIECES : 0; i < pieces->count; i++) {
        const alcore__spm_piece *piece = &pieces->piece[i];
        add_token(state, piece->text, piece->length, (double)piece->score, piece->type,
                  piece->offset);
    }
    for (size_t i = 0; i < layout->extra_count; i++)
        add_token(state, layout->extra[i], strlen(layout->extra[i]), 0, ALCORE__PIECE_CONTROL, 0);
    state->unknown = layout->fairseq ? FAIRSEQ_TOKENS - 1 : (size_t)pieces->unknown;
    return ALCORE_OK;
}

/* Makes a table of entries with the path of the file they come from. */
static alcore_status build_table(const maker *state, const alcore__token_entry *entries,
                                 size_t count, const char *path, alcore__token_table *table) {
    return alcore__token_table_build(state->ctx, entries, count, path, "byte", table);
}

/* Reads the vocabulary of the layout into model->names, and gives the pieces its ids. */
static alcore_status use_names(maker *state) {
    const alcore__spm_layout *layout = state->layout;
    alcore__token_model *model = state->model;
    alcore__token_entries entries = {0};
    alcore_status status = alcore__token_entries_read_ids(state->ctx, layout->vocab,
                                                          layout->vocab_path, "vocab", &entries);
    if (status == ALCORE_OK)
        status =
            build_table(state, entries.entry, entries.count, layout->vocab_path, &model->names);
    alcore__token_entries_clear(state->ctx, &entries);
    ALCORE__TRY(status);
    model->has_names = true;
    const uint32_t unknown = alcore__token_table_find(&model->names, "<unk>", 5);
    if (unknown == ALCORE__WORD_NONE)
        return alcore__fail(ALCORE_E_DATA, "%s: the token <unk> is not there", layout->vocab_path);
    ALCORE__TRY(
        alcore__new_array(state->ctx, state->count, sizeof *model->table.ids, &model->table.ids));
    for (size_t i = 0; i < state->count; i++) {
        const alcore__token_entry *entry = &state->entry[i];
        uint32_t number = alcore__token_table_find(&model->names, entry->text, entry->length);
        if (number == ALCORE__WORD_NONE) number = unknown;
        model->table.ids[i] = (int32_t)alcore__token_table_id(&model->names, number);
    }
    return ALCORE_OK;
}

/* Makes a Unigram model. With a vocabulary (exact) it is sentencepiece itself: the lowest score is
 * that of normal pieces, only normal and user-defined pieces are found in a text, and the score of
 * a user-defined piece, which always wins, is a tenth for each byte but the first (sentencepiece
 * 0.2.3). Without one it is as `transformers` converts it: all pieces count and are found. */
static alcore_status make_unigram(maker *state) {
    const bool exact = state->model->has_names;
    double lowest = INFINITY;
    for (size_t i = 0; i < state->count; i++) {
        const bool normal = state->type[i] == ALCORE__PIECE_NORMAL;
        if ((normal || !exact) && state->score[i] < lowest) lowest = state->score[i];
        state->chosen[i] = normal || state->type[i] == ALCORE__PIECE_USER_DEFINED || !exact;
    }
    for (size_t i = 0; exact && i < state->count; i++)
        if (state->type[i] == ALCORE__PIECE_USER_DEFINED)
            state->score[i] = (double)(float)(0.1 * (double)(state->entry[i].length - 1));
    return alcore__unigram_build(
        state->ctx, state->model,
        &(alcore__unigram_rules){.scores = state->score,
                                 .mask = state->chosen,
                                 .lowest = isinf(lowest) ? 0 : lowest,
                                 .byte_fallback = state->pieces->byte_fallback,
                                 .single_precision = exact});
}

/* An integer that orders as finite floats do: positive ones by their bits, above all negative ones,
 * whose bits are inverted. -0 is made +0. */
static uint32_t rising_bits(float value) {
    uint32_t bits;
    const float zero_is_positive = value + 0.0f;
    memcpy(&bits, &zero_is_positive, 4);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Sorts the pieces that can be made by a merge by falling score: order [*count], key rising, value
 * the number of the piece. order and spare have memory for all tokens. */
static alcore_status sort_pieces(const maker *state, alcore__keyed *order, alcore__keyed *spare,
                                 size_t *count) {
    *count = 0;
    for (size_t i = 0; i < state->count; i++)
        if (state->type[i] == ALCORE__PIECE_NORMAL)
            order[(*count)++] =
                (alcore__keyed){UINT32_MAX - rising_bits((float)state->score[i]), (uint32_t)i};
    return alcore__radix_sort(state->ctx, order, spare, *count);
}

/* Adds the merges of any two normal pieces that make the piece `merged`: each place between two
 * characters of it is tried. */
static alcore_status add_merges(maker *state, uint32_t merged, uint32_t rank) {
    const alcore__token_entry *entry = &state->entry[merged];
    size_t end = 0;
    for ((void)alcore__utf8_next(entry->text, entry->length, &end); end < entry->length;
         (void)alcore__utf8_next(entry->text, entry->length, &end)) {
        const alcore__token_table *table = &state->model->table;
        const uint32_t left = alcore__token_table_find(table, entry->text, end);
        if (left == ALCORE__WORD_NONE || state->type[left] != ALCORE__PIECE_NORMAL) continue;
        const uint32_t right =
            alcore__token_table_find(table, entry->text + end, entry->length - end);
        if (right == ALCORE__WORD_NONE || state->type[right] != ALCORE__PIECE_NORMAL) continue;
        ALCORE__TRY(alcore__byte_pair_add(state->ctx, state->model, left, right, rank, merged));
    }
    return ALCORE_OK;
}

/* Adds the merges of all pieces; pieces of equal score have the same rank. */
static alcore_status add_all_merges(maker *state, alcore__keyed *order, alcore__keyed *spare) {
    size_t count;
    uint32_t rank = 0;
    ALCORE__TRY(sort_pieces(state, order, spare, &count));
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && order[i].key != order[i - 1].key) rank++;
        ALCORE__TRY(add_merges(state, order[i].value, rank));
        if ((i & 1023) == 0) ALCORE__TRY(alcore__tick(state->ctx, NULL, 0, -1));
    }
    return ALCORE_OK;
}

/* Makes a byte-pair encoding. Unused pieces are refused, as sentencepiece cuts them again after
 * they were merged, which merges alone cannot express. */
static alcore_status make_byte_pair(maker *state) {
    alcore__keyed *order = NULL, *spare = NULL;
    alcore_status status;
    bool fixed = false;
    for (size_t i = 0; i < state->count; i++) {
        if (state->type[i] == ALCORE__PIECE_UNUSED)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "%s: byte %lld: an unused piece in a byte-pair encoding",
                                state->path, (long long)state->entry[i].location);
        state->chosen[i] = state->type[i] == ALCORE__PIECE_USER_DEFINED;
        fixed = fixed || state->chosen[i];
    }
    ALCORE__TRY(alcore__byte_pair_build(
        state->ctx, state->model,
        &(alcore__byte_pair_rules){.fixed = fixed ? state->chosen : NULL,
                                   .fuse_unknown = true,
                                   .byte_fallback = state->pieces->byte_fallback}));
    status = alcore__new_array(state->ctx, state->count, sizeof *order, &order);
    if (status == ALCORE_OK)
        status = alcore__new_array(state->ctx, state->count, sizeof *spare, &spare);
    if (status == ALCORE_OK) status = add_all_merges(state, order, spare);
    alcore__free(state->ctx, order);
    alcore__free(state->ctx, spare);
    return status;
}

/* Makes the table of tokens, their ids, and the part of the kind. */
static alcore_status make_model(maker *state) {
    ALCORE__TRY(list_tokens(state));
    ALCORE__TRY(build_table(state, state->entry, state->count, state->path, &state->model->table));
    state->model->unknown = (uint32_t)state->unknown;
    if (state->layout->vocab) ALCORE__TRY(use_names(state));
    return state->pieces->byte_pair ? make_byte_pair(state) : make_unigram(state);
}

/* Makes the model, and frees what only that needs; *out is NULL after a failure. */
alcore_status alcore__sentencepiece_model(alcore_ctx *ctx, const alcore__sentencepiece *pieces,
                                          const alcore__spm_layout *layout, const char *path,
                                          alcore__token_model **out) {
    maker state = {.ctx = ctx, .pieces = pieces, .layout = layout, .path = path};
    *out = NULL;
    alcore_status status = alcore__token_model_new(ctx, &state.model);
    if (status == ALCORE_OK) status = make_model(&state);
    alcore__free(ctx, state.entry);
    alcore__free(ctx, state.score);
    alcore__free(ctx, state.type);
    alcore__free(ctx, state.chosen);
    if (status == ALCORE_OK)
        *out = state.model;
    else
        alcore__token_model_free(ctx, state.model);
    return status;
}
