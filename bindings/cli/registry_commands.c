/* SPDX-License-Identifier: Apache-2.0 */
/* alcore strategies, alcore scorers: lists the registries of the library, as text or JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "text_output.h"

/* One of the two registries: its walks and lookups in the library, with the same signatures. */
typedef struct registry {
    const char *noun;
    const char *(*name)(int64_t index);
    const char *(*summary)(const char *name);
    alcore_status (*param)(const char *name, int64_t index, alcore_param_info *out);
    const char *(*needs)(const char *name, int32_t role, int64_t index);
} registry;

static const char *scorer_needs(const char *name, int32_t role, int64_t index) {
    return role == ALCORE_ROLE_CANDIDATES ? alcore_scorer_builtin_needs(name, index) : NULL;
}

static const registry strategies = {"strategy", alcore_strategy_builtin_name,
                                    alcore_strategy_builtin_summary, alcore_strategy_builtin_param,
                                    alcore_strategy_builtin_needs};
static const registry scorers = {"scorer", alcore_scorer_builtin_name,
                                 alcore_scorer_builtin_summary, alcore_scorer_builtin_param,
                                 scorer_needs};

static const char *const role_names[] = {"candidates", "labeled", "target"};
static const char *const type_names[] = {"flag", "integer", "number", "choice", "numbers", "text"};

/* Whether it is the strategy that a command without --strategy selects with. */
static bool is_recommended(const registry *reg, const char *name) {
    return reg == &strategies && strcmp(name, alcore_strategy_recommended()) == 0;
}

static json_t *entry_json(const registry *reg, const char *name) {
    json_t *needs = json_object(), *params = json_array();
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;

    for (int32_t role = ALCORE_ROLE_CANDIDATES; role <= ALCORE_ROLE_TARGET; role++) {
        json_t *columns = json_array();
        for (int32_t i = 0; reg->needs(name, role, i); i++)
            json_array_append_new(columns, json_string(reg->needs(name, role, i)));
        json_object_set_new(needs, role_names[role - ALCORE_ROLE_CANDIDATES], columns);
    }
    for (int32_t i = 0; reg->param(name, i, &info) == ALCORE_OK; i++)
        json_array_append_new(
            params, json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o, s:s}", "name", info.name, "type",
                              type_names[info.type - ALCORE_PARAM_FLAG], "default", info.initial,
                              "choices", info.choices, "minimum", json_finite(info.minimum),
                              "maximum", json_finite(info.maximum), "help", info.help));
    json_t *all = json_pack("{s:s, s:s, s:o, s:o}", "name", name, "summary", reg->summary(name),
                            "needs", needs, "parameters", params);
    if (reg == &strategies)
        json_object_set_new(all, "recommended", json_boolean(is_recommended(reg, name)));
    return all;
}

/* Prints a bound; a large power of two as 2^N. */
static void print_bound(double value) {
    int exponent;

    if (fabs(value) >= 0x1p31 && frexp(value, &exponent) == 0.5)
        printf("2^%d", exponent - 1);
    else
        printf("%.15g", value);
}

/* Prints which values a parameter may have: "none|minmax|rank", "1 .. 2^53 or all",
 * "0 .. 1, one for each round". */
static void print_allowed(const alcore_param_info *info) {
    bool number = info->type == ALCORE_PARAM_INTEGER || info->type == ALCORE_PARAM_NUMBER ||
                  info->type == ALCORE_PARAM_NUMBERS;

    if (!number) {
        fputs(info->choices                     ? info->choices
              : info->type == ALCORE_PARAM_FLAG ? "0 or 1"
                                                : type_names[info->type - ALCORE_PARAM_FLAG],
              stdout);
        return;
    }
    printf("%s ", info->type == ALCORE_PARAM_INTEGER ? "integer" : "number");
    if (isfinite(info->minimum)) print_bound(info->minimum);
    if (isfinite(info->minimum) || isfinite(info->maximum)) fputs(" .. ", stdout);
    if (isfinite(info->maximum)) print_bound(info->maximum);
    if (info->choices) printf(" or %s", info->choices);
    if (info->type == ALCORE_PARAM_NUMBERS) fputs(", one for each round", stdout);
}

static void entry_text(const registry *reg, const char *name) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;

    printf("%s: %s\n", name, reg->summary(name));
    for (int32_t role = ALCORE_ROLE_CANDIDATES; role <= ALCORE_ROLE_TARGET; role++)
        for (int32_t i = 0; reg->needs(name, role, i); i++)
            printf("  needs %s of %s\n", reg->needs(name, role, i),
                   role_names[role - ALCORE_ROLE_CANDIDATES]);
    for (int32_t i = 0; reg->param(name, i, &info) == ALCORE_OK; i++) {
        printf("  -p %s=%s  %s (", info.name, info.initial, info.help);
        print_allowed(&info);
        puts(")");
    }
}

static const char *registry_name_at(int index, void *data) {
    return ((const registry *)data)->name(index);
}

static int show(const registry *reg, const arguments *args) {
    const char *wanted = args->operand_count ? args->operands[0] : NULL;

    if (wanted && !reg->summary(wanted)) {
        const char *near = nearest_name(wanted, registry_name_at, (void *)(uintptr_t)reg);
        return complain(EXIT_USAGE, "no %s '%s'%s%s%s", reg->noun, wanted,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (option_given(args, OPTION_JSON)) {
        json_t *all = wanted ? entry_json(reg, wanted) : json_array();
        for (int32_t i = 0; !wanted && reg->name(i); i++)
            json_array_append_new(all, entry_json(reg, reg->name(i)));
        return print_json_object(all);
    } else if (wanted) {
        entry_text(reg, wanted);
    } else {
        for (int32_t i = 0; reg->name(i); i++)
            printf("%-17s %s%s\n", reg->name(i), reg->summary(reg->name(i)),
                   is_recommended(reg, reg->name(i)) ? " (recommended)" : "");
    }
    return EXIT_DONE;
}

int command_strategies(const arguments *args) {
    return show(&strategies, args);
}

int command_scorers(const arguments *args) {
    return show(&scorers, args);
}
