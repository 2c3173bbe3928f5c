/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Metrics of an experiment: translations, labels, spans and answers against gold ones, translated
 * words, agreement, means, correlation, significance. Results are tables.
 * @section metrics */
#include <math.h>

#include "lua_binding.h"

/* Options of BLEU, chrF and TER beside the members of the library's struct. */
static const char *const score_fields[] = {"sentences", "baseline", "test", "samples",
                                           "by",        "context",  NULL};
static const char *const joined_fields[] = {"by", "context", NULL};

/* Files in place of lists, and what joins their texts. */
typedef struct file_list {
    alcore_text_files files;
    alcore_read_options reading; /* files.options */
} file_list;

/* Reads `by` of the table of options at stack index `table`, 0: there is none; used: whether there
 * are files, whose texts it joins. *list stays where it is: it is pointed into. */
static void read_join(lua_State *L, int table, int used, file_list *list) {
    static const al_member members[] = {
        {"by", AL_WORD, 1, offsetof(alcore_read_options, by), al_joins}, {NULL, 0, 0, 0, NULL}};
    if (table == 0) return;
    lua_getfield(L, table, "by");
    if (!used && !lua_isnil(L, -1))
        luaL_error(L,
                   "by: says how the texts of files are joined; lists are joined by their order");
    lua_pop(L, 1);
    al_read_struct(L, table, members, &list->reading);
    list->files.options = &list->reading;
}

/* A list of strings as the library reads it. */
typedef struct text_list {
    const char **texts; /* [count] UTF-8; the Lua list owns them */
    size_t *lengths;    /* [count] bytes */
    int64_t count;
} text_list;

/* The list of strings at index; pushes what holds the arrays. */
static text_list read_texts(lua_State *L, int index, const char *what) {
    text_list list = {0};
    if (lua_type(L, index) != LUA_TTABLE)
        luaL_error(L, "%s: a list of strings expected, got %s", what, luaL_typename(L, index));
    list.texts = al_strings(L, index, what, 0, &list.lengths, &list.count);
    return list;
}

/* The list of references at index, of which those that are false are missing: NULL with a length
 * other than 0, as the library knows them. *sets becomes 0 if one is. */
static text_list read_some_texts(lua_State *L, int index, int64_t *sets) {
    text_list list = {.count = al_length(L, index)};
    list.texts = al_strings(L, index, "references", 1, &list.lengths, &list.count);
    for (int64_t i = 0; i < list.count; i++) {
        if (list.texts[i]) continue;
        list.lengths[i] = SIZE_MAX;
        *sets = 0;
    }
    return list;
}

/* The references at index 2: a list of strings, or a list of such lists, each as long as the
 * hypotheses. The library reads them set after set; *sets is their number, 0 where some are
 * missing. */
static text_list read_references(lua_State *L, int64_t hypotheses, int64_t *sets) {
    luaL_checktype(L, 2, LUA_TTABLE);
    *sets = 1;
    lua_rawgeti(L, 2, 1);
    int nested = lua_istable(L, -1);
    lua_pop(L, 1);
    if (!nested) return read_some_texts(L, 2, sets);
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
    return read_some_texts(L, joined, sets);
}

/* Pushes a buffer for the scores of the sentences when the field `sentences` of the options is
 * true, and describes it: out, float64 [*count], which has to outlive it; NULL otherwise. */
static const alcore_tensor *sentence_buffer(lua_State *L, int table, int64_t *count,
                                            alcore_tensor *out) {
    if (table == 0) return NULL;
    lua_getfield(L, table, "sentences");
    int wanted = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!wanted) return NULL;
    al_tensor(L, out, al_buffer(L, *count, sizeof(double)), ALCORE_FLOAT64, count, 1);
    return out;
}

/* Adds to the result on top what is not in the library's struct. */
static int finish_score(lua_State *L, const char *signature, const alcore_tensor *sentences) {
    lua_pushstring(L, signature);
    lua_setfield(L, -2, "signature");
    if (!sentences) return 1;
    al_push_doubles(L, sentences->data, sentences->shape[0]);
    lua_setfield(L, -2, "sentences");
    return 1;
}

/* What BLEU, chrF and TER read beside their options, and where the scores of sentences go. */
typedef struct corpus_call {
    file_list list; /* in place of texts; its paths are those of the Lua strings */
    text_list hypotheses, references;
    int64_t sets;                   /* of references; 0: some are missing */
    alcore_paired_options paired;   /* the fields baseline, test, samples and seed */
    alcore_tensor scores;           /* of the sentences, where they are wanted */
    const alcore_tensor *sentences; /* &scores or NULL */
    al_context *context;
} corpus_call;

/* Pushes the field `baseline` of the options, and reads those of its test; whether there is one. */
static int read_paired(lua_State *L, int table, corpus_call *call) {
    static const al_constant tests[] = {{"bootstrap", ALCORE_PAIRED_BOOTSTRAP},
                                        {"randomization", ALCORE_PAIRED_RANDOMIZATION},
                                        {NULL, 0}};
    lua_pushnil(L);
    if (table == 0) return 0;
    call->paired.test = al_field_constant(L, table, "test", tests);
    call->paired.samples = al_field_integer(L, table, "samples");
    call->paired.seed = al_field_seed(L, table, "seed");
    lua_getfield(L, table, "baseline");
    lua_replace(L, -2);
    if (!lua_isnil(L, -1)) return 1;
    if (call->paired.test != ALCORE_PAIRED_BOOTSTRAP || call->paired.samples != 0)
        luaL_error(L, "test and samples need a baseline");
    return 0;
}

/* The paths of files: of the hypotheses (index 1), one or a list of them (index 2), and of the
 * baseline, at the top, if there is one. Pushes the array of paths. */
static void read_files(lua_State *L, int table, int paired, corpus_call *call) {
    const int baseline = lua_gettop(L);
    int64_t sets = lua_istable(L, 2) ? al_length(L, 2) : 1;
    const char **paths = al_buffer(L, sets + 2, sizeof *paths);
    luaL_checkstack(L, (int)sets + AL_STACK, "references");
    paths[0] = luaL_checkstring(L, 1);
    for (int64_t set = 0; set < sets; set++) {
        if (lua_istable(L, 2))
            lua_rawgeti(L, 2, (int)set + 1);
        else
            lua_pushvalue(L, 2);
        paths[set + 1] = luaL_checkstring(L, -1); /* the caller's argument owns it */
    }
    if (table != 0) {
        lua_getfield(L, table, "sentences");
        if (lua_toboolean(L, -1))
            luaL_error(L, "sentences: only of lists of strings, not of files");
    }
    if (paired) paths[sets + 1] = luaL_checkstring(L, baseline);
    call->list.files.paths = paths;
    call->list.files.count = sets + 1 + paired;
    call->sets = sets;
}

/* Reads hypotheses (index 1), references (index 2) and the table of options (index 3), whose
 * members of the library's struct are written to options; *files, one of them, is set where the
 * arguments are paths. *call stays where it is: it is pointed into. */
static void read_corpus(lua_State *L, const char *function, const al_member *members, void *options,
                        const alcore_text_files **files, const alcore_paired_options **paired,
                        corpus_call *call) {
    *call = (corpus_call){.list = {ALCORE_TEXT_FILES_INIT, ALCORE_READ_OPTIONS_INIT},
                          .paired = ALCORE_PAIRED_OPTIONS_INIT};
    lua_settop(L, 3);
    int table = al_options(L, 3, function, members, score_fields);
    al_read_struct(L, table, members, options);
    call->context = al_context_of(L, table);
    read_join(L, table, lua_type(L, 1) == LUA_TSTRING, &call->list);
    const int test = read_paired(L, table, call), baseline = lua_gettop(L);
    if (test) *paired = &call->paired;
    if (lua_type(L, 1) == LUA_TSTRING) {
        read_files(L, table, test, call);
        *files = &call->list.files;
        return;
    }
    if (test) {
        const text_list texts = read_texts(L, baseline, "baseline");
        call->paired.baseline = texts.texts;
        call->paired.baseline_lengths = texts.lengths;
        call->paired.baseline_count = texts.count;
    }
    call->hypotheses = read_texts(L, 1, "hypotheses");
    call->references = read_references(L, call->hypotheses.count, &call->sets);
    call->sentences = sentence_buffer(L, table, &call->hypotheses.count, &call->scores);
}

/* Calls `function` of the library with what read_corpus() read. */
#define CALL_CORPUS(L, function, call, options, score)                                             \
    AL_CALL(L, (call)->context,                                                                    \
            function((call)->context->ctx, (call)->hypotheses.texts, (call)->hypotheses.lengths,   \
                     (call)->hypotheses.count, (call)->references.texts,                           \
                     (call)->references.lengths, (call)->references.count, options,                \
                     (call)->sentences, score))

/*** BLEU of a corpus as sacreBLEU defines it.
 * @function metrics.bleu
 * @tparam table|string hypotheses a list of strings, or the path of a file, which is read in blocks
 * @tparam table|string references a list of strings, or a list of such lists, where false is a
 * reference that is missing; of a file a path, or a list of paths
 * @tparam[opt] table options tokenizer ("13a", "intl", "char", "zh", "none"), smoothing ("exp",
 * "floor", "add_k", "none"), smoothing_value, effective_order, resamples, seed, sentences (true:
 * the result has the BLEU of each sentence too), baseline (the hypotheses of another system, of
 * files a path, which are compared by a paired test), test ("bootstrap", "randomization"), samples
 * (of it; 0: 1,000 or 10,000), context
 * @return a table with bleu, precisions, brevity_penalty, matches, totals, hypothesis_tokens,
 * reference_tokens, bootstrap_mean, bootstrap_low, bootstrap_high, baseline (its BLEU), p,
 * signature, sentences; or nil, message, code */
static int bleu(lua_State *L) {
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_score score = ALCORE_BLEU_SCORE_INIT;
    char signature[160];
    corpus_call call;
    read_corpus(L, "metrics.bleu", al_bleu_options, &options, &options.files, &options.paired,
                &call);
    int failed = CALL_CORPUS(L, alcore_metric_compute_bleu, &call, &options, &score);
    if (failed) return failed;
    al_push_struct(L, al_bleu_score, &score);
    return finish_score(L, alcore_metric_bleu_signature(call.sets, &options, signature),
                        call.sentences);
}

/*** chrF of a corpus as sacreBLEU defines it; chrF++ with word_order = 2.
 * @function metrics.chrf
 * @tparam table|string hypotheses as of metrics.bleu
 * @tparam table|string references as of metrics.bleu
 * @tparam[opt] table options word_order, whitespace, resamples, seed, sentences, baseline, test,
 * samples, by, context
 * @return a table with chrf, matches, hypothesis_total, reference_total, bootstrap_mean,
 * bootstrap_low, bootstrap_high, baseline, p, signature, sentences; or nil, message, code */
static int chrf(lua_State *L) {
    alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
    alcore_chrf_score score = ALCORE_CHRF_SCORE_INIT;
    char signature[160];
    corpus_call call;
    read_corpus(L, "metrics.chrf", al_chrf_options, &options, &options.files, &options.paired,
                &call);
    int failed = CALL_CORPUS(L, alcore_metric_compute_chrf, &call, &options, &score);
    if (failed) return failed;
    al_push_struct(L, al_chrf_score, &score);
    return finish_score(L, alcore_metric_chrf_signature(call.sets, &options, signature),
                        call.sentences);
}

/*** TER of a corpus as sacreBLEU defines it, in percent; smaller is better.
 * @function metrics.ter
 * @tparam table|string hypotheses as of metrics.bleu
 * @tparam table|string references as of metrics.bleu
 * @tparam[opt] table options case_sensitive, resamples, seed, sentences, baseline, test, samples,
 * by, context
 * @return a table with ter, edits, reference_words, bootstrap_mean, bootstrap_low, bootstrap_high,
 * baseline, p, signature, sentences; or nil, message, code */
static int ter(lua_State *L) {
    alcore_ter_options options = ALCORE_TER_OPTIONS_INIT;
    alcore_ter_score score = ALCORE_TER_SCORE_INIT;
    char signature[160];
    corpus_call call;
    read_corpus(L, "metrics.ter", al_ter_options, &options, &options.files, &options.paired, &call);
    int failed = CALL_CORPUS(L, alcore_metric_compute_ter, &call, &options, &score);
    if (failed) return failed;
    al_push_struct(L, al_ter_score, &score);
    return finish_score(L, alcore_metric_ter_signature(call.sets, &options, signature),
                        call.sentences);
}

/* Whether the first argument is the path of a file; then *out describes the files whose paths are
 * the arguments at indices[], [count], joined as the table of options at stack index `table` says.
 * Pushes the array of paths, which are those of the Lua strings. */
static int are_files(lua_State *L, int table, const int *indices, int count, file_list *out) {
    *out = (file_list){ALCORE_TEXT_FILES_INIT, ALCORE_READ_OPTIONS_INIT};
    read_join(L, table, lua_type(L, 1) == LUA_TSTRING, out);
    if (lua_type(L, 1) != LUA_TSTRING) return 0;
    const char **files = al_buffer(L, count, sizeof *files);
    for (int i = 0; i < count; i++) files[i] = luaL_checkstring(L, indices[i]);
    out->files.paths = files;
    out->files.count = count;
    return 1;
}

static const int in_order[] = {1, 2, 3}; /* indices of arguments in the order of the library */

/* Pushes the struct of a result, unless the call failed; what the Lua function returns. */
static int give_result(lua_State *L, int failed, const al_member *members, const void *result) {
    if (failed) return failed;
    al_push_struct(L, members, result);
    return 1;
}

/* The gold answers at index 2: a list of strings, or of lists of the answers of one question.
 * Pushes a flat list of them and an array of offsets [questions + 1], *offsets. */
static text_list read_answers(lua_State *L, int64_t **offsets) {
    luaL_checktype(L, 2, LUA_TTABLE);
    const int64_t questions = al_length(L, 2);
    int64_t total = 0;
    *offsets = al_buffer(L, questions + 1, sizeof **offsets);
    al_push_list(L, questions);
    int flat = lua_gettop(L);
    (*offsets)[0] = 0;
    for (int64_t i = 0; i < questions; i++) {
        lua_rawgeti(L, 2, (int)i + 1);
        const int64_t several = lua_istable(L, -1) ? al_length(L, -1) : 1;
        for (int64_t k = 1; k <= several; k++) {
            if (lua_istable(L, -1))
                lua_rawgeti(L, -1, (int)k);
            else
                lua_pushvalue(L, -1);
            lua_rawseti(L, flat, (int)++total);
        }
        (*offsets)[i + 1] = total;
        lua_pop(L, 1);
    }
    return read_texts(L, flat, "gold");
}

/*** Exact match and F1 of answers to questions, as SQuAD.
 * @function metrics.answers
 * @tparam table|string predicted a list of strings, one a question, or the path of a file, which is
 * read in blocks
 * @tparam table|string gold a list of strings, or of lists of the answers that are right; of files
 * the path of one whose lines have the right answers with TABs between them
 * @tparam[opt] table options by (of files: "id" or "line" joins their texts), context
 * @return a table with exact_match, f1 (percent), exact, questions; or nil, message, code */
static int answers(lua_State *L) {
    static const int gold_first[] = {2, 1};
    alcore_answer_score score = ALCORE_ANSWER_SCORE_INIT;
    file_list files;
    int64_t *offsets;
    lua_settop(L, 3);
    int table = al_options(L, 3, "metrics.answers", NULL, joined_fields);
    al_context *context = al_context_of(L, table);
    if (are_files(L, table, gold_first, 2, &files))
        return give_result(
            L, AL_CALL(L, context, alcore_metric_read_answers(context->ctx, &files.files, &score)),
            al_answer_score, &score);
    text_list predicted = read_texts(L, 1, "predicted"), gold = read_answers(L, &offsets);
    if (al_length(L, 2) != predicted.count)
        return luaL_error(L, "gold: a list of %d questions expected, as many as predicted",
                          (int)predicted.count);
    int failed =
        AL_CALL(L, context,
                alcore_metric_compute_answers(context->ctx, predicted.texts, predicted.lengths,
                                              predicted.count, gold.texts, gold.lengths, gold.count,
                                              offsets, predicted.count + 1, &score));
    return give_result(L, failed, al_answer_score, &score);
}

/*** Accuracy of the translation of in-domain words.
 * @function metrics.word_accuracy
 * @tparam table|string sources a list of strings, or the path of a file, which is read in blocks
 * @tparam table|string references a list of strings, as long as sources, or a path
 * @tparam table|string hypotheses a list of strings, as long as sources, or a path
 * @tparam ?links|string links of the sources and references; of files the path of a file of links;
 * nil: those of the built-in aligner, which is trained on the lists
 * @tparam[opt] table options domain (an overlap whose test texts are the sources; words that its
 * texts outside the domain have do not count; without it every word does), context
 * @return a table with accuracy (percent), matched, total, unlinked; or nil, message, code */
static int word_accuracy(lua_State *L) {
    static const char *const what[] = {"sources", "references", "hypotheses"};
    static const char *const others[] = {"domain", "by", "context", NULL};
    alcore_word_accuracy_score score = ALCORE_WORD_ACCURACY_SCORE_INIT;
    const alcore_overlap *domain = NULL;
    file_list files;
    text_list sides[3];
    lua_settop(L, 5);
    int table = al_options(L, 5, "metrics.word_accuracy", NULL, others);
    al_context *context = al_context_of(L, table);
    if (table != 0) {
        lua_getfield(L, table, "domain");
        if (!lua_isnil(L, -1)) domain = al_check(L, lua_gettop(L), &al_overlap_kind)->overlap;
    }
    if (are_files(L, table, in_order, 3, &files)) {
        const char *path = luaL_checkstring(L, 4);
        return give_result(L,
                           AL_CALL(L, context,
                                   alcore_metric_read_word_accuracy(context->ctx, &files.files,
                                                                    path, domain, &score)),
                           al_word_accuracy_score, &score);
    }
    al_object *links = lua_isnil(L, 4) ? NULL : al_check(L, 4, &al_links_kind);
    for (int i = 0; i < 3; i++) {
        sides[i] = read_texts(L, i + 1, what[i]);
        if (sides[i].count != sides[0].count)
            return luaL_error(L, "%s: a list of %d strings expected, as many as sources", what[i],
                              (int)sides[0].count);
    }
    int failed = 0;
    if (!links) {
        links = al_new(L, &al_links_kind, context);
        failed = AL_CALL(L, context,
                         alcore_align(context->ctx, sides[0].texts, sides[0].lengths,
                                      sides[1].texts, sides[1].lengths, sides[0].count, NULL, NULL,
                                      NULL, &links->links));
    }
    if (!failed)
        failed = AL_CALL(L, context,
                         alcore_metric_compute_word_accuracy(
                             context->ctx, sides[0].texts, sides[0].lengths, sides[1].texts,
                             sides[1].lengths, sides[2].texts, sides[2].lengths, sides[0].count,
                             links->links, domain, &score));
    return give_result(L, failed, al_word_accuracy_score, &score);
}

/*** Words of the hypotheses per word of the references.
 * @function metrics.length_ratio
 * @tparam table|string hypotheses a list of strings, or the path of a file, which is read in blocks
 * @tparam table|string references a list of strings, as long as hypotheses, or a path
 * @tparam[opt] table options by (of files: "id" or "line" joins their texts), context
 * @return a table with ratio, hypothesis_words, reference_words; or nil, message, code */
static int length_ratio(lua_State *L) {
    alcore_length_ratio_score score = ALCORE_LENGTH_RATIO_SCORE_INIT;
    file_list files;
    lua_settop(L, 3);
    int table = al_options(L, 3, "metrics.length_ratio", NULL, joined_fields);
    al_context *context = al_context_of(L, table);
    if (are_files(L, table, in_order, 2, &files))
        return give_result(
            L,
            AL_CALL(L, context,
                    alcore_metric_read_length_ratio(context->ctx, &files.files, &score)),
            al_length_ratio_score, &score);
    text_list hypotheses = read_texts(L, 1, "hypotheses");
    text_list references = read_texts(L, 2, "references");
    int failed = AL_CALL(L, context,
                         alcore_metric_compute_length_ratio(
                             context->ctx, hypotheses.texts, hypotheses.lengths, hypotheses.count,
                             references.texts, references.lengths, references.count, &score));
    return give_result(L, failed, al_length_ratio_score, &score);
}

/*** Accuracy and macro F1 of labels.
 * @function metrics.labels
 * @tparam table|string gold a list of strings, or the path of a file, which is read in blocks
 * @tparam table|string predicted a list of strings, as long as gold, or a path
 * @tparam[opt] table options words (true: each word of a string is a label), by, context
 * @return a table with accuracy, macro_f1, correct, labels, compared; or nil, message, code */
static int labels(lua_State *L) {
    static const char *const others[] = {"words", "by", "context", NULL};
    alcore_label_score score = ALCORE_LABEL_SCORE_INIT;
    file_list files;
    int words = 0;
    lua_settop(L, 3);
    int table = al_options(L, 3, "metrics.labels", NULL, others);
    if (table != 0) {
        lua_getfield(L, table, "words");
        words = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    al_context *context = al_context_of(L, table);
    if (are_files(L, table, in_order, 2, &files))
        return give_result(
            L,
            AL_CALL(L, context,
                    alcore_metric_read_labels(context->ctx, &files.files, words, &score)),
            al_label_score, &score);
    text_list gold = read_texts(L, 1, "gold"), predicted = read_texts(L, 2, "predicted");
    int failed = AL_CALL(L, context,
                         alcore_metric_compute_labels(
                             context->ctx, gold.texts, gold.lengths, gold.count, predicted.texts,
                             predicted.lengths, predicted.count, words, &score));
    return give_result(L, failed, al_label_score, &score);
}

/*** Precision, recall and F1 of spans, as seqeval: a string holds the tags of a sentence with
 * spaces between them: O, a mark and a type such as B-PER, or a mark alone.
 * @function metrics.spans
 * @tparam table|string gold a list of strings, or the path of a file, which is read in blocks
 * @tparam table|string predicted a list of strings, as long as gold, or a path
 * @tparam[opt] table options scheme (of the tags: "default", which reads B, I, E and S forgivingly
 * as conlleval does, or "iob2", "iob1", "ioe2", "iobes", "bilou"), by, context
 * @return a table with precision, recall, f1, gold_spans, predicted_spans, matches; or nil,
 * message, code */
static int spans(lua_State *L) {
    static const al_constant schemes[] = {{"default", ALCORE_TAGS_DEFAULT},
                                          {"iob2", ALCORE_TAGS_IOB2},
                                          {"iob1", ALCORE_TAGS_IOB1},
                                          {"ioe2", ALCORE_TAGS_IOE2},
                                          {"iobes", ALCORE_TAGS_IOBES},
                                          {"bilou", ALCORE_TAGS_BILOU},
                                          {NULL, 0}};
    static const char *const others[] = {"scheme", "by", "context", NULL};
    alcore_span_score score = ALCORE_SPAN_SCORE_INIT;
    file_list files;
    lua_settop(L, 3);
    int table = al_options(L, 3, "metrics.spans", NULL, others);
    int32_t scheme = table != 0 ? al_field_constant(L, table, "scheme", schemes) : 0;
    al_context *context = al_context_of(L, table);
    if (are_files(L, table, in_order, 2, &files))
        return give_result(
            L,
            AL_CALL(L, context,
                    alcore_metric_read_spans(context->ctx, &files.files, scheme, &score)),
            al_span_score, &score);
    text_list gold = read_texts(L, 1, "gold"), predicted = read_texts(L, 2, "predicted");
    int failed = AL_CALL(L, context,
                         alcore_metric_compute_spans(context->ctx, gold.texts, gold.lengths,
                                                     gold.count, predicted.texts, predicted.lengths,
                                                     predicted.count, scheme, &score));
    return give_result(L, failed, al_span_score, &score);
}

/*** Mean, standard deviation of a sample and standard error.
 * @function metrics.mean
 * @tparam table values a list of numbers
 * @return a table with mean, standard_deviation, standard_error; or nil, message, code */
static int mean(lua_State *L) {
    alcore_mean_result result = ALCORE_MEAN_RESULT_INIT;
    int64_t count;
    double *values = al_numbers(L, 1, "values", &count);
    alcore_status status = alcore_metric_compute_mean(values, count, &result);
    if (status != ALCORE_OK) return al_fail(L, status);
    al_push_struct(L, al_mean_result, &result);
    return 1;
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

/*** Cohen's kappa of two predictions of classes for the same items.
 * @function metrics.kappa
 * @tparam table|string x a list of integers, the class of each item, or the path of a file, which
 * is read in blocks and has a class a line, any text
 * @tparam table|string y a list of integers, as long as x, or a path
 * @tparam[opt] table options by (of files: "id" or "line" joins their texts), context
 * @return a table with kappa, observed, expected, classes, items; or nil, message, code */
static int kappa(lua_State *L) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    file_list files;
    int64_t x_count, y_count;
    lua_settop(L, 3);
    int table = al_options(L, 3, "metrics.kappa", NULL, joined_fields);
    al_context *context = al_context_of(L, table);
    if (are_files(L, table, in_order, 2, &files))
        return give_result(
            L, AL_CALL(L, context, alcore_metric_read_kappa(context->ctx, &files.files, &result)),
            al_kappa_result, &result);
    const int64_t *x = read_classes(L, 1, "x", &x_count), *y = read_classes(L, 2, "y", &y_count);
    int failed = AL_CALL(
        L, context, alcore_metric_compute_kappa(context->ctx, x, x_count, y, y_count, &result));
    return give_result(L, failed, al_kappa_result, &result);
}

/*** Pearson's correlation of pairs.
 * @function metrics.pearson
 * @tparam table x a list of numbers
 * @tparam table y a list of numbers, as long as x
 * @return a table with rho and p (two-sided); or nil, message, code */
static int pearson(lua_State *L) {
    alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;
    int64_t x_count, y_count;
    double *x = al_numbers(L, 1, "x", &x_count), *y = al_numbers(L, 2, "y", &y_count);
    alcore_status status = alcore_metric_compute_pearson(x, x_count, y, y_count, &result);
    if (status != ALCORE_OK) return al_fail(L, status);
    al_push_struct(L, al_pearson_result, &result);
    return 1;
}

/*** Wilcoxon's signed-rank test of pairs.
 * @function metrics.wilcoxon
 * @tparam table x a list of numbers; without y, of differences
 * @tparam[opt] table y a list of numbers, as long as x
 * @tparam[opt] table options context
 * @return a table with pairs, w_plus, w_minus, p, exact; or nil, message, code */
static int wilcoxon(lua_State *L) {
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
    int64_t x_count, y_count = 0;
    lua_settop(L, 3);
    al_context *context =
        al_context_of(L, al_options(L, 3, "metrics.wilcoxon", NULL, al_context_only));
    double *x = al_numbers(L, 1, "x", &x_count);
    double *y = lua_isnil(L, 2) ? NULL : al_numbers(L, 2, "y", &y_count);
    int failed = AL_CALL(
        L, context, alcore_metric_compute_wilcoxon(context->ctx, x, x_count, y, y_count, &result));
    if (failed) return failed;
    al_push_struct(L, al_wilcoxon_result, &result);
    return 1;
}

static const al_method functions[] = {
    {"answers", answers}, {"bleu", bleu},         {"chrf", chrf},
    {"kappa", kappa},     {"labels", labels},     {"length_ratio", length_ratio},
    {"mean", mean},       {"pearson", pearson},   {"spans", spans},
    {"ter", ter},         {"wilcoxon", wilcoxon}, {"word_accuracy", word_accuracy},
    {NULL, NULL}};

void al_push_metrics(lua_State *L) {
    lua_newtable(L);
    al_set_functions(L, functions);
}
