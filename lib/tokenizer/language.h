/* SPDX-License-Identifier: Apache-2.0 */
/* Languages of translation models: mBART, NLLB and M2M100 put a token of the text's language before
 * it, or behind its last one. */
#ifndef ALCORE__LANGUAGE_H
#define ALCORE__LANGUAGE_H

#include "tokenizer/tokenizer_handle.h"

/* Reads what tokenizer_config.json says: the languages of source and target, and, by the class of
 * the tokenizer, where the token stands. config: at the object. The templates are there. */
alcore_status alcore__languages_read(const alcore__part *config, alcore_tokenizer *tokenizer);
/* Whether a token is a language: de_DE (mBART), deu_Latn (NLLB), __de__ (M2M100). */
bool alcore__is_language(alcore__name name);
/* Finds the pieces of the templates that are languages, and gives them the language of the source;
 * all tokens are there. */
alcore_status alcore__languages_finish(alcore_ctx *ctx, alcore_tokenizer *tokenizer);
/* The token that stands for a language in a call; -1: the one of the template. language NULL: what
 * the folder says. ALCORE_E_PARAM: there is none of that name, or the tokenizer marks none. */
alcore_status alcore__language_token(const alcore_tokenizer *tokenizer, const char *language,
                                     bool as_target, int64_t *out);

#endif
