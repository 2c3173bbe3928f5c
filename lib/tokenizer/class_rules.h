/* SPDX-License-Identifier: Apache-2.0 */
/* What the classes of tokenizers of transformers 5 do to a tokenizer.json: those with a constructor
 * of their own build normalizer, pre-tokenizer and template anew, from tokenizer_config.json. */
#ifndef ALCORE__CLASS_RULES_H
#define ALCORE__CLASS_RULES_H

#include "tokenizer/tokenizer_handle.h"

/* Reads what tokenizer_config.json says of BertNormalizer over *out, whose strip_accents follows
 * lowercase where the file does not say it. */
alcore_status alcore__class_rules_read_cleaning(const alcore__part *config,
                                                alcore__bert_cleaning *out);
/* Reads the text of a special token, a string or an object with it as its content, over *out. */
alcore_status alcore__class_rules_read_name(const alcore__part *config, const char *member,
                                            alcore__name *out);
/* Fails where tokenizer_config.json lists a special token that the tokenizer, read from
 * tokenizer.json, has not among its added ones. Languages are read elsewhere (language.h). */
alcore_status alcore__class_rules_check_specials(const alcore__part *config,
                                                 const alcore_tokenizer *tokenizer);
/* Changes the parts of a tokenizer that was read from tokenizer.json. model_type: of config.json,
 * which chooses the class where tokenizer_config.json names none; it may have no text. */
alcore_status alcore__class_rules_apply(const alcore__part *config, alcore__name model_type,
                                        alcore_tokenizer *tokenizer);

#endif
