/* SPDX-License-Identifier: Apache-2.0 */
/* A selection: the picks of one budget and everything that is derived from them, as handle, text,
 * file and stream.
 *
 *   selection_handle.c       the handle: made from the outcome of a run, read by accessors
 *   selection_ranking.c      what the selections of all budgets share, copied from the request
 *   selection_join.c         that of a hybrid, from the selections of its parts
 *   selection_reason.c, _rare_words.c, _phrases.c    a line for each pick: why it was made
 *   selection_remedies.c, _provenance.c, _summary.c  what is said of the whole
 *   selection_write.c, _arrow.c, _report.c, report_chart.c   the formats it is handed out in
 *   phrase_measures.c        columns of phrases, made before a selection from them
 *
 * A selection is made once, by request_answer.c or request_hybrid.c, and never changes, except that
 * the ranks of all candidates are made when they are first read. Only making it and handing out
 * texts needs the pool locked for reading. Its arrays [picks], which is also [count], are by rank;
 * files and reasons count ranks from 1. Arrays [candidates] are by position.
 *
 * Words of this room:
 *
 *   input       a pool of the request (alcore__input_pool), or a column of one that the strategy
 *               read, and who made it (alcore__input_column)
 *   built in    made by the n-gram model because neither a model nor a column was named
 *   texts       of a pool of phrases: the pool that it was derived from
 *   context     a row of the texts that contains a phrase
 *   index       the row that files give a pick; of a phrase that of its first occurrence
 *   alone       the strategy that one term of the score would be, and what it would have bought */
#ifndef ALCORE__SELECTION_INTERNAL_H
#define ALCORE__SELECTION_INTERNAL_H

#include "alcore/remedy.h"
#include "alcore/selection.h"
/* alcore__json_out: a JSON document on its way; the first failure stays in `status`, later calls do
 *     nothing, and who opened it asks once, at the end. A key is NULL inside an array. */
#include "formats/json_text.h"
/* alcore__masks, alcore__resolution, alcore__text_rows, ALCORE__CAUSE_*: the rows that took part,
 *     the columns that were read, and why rows were masked.
 * alcore__strategy_values(), _scores(), _measure(), and `reason` of alcore__strategy_def_of(): its
 *     parameters, none of a host's; whether it computes a score of each row first; what a score
 *     measures, and the one reason that all of its picks have (NULL: it is made from the score),
 *     static strings.
 * alcore__column_fingerprint(): a hash of the values; alcore__pool_unspaced_share(): of the
 *     letters, those of scripts without spaces; alcore__phrase_source_rows(): rows of the texts.
 * alcore__record_column: values [candidates], 8 bytes each by dtype; words, where there are any:
 *     what files write in place of 0, 1, ...
 * alcore__term: name in words, small letters of ASCII that need no escape; column and within, names
 *     of record columns: of its values, float64, and of the group in which a value is compared,
 *     int64, which is also the noun in a reason. All of these are static. */
#include "request/request_internal.h"
#include "scorer/role_place.h"

/* The parts of a hybrid: of its strategy, as alcore__strategy_part() tells them, and of a selection
 * by it. */
enum { ALCORE__SENTENCES = 0, ALCORE__PHRASES = 1, ALCORE__PARTS = 2 };

/* A column that the strategy read, as the provenance describes it. */
typedef struct alcore__input_column {
    int32_t role;            /* ALCORE_ROLE_* of the pool that has the column */
    bool built_in;           /* the n-gram model made it without being asked for */
    char name[32];           /* of the column */
    char *origin;            /* who made it: "given", a path, "model ngram ..."; owned */
    int64_t rows, dims;      /* rows of the pool when the column was set; values a row or token */
    int32_t dtype;           /* ALCORE_FLOAT32, ... */
    bool ragged;             /* a list of tokens per row */
    const char *engine;      /* static: what ran the model that made it; NULL: no model made it */
    int32_t device;          /* number of the CUDA device that it is on; -1: on the host */
    uint64_t fingerprint;    /* of its values; 0 where a model made them or they are on a device */
    int64_t cut, cut_at;     /* texts that its model cut, and to how many tokens */
    char *warnings;          /* of its model's folder, a JSON array of texts; owned; NULL: none */
    bool reused;             /* earlier rounds were asked for values (max_age) */
    alcore__reuse_use reuse; /* where they were */
    bool lost;               /* what a model computed could not be kept in the cache */
    bool
        in_shards; /* it lies in the shards of a job: the summary tells of it, the provenance, which
                       has a fingerprint of each column, does not */
} alcore__input_column;

/* The pool of one role, as the provenance describes it. */
typedef struct alcore__input_pool {
    int32_t role;         /* ALCORE_ROLE_*; 0: the request has no pool in this role */
    int64_t rows, used;   /* rows of the pool, and how many of them took part */
    uint64_t fingerprint; /* of the pool */
    char *unread;         /* a JSON array of its given columns that were not read, owned; NULL: all
                             were */
} alcore__input_pool;

/* What the selections of one request share: everything that does not depend on the budget. Made
 * once, then only read; reference-counted, as the selections may be released in any order. */
typedef struct alcore__ranking {
    alcore__object object;
    alcore_pool *pool;       /* of the candidates; one reference */
    alcore__outcome outcome; /* candidates, scores and record; its picks have been moved out */

    /* What was asked. Texts are owned unless they are static. */
    char *strategy;   /* its name */
    bool recommended; /* the request named none, or asked for the recommended one */
    /* What the request has and the recommended strategy did not read, names with ", " between:
     * "model", given columns (of other roles "labeled.NAME", "target.NAME"), options of models;
     * owned. NULL: nothing, or a strategy was named */
    char *ignored;
    char *masks; /* where it is the recommended one: its masks, "all", "none" or names; else NULL */
    const char *summary; /* static: what the strategy picks; NULL: a host's */
    const char *reason,
        *measure;     /* static: words for reasons (alcore__strategy_def_of()->reason); reason
                                     may be NULL */
    bool scored;      /* the strategy computed scores from columns first */
    char *parameters; /* JSON object of every parameter of the strategy */
    char *command;    /* JSON array of the command line; NULL: it was not given */
    char *options;    /* JSON object of every option of the request but "command" */
    uint64_t seed;
    int64_t round;
    int32_t unit; /* ALCORE_UNIT_* of the budgets */
    alcore__price price;
    int32_t fill_policy; /* ALCORE__FILL_* */
    const char *engine;  /* static: name of the engine whose kernels the strategy ran on */
    char *device;        /* the option "device" as it was set */

    /* Where the input came from. */
    alcore__input_pool inputs[ALCORE__NEED_ROLES]; /* by ALCORE__ROLE() */
    int32_t input_column_count;
    alcore__input_column input_columns[ALCORE__RESOLVED_MAX]; /* [input_column_count] used */
    int64_t by_cause[ALCORE__CAUSES]; /* masked rows of the candidates' pool by their first cause */
    int64_t pool_rows;                /* of the candidates' pool */
    int64_t text_rows; /* rows in which the phrases of a pool of phrases are counted; else 0 */
    alcore__text_rows texts; /* of the pool of texts that the request derived the phrases from */
    /* share of letters in scripts without spaces, for budgets of words; else 0 */
    double unspaced_share;
} alcore__ranking;

enum { ALCORE__REMEDIES = 4, ALCORE__CONTEXTS = 3 };

/* Arrays are owned by the selection; those [count] are in rank order. */
struct alcore_selection {
    alcore__object object;
    alcore__ranking *ranking; /* one reference */
    alcore__purchase bought;  /* what the budget bought, with its explanation; bought.picks [count],
                                 by rank, are positions among the candidates */
    int64_t count;            /* of picks */
    int64_t *rows;            /* [count] pool row of each pick */
    double *scores,
        *costs;     /* [count] score and cost of each pick, costs in the unit of the budget */
    char **reasons; /* [count] one line each; the strings lie in reason_arena */
    alcore__arena reason_arena;
    int64_t *ranks; /* [candidates] that alcore__selection_ranks() made, or NULL */
    /* Where the pool is one of phrases (selection_phrases.c), contexts of a hybrid too; else NULL:
     */
    int64_t *occurrences; /* [count] occurrences of the pick in the texts */
    int64_t *phrase_rows; /* [count] rows of the texts that contain it */
    int64_t *contexts;    /* [count, ALCORE__CONTEXTS] the lowest of them, -1: there is none */
    int64_t *longer;      /* [count] phrases of more words that could have been bought */
    int64_t *containing;  /* [count] those of them that contain this pick */
    void *pick_columns[ALCORE__RECORD_COLUMNS]; /* [count] each: the record columns of the picks, by
                                                   the index of ranking->outcome.columns */
    char *provenance, *summary;                 /* a JSON object; text of several lines */
    int64_t shapes[2]; /* numbers of picks and of candidates: shapes of tensors point here */
    int64_t words, characters; /* of all picks together */
    double units;              /* their sum in the cost column; NaN: a pick has no cost */
    double money;              /* what they cost by the request's price; NaN: there is no price, or
                                  it is for a cost column in which a pick has no cost */
    int32_t remedy_count;
    alcore_remedy remedies[ALCORE__REMEDIES]; /* [remedy_count] used */
    /* Of a hybrid strategy: the selections of sentences and of phrases whose picks these are, one
     * reference each; else NULL. */
    alcore_selection *parts[ALCORE__PARTS];
    /* The selections of the request's other budgets, owned by the selection of the first budget. */
    alcore_selection **siblings; /* [sibling_count] in the order of the budgets; NULL: one budget */
    int32_t sibling_count;
};

/* Whether the picks are those of both parts of a hybrid. */
static inline bool alcore__selection_is_joined(const alcore_selection *selection) {
    return selection->parts[ALCORE__SENTENCES] != NULL;
}

/* Makes the selections of all budgets from the outcome of a run: *out, with one reference, is the
 * selection of the first budget and owns the others. The contents of outcome move to them, and it
 * is left zeroed, after a failure too once a ranking was allocated. Called by request_answer.c with
 * the pools locked for reading. */
alcore_status alcore__selection_new(const alcore_request *request, const alcore_strategy *strategy,
                                    const alcore__run_input *input, const alcore__masks *masks,
                                    const alcore__resolution *resolution, alcore__outcome *outcome,
                                    alcore_selection **out);

/* Makes what the selections share: *out, with one reference. The contents of outcome move to the
 * ranking, and it is left zeroed once the ranking is allocated. The pools are locked for reading.
 */
alcore_status alcore__ranking_new(const alcore_request *request, const alcore_strategy *strategy,
                                  const alcore__run_input *input, const alcore__masks *masks,
                                  const alcore__resolution *resolution, alcore__outcome *outcome,
                                  alcore__ranking **out);
/* How many texts the request's mask of texts that counts for a cause has left out. */
int64_t alcore__ranking_text_masked(const alcore__ranking *ranking, int32_t cause);

/* Makes the selection of one purchase, *out with one reference, set on success only; it adds one to
 * the ranking. The contents of *purchase move to it, are freed on failure too, and *purchase is
 * left zeroed. costs [rows of the ranking's pool] in the unit of the budget; NULL: every row costs
 * 1. parts: the selections of sentences and of phrases of a hybrid, whose reasons are copied; NULL:
 * the strategy is no hybrid, and reasons are made. */
alcore_status alcore__selection_make(alcore__ranking *ranking, const double *costs,
                                     alcore__purchase *purchase, alcore_selection *const *parts,
                                     alcore_selection **out);

/* Gives a pool of phrases the columns "scores" and "embeddings" from columns of its texts: entries
 * of `columns` in the order of alcore__phrase_measure_needs, then alcore__phrase_links where the
 * texts have that column. Called by request_answer.c, once the phrases are derived, with the texts
 * locked for reading and the phrases not locked: nobody else has that pool yet, and setting its
 * columns takes its lock for writing, which fails where it is locked (phrase_measures.c). */
alcore_status alcore__measure_phrases(const alcore_pool *texts, const alcore__resolution *columns,
                                      alcore_pool *phrases);
/* The needs of columns of the texts by which phrases are measured: "logprobs" of their tokens, and
 * vectors, "word_embeddings|embeddings". Ends with NULL. */
extern const char *const alcore__phrase_measure_needs[];
extern const char alcore__phrase_links[]; /* "links", a column that is read where it is given */

/* Makes the selection of both parts of a hybrid, sentences and phrases, whose budget together is
 * `budget`: *out, with one reference and one to each part. Called by request_hybrid.c for each
 * budget, without locks on the pools; the pool of texts is locked while it is read. */
alcore_status alcore__selection_join(const alcore_request *request,
                                     alcore_selection *const parts[ALCORE__PARTS], double budget,
                                     alcore_selection **out);
/* Stores references to the parts of a hybrid in a new selection of their picks and copies their
 * reasons and contexts: what else is derived from a run, and here is the parts'. */
alcore_status alcore__selection_copy_parts(alcore_selection *selection,
                                           alcore_selection *const parts[ALCORE__PARTS]);
/* Makes the ranking of such a selection, like that of the sentences, over the pool of its picks.
 * The contents of outcome move to it. */
alcore_status alcore__ranking_join(const alcore_request *request, const alcore__ranking *sentences,
                                   alcore_pool *picks, alcore__outcome *outcome,
                                   alcore__ranking **out);

/* What is derived from the picks of a new selection, once, when its arrays [picks] are there: the
 * arrays of phrases (nothing where the picks are rows); the reasons, which read these; then the
 * remedies, the provenance as JSON and the summary, in any order. The first failure ends the
 * making; release() frees what was made. */
alcore_status alcore__selection_find_phrases(alcore_selection *selection);
alcore_status alcore__selection_reasons(alcore_selection *selection);
void alcore__selection_find_remedies(alcore_selection *selection);
alcore_status alcore__selection_write_provenance(alcore_selection *selection);
alcore_status alcore__selection_write_summary(alcore_selection *selection);
/* Whether the built-in n-gram model made a column of the selection, or of a part of a hybrid,
 * without being asked for. */
bool alcore__selection_is_built_in(const alcore_selection *selection);
/* Writes the members of the provenance but "schema", which the caller writes before them, into a
 * JSON object that is open: of the provenance itself, or of the JSON report. */
void alcore__selection_put_provenance(const alcore_selection *selection, alcore__json_out *json);
/* *out [candidates]: the rank of each candidate among the picks, -1: it is no pick. A view, made
 * when it is first asked for; any thread. */
alcore_status alcore__selection_ranks(const alcore_selection *selection, int64_t **out);
/* Append the part of a reason that is about a phrase, and the member "contexts" of an object of
 * JSON. The former is called for picks of a pool of phrases only, whose arrays and text_rows are
 * there; the latter appends nothing where the picks are no phrases. */
alcore_status alcore__selection_put_phrase(const alcore_selection *selection, int64_t rank,
                                           alcore__buffer *line);
void alcore__selection_put_contexts(const alcore_selection *selection, int64_t rank,
                                    alcore__json_out *json);
/* The row that files call the index of a pick: its row, or for a phrase the row of its first
 * occurrence, which is the record column "first_row" where the strategy has it. */
int64_t alcore__selection_index(const alcore_selection *selection, int64_t rank);
/* Whether a record column is that index, which files do not repeat. */
bool alcore__selection_is_index(const alcore_selection *selection, int32_t column);
/* The term of the score whose values a record column contains; NULL: no term's. */
const alcore__term_part *alcore__selection_term_of(const alcore_selection *selection,
                                                   const char *column);
/* Whether the standard deviation of one weighted term in the score is more than five times that of
 * another, so that it decides nearly alone. Where two terms have a weight, *wide and *narrow are
 * the terms of the largest and of the smallest deviation. */
bool alcore__selection_lopsided(const alcore_selection *selection, const alcore__term_part **wide,
                                const alcore__term_part **narrow);

/* Text for people that is being written. The first failure stays in status, and later calls do
 * nothing. */
typedef struct alcore__page {
    alcore_ctx *ctx;
    alcore__buffer *text;
    alcore_status status;
} alcore__page;
/* Appends formatted text. */
#define alcore__say(page, ...)                                                                     \
    do {                                                                                           \
        if ((page)->status == ALCORE_OK)                                                           \
            (page)->status = alcore__buffer_format((page)->ctx, (page)->text, __VA_ARGS__);        \
    } while (0)
/* `part` of `whole` in whole per cent, rounded half up; whole is above 0. */
static inline int64_t alcore__percent(int64_t part, int64_t whole) {
    return (200 * part + whole) / (2 * whole);
}
/* 1234567 as "1,234,567". */
const char *alcore__thousands(int64_t value, char out[32]);
/* An amount of a budget: integers with thousands, others in the fewest digits. */
const char *alcore__amount(double value, char out[40]);
/* An amount of money: two decimals and the currency, "1,773.00 EUR". */
const char *alcore__money(double value, const char *currency, char out[64]);

/* ---- drawings of the HTML report (report_chart.c) ---- */

enum {
    ALCORE__CHART_WIDTH = 640, /* of a drawing, in pixels */
    ALCORE__CHART_ROW = 22,    /* height of a bar and the gap to the next one */
    ALCORE__CHART_LABEL = 170  /* width of a bar's label */
};
/* Begins a drawing `height` pixels high under a heading. title is a literal without characters that
 * HTML would read as marks. */
void alcore__chart_open(alcore__page *page, const char *title, int height);
void alcore__chart_close(alcore__page *page);
/* Draws bar number `bar`, from 0 at the top: the label on its left, the text `number` behind its
 * end. share: the bar's length as a part of the longest possible, 0 to 1. The label may be a name
 * from outside, so it is escaped; long labels are not cut. */
void alcore__chart_bar(alcore__page *page, int bar, const char *label, double share,
                       const char *number);
/* Append self-contained SVG to the page: the picks among the candidates by the first two terms of
 * the score, the budget and what was spent, and counts of picks by name (shares [count], the most
 * frequent first). Nothing is drawn for what the selection lacks. */
void alcore__chart_terms(const alcore_selection *selection, alcore__page *page);
void alcore__chart_budget(const alcore_selection *selection, alcore__page *page);
typedef struct alcore__share {
    const char *name; /* of a language or a group, borrowed from the pool */
    int64_t count;    /* of picks with that name */
} alcore__share;
/* Counts names in place: shares [*count] has an entry with count 1 for each pick before, and an
 * entry for each name after, the most frequent first, equal counts by name. */
void alcore__shares_count(alcore__share *shares, int64_t *count);
void alcore__chart_shares(const char *title, const alcore__share *shares, int64_t count,
                          alcore__page *page);

#endif
