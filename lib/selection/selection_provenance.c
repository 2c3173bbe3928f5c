/* SPDX-License-Identifier: Apache-2.0 */
/* The provenance of a selection as one JSON object, which docs/schemas/provenance.schema.json
 * describes (a test validates every selection that the tests make):
 *
 *     schema                name and version of the form
 *     version               of the library
 *     command               of the command-line tool that made the request; left out without one
 *     strategy              its name; recommended: the request asked for none, or for the
 *                           recommended one, whichever that is
 *     parameters, options, seed
 *     round                 of annotation, from 1, which the random draws depend on
 *     inputs                the pools and columns that were read, with their fingerprints
 *     ignored               what the recommended strategy did not read of what was given; left out
 *                           where it is nothing, and where a strategy was named
 *     masked                rows that were no candidates, by cause
 *     scored                candidates that have a score
 *     floored               log-probabilities below -100, which count as -100 (spec 1.1)
 *     budget, price, terms  what was bought; price and terms are left out where there are none
 *     facts                 what the strategy reports
 *     engines               what ran each operation
 *
 * Each put_ function below writes members to an object that its caller has opened. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alcore/version.h"
#include "base/tensor_view.h"
#include "selection/selection_internal.h"

/* The name of a role (ALCORE_ROLE_*) as a key; static. */
static const char *role_name(int32_t role) {
    return role == ALCORE_ROLE_LABELED  ? "labeled"
           : role == ALCORE_ROLE_TARGET ? "target"
                                        : "candidates";
}

/* "reuse": for a column of which values of earlier rounds were asked for (max_age), how many values
 * of candidates the cache had, were computed, or are of earlier rounds, and an estimate of the
 * seconds that were saved; null where nothing was computed, from which it could be made. */
static void put_reuse(const alcore__input_column *input, alcore__json_out *json) {
    if (!input->reused) return;
    alcore__json_open(json, "reuse", '{');
    alcore__json_put_integer(json, "hits", input->reuse.hits);
    alcore__json_put_integer(json, "misses", input->reuse.misses);
    alcore__json_put_integer(json, "stale", input->reuse.stale);
    alcore__json_put_number(json, "seconds_saved", input->reuse.seconds_saved);
    alcore__json_close(json, '}');
}

/* "columns": an object for each column that was read in a role: where it is from, its dtype and
 * shape ("tokens" where the length differs by row), and the engine of the model that made it, the
 * device that it is on, or the fingerprint of its values. "kept" false: what the model computed
 * could not be written to the cache. "cut": how many texts the model cut, to how many tokens.
 * "warnings": of the model's folder, JSON already. */
static void put_columns(const alcore__ranking *ranking, int32_t role, alcore__json_out *json) {
    alcore__json_open(json, "columns", '{');
    for (int32_t i = 0; i < ranking->input_column_count; i++) {
        const alcore__input_column *input = &ranking->input_columns[i];
        if (input->role != role || input->in_shards) continue;
        alcore__json_open(json, input->name, '{');
        alcore__json_put_string(json, "from", input->origin);
        alcore__json_put_string(json, "dtype",
                                input->dtype == ALCORE_TEXT ? "texts"
                                                            : alcore__dtype_name(input->dtype));
        alcore__json_open(json, "shape", '[');
        alcore__json_put_integer(json, NULL, input->rows);
        if (input->ragged) alcore__json_put_string(json, NULL, "tokens");
        if (input->dims > 1) alcore__json_put_integer(json, NULL, input->dims);
        alcore__json_close(json, ']');
        if (input->engine) alcore__json_put_string(json, "engine", input->engine);
        if (input->built_in) alcore__json_put_flag(json, "built_in", true);
        if (input->lost) alcore__json_put_flag(json, "kept", false);
        put_reuse(input, json);
        if (input->cut > 0) {
            alcore__json_open(json, "cut", '{');
            alcore__json_put_integer(json, "texts", input->cut);
            alcore__json_put_integer(json, "tokens", input->cut_at);
            alcore__json_close(json, '}');
        }
        if (input->warnings) alcore__json_put_raw(json, "warnings", input->warnings);
        if (input->device >= 0) {
            char device[24];
            snprintf(device, sizeof device, "cuda:%d", (int)input->device);
            alcore__json_put_string(json, "device", device);
        } else if (!input->engine) {
            alcore__json_put_hash(json, "fingerprint", input->fingerprint);
        }
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
}

/* "inputs": an object for the pool of each role that the request has: its rows, the rows that took
 * part, its fingerprint, for a pool of phrases also the rows whose phrases it has, its columns, and
 * the names of given columns that were not read. */
static void put_inputs(const alcore__ranking *ranking, alcore__json_out *json) {
    alcore__json_open(json, "inputs", '{');
    for (int32_t i = 0; i < ALCORE__NEED_ROLES; i++) {
        const alcore__input_pool *input = &ranking->inputs[i];
        if (input->role == 0) continue;
        alcore__json_open(json, role_name(input->role), '{');
        alcore__json_put_integer(json, "rows", input->rows);
        alcore__json_put_integer(json, "used", input->used);
        alcore__json_put_hash(json, "fingerprint", input->fingerprint);
        if (input->role == ALCORE_ROLE_CANDIDATES && ranking->text_rows > 0)
            alcore__json_put_integer(json, "phrases_of_rows", ranking->text_rows);
        put_columns(ranking, input->role, json);
        if (input->unread) alcore__json_put_raw(json, "unread", input->unread);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
}

/* "masked": the number of masked rows by cause; each row counts once. */
static void put_masked(const alcore__ranking *ranking, alcore__json_out *json) {
    alcore__json_open(json, "masked", '{');
    for (int32_t i = 0; i < ALCORE__CAUSES; i++)
        alcore__json_put_integer(json, alcore__cause_name(i), ranking->by_cause[i]);
    alcore__json_close(json, '}');
}

/* "budget": what might be spent and what was, in the unit of the budget and in every other unit;
 * the units of a cost column are left out where the rows have no costs. "passed_over_": rows that
 * would have been bought next, but are too similar to a pick, do not fit (fill=skip), or cost 0. */
static void put_budget(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__purchase *bought = &selection->bought;
    alcore__json_open(json, "budget", '{');
    alcore__json_put_number(json, "amount", bought->budget);
    alcore__json_put_string(json, "unit", alcore__unit_name(selection->ranking->unit));
    alcore__json_put_number(json, "spent", bought->spent);
    alcore__json_put_integer(json, "items", selection->count);
    alcore__json_put_integer(json, "words", selection->words);
    alcore__json_put_integer(json, "characters", selection->characters);
    if (!isnan(selection->units)) alcore__json_put_number(json, "units", selection->units);
    alcore__json_put_flag(json, "short", (bought->flags & ALCORE_SELECTION_SHORT) != 0);
    alcore__json_put_integer(json, "passed_over_similar", bought->redundant);
    alcore__json_put_integer(json, "passed_over_fill", bought->unaffordable);
    alcore__json_put_integer(json, "passed_over_free", bought->free_rows);
    alcore__json_close(json, '}');
}

/* "price": the price of a unit and of all picks; no member where the request has no price. total is
 * null where `money` is NaN, as the cost column has no cost for a pick. */
static void put_price(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__price *price = &selection->ranking->price;
    if (isnan(price->amount)) return;
    alcore__json_open(json, "price", '{');
    alcore__json_put_number(json, "amount", price->amount);
    alcore__json_put_string(json, "unit", alcore__unit_name(price->unit));
    if (price->currency[0] != '\0') alcore__json_put_string(json, "currency", price->currency);
    alcore__json_put_number(json, "total", selection->money);
    alcore__json_close(json, '}');
}

/* The name of the strategy that a term alone would be, as one word, written to out: "the " in front
 * of it is left out and spaces become underscores, so that "the given scores" is "given_scores". */
static const char *word_of(const char *name, char out[64]) {
    if (strncmp(name, "the ", 4) == 0) name += 4;
    snprintf(out, 64, "%s", name);
    for (char *c = out; *c != '\0'; c++)
        if (*c == ' ') *c = '_';
    return out;
}

/* "terms": an object for each term of a mixed score, by its name: sd, its standard deviation in the
 * score (weighted and rescaled; 0 for a term without a weight), chosen, the number of picks that it
 * decided; where the term alone would be a strategy, alone, its name, and also, the number of picks
 * that it would have made too. */
static void put_terms(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__explanation *explanation = &selection->bought.explanation;
    char word[64];
    if (!explanation->mixed) return;
    alcore__json_open(json, "terms", '{');
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term_part *part = &explanation->parts[t];
        alcore__json_open(json, part->term->name, '{');
        alcore__json_put_number(json, "sd", part->deviation);
        alcore__json_put_integer(json, "chosen", part->decided);
        if (part->also) {
            alcore__json_put_string(json, "alone", word_of(part->alone, word));
            alcore__json_put_integer(json, "also", part->also_count);
        }
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
}

/* "facts": the lists of numbers that the strategy reports, by their names. */
static void put_facts(const alcore__ranking *ranking, alcore__json_out *json) {
    const alcore__outcome *outcome = &ranking->outcome;
    alcore__json_open(json, "facts", '{');
    for (int32_t i = 0; i < outcome->fact_count; i++) {
        const alcore__fact *fact = &outcome->facts[i];
        alcore__json_open(json, fact->name, '[');
        for (int64_t k = 0; k < fact->count; k++)
            alcore__json_put_number(json, NULL, fact->values[k]);
        alcore__json_close(json, ']');
    }
    alcore__json_close(json, '}');
}

/* "engines": the value of the option "device", and the engine that ran each operation: the model
 * (the last one, where several made columns; left out where none did), the scorer and the strategy.
 */
static void put_engines(const alcore__ranking *ranking, alcore__json_out *json) {
    const char *model = NULL;
    for (int32_t i = 0; i < ranking->input_column_count; i++)
        if (ranking->input_columns[i].engine && !ranking->input_columns[i].in_shards)
            model = ranking->input_columns[i].engine;
    alcore__json_open(json, "engines", '{');
    alcore__json_put_string(json, "device", ranking->device);
    if (model) alcore__json_put_string(json, "model", model);
    if (ranking->scored) /* the strategy computed scores from columns first */
        alcore__json_put_string(json, "scorer", ranking->engine);
    alcore__json_put_string(json, "strategy", ranking->engine);
    alcore__json_close(json, '}');
}

/* "ignored": an array of the names of inputs, which ranking->ignored has with ", " between them;
 * they are names that the library gives, without commas. */
static void put_ignored(const alcore__ranking *ranking, alcore__json_out *json) {
    if (!ranking->ignored) return;
    alcore__json_open(json, "ignored", '[');
    for (const char *name = ranking->ignored; *name != '\0';) {
        const size_t length = strcspn(name, ",");
        alcore__json_put_text(json, NULL, name, length);
        name += length + strspn(name + length, ", ");
    }
    alcore__json_close(json, ']');
}

/* "parts": the provenance of the sentences and of the phrases of a hybrid, JSON objects that their
 * selections have; no member for other strategies. */
static void put_parts(const alcore_selection *selection, alcore__json_out *json) {
    if (!alcore__selection_is_joined(selection)) return;
    alcore__json_open(json, "parts", '[');
    for (int32_t p = 0; p < ALCORE__PARTS; p++)
        alcore__json_put_raw(json, NULL, selection->parts[p]->provenance);
    alcore__json_close(json, ']');
}

/* All members but "schema", in a fixed order. command, parameters and options are JSON already. */
void alcore__selection_put_provenance(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__ranking *ranking = selection->ranking;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, ranking->seed);
    alcore__json_put_string(json, "version", ALCORE_VERSION);
    if (ranking->command) alcore__json_put_raw(json, "command", ranking->command);
    alcore__json_put_string(json, "strategy", ranking->strategy);
    alcore__json_put_flag(json, "recommended", ranking->recommended);
    alcore__json_put_raw(json, "parameters", ranking->parameters);
    alcore__json_put_raw(json, "options", ranking->options);
    /* Unsigned: it may exceed int64_t, the largest that alcore__json_put_integer() takes. */
    alcore__json_put_raw(json, "seed", seed);
    alcore__json_put_integer(json, "round", ranking->round);
    put_inputs(ranking, json);
    put_ignored(ranking, json);
    put_masked(ranking, json);
    alcore__json_put_integer(json, "scored", ranking->outcome.count);
    alcore__json_put_integer(json, "floored", ranking->outcome.floored);
    put_budget(selection, json);
    put_price(selection, json);
    put_terms(selection, json);
    put_facts(ranking, json);
    put_engines(ranking, json);
    put_parts(selection, json);
}

/* The text moves to the selection; it stays NULL after a failure. */
alcore_status alcore__selection_write_provenance(alcore_selection *selection) {
    alcore__json_out json = {.ctx = selection->object.ctx};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", "alcore-provenance-1");
    alcore__selection_put_provenance(selection, &json);
    alcore__json_close(&json, '}');
    if (json.status != ALCORE_OK)
        alcore__buffer_clear(json.ctx, &json.text);
    else
        selection->provenance = json.text.data;
    return json.status;
}
