/* SPDX-License-Identifier: Apache-2.0 */
/* The columns whose names have a meaning (column_names.h): one row a name. */
#include "pool/column_names.h"

#include <string.h>

#include "base/tensor_view.h"

/* Name, usual shape, who gives it (INPUT: the user or a model; DERIVED: the maker of a derived
 * pool), what its values are, whether they are rows of the source pool. In this order:
 * the inputs, of which bindings/gen/headers.py reads the rows, then the columns of derived pools.
 */
static const alcore__column_name known_columns[] = {
    {"scores", ALCORE_COLUMN_SCALAR, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"logprobs", ALCORE_COLUMN_RAGGED, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"probs", ALCORE_COLUMN_DENSE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"embeddings", ALCORE_COLUMN_DENSE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"token_probs", ALCORE_COLUMN_RAGGED_DENSE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"sample_probs", ALCORE_COLUMN_RAGGED_DENSE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS,
     false},
    {"margins", ALCORE__COLUMN_ANY_SHAPE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"confidences", ALCORE__COLUMN_ANY_SHAPE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"entropies", ALCORE__COLUMN_ANY_SHAPE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"mlm_losses", ALCORE_COLUMN_RAGGED, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"factors", ALCORE_COLUMN_DENSE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"qa_start", ALCORE_COLUMN_RAGGED, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"qa_end", ALCORE_COLUMN_RAGGED, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_FLOATS, false},
    {"qa_windows", ALCORE_COLUMN_RAGGED, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_NUMBERS, false},
    {"roundtrip", ALCORE__COLUMN_ANY_SHAPE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_TEXTS, false},
    {"qa_contexts", ALCORE__COLUMN_ANY_SHAPE, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_TEXTS, false},
    {"occurrences", ALCORE_COLUMN_SCALAR, ALCORE__COLUMN_DERIVED, ALCORE__COLUMN_INTEGERS, false},
    {"first_row", ALCORE_COLUMN_SCALAR, ALCORE__COLUMN_DERIVED, ALCORE__COLUMN_INTEGERS, true},
    {"first_position", ALCORE_COLUMN_SCALAR, ALCORE__COLUMN_DERIVED, ALCORE__COLUMN_INTEGERS,
     false},
    {"source_rows", ALCORE_COLUMN_RAGGED, ALCORE__COLUMN_DERIVED, ALCORE__COLUMN_INTEGERS, true},
};

/* index: 0 to ALCORE__COLUMN_INPUTS - 1, not checked. */
const alcore__column_name *alcore__column_name_input(int32_t index) {
    return &known_columns[index];
}

/* NULL for a name without a meaning. */
const alcore__column_name *alcore__column_name_find(const char *name) {
    for (size_t i = 0; i < sizeof known_columns / sizeof *known_columns; i++)
        if (strcmp(known_columns[i].name, name) == 0) return &known_columns[i];
    return NULL;
}

/* The meanings that the numbers of a column may be said to have, and their words for the message;
 * other columns whose names have a meaning have no further one. */
static const struct meanings_of_name {
    const char *name;
    int32_t first, last; /* ALCORE_MEANS_* */
    const char *words;
} meanings_of_names[] = {
    {"scores", ALCORE_MEANS_UNCERTAINTY, ALCORE_MEANS_LOGPROB,
     "uncertainty, confidence or logprob"},
    {"logprobs", ALCORE_MEANS_LOGPROBS, ALCORE_MEANS_LOGPROBS, "logprobs"},
    {"probs", ALCORE_MEANS_PROBS, ALCORE_MEANS_MULTILABEL,
     "probs, logprobs, logits, sigmoid or multilabel"},
    {"token_probs", ALCORE_MEANS_PROBS, ALCORE_MEANS_MULTILABEL,
     "probs, logprobs, logits, sigmoid or multilabel"},
    {"sample_probs", ALCORE_MEANS_PROBS, ALCORE_MEANS_MULTILABEL,
     "probs, logprobs, logits, sigmoid or multilabel"},
    {"qa_start", ALCORE_MEANS_PROBS, ALCORE_MEANS_LOGITS, "probs, logprobs or logits"},
    {"qa_end", ALCORE_MEANS_PROBS, ALCORE_MEANS_LOGITS, "probs, logprobs or logits"},
};

/* The base is that of log-probabilities of tokens or sentences; those of classes are natural. */
static alcore_status check_base(const char *name, int32_t meaning, double log_base) {
    if (log_base == 0 || !alcore__column_name_find(name) || strcmp(name, "logprobs") == 0 ||
        meaning == ALCORE_MEANS_LOGPROB)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "column \"%s\": log_base is that of logprobs, and of scores that are "
                        "log-probabilities",
                        name);
}

alcore_status alcore__column_check_meaning(const char *name, int32_t meaning, double log_base) {
    static const char *const words[] = {"uncertainty", "confidence", "logprob", "probs",
                                        "logprobs",    "logits",     "sigmoid", "multilabel"};
    ALCORE__TRY(check_base(name, meaning, log_base));
    if (meaning == 0 || !alcore__column_name_find(name)) return ALCORE_OK;
    for (size_t i = 0; i < sizeof meanings_of_names / sizeof *meanings_of_names; i++) {
        const struct meanings_of_name *known = &meanings_of_names[i];
        if (strcmp(known->name, name) != 0) continue;
        if (meaning >= known->first && meaning <= known->last) return ALCORE_OK;
        return alcore__fail(ALCORE_E_INVALID, "column \"%s\": its numbers are %s, not %s", name,
                            known->words, words[meaning - ALCORE_MEANS_UNCERTAINTY]);
    }
    return alcore__fail(ALCORE_E_INVALID,
                        "column \"%s\": its numbers have one meaning, so that %s does not apply",
                        name, words[meaning - ALCORE_MEANS_UNCERTAINTY]);
}

/* ALCORE_COLUMN_RAGGED and _RAGGED_DENSE are the last shapes; ANY_SHAPE is below them. */
bool alcore__column_name_is_ragged(const char *name) {
    const alcore__column_name *known = alcore__column_name_find(name);
    return known && known->shape >= ALCORE_COLUMN_RAGGED;
}

/* ALCORE_E_SHAPE when a column of this name cannot have values of this type. The message lists the
 * types that the name allows. A name without a meaning may have floats, integers or texts. context:
 * what the message calls the array. */
alcore_status alcore__column_check_dtype(const char *context, const char *name, int32_t dtype) {
    const alcore__column_name *known = alcore__column_name_find(name);
    /* By ALCORE__COLUMN_FLOATS, _INTEGERS, _TEXTS, _NUMBERS. */
    static const char *const expected[] = {"float16, bfloat16, float32 or float64",
                                           "int32 or int64", "texts",
                                           "int32, int64, float16, bfloat16, float32 or float64"};
    const bool is_float = alcore__dtype_is_float(dtype),
               is_integer = alcore__dtype_is_integer(dtype);
    const bool fits[] = {is_float, is_integer, dtype == ALCORE_TEXT, is_float || is_integer};
    if (known ? fits[known->values] : fits[ALCORE__COLUMN_TEXTS] || fits[ALCORE__COLUMN_NUMBERS])
        return ALCORE_OK;
    const char *found = dtype == ALCORE_TEXT ? "texts" : alcore__dtype_name(dtype);
    if (known)
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected %s, found %s", context,
                            expected[known->values], found);
    return alcore__fail(ALCORE_E_SHAPE, "%s: expected %s, %s, found %s", context, expected[0],
                        expected[1], found);
}
