/* SPDX-License-Identifier: Apache-2.0 */
/* Random rows with prescribed numbers for each language (spec 7.7, 7.9, 7.10; Khanuja et al. 2023):
 *
 *   egalitarian  the budget shared equally among the languages of the pool, then a random rest
 *   same-ratio   the numbers that another selection has of each language, from the rows of that
 *                selection or as counts
 *   plan         the numbers of a labeling plan, such as those of LITMUS
 *
 * Languages come in byte order of their tags; the rows of language number l are drawn without
 * replacement by the generator derive(seed, TAG, round, l). The candidates are bought in the order
 * of the draws. A position numbers the candidates from 0 in the order of their pool rows, a
 * language number the tags of the pool. The filler spends the budget: a row that is offered to it
 * is bought or passed over. No column is read and no pass is made. The candidates are sorted by
 * language once, so that a draw looks at those of its language only: as many languages as
 * candidates cost no more than one. Memory: 25 bytes a candidate, and 8 for the record "language".
 */
#include <string.h>

#include "base/number.h"
#include "base/rng.h"
#include "formats/plan_file.h"
#include "pool/pool_internal.h"
#include "strategy/budget/fill.h"
#include "strategy/budget/rank.h"
#include "strategy/strategies.h"

typedef struct draw_state {
    const char *counts, *file, *config; /* the parameters; views */
    int64_t rounds;
    int64_t language_count; /* tags of the pool, with those that no candidate has; 1 without tags */
    double *rows_to_buy;    /* [languages] how many rows to buy of each, integers; not used by
                               egalitarian, whose shares are of the budget */
    int64_t *draw_order;    /* [candidates] positions of one language, in the order of the draw */
    int64_t *members;       /* [candidates] positions of one draw, ascending */
    int64_t *by_language;   /* [candidates] positions by language, ascending within each */
    int64_t *starts;        /* [languages + 1] where each language begins in by_language */
    uint8_t *was_offered;   /* [candidates] 1: offered before, so in no later draw */
    double *shortfall;      /* [languages] by how many rows_to_buy exceeds the candidates of the
                               language; 0 for egalitarian */
    alcore__filler filler;
} draw_state;

/* The language number of the candidate at a position; 0 where the pool has no languages. */
static int32_t language_of(const alcore__run *run, int64_t position) {
    const int32_t *languages = run->input->languages;
    return languages ? languages[run->outcome.rows[position]] : 0;
}

/* Sorts the candidates by language, by counting. */
static void sort_by_language(alcore__run *run) {
    draw_state *state = run->state;
    const int64_t count = run->outcome.count;
    int64_t *starts = state->starts;
    for (int64_t i = 0; i < count; i++) starts[language_of(run, i) + 1]++;
    for (int64_t l = 0; l < state->language_count; l++) starts[l + 1] += starts[l];
    /* Each start moves to the end of its language, which is the start of the next one. */
    for (int64_t i = 0; i < count; i++) state->by_language[starts[language_of(run, i)]++] = i;
    for (int64_t l = state->language_count; l > 0; l--) starts[l] = starts[l - 1];
    starts[0] = 0;
}

/* Called once before finish, by all three: allocates the state and sorts the candidates. The pool
 * is of one language where the input names none. */
static alcore_status begin(alcore__run *run) {
    draw_state *state = run->state;
    const int64_t count = run->outcome.count;
    state->language_count = run->input->languages ? run->input->language_count : 1;
    const int64_t languages = state->language_count;
    ALCORE__TRY(alcore__filler_begin(&state->filler, run));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, languages, &state->rows_to_buy));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, languages, &state->shortfall));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->draw_order));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->members));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->by_language));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, languages + 1, &state->starts));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->was_offered));
    sort_by_language(run);
    return ALCORE_OK;
}

/* ---- draws ---- */

/* Orders the candidates that were not offered yet, those of a language or all of them (language
 * -1), at random: state->draw_order [*count] gets their positions in the order of the draw, and
 * state->members is overwritten. tag and rank: parts of the seed, derive(seed, tag, round, rank);
 * rank is the language, or the number of languages for the draw from all. */
static alcore_status draw_rows(alcore__run *run, int64_t language, uint64_t tag, uint64_t rank,
                               int64_t *count) {
    draw_state *state = run->state;
    const alcore__run_input *input = run->input;
    alcore__rng rng;
    *count = 0;
    const bool all = language < 0;
    const int64_t end = all ? run->outcome.count : state->starts[language + 1];
    for (int64_t i = all ? 0 : state->starts[language]; i < end; i++) {
        const int64_t position = all ? i : state->by_language[i];
        if (!state->was_offered[position]) state->members[(*count)++] = position;
    }
    alcore__rng_seed(&rng, alcore__rng_derive(input->seed, tag, (uint64_t)input->round, rank));
    /* A draw of all needs no memory of its own, so no context either. */
    ALCORE__TRY(alcore__rng_sample(NULL, &rng, *count, *count, state->draw_order));
    for (int64_t i = 0; i < *count; i++)
        state->draw_order[i] = state->members[state->draw_order[i]];
    return alcore__tick(run->ctx, "draws", 0, 0); /* lets the host cancel; no numbers */
}

/* Offers the first `count` entries of state->draw_order, until the budget is spent; all of them,
 * bought or not, are in no later draw. */
static alcore_status offer(alcore__run *run, int64_t count) {
    draw_state *state = run->state;
    for (int64_t i = 0; i < count; i++) state->was_offered[state->draw_order[i]] = 1;
    return alcore__filler_offer_all(&state->filler, state->draw_order, count);
}

/* The length of the longest prefix of state->draw_order [count] that costs no more than `share`, in
 * the unit of the budget. */
static int64_t count_within(const draw_state *state, int64_t count, double share) {
    double cost = 0;
    int64_t rows = 0;
    while (rows < count) {
        cost += alcore__filler_cost(&state->filler, state->draw_order[rows]);
        if (cost > share) break;
        rows++;
    }
    return rows;
}

/* Ends finish of all three strategies: records the language of each candidate, reports how many
 * rows of each language were missing, and moves the picks to the outcome; other candidates keep
 * score 0. */
static alcore_status finish_purchase(alcore__run *run) {
    draw_state *state = run->state;
    int64_t *language;
    double *shortfall;
    ALCORE__TRY(alcore__outcome_column(run, "language", ALCORE_INT64, &language));
    ALCORE__TRY(
        alcore__outcome_fact(run, "missing of each language", state->language_count, &shortfall));
    for (int64_t i = 0; i < run->outcome.count; i++) language[i] = language_of(run, i);
    memcpy(shortfall, state->shortfall, (size_t)state->language_count * sizeof *shortfall);
    alcore__filler_finish(&state->filler);
    alcore__outcome_score_picks(run);
    return ALCORE_OK;
}

/* ---- egalitarian ---- */

/* finish of egalitarian: each language has an equal share of the budget and buys as many whole rows
 * as that pays; what is left of the budget is spent on rows drawn from all remaining candidates.
 * With a budget b in rows each language buys floor(b / languages) rows, or all that it has. */
static alcore_status buy_equal_shares(alcore__run *run) {
    draw_state *state = run->state;
    int64_t count;
    double share = run->input->fill.budget / (double)state->language_count;
    for (int64_t l = 0; l < state->language_count; l++) {
        ALCORE__TRY(draw_rows(run, l, ALCORE__TAG_EGALITARIAN, (uint64_t)l, &count));
        ALCORE__TRY(offer(run, count_within(state, count, share)));
    }
    /* Language -1: from all candidates that are left. */
    ALCORE__TRY(
        draw_rows(run, -1, ALCORE__TAG_EGALITARIAN, (uint64_t)state->language_count, &count));
    ALCORE__TRY(offer(run, count));
    return finish_purchase(run);
}

/* ---- same-ratio and plan ---- */

/* Where counts come from, and how they are followed. */
typedef struct counts_source {
    const char *text; /* "hi:4,fa:2", NUL-terminated; of the parameter, also lists for rounds; NULL:
                         the rows of another selection, run->input->like */
    const char *path; /* the file of the plan; NULL: the parameter `counts` */
    int64_t line;     /* of that file, from 1 */
    int64_t rounds;   /* the counts are bought in the rounds 1 .. rounds; 1: in each round */
} counts_source;

/* Puts the place of the counts before the error text of `status`, which it returns. */
static alcore_status fail_at(const alcore__run *run, const counts_source *source,
                             alcore_status status) {
    if (source->path)
        return alcore__fail_within(status, "%s:%lld", source->path, (long long)source->line);
    return alcore__fail_within(status, "strategy %s: %s", run->def->name,
                               source->text ? "counts" : "the rows of another selection (like)");
}

/* The part of `rows` that round r of K buys: floor(r rows / K) - floor((r - 1) rows / K), which
 * adds up to rows over all rounds. With rows = q K + m the round buys q and a part of m, so that no
 * product exceeds 64 bits: K is 10^6 at most. */
static int64_t part_of_round(int64_t rows, int64_t round, int64_t rounds) {
    const int64_t rest = rows % rounds;
    return rows / rounds + round * rest / rounds - (round - 1) * rest / rounds;
}

/* Reads one "language:rows" of `length` bytes into state->rows_to_buy, which is -1 for languages
 * that were not named yet. The error lacks the place, and its status says whether a parameter or a
 * file is wrong. */
static alcore_status read_count(alcore__run *run, const counts_source *source, const char *text,
                                size_t length) {
    draw_state *state = run->state;
    const alcore_status wrong = source->path ? ALCORE_E_DATA : ALCORE_E_PARAM;
    const char *colon = memchr(text, ':', length);
    const size_t tag_bytes = colon ? (size_t)(colon - text) : length;
    int64_t rows;
    if (!colon || !alcore__parse_int(colon + 1, length - tag_bytes - 1, &rows) || rows < 0)
        return alcore__fail(wrong,
                            "\"%.*s\" is not a language, a colon and a number of rows, such as "
                            "hi:40",
                            (int)length, text);
    const alcore__run_input *input = run->input;
    int64_t language = alcore__tag_find(
        input->language_tags, input->languages ? input->language_count : 0, text, tag_bytes);
    if (language < 0)
        return alcore__fail(wrong, "the pool has no row of the language %.*s", (int)tag_bytes,
                            text);
    if (state->rows_to_buy[language] >= 0)
        return alcore__fail(wrong, "the language %.*s is named twice", (int)tag_bytes, text);
    if (source->rounds > 1) rows = part_of_round(rows, run->input->round, source->rounds);
    state->rows_to_buy[language] = (double)rows;
    return ALCORE_OK;
}

/* Where the budget is in rows (there are no costs), refuses counts, state->rows_to_buy, whose sum
 * is above it, as an error of a parameter: the budget may be wrong as well as a file. */
static alcore_status check_total(const alcore__run *run, const counts_source *source) {
    const draw_state *state = run->state;
    double total = 0;
    for (int64_t l = 0; l < state->language_count; l++) total += state->rows_to_buy[l];
    if (run->input->costs || total <= run->input->fill.budget) return ALCORE_OK;
    alcore__fail(ALCORE_E_PARAM, "%.0f rows are more than the budget of %.0f", total,
                 run->input->fill.budget);
    return fail_at(run, source, ALCORE_E_PARAM);
}

/* Reads the counts of this round into state->rows_to_buy [languages], in rows, 0 for a language
 * that is not named. source->text: "hi:4,fa:2" for every round, or several such lists, one for each
 * round, with semicolons between them; rounds after the end use the last list. */
static alcore_status read_counts(alcore__run *run, const counts_source *source) {
    draw_state *state = run->state;
    const char *text = source->text;
    for (int64_t round = 1; round < run->input->round && strchr(text, ';'); round++)
        text = strchr(text, ';') + 1;
    const char *end = text + strcspn(text, ";");
    for (int64_t l = 0; l < state->language_count; l++) state->rows_to_buy[l] = -1;
    while (text < end) {
        size_t length = strcspn(text, ",;");
        const alcore_status status = read_count(run, source, text, length);
        if (status != ALCORE_OK) return fail_at(run, source, status);
        text += length + (text + length < end);
    }
    for (int64_t l = 0; l < state->language_count; l++)
        if (state->rows_to_buy[l] < 0) state->rows_to_buy[l] = 0;
    return check_total(run, source);
}

/* Counts the rows of another selection in each language into state->rows_to_buy [languages], 0
 * before the call. A row that is listed twice counts twice. */
static alcore_status count_like(alcore__run *run, const counts_source *source) {
    draw_state *state = run->state;
    const alcore__run_input *input = run->input;
    for (int64_t i = 0; i < input->like_count; i++) {
        const int64_t row = input->like[i];
        if (row < 0 || row >= input->candidates.rows) {
            alcore__fail(ALCORE_E_NOT_FOUND, "there is no row %lld, the pool has %lld",
                         (long long)row, (long long)input->candidates.rows);
            return fail_at(run, source, ALCORE_E_NOT_FOUND);
        }
        state->rows_to_buy[input->languages ? input->languages[row] : 0] += 1;
    }
    return check_total(run, source);
}

/* Adds a row to each of the `count` languages with the largest remainders [languages]. */
static alcore_status add_rows(alcore__run *run, const double *remainder, int64_t count) {
    draw_state *state = run->state;
    int64_t *order; /* [count] languages, the largest remainder first, of equal ones the earlier */
    if (count > state->language_count) count = state->language_count;
    if (count <= 0) return ALCORE_OK;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &order));
    ALCORE__TRY(alcore__rank(run->ctx, remainder, NULL /* no rows */, state->language_count,
                             ALCORE__TIE_INDEX, 0 /* seed */, count, order));
    for (int64_t i = 0; i < count; i++) state->rows_to_buy[order[i]] += 1;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* counts=proportional: sets state->rows_to_buy to shares of the expected number of picks,
 * proportional to how many candidates each language has. They are rounded down; the rows left over
 * go to the languages with the largest remainders, one to each, of equal remainders to the earlier
 * language. There is a candidate: without one no strategy runs. */
static alcore_status share_proportionally(alcore__run *run) {
    draw_state *state = run->state;
    double rows = alcore__expected_picks(run), left = rows;
    double *remainder; /* [languages] number of candidates, then the part that was rounded off */
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->language_count, &remainder));
    for (int64_t i = 0; i < run->outcome.count; i++) remainder[language_of(run, i)] += 1;
    for (int64_t l = 0; l < state->language_count; l++) {
        double exact = remainder[l] * rows / (double)run->outcome.count;
        state->rows_to_buy[l] = (double)(int64_t)exact;
        remainder[l] = exact - state->rows_to_buy[l];
        left -= state->rows_to_buy[l];
    }
    /* Fewer rows are left than there are languages, as less than one was rounded off each. */
    ALCORE__TRY(add_rows(run, remainder, (int64_t)left));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Draws rows_to_buy rows of each language and offers them to the budget; where the language has too
 * few, all of them, and the rest is counted as missing. tag: ALCORE__TAG_* of the strategy's draws;
 * source->text: "proportional", what read_counts() reads, or NULL. */
static alcore_status buy_counts(alcore__run *run, uint64_t tag, const counts_source *source) {
    draw_state *state = run->state;
    const bool proportional =
        !source->path && source->text && strcmp(source->text, "proportional") == 0;
    ALCORE__TRY(proportional    ? share_proportionally(run)
                : !source->text ? count_like(run, source)
                                : read_counts(run, source));
    for (int64_t l = 0; l < state->language_count; l++) {
        int64_t count, rows_to_buy = (int64_t)state->rows_to_buy[l];
        if (rows_to_buy == 0) continue;
        ALCORE__TRY(draw_rows(run, l, tag, (uint64_t)l, &count));
        if (count < rows_to_buy) state->shortfall[l] = (double)(rows_to_buy - count);
        ALCORE__TRY(offer(run, count < rows_to_buy ? count : rows_to_buy));
    }
    return finish_purchase(run);
}

/* finish of same-ratio: the counts are those of the rows of another selection, where the request
 * names such rows, or those of its parameter. Counts of the rows are reported as a fact, as no
 * parameter tells them. */
static alcore_status buy_same_ratio(alcore__run *run) {
    const draw_state *state = run->state;
    const char *counts = state->counts;
    const bool has_like = run->input->has_like;
    const counts_source source = {.text = has_like ? NULL : counts, .rounds = 1};
    double *wanted;
    if (has_like && strcmp(counts, "proportional") != 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "strategy same-ratio: both counts and the rows of another selection "
                            "(like) say how many rows are wanted");
    ALCORE__TRY(buy_counts(run, ALCORE__TAG_SAME_RATIO, &source));
    if (!has_like) return ALCORE_OK;
    ALCORE__TRY(
        alcore__outcome_fact(run, "rows of each language in like", state->language_count, &wanted));
    memcpy(wanted, state->rows_to_buy, (size_t)state->language_count * sizeof *wanted);
    return ALCORE_OK;
}

/* Checks the parameters of plan that say in how many rounds it is followed. The counts are those of
 * all rounds, so that neither shares of one round's budget nor lists for single rounds make sense.
 */
static alcore_status check_rounds(const alcore__run *run, const char *path, const char *counts,
                                  int64_t rounds) {
    const long long round = run->input->round;
    if (rounds == 1) return ALCORE_OK;
    if (round > rounds)
        return alcore__fail(ALCORE_E_PARAM,
                            "strategy plan: the plan is followed in %lld rounds, and this is round "
                            "%lld",
                            (long long)rounds, round);
    if (path[0] == '\0' && (strcmp(counts, "proportional") == 0 || strchr(counts, ';')))
        return alcore__fail(ALCORE_E_PARAM,
                            "strategy plan: rounds=%lld spreads one list of counts, such as "
                            "hi:40,fa:20, or a file over the rounds",
                            (long long)rounds);
    return ALCORE_OK;
}

/* finish of plan: the counts come from its file or, without one, from the parameter `counts`.
 * Parameters that contradict each other are refused. from_file gets the counts of this
 * round or, with rounds above 1, those of all rounds together, which are then shared out; config is
 * as of alcore__plan_file_find(). */
static alcore_status buy_plan(alcore__run *run) {
    const draw_state *state = run->state;
    const char *path = state->file, *counts = state->counts, *config = state->config;
    const int64_t rounds = state->rounds;
    counts_source source = {.text = counts, .rounds = rounds};
    alcore__buffer from_file = {0};
    ALCORE__TRY(check_rounds(run, path, counts, rounds));
    if (path[0] == '\0' && config[0] != '\0')
        return alcore__fail(
            ALCORE_E_PARAM,
            "strategy plan: config names a configuration of a file, but there is no "
            "file");
    if (path[0] == '\0') return buy_counts(run, ALCORE__TAG_PLAN, &source);
    if (strcmp(counts, "proportional") != 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "strategy plan: both counts and a file say how many rows are wanted");
    alcore_status status = alcore__plan_file_find(
        run->ctx, path, config, rounds > 1 ? 0 : run->input->round, &from_file, &source.line);
    source.path = path;
    source.text = from_file.data;
    if (status == ALCORE_OK) status = buy_counts(run, ALCORE__TAG_PLAN, &source);
    alcore__buffer_clear(run->ctx, &from_file);
    return status;
}

/* ---- definitions ---- */

static const alcore__param_table NO_PARAMS = {.rows = NULL, .count = 0};
#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, draw_state, member)
#define COUNTS_PARAM                                                                               \
    {                                                                                              \
        "counts", ALCORE_PARAM_TEXT, "proportional", 0, 0, NULL,                                   \
            "rows of each language, such as hi:40,fa:20; lists for several rounds are separated "  \
            "by semicolons, and the last one stays; proportional: as the languages of the "        \
            "candidates",                                                                          \
            STATE(counts)                                                                          \
    }
static const alcore__param RATIO_ROWS[] = {COUNTS_PARAM};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param PLAN_ROWS[] = {
    COUNTS_PARAM,
    {"file", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "file of the plan, in the place of counts: lines of a configuration, a round (* is every "
     "round) and counts, separated by tabs",
     STATE(file)},
    {"config", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "configuration of the file to follow; may be empty where the file has one only",
     STATE(config)},
    {"rounds", ALCORE_PARAM_INTEGER, "1", 1, 1e6, NULL,
     "above 1: the counts are those of this many rounds together, and each round labels an equal "
     "part of them, rounded so that the parts add up",
     STATE(rounds)},
};

#define LANGUAGE_DRAW                                                                              \
    .reason = "drawn at random within its language", .reads_languages = true,                      \
    .rows_depend_on_budget = true, .by_passes = true, .state_bytes = sizeof(draw_state),           \
    .begin = begin

const alcore__strategy_def alcore__strategy_egalitarian = {
    .name = "egalitarian",
    .summary = "Rows drawn at random, equally many of each language (EGALITARIAN of DeMuX)",
    .params = &NO_PARAMS,
    .finish = buy_equal_shares,
    LANGUAGE_DRAW,
};

const alcore__strategy_def alcore__strategy_same_ratio = {
    .name = "same-ratio",
    .summary = "Rows drawn at random, as many of each language as another selection has (DeMuX)",
    .params = ALCORE__PARAMS(RATIO_ROWS),
    .reads_like = true,
    .finish = buy_same_ratio,
    LANGUAGE_DRAW,
};

const alcore__strategy_def alcore__strategy_plan = {
    .name = "plan",
    .summary = "Rows drawn at random, as many of each language as a labeling plan says (LITMUS)",
    .params = ALCORE__PARAMS(PLAN_ROWS),
    .finish = buy_plan,
    LANGUAGE_DRAW,
};
