/* SPDX-License-Identifier: Apache-2.0 */
/* The summary for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "request/selection_internal.h"
#include "text/number.h"

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

const char *alcore__amount(double value, char out[40]) {
    if (value == floor(value) && fabs(value) < 9e15) return alcore__thousands((int64_t)value, out);
    alcore__print_double(value, out);
    return out;
}

/* The first failure stays, so that the lines read like what they print. */
typedef struct lines {
    alcore_ctx *ctx;
    alcore__buffer text;
    alcore_status status;
} lines;

#define say(page, ...)                                                                             \
    do {                                                                                           \
        if ((page)->status == ALCORE_OK)                                                           \
            (page)->status = alcore__buffer_format((page)->ctx, &(page)->text, __VA_ARGS__);       \
    } while (0)

static void say_rows(lines *page, const alcore_selection *selection) {
    static const char *const words[ALCORE__CAUSES] = {"empty",
                                                      "duplicate",
                                                      "labeled",
                                                      "already on the labeled side",
                                                      "excluded",
                                                      "filtered out",
                                                      "not among the eligible",
                                                      "without a value",
                                                      "with a NaN"};
    char number[32], other[32];
    say(page, "rows read: %s", alcore__thousands(selection->pool_rows, number));
    const char *lead = "; masked: ";
    for (int32_t i = 0; i < ALCORE__CAUSES; i++) {
        if (selection->by_cause[i] == 0) continue;
        say(page, "%s%s %s", lead, alcore__thousands(selection->by_cause[i], number), words[i]);
        lead = ", ";
    }
    say(page, "\nscored %s of %s\n", alcore__thousands(selection->outcome.count, number),
        alcore__thousands(selection->pool_rows, other));
    if (selection->outcome.floored > 0)
        say(page, "%s log-probabilities below -100 were counted as -100\n",
            alcore__thousands(selection->outcome.floored, number));
    if (selection->outcome.nan_labeled > 0)
        say(page, "%s rows of the labeled side with a NaN were left out\n",
            alcore__thousands(selection->outcome.nan_labeled, number));
    if (selection->outcome.nan_target > 0)
        say(page, "%s rows of the target with a NaN were left out\n",
            alcore__thousands(selection->outcome.nan_target, number));
}

static void say_spending(lines *page, const alcore_selection *selection) {
    const alcore__budget *budget = &selection->budget;
    char items[32], words[32], characters[32], amount[40];
    say(page, "selected %s items: %s words, %s characters",
        alcore__thousands(selection->count, items), alcore__thousands(selection->words, words),
        alcore__thousands(selection->characters, characters));
    if (!isnan(selection->units) && selection->count > 0)
        say(page, ", %s units", alcore__amount(selection->units, amount));
    say(page, "\nspent %s", alcore__amount(selection->spent, amount));
    say(page, " of %s %s", alcore__amount(budget->amount, amount), alcore__unit_name(budget->unit));
    double over = selection->spent - budget->amount;
    if (over > 0)
        say(page, ", %s over: the last pick overshot; --fill skip stays within",
            alcore__amount(over, amount));
    say(page, "\n");
    if (budget->amount == 0) say(page, "a budget of 0 selects nothing\n");
}

static void say_passed_over(lines *page, const alcore__outcome *outcome) {
    char number[32];
    if (outcome->redundant > 0)
        say(page, "passed over %s rows too like a chosen one (--spread)\n",
            alcore__thousands(outcome->redundant, number));
    if (outcome->unaffordable > 0)
        say(page, "passed over %s rows that did not fit (--fill skip)\n",
            alcore__thousands(outcome->unaffordable, number));
    if (outcome->free_rows > 0)
        say(page, "passed over %s rows that cost nothing: they are never selected\n",
            alcore__thousands(outcome->free_rows, number));
}

static void say_short(lines *page, const alcore_selection *selection) {
    const alcore__outcome *outcome = &selection->outcome;
    char number[32];
    if ((outcome->flags & ALCORE_SELECTION_SHORT) == 0) return;
    say(page, "SHORT: ");
    if (selection->pool_rows == 0)
        say(page, "the pool has no rows");
    else if (outcome->count == 0)
        say(page, "every row is masked");
    else
        say(page, "the pool ended before the budget did: %s rows could be selected",
            alcore__thousands(outcome->count, number));
    say(page, "\n");
}

static void say_sources(lines *page, const alcore_selection *selection) {
    for (int32_t i = 0; i < selection->source_count; i++) {
        const alcore__source *source = &selection->sources[i];
        const char *side = source->role == ALCORE_ROLE_LABELED  ? " of the labeled side"
                           : source->role == ALCORE_ROLE_TARGET ? " of the target"
                                                                : "";
        /* What follows the semicolon tells versions apart and is for the provenance. */
        int length = (int)strcspn(source->origin, ";");
        say(page, "%s%s: %s%.*s%s\n", source->name, side, source->engine != NULL ? "" : "from ",
            length, source->origin, source->built_in ? " (none was given)" : "");
    }
}

static int64_t percent(int64_t part, int64_t whole) {
    return (200 * part + whole) / (2 * whole);
}

static void say_terms(lines *page, const alcore_selection *selection) {
    const alcore__terms *terms = &selection->terms;
    int64_t count = selection->count;
    if (!terms->hybrid || count == 0) return;
    say(page,
        "nnll alone would have made %" PRId64 " %% of these picks, diversity alone %" PRId64
        " %%\n",
        percent(terms->as_nnll, count), percent(terms->as_diversity, count));
    say(page, "chosen by uncertainty: %" PRId64 " %%, by diversity: %" PRId64 " %%\n",
        percent(terms->by_u, count), percent(terms->by_d, count));
    double large = fmax(terms->u_spread, terms->d_spread);
    double small = fmin(terms->u_spread, terms->d_spread);
    if (!(large > 5 * small)) return;
    bool by_u = terms->u_spread > terms->d_spread;
    say(page,
        "warning: %s spreads more than five times as wide as %s and decides nearly alone; "
        "-p rescale=rank gives both the same scale\n",
        by_u ? "uncertainty" : "diversity", by_u ? "diversity" : "uncertainty");
}

alcore_status alcore__selection_write_summary(alcore_selection *selection) {
    lines page = {.ctx = selection->object.ctx};
    say(&page, "strategy %s, round %" PRId64 ", seed %" PRIu64 "\n", selection->strategy,
        selection->round, selection->seed);
    say_rows(&page, selection);
    say_sources(&page, selection);
    say_spending(&page, selection);
    say_passed_over(&page, &selection->outcome);
    say_short(&page, selection);
    say_terms(&page, selection);
    if (selection->unspaced_share > 0.1)
        say(&page,
            "warning: %.0f %% of the letters are Han, Kana, Thai, Lao, Khmer or Burmese, and words "
            "are separated by spaces here; a budget in characters (c) measures them better\n",
            100 * selection->unspaced_share);
    if (page.status != ALCORE_OK)
        alcore__buffer_clear(page.ctx, &page.text);
    else
        selection->summary = page.text.data;
    return page.status;
}
