/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything came from, as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "alcore/version.h"
#include "request/selection_internal.h"

static const char *role_name(int32_t role) {
    return role == ALCORE_ROLE_LABELED  ? "labeled"
           : role == ALCORE_ROLE_TARGET ? "target"
                                        : "candidates";
}

static const char *dtype_name(int32_t dtype) {
    static const char *const names[] = {"",      "float16", "bfloat16", "float32", "float64",
                                        "int32", "int64",   "uint64",   "uint8"};
    return dtype > 0 && dtype <= ALCORE_UINT8 ? names[dtype] : "unknown";
}

static void put_fingerprint(alcore__json_out *json, uint64_t fingerprint) {
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, fingerprint);
    alcore__json_put_string(json, "fingerprint", text);
}

static void put_columns(const alcore_selection *selection, int32_t role, alcore__json_out *json) {
    alcore__json_open(json, "columns", '{');
    for (int32_t i = 0; i < selection->source_count; i++) {
        const alcore__source *source = &selection->sources[i];
        if (source->role != role) continue;
        alcore__json_open(json, source->name, '{');
        alcore__json_put_string(json, "from", source->origin);
        alcore__json_put_string(json, "dtype", dtype_name(source->dtype));
        alcore__json_open(json, "shape", '[');
        alcore__json_put_integer(json, NULL, source->rows);
        if (source->ragged) alcore__json_put_string(json, NULL, "tokens");
        if (source->dims > 1) alcore__json_put_integer(json, NULL, source->dims);
        alcore__json_close(json, ']');
        if (source->engine != NULL) alcore__json_put_string(json, "engine", source->engine);
        if (source->built_in) alcore__json_put_flag(json, "built_in", true);
        if (source->engine == NULL) put_fingerprint(json, source->fingerprint);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
}

static void put_inputs(const alcore_selection *selection, alcore__json_out *json) {
    alcore__json_open(json, "inputs", '{');
    for (int32_t i = 0; i < 3; i++) {
        const alcore__input *input = &selection->inputs[i];
        if (input->role == 0) continue;
        alcore__json_open(json, role_name(input->role), '{');
        alcore__json_put_integer(json, "rows", input->rows);
        alcore__json_put_integer(json, "used", input->used);
        put_fingerprint(json, input->fingerprint);
        put_columns(selection, input->role, json);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
}

static void put_masked(const alcore_selection *selection, alcore__json_out *json) {
    alcore__json_open(json, "masked", '{');
    for (int32_t i = 0; i < ALCORE__CAUSES; i++)
        alcore__json_put_integer(json, alcore__cause_name(i), selection->by_cause[i]);
    alcore__json_close(json, '}');
}

static void put_budget(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__outcome *outcome = &selection->outcome;
    alcore__json_open(json, "budget", '{');
    alcore__json_put_number(json, "amount", selection->budget.amount);
    alcore__json_put_string(json, "unit", alcore__unit_name(selection->budget.unit));
    alcore__json_put_number(json, "spent", selection->spent);
    alcore__json_put_integer(json, "items", selection->count);
    alcore__json_put_integer(json, "words", selection->words);
    alcore__json_put_integer(json, "characters", selection->characters);
    if (!isnan(selection->units)) alcore__json_put_number(json, "units", selection->units);
    alcore__json_put_flag(json, "short", (outcome->flags & ALCORE_SELECTION_SHORT) != 0);
    alcore__json_put_integer(json, "passed_over_spread", outcome->redundant);
    alcore__json_put_integer(json, "passed_over_fill", outcome->unaffordable);
    alcore__json_put_integer(json, "passed_over_free", outcome->free_rows);
    alcore__json_close(json, '}');
}

static void put_terms(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__terms *terms = &selection->terms;
    if (!terms->hybrid) return;
    alcore__json_open(json, "terms", '{');
    alcore__json_put_number(json, "uncertainty_sd", terms->u_spread);
    alcore__json_put_number(json, "diversity_sd", terms->d_spread);
    alcore__json_put_integer(json, "chosen_by_uncertainty", terms->by_u);
    alcore__json_put_integer(json, "chosen_by_diversity", terms->by_d);
    alcore__json_put_integer(json, "also_nnll", terms->as_nnll);
    alcore__json_put_integer(json, "also_diversity", terms->as_diversity);
    alcore__json_close(json, '}');
}

static void put_facts(const alcore_selection *selection, alcore__json_out *json) {
    const alcore__outcome *outcome = &selection->outcome;
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

/* Each operation of the run and what ran it. */
static void put_engines(const alcore_selection *selection, alcore__json_out *json) {
    const char *model = NULL;
    for (int32_t i = 0; i < selection->source_count; i++)
        if (selection->sources[i].engine != NULL) model = selection->sources[i].engine;
    alcore__json_open(json, "engines", '{');
    alcore__json_put_string(json, "device", selection->device);
    if (model != NULL) alcore__json_put_string(json, "model", model);
    if (selection->scored) alcore__json_put_string(json, "scorer", selection->engine);
    alcore__json_put_string(json, "strategy", selection->engine);
    alcore__json_close(json, '}');
}

void alcore__selection_put_provenance(const alcore_selection *selection, alcore__json_out *json) {
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, selection->seed);
    alcore__json_put_string(json, "version", ALCORE_VERSION);
    if (selection->command != NULL) alcore__json_put_raw(json, "command", selection->command);
    alcore__json_put_string(json, "strategy", selection->strategy);
    alcore__json_put_raw(json, "parameters", selection->parameters);
    alcore__json_put_raw(json, "options", selection->options);
    alcore__json_put_raw(json, "seed", seed); /* 64 bits: beyond alcore__json_put_integer() */
    alcore__json_put_integer(json, "round", selection->round);
    put_inputs(selection, json);
    put_masked(selection, json);
    alcore__json_put_integer(json, "scored", selection->outcome.count);
    alcore__json_put_integer(json, "floored", selection->outcome.floored);
    put_budget(selection, json);
    put_terms(selection, json);
    put_facts(selection, json);
    put_engines(selection, json);
}

alcore_status alcore__selection_write_provenance(alcore_selection *selection) {
    alcore__json_out json = {.ctx = selection->object.ctx};
    alcore__json_open(&json, NULL, '{');
    alcore__selection_put_provenance(selection, &json);
    alcore__json_close(&json, '}');
    if (json.status != ALCORE_OK)
        alcore__buffer_clear(json.ctx, &json.text);
    else
        selection->provenance = json.text.data;
    return json.status;
}
