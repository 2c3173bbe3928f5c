/* SPDX-License-Identifier: Apache-2.0 */
/* The training set and the run that makes it (alcore/extra/mix.h; docs/spec/mixing.md), for the
 * files of this folder: mix_handle.c has the handle and the order of the work, mix_inputs.c what is
 * needed, mix_labeled.c random and retrieved pairs, mix_phrases.c switched and contextualized ones,
 * mix_summary.c the summary and the provenance, mix_write.c the files. */
#ifndef ALCORE__MIX_INTERNAL_H
#define ALCORE__MIX_INTERNAL_H

#include "alcore/extra/mix.h"
#include "base/base.h"
#include "extra/annotation/annotation_list.h"
#include "extra/mix/switch_pair.h"

/* What pairs are, in the order in which they appear. */
typedef enum alcore__mix_kind {
    ALCORE__MIX_SENT,
    ALCORE__MIX_PHRASE,
    ALCORE__MIX_RANDOM,
    ALCORE__MIX_RETRIEVED,
    ALCORE__MIX_SWITCHED,
    ALCORE__MIX_CONTEXTUALIZED,
    ALCORE__MIX_KINDS
} alcore__mix_kind;
/* "sent", "phrase", "random", ... */
const char *alcore__mix_kind_name(alcore__mix_kind kind);

/* The integer columns, in the order of alcore_mix_builtin_column_name(). */
typedef enum alcore__mix_column {
    ALCORE__MIX_LABELED_ROW,
    ALCORE__MIX_POOL_ROW,
    ALCORE__MIX_ITEM,
    ALCORE__MIX_WORD,
    ALCORE__MIX_TARGET_FIRST,
    ALCORE__MIX_TARGET_END,
    ALCORE__MIX_COLUMNS
} alcore__mix_column;

/* One pair. Texts are views of the labeled pool, of the annotations or of alcore_mix.strings. */
typedef struct alcore__mix_pair {
    alcore__mix_kind kind;
    const char *source, *target;
    size_t source_length, target_length;  /* bytes */
    int64_t numbers[ALCORE__MIX_COLUMNS]; /* by column; -1: the pair has no such value */
    double score;                         /* NaN: none */
} alcore__mix_pair;

/* The options with their effective values. */
typedef struct alcore__mix_settings {
    bool wanted[ALCORE__MIX_KINDS]; /* of random to contextualized: mixed in */
    alcore__span span;
    /* count: pairs of each kind mixed in; subset: most pairs of L'; k: neighbors in a margin ratio;
     * upsample_phrase: how often the annotated phrases are written; round: of the draw, from 1. */
    int64_t count, subset, k, upsample_phrase, round;
    uint64_t seed;
    bool unique, norm;    /* retrieved sources differ; pairs are compared by log10 p a word */
    bool count_given;     /* false: count follows from the annotated words */
    int64_t budget_words; /* words of all annotated items, where count follows from them */
} alcore__mix_settings;

struct alcore_mix {
    alcore__object object;
    alcore_pool *labeled, *pool;     /* references, or NULL */
    alcore_annotations *annotations; /* a reference, or NULL */
    alcore__arena strings;           /* texts of pairs that were made */
    alcore__mix_pair *pairs;         /* [count] */
    size_t capacity;
    int64_t count;
    alcore__mix_settings settings;
    int64_t made[ALCORE__MIX_KINDS];         /* pairs of each kind */
    int64_t without_pair[ALCORE__MIX_KINDS]; /* sentences that gave no switched pair */
    int64_t labeled_pairs, subset_pairs; /* pairs of the labeled pool; of L', the sample of them */
    /* Items of the annotations that are left out, as they have no answer yet, or none for good. */
    int64_t open_items, untranslatable_items;
    const char *embeddings, *language_model, *links; /* where they came from, static texts; NULL:
                                                        not needed */
    uint64_t lm_fingerprint;
    int64_t *columns[ALCORE__MIX_COLUMNS]; /* [count] each, for alcore_mix_column() */
    double *scores;                        /* [count] */
    int64_t shape[1];                      /* {count} */
    alcore__buffer summary, provenance;
};

/* The work on a training set that is being made. */
typedef struct alcore__mix_run {
    alcore_ctx *ctx;
    alcore_mix *mix;
    const alcore_mix_options *options; /* the caller's, read */
    int64_t *rows;              /* [subset_pairs] rows of the labeled pool in L', ascending */
    uint8_t *in_subset;         /* [rows of labeled] 1: the row is in L' */
    uint8_t *in_pool;           /* [rows of pool] 1: the row is unmasked */
    const alcore__links *links; /* of the rows of labeled; NULL: not needed */
    alcore__links made_links;   /* where the library made them */
    alcore_lm *lm;              /* a reference; NULL: not needed */
    /* [rows of pool] row of L' with the largest margin ratio; NULL: not computed */
    int64_t *nearest;
} alcore__mix_run;

/* Polls cancellation at every 1024th row, item or pair of a loop. */
static inline alcore_status alcore__mix_poll(alcore_ctx *ctx, int64_t i) {
    return i % 1024 == 0 ? alcore__tick(ctx, NULL /* as said */, 0, -1) : ALCORE_OK;
}
/* Appends a pair; numbers and score begin as "none". *out: the pair, valid until the next one. */
alcore_status alcore__mix_append(alcore_mix *mix, alcore__mix_kind kind, alcore__mix_pair **out);
/* Appends a pair whose texts are those of a row of the labeled pool. */
alcore_status alcore__mix_append_labeled(alcore_mix *mix, alcore__mix_kind kind, int64_t row,
                                         alcore__mix_pair **out);

/* ---- mix_inputs.c ---- */

/* Without locks: makes the embeddings that are missing, and sets settings.count where the caller
 * left it to the default. */
alcore_status alcore__mix_prepare(alcore__mix_run *run);
/* With the pools locked: draws L', lists the unmasked rows, and trains or borrows the language
 * model and the links; each only where one of the run's kinds reads it. */
alcore_status alcore__mix_inputs(alcore__mix_run *run);
/* The margin ratios between L' and the unmasked rows of the pool. of_labeled: the largest of each
 * row of the labeled pool, ratios [its rows]; else of each row of the pool, and the row of L' that
 * has it, nearest [rows of pool]. */
alcore_status alcore__mix_ratios(alcore__mix_run *run, bool of_labeled, double *ratios,
                                 int64_t *nearest);
void alcore__mix_run_clear(alcore__mix_run *run);

/* ---- mix_labeled.c, mix_phrases.c, mix_summary.c ---- */

alcore_status alcore__mix_random(alcore__mix_run *run);
alcore_status alcore__mix_retrieved(alcore__mix_run *run);
/* kind: switched or contextualized. */
alcore_status alcore__mix_phrases(alcore__mix_run *run, alcore__mix_kind kind);
alcore_status alcore__mix_describe(alcore_mix *mix);

#endif
