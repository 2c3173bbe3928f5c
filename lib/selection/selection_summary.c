/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a selection: text of several lines for people. It says what happened and names no
 * option or function; what can be done about it is in the selection's remedies, which each front
 * end turns into words of its own. Each say_...() writes the lines of one subject, or none. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "request/text_masks.h"
#include "selection/selection_internal.h"
#include "strategy/strategies.h"

const char *alcore__thousands(int64_t value, char out[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    int write = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) out[write++] = ',';
        out[write++] = digits[i];
    }
    out[write] = '\0';
    return out;
}

/* An integer below 9e15, which a double holds exactly, has thousands. */
const char *alcore__amount(double value, char out[40]) {
    if (value == floor(value) && fabs(value) < 9e15) return alcore__thousands((int64_t)value, out);
    alcore__print_double(value, out);
    return out;
}

/* Amounts of 9e13 or more, whose cents a double does not hold, are written with four digits and an
 * exponent. */
const char *alcore__money(double value, const char *currency, char out[64]) {
    char cents[16], whole[32];
    double rounded = floor(value * 100 + 0.5);
    if (!(rounded < 9e15)) {
        alcore__format(out, 64, "%.4g%s%s", value, currency[0] != '\0' ? " " : "", currency);
        return out;
    }
    snprintf(cents, sizeof cents, "%02d", (int)fmod(rounded, 100));
    alcore__format(out, 64, "%s.%s%s%s", alcore__thousands((int64_t)(rounded / 100), whole), cents,
                   currency[0] != '\0' ? " " : "", currency);
    return out;
}

/* How many rows were masked for each cause, by_cause [ALCORE__CAUSES], behind the number of rows in
 * the same line: "; masked: 3 empty, 2 duplicate". Nothing where no row was masked. words has the
 * order of ALCORE__CAUSE_*. */
static void say_masked(alcore__page *page, const int64_t *by_cause) {
    static const char *const words[ALCORE__CAUSES] = {
        "malformed",
        "empty",
        "duplicate",
        "labeled",
        "known from the labeled pool",
        "excluded",
        "filtered out",
        "not among the eligible",
        "without a value",
        "with a NaN",
        "with hardly a word or cut off at a comma",
        "in another script than most of their language",
        "much shorter or longer than others",
        "with the words of another text but for names",
        "with nearly the words of another text"};
    const char *lead = "; masked: ";
    char number[32];
    for (int32_t i = 0; i < ALCORE__CAUSES; i++) {
        if (by_cause[i] == 0) continue;
        alcore__say(page, "%s%s %s", lead, alcore__thousands(by_cause[i], number), words[i]);
        lead = ", ";
    }
}

/* How many rows were read, masked and scored, how many values were floored and how many rows left
 * out for a NaN. Where the request derived phrases from its texts (texts.rows > 0), a line about
 * the texts precedes that about the phrases; text_rows are then the rows whose phrases were
 * counted. */
static void say_rows(alcore__page *page, const alcore__ranking *ranking) {
    const alcore__outcome *outcome = &ranking->outcome;
    char number[32], other[32];
    if (ranking->texts.rows > 0) {
        alcore__say(page, "rows read: %s", alcore__thousands(ranking->texts.rows, number));
        say_masked(page, ranking->texts.by_cause);
        alcore__say(page, "\nphrases of %s rows: %s", alcore__thousands(ranking->text_rows, number),
                    alcore__thousands(ranking->pool_rows, other));
    } else {
        alcore__say(page, "rows read: %s", alcore__thousands(ranking->pool_rows, number));
    }
    say_masked(page, ranking->by_cause);
    alcore__say(page, "\nscored %s of %s\n", alcore__thousands(outcome->count, number),
                alcore__thousands(ranking->pool_rows, other));
    if (outcome->measured < outcome->count)
        alcore__say(page, "measured only %s of them: no other could be picked\n",
                    alcore__thousands(outcome->measured, number));
    if (outcome->floored > 0)
        alcore__say(page, "%s log-probabilities below -100 were counted as -100\n",
                    alcore__thousands(outcome->floored, number));
    if (outcome->nan_labeled > 0)
        alcore__say(page, "%s rows of the labeled pool with a NaN were left out\n",
                    alcore__thousands(outcome->nan_labeled, number));
    if (outcome->nan_target > 0)
        alcore__say(page, "%s rows of the target with a NaN were left out\n",
                    alcore__thousands(outcome->nan_target, number));
}

/* That the mask "language" has taken scripts for languages, as no row has a tag: rows of a pool of
 * several languages, which are one group then, are not in a wrong one. */
static void say_untagged(alcore__page *page, const alcore__ranking *ranking) {
    const alcore_pool *pool =
        ranking->texts.rows > 0 ? alcore_pool_source(ranking->pool) : ranking->pool;
    const int64_t masked = alcore__ranking_text_masked(ranking, ALCORE__CAUSE_LANGUAGE);
    const char *tag = alcore_pool_distinct_language(pool, 0);
    char number[32];
    if (masked == 0 || !tag || strcmp(tag, "unknown") != 0 ||
        alcore_pool_distinct_language(pool, 1))
        return;
    alcore__say(page,
                "note: no row has a language tag, so that texts in another script than most were "
                "left out (%s); where rows have tags, each language has its own script\n",
                alcore__thousands(masked, number));
}

/* What was bought in every unit, and what was spent of the budget. The units of the cost column are
 * NaN where a pick has no cost. Only fill=overshoot spends more than the budget. */
static void say_spending(alcore__page *page, const alcore_selection *selection) {
    const alcore__purchase *bought = &selection->bought;
    char items[32], words[32], characters[32], amount[40];
    alcore__say(page, "selected %s %s: %s words, %s characters",
                alcore__thousands(selection->count, items),
                selection->ranking->text_rows > 0 ? "phrases" : "items",
                alcore__thousands(selection->words, words),
                alcore__thousands(selection->characters, characters));
    if (!isnan(selection->units) && selection->count > 0)
        alcore__say(page, ", %s units", alcore__amount(selection->units, amount));
    alcore__say(page, "\nspent %s", alcore__amount(bought->spent, amount));
    alcore__say(page, " of %s %s", alcore__amount(bought->budget, amount),
                alcore__unit_name(selection->ranking->unit));
    double over = bought->spent - bought->budget;
    if (over > 0)
        alcore__say(page, ", %s over: the last pick overshot", alcore__amount(over, amount));
    alcore__say(page, "\n");
    if (bought->budget == 0) alcore__say(page, "a budget of 0 selects nothing\n");
}

/* What the picks cost in money, where the request has a price: "price: 1,773.00 EUR at 0.1773 a
 * word". Not known where the price is for a cost column in which a pick has no cost. */
static void say_price(alcore__page *page, const alcore_selection *selection) {
    const alcore__price *price = &selection->ranking->price;
    char total[64], amount[40];
    if (isnan(price->amount)) return;
    if (isnan(selection->money)) {
        alcore__say(page, "price: not known, because the rows have no cost\n");
        return;
    }
    alcore__say(page, "price: %s at %s %s %s\n",
                alcore__money(selection->money, price->currency, total),
                alcore__amount(price->amount, amount),
                price->unit == ALCORE_UNIT_ITEMS ? "an" : "a", alcore__unit_singular(price->unit));
}

/* A line for each cause for which rows were passed over, with their number. */
static void say_passed_over(alcore__page *page, const alcore__purchase *bought) {
    char number[32];
    if (bought->redundant > 0)
        alcore__say(page, "passed over %s rows too similar to a pick\n",
                    alcore__thousands(bought->redundant, number));
    if (bought->unaffordable > 0)
        alcore__say(page, "passed over %s rows that did not fit\n",
                    alcore__thousands(bought->unaffordable, number));
    if (bought->free_rows > 0)
        alcore__say(page, "passed over %s rows that cost nothing: they are never selected\n",
                    alcore__thousands(bought->free_rows, number));
}

/* How many texts each of the request's masks of texts has left out, behind why a selection is
 * short: "; left out by masks: lengths 12, near 1,200". */
static void say_text_masks(alcore__page *page, const alcore__ranking *ranking) {
    const char *lead = "; left out by masks: ";
    char number[32];
    for (int32_t i = ALCORE__CAUSE_WORDLESS; i < ALCORE__CAUSES; i++) {
        const int64_t count = alcore__ranking_text_masked(ranking, i);
        if (count == 0) continue;
        alcore__say(page, "%s%s %s", lead, alcore__text_mask_name(i),
                    alcore__thousands(count, number));
        lead = ", ";
    }
}

/* Why fewer rows than the budget pays were selected, where that is so (ALCORE_SELECTION_SHORT). A
 * hybrid refers to its parts, whose summaries say why. */
static void say_short(alcore__page *page, const alcore_selection *selection) {
    const alcore__ranking *ranking = selection->ranking;
    char number[32];
    if ((selection->bought.flags & ALCORE_SELECTION_SHORT) == 0) return;
    alcore__say(page, "SHORT: ");
    if (alcore__selection_is_joined(selection))
        alcore__say(page, "one of the parts could not spend its budget");
    else if (ranking->pool_rows == 0)
        alcore__say(page, "the pool has no rows");
    else if (ranking->outcome.count == 0)
        alcore__say(page, "every row is masked");
    else
        alcore__say(
            page,
            "the rows that the strategy offered ended before the budget was spent: %s of the pool "
            "could be selected",
            alcore__thousands(ranking->outcome.count, number));
    if (!alcore__selection_is_joined(selection)) say_text_masks(page, ranking);
    alcore__say(page, "\n");
}

/* What the values of a column are that earlier rounds had in part: "logprobs: 12 rows of this model
 * were kept, 300 were computed, 1,688 are of earlier rounds; saved about 41 s". */
static void say_reuse(alcore__page *page, const alcore__input_column *input) {
    const alcore__reuse_use *use = &input->reuse;
    char hits[32], misses[32], stale[32];
    if (!input->reused) return;
    alcore__say(page,
                "%s: %s rows of this model were kept, %s were computed, %s are of earlier rounds",
                input->name, alcore__thousands(use->hits, hits),
                alcore__thousands(use->misses, misses), alcore__thousands(use->stale, stale));
    if (use->seconds_saved > 0) alcore__say(page, "; saved about %.3g s", use->seconds_saved);
    alcore__say(page, "\n");
}

bool alcore__selection_is_built_in(const alcore_selection *selection) {
    if (!selection) return false;
    for (int32_t i = 0; i < selection->ranking->input_column_count; i++)
        if (selection->ranking->input_columns[i].built_in) return true;
    return alcore__selection_is_built_in(selection->parts[ALCORE__SENTENCES]) ||
           alcore__selection_is_built_in(selection->parts[ALCORE__PHRASES]);
}

/* What a user of a model should know of a column: how many texts were cut, and how many keys of the
 * model's folder were left undone. */
static void say_warnings(alcore__page *page, const alcore__input_column *input) {
    char number[32];
    if (input->cut > 0)
        alcore__say(page,
                    "warning: %s: %s %s cut to %" PRId64 " tokens, the most that the model reads\n",
                    input->name, alcore__thousands(input->cut, number),
                    input->cut == 1 ? "text was" : "texts were", input->cut_at);
    if (input->warnings)
        alcore__say(page, "warning: %s: of the model's folder: %s\n", input->name, input->warnings);
}

/* A line for each column that was read: "logprobs: model ngram (none was given)", "scores: given",
 * "embeddings: from e.npy"; behind it one each for values of earlier rounds, for values that the
 * cache could not keep, and for what the model warns of. */
static void say_columns(alcore__page *page, const alcore__ranking *ranking) {
    for (int32_t i = 0; i < ranking->input_column_count; i++) {
        const alcore__input_column *input = &ranking->input_columns[i];
        /* The part of an origin behind a semicolon tells versions of a model apart; it is in the
         * provenance only. */
        int length = (int)strcspn(input->origin, ";");
        const bool of_file = !input->engine && strcmp(input->origin, "given") != 0;
        alcore__say(page, "%s%s: %s%.*s%s\n", input->name, alcore__role_owner(input->role),
                    of_file ? "from " : "", length, input->origin,
                    input->built_in ? " (none was given)" : "");
        say_reuse(page, input);
        if (input->lost)
            alcore__say(page, "%s could not be kept in the cache: the next run computes it again\n",
                        input->name);
        say_warnings(page, input);
    }
}

/* For a mixed score: "nnll alone would have made 37 % of these picks, diversity alone 4 %", of the
 * terms that can stand alone, then "chosen by nnll: 90 %, by diversity: 10 %", the share of the
 * picks that each term decided, also of one without a weight, which decides none; and a warning
 * where one term decides nearly alone. Picks whose largest contributions are equal are decided by
 * no term, so the shares may add up to less than 100 %. */
static void say_terms(alcore__page *page, const alcore_selection *selection) {
    const alcore__explanation *explanation = &selection->bought.explanation;
    const alcore__term_part *wide, *narrow;
    int64_t count = selection->count;
    const char *lead = "";
    if (!explanation->mixed || count == 0) return;
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term_part *part = &explanation->parts[t];
        if (!part->also) continue;
        alcore__say(page,
                    lead[0] == '\0' ? "%s%s alone would have made %" PRId64 " %% of these picks"
                                    : "%s%s alone %" PRId64 " %%",
                    lead, part->alone, alcore__percent(part->also_count, count));
        lead = ", ";
    }
    if (lead[0] != '\0') alcore__say(page, "\n");
    lead = "chosen ";
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term_part *part = &explanation->parts[t];
        alcore__say(page, "%sby %s: %" PRId64 " %%", lead, part->term->name,
                    alcore__percent(part->decided, count));
        lead = ", ";
    }
    alcore__say(page, "\n");
    if (alcore__selection_lopsided(selection, &wide, &narrow))
        alcore__say(
            page,
            "warning: %s varies more than five times as much as %s and decides nearly alone\n",
            wide->term->name, narrow->term->name);
}

/* Why a caller who named no strategy gets these picks: what speaks for the recommended one, what it
 * takes, without what its summary has in parentheses, and its masks. */
static void say_why(alcore__page *page, const alcore__ranking *ranking) {
    if (!ranking->recommended) return;
    const int length = (int)strcspn(ranking->summary, "(");
    const int spaces = length > 0 && ranking->summary[length - 1] == ' ';
    alcore__say(page, "why: %s; it takes %c%.*s; masks: %s\n",
                alcore__strategy_recommended_because(), ranking->summary[0] | ' ',
                length - spaces - 1, ranking->summary + 1, ranking->masks);
}

/* A hybrid has the summaries of its parts, and lines of its own for what both bought. The text
 * moves to the selection. */
alcore_status alcore__selection_write_summary(alcore_selection *selection) {
    const alcore__ranking *ranking = selection->ranking;
    alcore__buffer text = {0};
    alcore__page page = {.ctx = selection->object.ctx, .text = &text};
    if (alcore__selection_is_built_in(selection))
        alcore__say(
            &page, "note: the built-in n-gram model stands in, as neither a column nor a model was "
                   "given\n");
    if (ranking->ignored)
        alcore__say(&page, "note: not read by %s, as no strategy was named: %s\n",
                    ranking->strategy, ranking->ignored);
    alcore__say(&page, "%sstrategy %s%s, round %" PRId64 ", seed %" PRIu64 "\n",
                ranking->recommended ? "recommended " : "", ranking->strategy,
                ranking->recommended ? " (may change in a minor release)" : "", ranking->round,
                ranking->seed);
    say_why(&page, ranking);
    if (alcore__selection_is_joined(selection)) {
        alcore__say(&page,
                    "sentences: %sphrases: %sboth: ", selection->parts[ALCORE__SENTENCES]->summary,
                    selection->parts[ALCORE__PHRASES]->summary);
    } else {
        say_rows(&page, ranking);
        say_untagged(&page, ranking);
        say_columns(&page, ranking);
    }
    say_spending(&page, selection);
    say_price(&page, selection);
    say_passed_over(&page, &selection->bought);
    say_short(&page, selection);
    say_terms(&page, selection);
    if (ranking->unspaced_share > 0.1 && !alcore__selection_is_joined(selection))
        alcore__say(
            &page,
            "warning: %.0f %% of the letters are Han, Kana, Thai, Lao, Khmer or Burmese, and words "
            "are separated by spaces here; a budget in characters (c) measures them better\n",
            100 * ranking->unspaced_share);
    if (page.status != ALCORE_OK)
        alcore__buffer_clear(page.ctx, &text);
    else
        selection->summary = text.data;
    return page.status;
}
