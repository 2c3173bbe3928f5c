/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Texts through a model: what it is, embeddings, translations, scores of pairs.
 * @section model_texts */
#include <math.h>

#include "lua_binding.h"

/* Sets a field of the table on top of the stack to a list of texts [count]; NULL: to nothing. */
static void set_list(lua_State *L, const char *field, const char *const *texts, int64_t count) {
    if (!texts) return;
    al_push_texts(L, texts, NULL, count);
    lua_setfield(L, -2, field);
}

/*** What the model is: a table with engine, family, device, version, json (what the engine says of
 * it), dims, classes, labels (a list of the names of the classes, class 0 first; nil where the
 * folder does not name them), max_tokens (0: no limit), vocabulary, translates, scores, trains,
 * saves, prompt (what stands in front of texts that are embedded; nil: nothing) and warnings (a
 * list of the keys of the folder's JSON files that are not obeyed; nil where there is none).
 * @field model.info */
int l_model_info(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind);
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    int failed = AL_CALL(L, self->context, alcore_model_get_info(self->model, &info));
    if (failed) return failed;
    al_push_struct(L, al_model_info, &info);
    set_list(L, "labels", info.labels, info.classes);
    set_list(L, "warnings", info.warnings, info.warning_count);
    return 1;
}

/* Pushes a pool of the list of texts at an index, repeated ones too, with the list of references at
 * another (0: none). Returns `failed`. */
static int push_texts(lua_State *L, int texts, int references, const al_object *model,
                      al_object **out) {
    luaL_checktype(L, texts, LUA_TTABLE);
    lua_createtable(L, 0, 2);
    const int options = lua_gettop(L);
    lua_pushstring(L, "none");
    lua_setfield(L, options, "dedup");
    if (references) {
        lua_pushvalue(L, references);
        lua_setfield(L, options, "references");
    }
    return al_pool_make(L, texts, options, model->context, out);
}

/* Raises unless pool and model have the same context. */
static void check_context(lua_State *L, const al_object *model, const al_object *pool) {
    if (model->context != pool->context)
        luaL_error(L, "the model and the pool belong to different contexts");
}

/*** Embeddings of texts.
 * @function model:embed
 * @tparam table texts a list of strings
 * @return a list with the numbers of each text, NaN for an empty one; or nil, message, code */
int l_model_embed(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind), *pool;
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_tensor out;
    lua_settop(L, 2);
    int failed = push_texts(L, 2, 0, self, &pool);
    if (!failed)
        failed = AL_CALL(L, self->context, alcore_model_run(self->model, pool->pool, "embeddings"));
    if (!failed)
        failed =
            AL_CALL(L, self->context, alcore_pool_get_column_info(pool->pool, "embeddings", &info));
    if (failed) return failed;
    int64_t shape[2] = {alcore_pool_row_count(pool->pool), info.width};
    int64_t *rows = al_buffer(L, shape[0], sizeof *rows);
    for (int64_t i = 0; i < shape[0]; i++) rows[i] = i;
    double *numbers = al_buffer(L, shape[0] * shape[1], sizeof *numbers);
    al_tensor(L, &out, numbers, ALCORE_FLOAT64, shape, 2);
    failed = AL_CALL(L, self->context,
                     alcore_pool_get_column_rows(pool->pool, "embeddings", rows, shape[0], &out));
    return al_tensor_result(L, failed, &out, NULL);
}

/* Pushes the list of the `best` outputs of each text, a list of tables with text and score, of a
 * pool of outputs. An output that the search did not find is left out. */
static void push_best(lua_State *L, const alcore_pool *pool, const double *scores, int64_t best) {
    const int64_t rows = alcore_pool_row_count(pool);
    al_push_list(L, rows / best);
    for (int64_t row = 0; row < rows; row++) {
        size_t length;
        const char *text = alcore_pool_text(pool, row, &length);
        if (row % best == 0) lua_newtable(L);
        if (!isnan(scores[row])) {
            lua_createtable(L, 0, 2);
            lua_pushlstring(L, text, length);
            lua_setfield(L, -2, "text");
            al_set_number(L, "score", scores[row]);
            lua_rawseti(L, -2, (int)(row % best) + 1);
        }
        if (row % best == best - 1) lua_rawseti(L, -2, (int)(row / best) + 1);
    }
}

/*** Translates texts with a seq2seq model, or continues them with a language model.
 * @function model:translate
 * @param texts a list of strings, or a pool
 * @tparam[opt] table options beams (1: greedy), max_tokens of an output, length_penalty (from
 * 0; the folder's if not given); sample, temperature and seed draw tokens in place of searching;
 * language of the outputs ("de_DE" of mBART, "de" of M2M100, "deu_Latn" of NLLB); best: outputs of
 * each text
 * @return a list of strings, or with best a list of lists of tables with text and score, the best
 * first; of a pool a pool of the outputs, `best` rows for each row, with its id, and the
 * log-probabilities of their tokens and "output_scores" as columns; or nil, message, code */
int l_model_translate(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind), *pool;
    alcore_translate_options options = ALCORE_TRANSLATE_OPTIONS_INIT;
    int failed = 0;
    lua_settop(L, 3);
    (void)al_options(L, 3, "model:translate", al_translate_options, NULL, &options);
    const int is_pool = (pool = al_test(L, 2, &al_pool_kind)) != NULL;
    if (!is_pool) failed = push_texts(L, 2, 0, self, &pool);
    if (failed) return failed;
    check_context(L, self, pool);
    al_object *out = al_new(L, &al_pool_kind, self->context);
    failed = AL_CALL(L, self->context,
                     alcore_model_translate(self->model, pool->pool, &options, &out->pool));
    if (failed || is_pool) return failed ? failed : 1;
    if (options.best == 0) {
        al_push_pool_texts(L, out->pool, NULL, alcore_pool_row_count(out->pool));
        return 1;
    }
    alcore_tensor scores;
    failed = AL_CALL(L, self->context,
                     alcore_pool_get_column(out->pool, "output_scores", &scores, NULL));
    if (failed) return failed;
    push_best(L, out->pool, scores.data, options.best);
    return 1;
}

/*** Scores pairs with a seq2seq or language model: the natural log-probability of each token of a
 * target, its end included, given its source.
 * @function model:score
 * @param sources a list of strings; or a pool, whose references are scored and which gets the
 * values as its column of log-probabilities
 * @tparam[opt] table targets a list of strings, as many
 * @return a list of lists; or the pool; or nil, message, code */
int l_model_score(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind), *pool;
    alcore_tensor values, offsets;
    int failed = 0;
    lua_settop(L, 3);
    const int is_pool = (pool = al_test(L, 2, &al_pool_kind)) != NULL;
    if (!is_pool) {
        luaL_checktype(L, 3, LUA_TTABLE);
        failed = push_texts(L, 2, 3, self, &pool);
    }
    if (failed) return failed;
    check_context(L, self, pool);
    failed = AL_CALL(L, self->context, alcore_model_score(self->model, pool->pool));
    if (failed || is_pool) return al_result(L, failed, 2);
    failed = AL_CALL(L, self->context,
                     alcore_pool_get_column(pool->pool, "logprobs", &values, &offsets));
    return al_tensor_result(L, failed, &values, &offsets);
}

/*** Trains the model in place on the pairs of a pool: texts and references of a translation model
 * or a language model, which learns the texts where no row has a reference; of a classifier of
 * texts the references are names of classes (info.labels) or their numbers, of a classifier of
 * tokens those of the words, with spaces between them.
 * @function model:train
 * @tparam pool pool
 * @tparam[opt] table options rate, weight_decay, clip, label_smoothing, updates (0: one pass over
 * the pool), warmup, accumulate, batch_tokens, schedule ("constant", "linear", "inverse_sqrt" or
 * "cosine"), optimizer ("adamw" or "adam"), beta1, beta2, epsilon, seed, weights (a column of the
 * pool), checkpoints (a folder, from which an interrupted training goes on), checkpoint_every,
 * validation (a pool with references), validate_every, metric ("loss", "bleu", "accuracy",
 * "exact_match", "f1", "span_f1" or "strict_span_f1"),
 * patience, best (the folder that the best model is saved to), precision of products ("float32",
 * "bfloat16" or "float16"), recompute (true: less memory and more time, the same result), labels
 * (the ragged column with the class of each word, for a classifier of tokens whose references do
 * not have them; for question answering, whose texts are questions and whose references are the
 * answers, the column with the character of "qa_contexts" at which each answer begins, from 0),
 * lora_rank (above 0 a LoRA adapter of this rank is trained in place of the model), lora_alpha,
 * lora_dropout, lora_targets (names of the matrices that are adapted, with commas)
 * @return a table with updates, tokens, loss, seconds, resumed, best_update, best_value, stopped,
 * trained_parameters and parameters (how many numbers are trained, and how many the model has); or
 * nil, message, code */
int l_model_train(lua_State *L) {
    al_object *self = al_check(L, 1, &al_model_kind), *pool = al_check(L, 2, &al_pool_kind);
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
    static const char *const others[] = {"validation", NULL};
    lua_settop(L, 3);
    int table = al_options(L, 3, "model:train", al_train_options, others, &options);
    check_context(L, self, pool);
    if (al_has(L, table, "validation")) {
        al_object *validation = al_check(L, lua_gettop(L), &al_pool_kind);
        check_context(L, self, validation);
        options.validation = validation->pool;
    }
    int failed =
        AL_CALL(L, self->context, alcore_model_train(self->model, pool->pool, &options, &result));
    return al_struct_result(L, failed, al_train_result, &result);
}
