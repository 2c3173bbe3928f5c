/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a training set for people, and its provenance for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "alcore/version.h"
#include "extra/mix/mix_internal.h"
#include "formats/json_text.h"
#include "pool/column.h"
#include "selection/selection_internal.h"

/* The summary that is being written. The first failure stays in status and later calls do nothing.
 */
typedef struct page {
    alcore_ctx *ctx;
    alcore__buffer *text;
    alcore_status status;
} page;

/* Appends formatted text to the page. */
#define say(out, ...)                                                                              \
    do {                                                                                           \
        if ((out)->status == ALCORE_OK)                                                            \
            (out)->status = alcore__buffer_format((out)->ctx, (out)->text, __VA_ARGS__);           \
    } while (0)

/* How many pairs there are, of each kind. */
static void say_pairs(page *out, const alcore_mix *mix) {
    char number[32];
    const char *lead = ": ";
    say(out, "training set: %s pairs", alcore__thousands(mix->count, number));
    for (int kind = 0; kind < ALCORE__MIX_KINDS; kind++) {
        if (mix->made[kind] == 0) continue;
        say(out, "%s%s %s", lead, alcore__thousands(mix->made[kind], number),
            alcore__mix_kind_name((alcore__mix_kind)kind));
        lead = ", ";
    }
    say(out, "\n");
    if (mix->open_items > 0)
        say(out, "%s annotated items are left out: they have no answer\n",
            alcore__thousands(mix->open_items, number));
    if (mix->untranslatable_items > 0)
        say(out, "%s annotated items are left out: they are untranslatable, skipped or rejected\n",
            alcore__thousands(mix->untranslatable_items, number));
}

/* Where the number of pairs of each kind comes from. */
static void say_count(page *out, const alcore_mix *mix) {
    const alcore__mix_settings *settings = &mix->settings;
    char count[32], words[32];
    if (settings->count_given) return;
    say(out, "%s pairs of each kind: as many as the phrases that ngf-smp selects for %s words\n",
        alcore__thousands(settings->count, count),
        alcore__thousands(settings->budget_words, words));
}

/* What is missing of a kind, and why. */
static void say_missing(page *out, const alcore_mix *mix, alcore__mix_kind kind) {
    const int64_t missing = mix->settings.count - mix->made[kind];
    char made[32], count[32], number[32];
    if (mix->without_pair[kind] > 0)
        say(out, "%s: %s sentences gave no pair, as no place for a phrase has clear target words\n",
            alcore__mix_kind_name(kind), alcore__thousands(mix->without_pair[kind], number));
    if (missing == 0) return;
    say(out, "%s: %s of %s pairs: %s\n", alcore__mix_kind_name(kind),
        alcore__thousands(mix->made[kind], made), alcore__thousands(mix->settings.count, count),
        kind == ALCORE__MIX_RANDOM ? "the labeled data has no more"
        : kind == ALCORE__MIX_RETRIEVED
            ? (mix->settings.unique ? "the labeled data has no more different sources"
                                    : "the labeled data has no more")
            : "no sentence with an annotated phrase is left that was not used");
}

/* What the pairs were made with. */
static void say_inputs(page *out, const alcore_mix *mix) {
    char subset[32], pairs[32];
    if (mix->labeled_pairs > mix->subset_pairs)
        say(out, "labeled data: a sample of %s of %s pairs\n",
            alcore__thousands(mix->subset_pairs, subset),
            alcore__thousands(mix->labeled_pairs, pairs));
    const char *lead = "";
    if (mix->embeddings) {
        say(out, "embeddings: %s", mix->embeddings);
        lead = "; ";
    }
    if (mix->language_model) {
        say(out, "%slanguage model: %s", lead, mix->language_model);
        lead = "; ";
    }
    if (mix->links) {
        say(out, "%slinks: %s", lead, mix->links);
        lead = "; ";
    }
    if (*lead) say(out, "\n");
}

/* Writes mix->summary, a few lines of text; what is said of kinds only where some are mixed in. */
static alcore_status write_summary(alcore_mix *mix) {
    page out = {.ctx = mix->object.ctx, .text = &mix->summary};
    say_pairs(&out, mix);
    bool mixed = false;
    for (alcore__mix_kind kind = ALCORE__MIX_RANDOM; kind < ALCORE__MIX_KINDS; kind++)
        mixed = mixed || mix->settings.wanted[kind];
    if (mixed) say_count(&out, mix);
    for (alcore__mix_kind kind = ALCORE__MIX_RANDOM; kind < ALCORE__MIX_KINDS; kind++)
        if (mix->settings.wanted[kind]) say_missing(&out, mix, kind);
    say_inputs(&out, mix);
    return out.status;
}

/* Rows and hash of the texts of a pool. */
static void put_pool(alcore__json_out *json, const char *key, const alcore_pool *pool) {
    if (!pool) return;
    alcore__json_open(json, key, '{');
    alcore__json_put_integer(json, "rows", alcore_pool_row_count(pool));
    alcore__json_put_hash(json, "fingerprint", alcore_pool_fingerprint(pool));
    alcore__json_close(json, '}');
}

/* How many pairs of each kind there are and are missing. */
static void put_kinds(alcore__json_out *json, const alcore_mix *mix) {
    alcore__json_open(json, "kinds", '{');
    for (alcore__mix_kind kind = 0; kind < ALCORE__MIX_KINDS; kind++) {
        const bool wanted = mix->settings.wanted[kind];
        if (mix->made[kind] == 0 && !wanted) continue;
        alcore__json_open(json, alcore__mix_kind_name(kind), '{');
        alcore__json_put_integer(json, "pairs", mix->made[kind]);
        if (wanted)
            alcore__json_put_integer(json, "missing", mix->settings.count - mix->made[kind]);
        if (kind == ALCORE__MIX_SWITCHED)
            alcore__json_put_integer(json, "sentences_without_pair", mix->without_pair[kind]);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
}

/* The effective options. The seed is written as digits, since it may exceed a signed integer. */
static void put_settings(alcore__json_out *json, const alcore__mix_settings *settings) {
    static const char *const spans[] = {[ALCORE__SPAN_CONSISTENT] = "consistent",
                                        [ALCORE__SPAN_MINMAX] = "minmax",
                                        [ALCORE__SPAN_LITERAL] = "literal"};
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, settings->seed);
    alcore__json_put_integer(json, "count", settings->count);
    if (!settings->count_given)
        alcore__json_put_integer(json, "count_for_words", settings->budget_words);
    alcore__json_put_integer(json, "subset", settings->subset);
    alcore__json_put_integer(json, "k", settings->k);
    alcore__json_put_string(json, "span", spans[settings->span]);
    alcore__json_put_flag(json, "unique", settings->unique);
    alcore__json_put_flag(json, "norm", settings->norm);
    alcore__json_put_integer(json, "upsample_phrase", settings->upsample_phrase);
    alcore__json_put_integer(json, "round", settings->round);
    alcore__json_put_raw(json, "seed", seed);
}

/* Writes mix->provenance, a JSON object (docs/schemas/training-set.schema.json). The handle owns
 * the buffer after a failure too. */
static alcore_status write_provenance(alcore_mix *mix) {
    alcore__json_out json = {.ctx = mix->object.ctx};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", "alcore-training-set-1");
    alcore__json_put_string(&json, "version", ALCORE_VERSION);
    alcore__json_put_integer(&json, "pairs", mix->count);
    put_kinds(&json, mix);
    put_settings(&json, &mix->settings);
    if (mix->annotations) {
        alcore__json_open(&json, "items", '{');
        alcore__json_put_integer(&json, "count", mix->annotations->count);
        alcore__json_put_integer(&json, "open", mix->open_items);
        alcore__json_put_integer(&json, "untranslatable", mix->untranslatable_items);
        alcore__json_close(&json, '}');
    }
    put_pool(&json, "labeled", mix->labeled);
    alcore__json_put_integer(&json, "labeled_pairs", mix->labeled_pairs);
    alcore__json_put_integer(&json, "subset_pairs", mix->subset_pairs);
    put_pool(&json, "pool", mix->pool);
    if (mix->embeddings) alcore__json_put_string(&json, "embeddings", mix->embeddings);
    if (mix->language_model) {
        alcore__json_put_string(&json, "language_model", mix->language_model);
        alcore__json_put_hash(&json, "language_model_fingerprint", mix->lm_fingerprint);
    }
    if (mix->links) alcore__json_put_string(&json, "links", mix->links);
    alcore__json_close(&json, '}');
    mix->provenance = json.text;
    return json.status;
}

alcore_status alcore__mix_describe(alcore_mix *mix) {
    ALCORE__TRY(write_summary(mix));
    return write_provenance(mix);
}
