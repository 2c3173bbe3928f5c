/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Metrics of an experiment: translations, labels, spans and answers against gold ones, translated
 * words, agreement, means, correlation, significance. Results are tables.
 *
 * All have one shape, metrics.NAME(inputs..., options), of which lua_tables.c has a row each, made
 * from the headers: its inputs, its options and its result. One function, measure(), is all of
 * them; what is peculiar to a metric is how its inputs are written in Lua.
 * @section metrics */
#include <math.h>
#include <string.h>

#include "lua_binding.h"

/* One call. It stays where it is: it is pointed into. */
typedef struct measuring {
    const al_measure *metric;
    al_context *context;
    int table; /* stack index of the table of options; 0: there is none */
    al_input inputs[AL_MOST_INPUTS];
    /* Of files: in place of texts. */
    alcore_text_files files;
    alcore_read_options reading; /* files.options */
    const char *links;           /* path of the file of links, of a metric that has them */
    /* Of BLEU, chrF and TER. */
    int64_t sets;                   /* of references; 0: some are missing */
    alcore_paired_options paired;   /* the fields baseline, test, samples and seed */
    alcore_tensor scores;           /* of the sentences, where they are wanted */
    const alcore_tensor *sentences; /* &scores or NULL */
    union {                         /* of the metric, as its row says */
        char bytes[AL_MOST_STRUCT];
        double aligned;
    } options, result;
} measuring;

/* The number of inputs of a metric. */
static int count_inputs(const al_measure *metric) {
    int count = 0;
    while (metric->inputs[count].name) count++;
    return count;
}

/* The stack index of an input: they are in the library's order, but answers to questions, of which
 * the predicted ones come first. */
static int stack_index(const al_measure *metric, int input) {
    return metric->inputs[0].kind == AL_LISTS ? count_inputs(metric) - input : input + 1;
}

/* ---- lists ---- */

/* Reads the list of strings at index; pushes what holds the arrays. */
static void read_texts(lua_State *L, int index, const char *what, al_input *out) {
    size_t *lengths;
    if (lua_type(L, index) != LUA_TTABLE)
        luaL_error(L, "%s: a list of strings expected, got %s", what, luaL_typename(L, index));
    out->texts = al_strings(L, index, what, 0, &lengths, &out->count);
    out->lengths = lengths;
}

/* Reads the list of references at index, of which those that are false are missing: NULL with a
 * length other than 0, as the library knows them. *sets becomes 0 if one is. */
static void read_some_texts(lua_State *L, int index, int64_t *sets, al_input *out) {
    size_t *lengths;
    out->count = al_length(L, index);
    out->texts = al_strings(L, index, "references", 1, &lengths, &out->count);
    out->lengths = lengths;
    for (int64_t i = 0; i < out->count; i++) {
        if (out->texts[i]) continue;
        lengths[i] = SIZE_MAX;
        *sets = 0;
    }
}

/* Reads the references at index 2: a list of strings, or a list of such lists, each as long as the
 * hypotheses. The library reads them set after set; *sets is their number, 0 where some are
 * missing. */
static void read_references(lua_State *L, int64_t hypotheses, int64_t *sets, al_input *out) {
    luaL_checktype(L, 2, LUA_TTABLE);
    *sets = 1;
    lua_rawgeti(L, 2, 1);
    int nested = lua_istable(L, -1);
    lua_pop(L, 1);
    if (!nested) {
        read_some_texts(L, 2, sets, out);
        return;
    }
    *sets = al_length(L, 2);
    al_push_list(L, *sets * hypotheses);
    int joined = lua_gettop(L);
    const int64_t given = *sets;
    for (int64_t set = 0; set < given; set++) {
        lua_rawgeti(L, 2, (int)set + 1);
        if (!lua_istable(L, -1) || al_length(L, -1) != hypotheses)
            luaL_error(L, "references[%d]: a list of %d strings expected, as many as hypotheses",
                       (int)set + 1, (int)hypotheses);
        for (int64_t i = 0; i < hypotheses; i++) {
            lua_rawgeti(L, -1, (int)i + 1);
            lua_rawseti(L, joined, (int)(set * hypotheses + i) + 1);
        }
        lua_pop(L, 1);
    }
    read_some_texts(L, joined, sets, out);
}

/* Reads the list at index: of strings, or of lists of the strings of one item. Pushes a flat list
 * of them and the array of offsets. */
static void read_lists(lua_State *L, int index, const char *what, al_input *out) {
    luaL_checktype(L, index, LUA_TTABLE);
    const int64_t items = al_length(L, index);
    int64_t total = 0, *offsets = al_buffer(L, items + 1, sizeof *offsets);
    al_push_list(L, items);
    int flat = lua_gettop(L);
    offsets[0] = 0;
    for (int64_t i = 0; i < items; i++) {
        lua_rawgeti(L, index, (int)i + 1);
        const int64_t several = lua_istable(L, -1) ? al_length(L, -1) : 1;
        for (int64_t k = 1; k <= several; k++) {
            if (lua_istable(L, -1))
                lua_rawgeti(L, -1, (int)k);
            else
                lua_pushvalue(L, -1);
            lua_rawseti(L, flat, (int)++total);
        }
        offsets[i + 1] = total;
        lua_pop(L, 1);
    }
    read_texts(L, flat, what, out);
    out->offsets = offsets;
    out->offset_count = items + 1;
}

/* Pushes the array that it returns: the list of integers at index, [*count]. */
static int64_t *read_classes(lua_State *L, int index, const char *what, int64_t *count) {
    const double *numbers = al_numbers(L, index, what, count);
    int64_t *classes = al_buffer(L, *count, sizeof *classes);
    for (int64_t i = 0; i < *count; i++) {
        if (!(fabs(numbers[i]) <= 9007199254740992.0) || numbers[i] != floor(numbers[i]))
            luaL_error(L, "%s[%d]: an integer expected", what, (int)i + 1);
        classes[i] = (int64_t)numbers[i];
    }
    return classes;
}

/* The links at index; nil: those of the built-in aligner, which is trained on the first two inputs.
 * Returns `failed`. */
static int read_links(lua_State *L, int index, measuring *call, al_input *out) {
    const al_input *in = call->inputs;
    al_object *links = lua_isnil(L, index) ? NULL : al_check(L, index, &al_links_kind);
    int failed = 0;
    if (!links) {
        links = al_new(L, &al_links_kind, call->context);
        failed = AL_CALL(L, call->context,
                         alcore_align(call->context->ctx, in[0].texts, in[0].lengths, in[1].texts,
                                      in[1].lengths, in[0].count, NULL, NULL, NULL, &links->links));
    }
    out->links = links->links;
    return failed;
}

/* Reads one input of a call, which is a list; returns `failed`. */
static int read_input(lua_State *L, measuring *call, int number) {
    const al_measure *metric = call->metric;
    const char *what = metric->inputs[number].name;
    const int index = stack_index(metric, number);
    al_input *out = &call->inputs[number];
    switch (metric->inputs[number].kind) {
    case AL_LISTS:
        read_lists(L, index, what, out);
        break;
    case AL_NUMBERS: /* only Wilcoxon's test can do without the second list */
        if (number > 0 && lua_isnil(L, index) && strcmp(metric->name, "wilcoxon") == 0) break;
        out->numbers = al_numbers(L, index, what, &out->count);
        break;
    case AL_CLASSES:
        out->classes = read_classes(L, index, what, &out->count);
        break;
    case AL_LINKS:
        return read_links(L, index, call, out);
    case AL_TEXTS:
        if (metric->signature && number > 0)
            read_references(L, call->inputs[0].count, &call->sets, out);
        else
            read_texts(L, index, what, out);
    }
    return 0;
}

/* Raises where lists that go with each other differ in length and the library could not say so. */
static void check_lengths(lua_State *L, const measuring *call, int number) {
    const al_measure *metric = call->metric;
    const al_input *in = call->inputs;
    if (number > 0 && in[0].offsets && in[0].offset_count != in[number].count + 1)
        luaL_error(L, "%s: a list of %d questions expected, as many as %s", metric->inputs[0].name,
                   (int)in[number].count, metric->inputs[number].name);
    if (number > 0 && metric->inputs[3].kind == AL_LINKS && number < 3 &&
        in[number].count != in[0].count)
        luaL_error(L, "%s: a list of %d strings expected, as many as %s",
                   metric->inputs[number].name, (int)in[0].count, metric->inputs[0].name);
}

/* ---- files ---- */

/* Reads `by` of the options: whether texts of files are joined by ids or lines. */
static void read_join(lua_State *L, int files, measuring *call) {
    static const al_member members[] = {
        {"by", AL_WORD, 1, offsetof(alcore_read_options, by), al_words_join},
        {NULL, 0, 0, 0, NULL}};
    if (call->table == 0) return;
    lua_getfield(L, call->table, "by");
    if (!files && !lua_isnil(L, -1))
        luaL_error(L,
                   "by: says how the texts of files are joined; lists are joined by their order");
    lua_pop(L, 1);
    al_read_struct(L, call->table, members, &call->reading);
    call->files.options = &call->reading;
}

/* The paths of files: those of the inputs, of which the references may be a list of them, and of
 * the baseline, the string at index `baseline`, if that is not 0. Pushes the array of paths, which
 * are those of the Lua strings. */
static void read_paths(lua_State *L, int baseline, measuring *call) {
    const al_measure *metric = call->metric;
    int64_t count = 0;
    const int64_t sets = metric->signature && lua_istable(L, 2) ? al_length(L, 2) : 1;
    const char **paths = al_buffer(L, AL_MOST_INPUTS + sets, sizeof *paths);
    luaL_checkstack(L, (int)sets + AL_STACK, "references");
    for (int i = 0; metric->inputs[i].name; i++) {
        const int index = stack_index(metric, i);
        if (metric->inputs[i].kind == AL_LINKS) {
            call->links = luaL_checkstring(L, index);
        } else if (i > 0 && metric->signature && lua_istable(L, index)) {
            for (int64_t set = 0; set < sets; set++) {
                lua_rawgeti(L, index, (int)set + 1);
                paths[count++] = luaL_checkstring(L, -1); /* the caller's argument owns it */
            }
        } else {
            paths[count++] = luaL_checkstring(L, index);
        }
    }
    if (baseline) paths[count++] = luaL_checkstring(L, baseline);
    call->files.paths = paths;
    call->files.count = count;
    call->sets = sets;
}

/* ---- options ---- */

/* Whether the field of the options is true. */
static int is_true(lua_State *L, int table, const char *field) {
    if (table == 0) return 0;
    lua_getfield(L, table, field);
    int value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Pushes the field `baseline` of the options, and reads those of its test; its stack index, 0 where
 * there is none. */
static int read_paired(lua_State *L, measuring *call) {
    static const al_constant tests[] = {{"bootstrap", ALCORE_PAIRED_BOOTSTRAP},
                                        {"randomization", ALCORE_PAIRED_RANDOMIZATION},
                                        {NULL, 0}};
    if (call->table == 0) return 0;
    call->paired.samples = al_field_integer(L, call->table, "samples");
    call->paired.seed = al_field_seed(L, call->table, "seed");
    lua_getfield(L, call->table, "test");
    const int named = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (named) call->paired.test = al_field_constant(L, call->table, "test", tests);
    lua_getfield(L, call->table, "baseline");
    if (!lua_isnil(L, -1)) return lua_gettop(L);
    if (call->paired.test > ALCORE_PAIRED_BOOTSTRAP || call->paired.samples != 0)
        luaL_error(L, "test and samples need a baseline");
    return 0;
}

/* Pushes a buffer for the scores of the sentences where they are wanted, and describes it. */
static void make_sentences(lua_State *L, measuring *call) {
    if (!call->metric->signature || !is_true(L, call->table, "sentences")) return;
    int64_t *count = &call->inputs[0].count;
    al_tensor(L, &call->scores, al_buffer(L, *count, sizeof(double)), ALCORE_FLOAT64, count, 1);
    call->sentences = &call->scores;
}

/* The fields of the options that are no members of the library's struct. */
static const char *const *other_fields(const al_measure *metric) {
    static const char *const corpus[] = {"sentences", "baseline", "test", "samples",
                                         "by",        "context",  NULL};
    static const char *const domain[] = {"domain", "by", "context", NULL};
    static const char *const files[] = {"by", "context", NULL};
    if (metric->signature) return corpus;
    if (metric->pointer) return domain;
    return metric->read ? files : al_context_only;
}

/* Reads the table of options; the stack index of the baseline, 0: there is none. */
static int read_options(lua_State *L, measuring *call) {
    const al_measure *metric = call->metric;
    const void *points_to = NULL;
    char name[64];
    int baseline = 0;
    snprintf(name, sizeof name, "metrics.%s", metric->name);
    call->table =
        al_options(L, count_inputs(metric) + 1, name, metric->options, other_fields(metric), NULL);
    memcpy(&call->options, metric->defaults, metric->options_size);
    al_read_struct(L, call->table, metric->options, &call->options);
    call->context = al_context_of(L, call->table);
    if (metric->signature) {
        baseline = read_paired(L, call);
        if (baseline) points_to = &call->paired;
    } else if (metric->pointer && call->table != 0) {
        lua_getfield(L, call->table, "domain");
        if (!lua_isnil(L, -1)) points_to = al_check(L, lua_gettop(L), &al_overlap_kind)->overlap;
    }
    if (metric->pointer)
        memcpy((char *)&call->options + metric->pointer, &points_to, sizeof points_to);
    return baseline;
}

/* ---- calls ---- */

/* Measures files, or lists; returns `failed`. */
static int measure_files(lua_State *L, int baseline, measuring *call) {
    if (is_true(L, call->table, "sentences"))
        luaL_error(L, "sentences: only of lists of strings, not of files");
    read_paths(L, baseline, call);
    return AL_CALL(L, call->context,
                   call->metric->read(call->context->ctx, &call->files, call->links, &call->options,
                                      &call->result));
}

static int measure_lists(lua_State *L, int baseline, measuring *call) {
    if (baseline) {
        al_input texts = {0};
        read_texts(L, baseline, "baseline", &texts);
        call->paired.baseline = texts.texts;
        call->paired.baseline_lengths = texts.lengths;
        call->paired.baseline_count = texts.count;
    }
    for (int i = 0; call->metric->inputs[i].name; i++) {
        int failed = read_input(L, call, i);
        if (failed) return failed;
        check_lengths(L, call, i);
    }
    make_sentences(L, call);
    return AL_CALL(L, call->context,
                   call->metric->compute(call->context->ctx, call->inputs, &call->options,
                                         call->sentences, &call->result));
}

/* metrics.NAME(inputs..., options): the metric whose row is the function's upvalue. */
static int measure(lua_State *L) {
    const al_measure *metric = lua_touserdata(L, lua_upvalueindex(1));
    measuring call = {.metric = metric,
                      .files = ALCORE_TEXT_FILES_INIT,
                      .reading = ALCORE_READ_OPTIONS_INIT,
                      .paired = ALCORE_PAIRED_OPTIONS_INIT};
    lua_settop(L, count_inputs(metric) + 1);
    const int files = metric->read && lua_type(L, 1) == LUA_TSTRING;
    const int baseline = read_options(L, &call);
    alcore_extra_struct_begin(&call.result, metric->result_size, metric->result_name);
    if (metric->read) read_join(L, files, &call);
    const int failed =
        files ? measure_files(L, baseline, &call) : measure_lists(L, baseline, &call);
    if (failed) return failed;
    al_push_struct(L, metric->result, &call.result);
    if (!metric->signature) return 1;
    char signature[160];
    al_set_string(L, "signature", metric->signature(call.sets, &call.options, signature));
    if (!call.sentences) return 1;
    al_push_doubles(L, call.scores.data, call.scores.shape[0]);
    lua_setfield(L, -2, "sentences");
    return 1;
}

void al_push_metrics(lua_State *L) {
    lua_newtable(L);
    for (const al_measure *metric = al_measures; metric->name; metric++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)metric);
        lua_pushcclosure(L, measure, 1);
        lua_setfield(L, -2, metric->name);
    }
}
