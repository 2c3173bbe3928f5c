/* SPDX-License-Identifier: Apache-2.0 */
/* Added tokens: texts that become one token wherever they stand, before anything else is done, such
 * as [MASK] and <s>. */
#ifndef ALCORE__ADDED_TOKENS_H
#define ALCORE__ADDED_TOKENS_H

#include "tokenizer/aligned_text.h"
#include "tokenizer/json_part.h"

typedef struct alcore__added_token {
    alcore__name content; /* as the file has it */
    /* What texts are searched for: its normalized form, if it is `normalized`, else the content. It
     * is also what the token is decoded to. Set by alcore__tokenizer_finish(). */
    alcore__name search_text;
    int64_t id;         /* -1 until alcore__tokenizer_finish() */
    bool special;       /* decoding may leave it out */
    bool single_word;   /* found only between characters that are no part of a word */
    bool left, right;   /* its span includes the white space on that side (lstrip, rstrip) */
    bool template_only; /* texts are not searched for it; only templates have it */
    bool normalized;    /* normalized texts are searched for it, in its own normalized form */
} alcore__added_token;

/* A text that is sought, and the number of the added token that it stands for: its index in
 * alcore__added_tokens.token. */
typedef struct alcore__added_text {
    alcore__name text; /* borrowed from the arena of the tokenizer */
    size_t token;
} alcore__added_text;

/* The texts that are sought together. */
typedef struct alcore__added_finder {
    alcore__added_text *text; /* [count] owned; sorted by bytes, none twice, once all are there */
    size_t count, capacity;
    bool begins[256]; /* whether a text begins with that byte */
} alcore__added_finder;

/* The added tokens of a tokenizer. They do not change once they are read. */
typedef struct alcore__added_tokens {
    alcore__added_token *token; /* [count] in the order of the file, owned */
    size_t count, capacity;
    alcore__added_finder raw, normalized; /* sought before and after the normalizer */
    size_t *by_text;                      /* [count] numbers of tokens, sorted by content, owned */
    size_t *by_id;                        /* [count] the same, sorted by id, owned */
} alcore__added_tokens;

/* A place in a text where an added token stands. */
typedef struct alcore__added_match {
    size_t begin, end; /* bytes, with the white space of `left` and `right`; both are the length of
                        * the text: there is no match */
    size_t token;      /* number */
} alcore__added_match;

/* Appends a token. Of two with the same content the later one counts. */
alcore_status alcore__added_tokens_add(alcore_ctx *ctx, alcore__added_tokens *tokens,
                                       const alcore__added_token *token);
/* Sorts the tokens by content, after the last one was added, so that they can be asked for. */
alcore_status alcore__added_tokens_sort(alcore_ctx *ctx, alcore__added_tokens *tokens);
/* Sorts them by id, after all have theirs. */
void alcore__added_tokens_sort_ids(alcore__added_tokens *tokens);
/* Appends a text that a finder is to seek; an empty one is left out. */
alcore_status alcore__added_finder_add(alcore_ctx *ctx, alcore__added_finder *finder,
                                       alcore__name text, size_t token);
/* Sorts the texts, after the last one was added; of two that are equal, the one of the token with
 * the lower index is kept. */
void alcore__added_finder_sort(alcore__added_finder *finder);
void alcore__added_tokens_clear(alcore_ctx *ctx, alcore__added_tokens *tokens);

/* The token of a text or an id; NULL: it is no added one. */
alcore__added_token *alcore__added_token_of(const alcore__added_tokens *tokens, const char *text,
                                            size_t length);
const alcore__added_token *alcore__added_token_by_id(const alcore__added_tokens *tokens,
                                                     int64_t id);
/* The leftmost match from *next on, the longest of those that begin there. *next becomes the byte
 * behind its text, where the search for the one after it begins. after: the end of the match
 * before, 0 at first; white space before that belongs to that match and not to this one. */
alcore__added_match alcore__added_find(const alcore__added_tokens *tokens,
                                       const alcore__added_finder *finder, const char *text,
                                       size_t length, size_t after, size_t *next);

#endif
