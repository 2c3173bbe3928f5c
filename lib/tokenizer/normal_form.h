/* SPDX-License-Identifier: Apache-2.0 */
/* The Unicode normal forms NFC, NFD, NFKC and NFKD, with the source of each character. */
#ifndef ALCORE__NORMAL_FORM_H
#define ALCORE__NORMAL_FORM_H

#include "tokenizer/aligned_text.h"

typedef enum alcore__normal_form {
    ALCORE__NFC,
    ALCORE__NFD,
    ALCORE__NFKC,
    ALCORE__NFKD
} alcore__normal_form;

/* Memory that the work on one text reuses. A struct of zeros is an empty one. */
typedef struct alcore__form_scratch {
    alcore__changes decomposed, composed;
    uint8_t *classes; /* [decomposed.count] combining class of each of them, owned */
    size_t classes_capacity;
} alcore__form_scratch;

/* Appends the form of a text to *out, which has been started for it. */
alcore_status alcore__apply_form(alcore_ctx *ctx, alcore__normal_form form,
                                 const alcore__view *view, alcore__form_scratch *scratch,
                                 alcore__aligned *out);
void alcore__form_scratch_clear(alcore_ctx *ctx, alcore__form_scratch *scratch);

#endif
