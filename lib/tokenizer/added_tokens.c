/* SPDX-License-Identifier: Apache-2.0 */
/* Added tokens (added_tokens.h). The texts of a finder are sorted, so those that share a beginning
 * are neighbors: a search narrows the range of candidates byte by byte. Most places of a text are
 * skipped at once, because no text begins with the byte there. */
#include "tokenizer/added_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"
#include "tokenizer/unicode_class.h"

/* Orders texts by their bytes, a text before those that it begins. */
static int compare(alcore__name a, alcore__name b) {
    const size_t shared = a.length < b.length ? a.length : b.length;
    const int order = shared == 0 ? 0 : memcmp(a.text, b.text, shared);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

alcore_status alcore__added_tokens_add(alcore_ctx *ctx, alcore__added_tokens *tokens,
                                       const alcore__added_token *token) {
    ALCORE__TRY(alcore__grow(ctx, &tokens->token, &tokens->capacity, tokens->count + 1,
                             sizeof *tokens->token));
    tokens->token[tokens->count++] = *token;
    return ALCORE_OK;
}

alcore_status alcore__added_finder_add(alcore_ctx *ctx, alcore__added_finder *finder,
                                       alcore__name text, size_t token) {
    if (text.length == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(ctx, &finder->text, &finder->capacity, finder->count + 1,
                             sizeof *finder->text));
    finder->text[finder->count++] = (alcore__added_text){text, token};
    finder->begins[(unsigned char)text.text[0]] = true;
    return ALCORE_OK;
}

/* The order of qsort() for texts of a finder; of two equal ones the lower token comes first. */
static int by_bytes(const void *a, const void *b) {
    const alcore__added_text *first = a, *second = b;
    const int order = compare(first->text, second->text);
    return order != 0 ? order : (first->token > second->token) - (first->token < second->token);
}

/* Sorts the texts by bytes. Of equal ones, which the order puts next to each other by token, the
 * first stays. */
void alcore__added_finder_sort(alcore__added_finder *finder) {
    size_t kept = 0;
    if (finder->count > 1) qsort(finder->text, finder->count, sizeof *finder->text, by_bytes);
    for (size_t i = 0; i < finder->count; i++)
        if (kept == 0 || compare(finder->text[kept - 1].text, finder->text[i].text) != 0)
            finder->text[kept++] = finder->text[i];
    finder->count = kept;
}

/* The order of qsort_r() for by_text: of two tokens with the same content the later one of the file
 * comes first, as that is the one that a search finds. */
static int by_text(const void *a, const void *b, void *tokens) {
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const alcore__added_token *token = ((const alcore__added_tokens *)tokens)->token;
    const int order = compare(token[i].content, token[k].content);
    return order != 0 ? order : (i < k) - (i > k);
}

/* The order of qsort_r() for by_id; of two tokens with the same id the later one comes first. */
static int by_id(const void *a, const void *b, void *tokens) {
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const alcore__added_token *token = ((const alcore__added_tokens *)tokens)->token;
    if (token[i].id != token[k].id) return token[i].id < token[k].id ? -1 : 1;
    return (i < k) - (i > k);
}

/* Makes by_text, sorted by content, and by_id, which is sorted later, as ids depend on searches by
 * content. */
alcore_status alcore__added_tokens_sort(alcore_ctx *ctx, alcore__added_tokens *tokens) {
    ALCORE__TRY(alcore__new_array(ctx, tokens->count, sizeof *tokens->by_text, &tokens->by_text));
    ALCORE__TRY(alcore__new_array(ctx, tokens->count, sizeof *tokens->by_id, &tokens->by_id));
    for (size_t i = 0; i < tokens->count; i++) tokens->by_text[i] = tokens->by_id[i] = i;
    if (tokens->count > 1)
        qsort_r(tokens->by_text, tokens->count, sizeof *tokens->by_text, by_text, tokens);
    return ALCORE_OK;
}

void alcore__added_tokens_sort_ids(alcore__added_tokens *tokens) {
    if (tokens->count > 1)
        qsort_r(tokens->by_id, tokens->count, sizeof *tokens->by_id, by_id, tokens);
}

void alcore__added_tokens_clear(alcore_ctx *ctx, alcore__added_tokens *tokens) {
    alcore__free(ctx, tokens->token);
    alcore__free(ctx, tokens->raw.text);
    alcore__free(ctx, tokens->normalized.text);
    alcore__free(ctx, tokens->by_text);
    alcore__free(ctx, tokens->by_id);
    *tokens = (alcore__added_tokens){0};
}

/* Binary search in by_text, where the later of two tokens with the same content comes first. */
alcore__added_token *alcore__added_token_of(const alcore__added_tokens *tokens, const char *text,
                                            size_t length) {
    const alcore__name wanted = {text, length};
    size_t low = 0, high = tokens->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(tokens->token[tokens->by_text[middle]].content, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tokens->count) return NULL;
    alcore__added_token *found = &tokens->token[tokens->by_text[low]];
    return compare(found->content, wanted) == 0 ? found : NULL;
}

/* Binary search in by_id. NULL: no added token has the id. */
const alcore__added_token *alcore__added_token_by_id(const alcore__added_tokens *tokens,
                                                     int64_t id) {
    size_t low = 0, high = tokens->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tokens->token[tokens->by_id[middle]].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tokens->count) return NULL;
    const alcore__added_token *found = &tokens->token[tokens->by_id[low]];
    return found->id == id ? found : NULL;
}

/* ---- searching ---- */

/* The first text of texts [low, high), all of which share their first `depth` bytes, whose byte at
 * `depth` is `byte` or more; a text that ends there counts as less. */
static size_t narrow(const alcore__added_finder *finder, size_t low, size_t high, size_t depth,
                     int byte) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const alcore__name text = finder->text[middle].text;
        if (text.length <= depth || (unsigned char)text.text[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The index of the longest text of the finder that stands at `offset`; finder->count: none does.
 * texts [low, high) are those that begin with the bytes so far; the shortest comes first. */
static size_t longest_at(const alcore__added_finder *finder, const char *text, size_t length,
                         size_t offset) {
    size_t low = 0, high = finder->count, found = finder->count;
    for (size_t depth = 0; low < high && offset + depth < length; depth++) {
        const int byte = (unsigned char)text[offset + depth];
        low = narrow(finder, low, high, depth, byte);
        high = narrow(finder, low, high, depth, byte + 1);
        if (low < high && finder->text[low].text.length == depth + 1) found = low;
    }
    return found;
}

/* Whether the character that ends at `offset` is part of a word. */
static bool word_before(const char *text, size_t offset) {
    if (offset == 0) return false;
    size_t begin = offset - 1;
    while (((unsigned char)text[begin] & 0xC0) == 0x80) begin--;
    return alcore__point_is_word(alcore__utf8_next(text, offset, &begin));
}

/* Whether the character that begins at `offset` is part of a word. */
static bool word_behind(const char *text, size_t length, size_t offset) {
    return offset < length && alcore__point_is_word(alcore__utf8_next(text, length, &offset));
}

/* Where the white space before `offset` begins, but not before `after`, even if that is behind
 * `offset`. */
static size_t skip_space_left(const char *text, size_t offset, size_t after) {
    while (offset > after) {
        size_t begin = offset - 1;
        while (((unsigned char)text[begin] & 0xC0) == 0x80) begin--;
        size_t next = begin;
        if (!alcore__utf8_is_space(alcore__utf8_next(text, offset, &next))) break;
        offset = begin;
    }
    return offset < after ? after : offset;
}

/* Where the white space at `offset` ends. */
static size_t skip_space_right(const char *text, size_t length, size_t offset) {
    while (offset < length) {
        size_t next = offset;
        if (!alcore__utf8_is_space(alcore__utf8_next(text, length, &next))) break;
        offset = next;
    }
    return offset;
}

/* A match that is no single word, though its token has to be one, is skipped as a whole. */
alcore__added_match alcore__added_find(const alcore__added_tokens *tokens,
                                       const alcore__added_finder *finder, const char *text,
                                       size_t length, size_t after, size_t *next) {
    size_t offset = *next;
    if (finder->count == 0) offset = length;
    while (offset < length) {
        if (!finder->begins[(unsigned char)text[offset]]) {
            offset++;
            continue;
        }
        const size_t found = longest_at(finder, text, length, offset);
        if (found == finder->count) {
            offset++;
            continue;
        }
        size_t begin = offset, end = offset + finder->text[found].text.length;
        const alcore__added_token *token = &tokens->token[finder->text[found].token];
        offset = end;
        if (token->single_word && (word_before(text, begin) || word_behind(text, length, end)))
            continue;
        *next = offset;
        begin = token->left ? skip_space_left(text, begin, after) : begin;
        if (token->right) end = skip_space_right(text, length, end);
        return (alcore__added_match){begin, end, finder->text[found].token};
    }
    *next = length;
    return (alcore__added_match){length, length, 0};
}
