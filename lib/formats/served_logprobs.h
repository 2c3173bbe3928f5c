/* SPDX-License-Identifier: Apache-2.0 */
/* The log-probabilities in the answer of an inference server, in the three forms that servers of
 * OpenAI's protocol write: the list "content" of chats (and of all that llama.cpp's server
 * answers), the parallel lists "token_logprobs" and "top_logprobs" of completions, and vLLM's list
 * "prompt_logprobs".
 *
 * Which of the classes that are listed for a token are the likeliest ones is not said. OpenAI and
 * vLLM add the token itself to those of a completion where it is none of them, and vLLM puts it in
 * the place of the last one in chats. So a token that is the least likely one of its list is taken
 * for one of the likeliest only where the lists of the other tokens show it. A class that is left
 * out here counts as a token beside the likeliest ones, which is always true. */
#ifndef ALCORE__SERVED_LOGPROBS_H
#define ALCORE__SERVED_LOGPROBS_H

#include "formats/json_scan.h"
#include "formats/line_reader.h"

/* A class that is listed for a token. */
typedef struct alcore__served_class {
    double logprob; /* minus infinity: left out */
    int64_t id;     /* -1: not given */
} alcore__served_class;

/* A token. */
typedef struct alcore__served_token {
    double logprob;
    int64_t id;    /* -1: not given */
    size_t begin;  /* its first class; they end where those of the next token begin */
    int64_t place; /* of the token itself among them, from 0; -1: it is none of them */
    bool blurred;  /* the classes are named by texts, of which one is U+FFFD: two may be one */
} alcore__served_token;

/* What an answer says of its tokens. A struct of zeros is empty; memory is kept between answers. */
typedef struct alcore__served_tokens {
    alcore__served_token *token;  /* [count + 1], owned; the last one only has `begin` */
    alcore__served_class *listed; /* [listed_count], owned */
    size_t count, token_capacity, listed_count, listed_capacity;
    bool has_ids;     /* every token and every class has an id */
    int64_t doubtful; /* first token of whose likeliest classes one may be missing; -1: none */
} alcore__served_tokens;

/* Each reads one form; `value` stands before it, and all of the line is JSON. The first token of a
 * prompt, which has no log-probability, is left out. */
alcore_status alcore__served_read_content(alcore__served_tokens *tokens,
                                          const alcore__line_reader *lines, alcore__json value);
/* top: before "top_logprobs"; NULL: the answer has none. */
alcore_status alcore__served_read_lists(alcore__served_tokens *tokens,
                                        const alcore__line_reader *lines, alcore__json logprobs,
                                        const alcore__json *top);
alcore_status alcore__served_read_prompt(alcore__served_tokens *tokens,
                                         const alcore__line_reader *lines, alcore__json value);
void alcore__served_tokens_clear(alcore__served_tokens *tokens, alcore_ctx *ctx);

/* Fails with the place in the line where `json` found an error. */
alcore_status alcore__served_fail_json(const alcore__line_reader *lines, const alcore__json *json);
/* Whether a key is this name. */
bool alcore__served_is(const char *key, size_t length, const char *name);

#endif
