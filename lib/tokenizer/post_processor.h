/* SPDX-License-Identifier: Apache-2.0 */
/* The post-processor of a tokenizer: which special tokens stand around a text or a pair of texts,
 * and which types the tokens have. */
#ifndef ALCORE__POST_PROCESSOR_H
#define ALCORE__POST_PROCESSOR_H

#include "tokenizer/json_part.h"

typedef enum alcore__template_kind {
    ALCORE__TEMPLATE_SPECIAL,
    ALCORE__TEMPLATE_FIRST, /* the tokens of the text, or of the first one of a pair */
    ALCORE__TEMPLATE_SECOND
} alcore__template_kind;

typedef struct alcore__template_piece {
    alcore__template_kind kind;
    int64_t type;       /* alcore__tokens.types of its tokens */
    alcore__name name;  /* SPECIAL: its text, in the arena of the tokenizer */
    const int64_t *ids; /* SPECIAL: [count], in the arena */
    size_t count;
    bool language; /* SPECIAL: it stands for the text's language, which a call may name */
} alcore__template_piece;

enum { ALCORE__TEMPLATE_PIECES = 16 };
typedef struct alcore__template {
    alcore__template_piece piece[ALCORE__TEMPLATE_PIECES]; /* [count] */
    size_t count;
} alcore__template;

/* A post-processor. It does not change once it is read. */
typedef struct alcore__post_processor {
    alcore__template single, pair;
    bool given;            /* tokenizer.json has one */
    bool trim_offsets;     /* spans of tokens leave out the white space at their ends */
    bool add_prefix_space; /* ByteLevel put a space before the text, which is not in its bytes; it
                            * matters with trim_offsets only */
} alcore__post_processor;

/* The one that adds nothing: types are 0 and, for the second text of a pair, 1. */
void alcore__post_processor_start(alcore__post_processor *out);
/* A special token of a template. */
typedef struct alcore__around {
    alcore__name name; /* text NULL: no token */
    int64_t id;
} alcore__around;
/* How a pair differs from one text. */
typedef struct alcore__pair_shape {
    bool again;          /* the last token stands once more before the second text */
    int64_t second_type; /* of the second text and the token behind it */
} alcore__pair_shape;
/* Templates: `first` A `last`, and for a pair `first` A `last` B `last`. */
alcore_status alcore__post_processor_set_around(const alcore__part *part, alcore__around first,
                                                alcore__around last,
                                                const alcore__pair_shape *shape,
                                                alcore__post_processor *out);
/* Reads the member "post_processor" of tokenizer.json, or a part of one, over *out, which was
 * started. */
alcore_status alcore__post_processor_read(const alcore__part *part, alcore__post_processor *out);
/* Special tokens of a template. */
size_t alcore__template_specials(const alcore__template *pieces);
/* Appends pieces; name may be empty. */
alcore_status alcore__template_add_special(const alcore__part *part, alcore__template *pieces,
                                           alcore__name name, const int64_t *ids, size_t count,
                                           int64_t type);
alcore_status alcore__template_add_text(const alcore__part *part, alcore__template *pieces,
                                        alcore__template_kind kind, int64_t type);

#endif
