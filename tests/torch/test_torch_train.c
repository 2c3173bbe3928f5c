/* SPDX-License-Identifier: Apache-2.0 */
/* Training: five updates against PyTorch's AdamW (the numbers are make_training.py's), tiny data
 * that is learned, and what a training leaves behind when it fails, is cancelled, or ends with its
 * process (test_torch_checkpoint.c). */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "check_suite.h"
#include "torch_training.h"

/* ---- against PyTorch ---- */

static const struct {
    const char *folder;
    int32_t schedule;
    double smoothing;
    const char *tensors[4];
} CASES[] = {
    {"bert-class",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"classifier.weight", "bert.pooler.dense.bias",
      "bert.encoder.layer.0.attention.self.key.weight", "bert.embeddings.word_embeddings.weight"}},
    {"bert-token",
     ALCORE_SYS_SCHEDULE_LINEAR,
     0.1,
     {"classifier.bias", "bert.encoder.layer.1.attention.self.value.bias",
      "bert.embeddings.LayerNorm.weight"}},
    {"bert-mlm",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"cls.predictions.bias", "cls.predictions.transform.dense.weight",
      "bert.embeddings.word_embeddings.weight"}},
    {"roberta-class",
     ALCORE_SYS_SCHEDULE_COSINE,
     0.2,
     {"classifier.dense.weight", "roberta.embeddings.position_embeddings.weight"}},
    {"distilbert-class",
     ALCORE_SYS_SCHEDULE_INVERSE_SQRT,
     0,
     {"pre_classifier.weight", "distilbert.transformer.layer.0.ffn.lin1.bias"}},
    {"rembert-token",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"classifier.weight", "rembert.encoder.embedding_hidden_mapping_in.weight"}},
    {"mpnet-class",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"classifier.dense.weight", "mpnet.encoder.relative_attention_bias.weight",
      "mpnet.embeddings.position_embeddings.weight"}},
    {"electra-mlm",
     ALCORE_SYS_SCHEDULE_COSINE,
     0,
     {"generator_lm_head.bias", "electra.embeddings_project.weight",
      "electra.embeddings.word_embeddings.weight"}},
    {"albert-token",
     ALCORE_SYS_SCHEDULE_LINEAR,
     0.1,
     {"classifier.bias",
      "albert.encoder.albert_layer_groups.0.albert_layers.0.attention.key.weight",
      "albert.encoder.embedding_hidden_mapping_in.weight"}},
    {"modernbert-token",
     ALCORE_SYS_SCHEDULE_LINEAR,
     0.1,
     {"classifier.bias", "head.norm.weight", "model.layers.2.attn.Wqkv.weight",
      "model.layers.1.mlp.Wi.weight"}},
    {"eurobert-class",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"dense.weight", "model.layers.0.self_attn.k_proj.weight",
      "model.layers.1.input_layernorm.weight", "model.embed_tokens.weight"}},
    {"nomic-mlm",
     ALCORE_SYS_SCHEDULE_COSINE,
     0,
     {"cls.predictions.bias", "nomic_bert.encoder.layers.0.mlp.fc11.weight",
      "nomic_bert.embeddings.word_embeddings.weight"}},
    {"deberta-class",
     ALCORE_SYS_SCHEDULE_INVERSE_SQRT,
     0,
     {"pooler.dense.weight", "deberta.encoder.rel_embeddings.weight",
      "deberta.encoder.LayerNorm.bias", "deberta.encoder.layer.0.attention.self.key_proj.weight"}},
    {"llama",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"model.layers.0.self_attn.k_proj.weight", "model.layers.1.mlp.gate_proj.bias",
      "lm_head.weight", "model.embed_tokens.weight"}},
    {"llama-llama3",
     ALCORE_SYS_SCHEDULE_LINEAR,
     0.1,
     {"model.layers.1.self_attn.v_proj.weight", "model.layers.0.mlp.up_proj.weight",
      "model.norm.weight"}},
    {"mistral",
     ALCORE_SYS_SCHEDULE_INVERSE_SQRT,
     0.1,
     {"model.layers.0.self_attn.q_proj.weight", "model.layers.1.post_attention_layernorm.weight"}},
    {"qwen2",
     ALCORE_SYS_SCHEDULE_COSINE,
     0,
     {"model.layers.0.self_attn.q_proj.bias", "model.layers.1.self_attn.v_proj.bias",
      "model.layers.1.mlp.down_proj.weight"}},
    {"qwen3",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"model.layers.0.self_attn.q_norm.weight", "model.layers.1.self_attn.k_norm.weight",
      "model.layers.0.self_attn.o_proj.weight"}},
    {"gemma3",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"model.layers.2.self_attn.k_norm.weight", "model.layers.0.pre_feedforward_layernorm.weight",
      "model.layers.1.self_attn.k_proj.weight", "model.embed_tokens.weight"}},
    {"marian",
     ALCORE_SYS_SCHEDULE_INVERSE_SQRT,
     0.1,
     {"model.shared.weight", "model.decoder.layers.1.encoder_attn.v_proj.weight",
      "model.encoder.layers.0.fc1.bias"}},
    {"bart",
     ALCORE_SYS_SCHEDULE_LINEAR,
     0.1,
     {"model.shared.weight", "model.decoder.embed_positions.weight",
      "model.encoder.layers.1.self_attn.q_proj.bias"}},
    {"mbart",
     ALCORE_SYS_SCHEDULE_CONSTANT,
     0,
     {"model.shared.weight", "model.decoder.layer_norm.weight"}},
    {"m2m100",
     ALCORE_SYS_SCHEDULE_COSINE,
     0.1,
     {"model.shared.weight", "model.decoder.layers.0.encoder_attn.k_proj.weight"}},
    {"t5",
     ALCORE_SYS_SCHEDULE_COSINE,
     0.1,
     {"shared.weight", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
      "decoder.block.1.layer.1.EncDecAttention.k.weight", "decoder.final_layer_norm.weight"}},
    {"mt5",
     ALCORE_SYS_SCHEDULE_INVERSE_SQRT,
     0,
     {"shared.weight", "encoder.block.1.layer.1.DenseReluDense.wi_1.weight"}},
};

/* Settings of make_training.py; small passes, so that an update adds several up. */
static alcore_sys_model_training settings_of_case(size_t i, const examples *all) {
    alcore_sys_model_training how = training_of(all);
    how.rate = 2e-2;
    how.weight_decay = 0.1;
    how.beta1 = 0.8;
    how.beta2 = 0.95;
    how.epsilon = 1e-6;
    how.clip = 0.7;
    how.warmup = 2;
    how.updates = 5;
    how.accumulate = 1000; /* an update ends with the epoch */
    how.batch_tokens = 20;
    how.schedule = CASES[i].schedule;
    how.label_smoothing = CASES[i].smoothing;
    return how;
}

START_TEST(updates_agree_with_pytorch) {
    begin();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        copy_fixture(CASES[i].folder, false);
        examples all = read_examples(CASES[i].folder);
        alcore_sys_model_training how = settings_of_case(i, &all);
        /* The loss of the last update of 1, 2, ... updates, where they do not depend on how many
         * there are to be. */
        bool each = how.schedule == ALCORE_SYS_SCHEDULE_CONSTANT ||
                    how.schedule == ALCORE_SYS_SCHEDULE_INVERSE_SQRT;
        for (how.updates = each ? 1 : 5; how.updates <= 5; how.updates++) {
            alcore_sys_model_trained done = {.size = sizeof done};
            alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
            alcore_status status = engine->train(model, &how, &done);
            ck_assert_msg(status == ALCORE_OK, "%s: %s", CASES[i].folder, alcore_last_error());
            double expected = (double)((float *)all.losses.data)[how.updates - 1];
            ck_assert_msg(fabs(done.loss - expected) < 1e-4 * (1 + expected),
                          "%s: loss %.6f of update %lld, PyTorch says %.6f", CASES[i].folder,
                          done.loss, (long long)how.updates, expected);
            ck_assert_int_eq(done.updates, how.updates);
            ck_assert_int_eq(done.tokens, how.updates * all.tokens);
            if (how.updates == 5) save_scratch(model);
            engine->close(model);
        }
        for (size_t t = 0; t < 4 && CASES[i].tensors[t]; t++) {
            array expected = read_fixture(CASES[i].folder, "training", CASES[i].tensors[t]);
            array found = read_saved(CASES[i].tensors[t]);
            ck_assert_ptr_nonnull(found.data);
            int64_t count = expected.shape[0] * expected.shape[1];
            ck_assert_int_eq(found.shape[0] * found.shape[1], count);
            for (int64_t k = 0; k < count; k++) {
                double want = (double)((float *)expected.data)[k],
                       have = (double)((float *)found.data)[k];
                /* Adam divides by the root of the mean square, so that a gradient near epsilon
                 * moves its weight by a part of the rate that rounding decides. */
                ck_assert_msg(fabs(want - have) < how.rate / 50 * (1 + fabs(want)),
                              "%s: %s[%lld] is %.6f, PyTorch says %.6f", CASES[i].folder,
                              CASES[i].tensors[t], (long long)k, have, want);
            }
            free(expected.data);
            free(found.data);
        }
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Without targets a language model learns the texts, as the column "logprobs" has them. */
START_TEST(whole_texts_agree_with_pytorch) {
    begin();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        array whole = read_fixture(CASES[i].folder, "training", "whole");
        if (!whole.data) continue;
        copy_fixture(CASES[i].folder, false);
        examples all = read_examples(CASES[i].folder);
        alcore_sys_model_training how = settings_of_case(i, &all);
        alcore_sys_model_trained done = {.size = sizeof done};
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        how.targets = NULL;
        ck_assert_msg(engine->train(model, &how, &done) == ALCORE_OK, "%s: %s", CASES[i].folder,
                      alcore_last_error());
        const double expected = (double)((float *)whole.data)[4];
        ck_assert_msg(fabs(done.loss - expected) < 1e-4 * (1 + expected),
                      "%s: loss %.6f, PyTorch says %.6f", CASES[i].folder, done.loss, expected);
        engine->close(model);
        free(whole.data);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- properties ---- */

START_TEST(tiny_data_is_learned) {
    /* On another device a training computes what updates_agree_with_pytorch() has looked at. */
    if (getenv("TORCH_DEVICE") && !getenv("ALCORE_TEST_FULL")) return;
    begin();
    static const char *const folders[] = {"bert-class", "roberta-token", "bert-mlm", "marian",
                                          "t5"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        copy_fixture(folders[i], false);
        examples all = read_examples(folders[i]);
        alcore_sys_model_training how = training_of(&all);
        how.weights = NULL;
        how.rate = 1e-2;
        how.updates = 300;
        how.warmup = 10;
        how.schedule = ALCORE_SYS_SCHEDULE_LINEAR;
        alcore_sys_model_trained done = {.size = sizeof done};
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        alcore_sys_model_info before = {.size = sizeof before}, after = before;
        ck_assert_int_eq(engine->info(model, &before), ALCORE_OK);
        char version[200];
        snprintf(version, sizeof version, "%s", before.version);
        ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
        ck_assert_msg(done.loss < 0.05, "%s: %g", folders[i], done.loss);
        /* Columns of the model before are told from those of the trained one, which is known again
         * when it is opened. */
        ck_assert_int_eq(engine->info(model, &after), ALCORE_OK);
        ck_assert_str_ne(after.version, version);
        snprintf(version, sizeof version, "%s", after.version);
        save_scratch(model);
        engine->close(model);
        model = open_folder(saved, 0, 0, 0);
        ck_assert_int_eq(engine->info(model, &after), ALCORE_OK);
        ck_assert_str_eq(after.version, version);
        engine->close(model);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* The same seed gives the same bytes, another one others: with dropout, which is on here. */
START_TEST(the_seed_decides) {
    begin();
    static const char *const folders[] = {"distilbert-token", "bart", "mt5"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t counts[3];
        char *bytes[3];
        for (int run = 0; run < 3; run++) {
            copy_fixture(folders[i], true);
            examples all = read_examples(folders[i]);
            alcore_sys_model_training how = training_of(&all);
            how.updates = 4;
            how.batch_tokens = 20;
            how.seed = run == 2 ? 6 : 5;
            alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
            ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
            save_scratch(model);
            engine->close(model);
            bytes[run] = slurp_saved("model.safetensors", &counts[run]);
            free_examples(&all);
            remove_scratch();
        }
        ck_assert_uint_eq(counts[0], counts[1]);
        ck_assert_mem_eq(bytes[0], bytes[1], counts[0]);
        ck_assert(memcmp(bytes[0], bytes[2], counts[0]) != 0);
        for (int run = 0; run < 3; run++) free(bytes[run]);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Saves what one update of a training makes of the marian fixture, and reads a matrix of it. */
static array update_matrix(const alcore_sys_model_training *how, const char *name) {
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_status status = engine->train(model, how, NULL);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    save_scratch(model);
    engine->close(model);
    return read_saved(name);
}

/* Adam's first update moves every weight by rate * g / |g|. The gradient of the loss is clipped to
 * 1e-6, so that g is decay * weight, and each weight of a matrix moves by the rate towards 0; AdamW
 * multiplies it by 1 - rate * decay and moves it by the rate against the gradient of the loss.
 * Without decay both are the same. */
START_TEST(adam_adds_decay_to_the_gradient) {
    begin();
    static const char name[] = "model.encoder.layers.0.fc1.weight";
    copy_fixture("marian", false);
    examples all = read_examples("marian");
    alcore_sys_model_training how = training_of(&all);
    array before, adam, adamw;
    how.updates = 1;
    how.rate = 1e-3;
    how.clip = 1e-6;
    how.weight_decay = 100;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    save_scratch(model);
    engine->close(model);
    before = read_saved(name);
    adamw = update_matrix(&how, name);
    how.optimizer = ALCORE_SYS_OPTIMIZER_ADAM;
    adam = update_matrix(&how, name);
    int64_t count = before.shape[0] * before.shape[1], compared = 0;
    for (int64_t i = 0; i < count; i++) {
        double weight = (double)((float *)before.data)[i];
        if (fabs(weight) < 1e-4) continue;
        compared++;
        ck_assert_double_eq_tol((double)((float *)adam.data)[i],
                                weight - copysign(how.rate, weight), 1e-5);
        ck_assert_double_eq_tol((double)((float *)adamw.data)[i], weight * (1 - how.rate * 100),
                                how.rate * 1.001);
    }
    ck_assert_int_gt(compared, count / 2);
    free(adam.data);
    free(adamw.data);
    how.weight_decay = 0;
    adam = update_matrix(&how, name);
    how.optimizer = ALCORE_SYS_OPTIMIZER_ADAMW;
    adamw = update_matrix(&how, name);
    ck_assert_mem_eq(adam.data, adamw.data, (size_t)count * sizeof(float));
    free(before.data);
    free(adam.data);
    free(adamw.data);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* What the calls of after_update were, and when they end the training. */
typedef struct calls {
    int64_t updates[8], count, total, stop_at;
    alcore_status status; /* of the last call */
} calls;

static alcore_status note_update(void *user, int64_t update, int64_t updates, int32_t *stop) {
    calls *all = user;
    ck_assert_int_lt(all->count, 8);
    ck_assert_int_eq(*stop, 0);
    all->updates[all->count++] = update;
    all->total = updates;
    *stop = update == all->stop_at;
    return *stop ? all->status : ALCORE_OK;
}

/* It is called before the first update and after each; it can end the training, which keeps the
 * updates that are made, and its failure is that of the training. */
START_TEST(the_caller_follows_the_updates) {
    begin();
    copy_fixture("bert-class", false);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    calls noted = {.stop_at = -1};
    how.updates = 4;
    how.after_update = note_update;
    how.user = &noted;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_sys_model_trained done = {.size = sizeof done};
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
    ck_assert_int_eq(noted.count, 5);
    for (int64_t i = 0; i < 5; i++) ck_assert_int_eq(noted.updates[i], i);
    ck_assert_int_eq(noted.total, 4);
    noted = (calls){.stop_at = 2};
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
    ck_assert_int_eq(noted.count, 3);
    ck_assert_int_eq(done.updates, 2);
    noted = (calls){.stop_at = 3, .status = ALCORE_E_DATA};
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_E_DATA);
    ck_assert_int_eq(done.updates, 3);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* One pass over the examples where no number of updates is given. */
START_TEST(one_epoch_by_default) {
    begin();
    copy_fixture("bert-class", false);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    how.batch_tokens = 1; /* every example is a pass */
    how.accumulate = 3;
    alcore_sys_model_trained done = {.size = sizeof done};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
    ck_assert_int_eq(done.updates, (all.sources.texts.count + 2) / 3);
    ck_assert_int_eq(done.tokens, all.tokens);
    ck_assert(done.seconds > 0);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Values of every text, by dropout, its seed and batch size. */
static results scored(const char *folder, int32_t dropout, uint64_t seed, int64_t batch_tokens) {
    results out = {0};
    examples all = read_examples(folder);
    alcore_sys_model_sink sink = sink_of(&out);
    alcore_sys_model_scoring how = {.size = sizeof how, .dropout = dropout, .seed = seed};
    alcore_sys_model *model = open_folder(scratch, 0, 0, batch_tokens);
    alcore_status status =
        all.targets.ids.data
            ? engine->token_logprobs(model, &all.sources.texts, &all.targets.texts, &how, &sink)
            : engine->mlm_losses(model, &all.sources.texts, &how, &sink);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", folder, alcore_last_error());
    ck_assert_int_eq(out.items, all.sources.texts.count);
    engine->close(model);
    free_examples(&all);
    return out;
}

/* Largest difference of two results. */
static double difference(const results *a, const results *b) {
    double most = 0;
    for (int64_t i = 0; i < a->items; i++)
        for (int64_t k = 0; k < a->counts[i]; k++)
            most = fmax(most, fabs((double)a->values[i][k] - (double)b->values[i][k]));
    return most;
}

/* Passes with dropout differ from those without and from each other, and depend on the seed alone,
 * not on the batches. */
START_TEST(scores_with_dropout) {
    begin();
    static const char *const folders[] = {"marian", "bert-mlm", "t5"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        copy_fixture(folders[i], true);
        results plain = scored(folders[i], 0, 1, 0), first = scored(folders[i], 1, 1, 0),
                small = scored(folders[i], 1, 1, 12), second = scored(folders[i], 1, 2, 0);
        ck_assert_double_gt(difference(&plain, &first), 0.01);
        ck_assert_double_gt(difference(&second, &first), 0.01);
        ck_assert_double_lt(difference(&small, &first), 1e-4);
        free_results(&plain);
        free_results(&first);
        free_results(&small);
        free_results(&second);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* What a model searches for it scores without dropout. */
START_TEST(outputs_are_scored_without_dropout) {
    begin();
    copy_fixture("marian", true);
    examples all = read_examples("marian");
    results out = {0};
    alcore_sys_model_sink sink = sink_of(&out);
    const alcore_sys_model_scoring how = {
        .size = sizeof how, .what = ALCORE_SYS_SCORE_HYPOTHESIS, .dropout = 1};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->token_logprobs(model, &all.sources.texts, NULL, &how, &sink),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "without dropout"));
    ck_assert_int_eq(out.items, 0);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- failures ---- */

static void expect_refused(alcore_sys_model *model, const alcore_sys_model_training *how,
                           alcore_status status, const char *word) {
    alcore_status got = engine->train(model, how, NULL);
    ck_assert_msg(got == status, "%d for '%s': %s", got, word, alcore_last_error());
    ck_assert_msg(strstr(alcore_last_error(), word), "'%s' lacks '%s'", alcore_last_error(), word);
}

START_TEST(wrong_trainings_are_refused) {
    begin();
    copy_fixture("bert-class", false);
    examples all = read_examples("bert-class");
    alcore_sys_model_training good = training_of(&all), how;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
#define REFUSED(member, value, status, word)                                                       \
    do {                                                                                           \
        how = good;                                                                                \
        how.member = value;                                                                        \
        expect_refused(model, &how, status, word);                                                 \
    } while (0)
    REFUSED(labels, NULL, ALCORE_E_INVALID, "labels");
    REFUSED(sources, NULL, ALCORE_E_INVALID, "examples");
    REFUSED(rate, -1, ALCORE_E_INVALID, "rate");
    REFUSED(rate, (double)NAN, ALCORE_E_INVALID, "rate");
    REFUSED(beta1, 1, ALCORE_E_INVALID, "beta1");
    REFUSED(label_smoothing, 1.5, ALCORE_E_INVALID, "label_smoothing");
    REFUSED(schedule, 4, ALCORE_E_INVALID, "schedule 4");
    REFUSED(updates, -1, ALCORE_E_INVALID, "updates");
    REFUSED(optimizer, 2, ALCORE_E_INVALID, "optimizer 2");
    ((int64_t *)all.labels.data)[1] = 3;
    expect_refused(model, &good, ALCORE_E_DATA, "label 1 is 3; 0 to 2");
    ((int64_t *)all.labels.data)[1] = 1;
    ((float *)all.weights.data)[2] = 0;
    expect_refused(model, &good, ALCORE_E_DATA, "example 2");
    ((float *)all.weights.data)[2] = 1;
    /* A rate that is far too large ends in numbers that are not finite. */
    how = good;
    how.weights = NULL;
    how.rate = 1e30;
    how.updates = 50;
    expect_refused(model, &how, ALCORE_E_DATA, "not finite");
    engine->close(model);
    free_examples(&all);
    remove_scratch();

    copy_fixture("marian", false);
    all = read_examples("marian");
    good = training_of(&all);
    model = open_folder(scratch, 0, 0, 0);
    REFUSED(targets, NULL, ALCORE_E_INVALID, "target");
    engine->close(model);
    static const int32_t narrow[] = {ALCORE_BFLOAT16, ALCORE_SYS_INT8};
    for (int i = 0; i < 2; i++) {
        alcore_sys_model_options options = {.size = sizeof options, .dtype = narrow[i]};
        if (i == 1) options.device = "cpu";
        ck_assert_int_eq(engine->open(ctx, scratch, &options, &model), ALCORE_OK);
        expect_refused(model, &good, ALCORE_E_UNSUPPORTED, "float32");
        if (i == 1) ck_assert_int_eq(engine->save(model, scratch), ALCORE_E_UNSUPPORTED);
        engine->close(model);
    }
    free_examples(&all);
    remove_scratch();

    copy_fixture("bert", false);
    model = open_folder(scratch, 0, 0, 0);
    expect_refused(model, &good, ALCORE_E_UNSUPPORTED, "no head");
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Posted when the first update is finished, which takes long on a busy machine. */
static sem_t updated;

static alcore_status tell_of_the_first(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)user;
    (void)updates;
    (void)stop;
    if (update == 1) sem_post(&updated);
    return ALCORE_OK;
}

static void *cancel_soon(void *unused) {
    sem_wait(&updated);
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000000}, NULL);
    alcore_ctx_cancel(ctx);
    return unused;
}

/* A cancelled training has the weights of as many updates as it says that it made. */
START_TEST(cancelled_trainings_keep_the_last_update) {
    begin();
    copy_fixture("bart", true);
    examples all = read_examples("bart");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 1000000;
    how.after_update = tell_of_the_first;
    alcore_sys_model_trained done = {.size = sizeof done};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    pthread_t thread;
    ck_assert_int_eq(sem_init(&updated, 0, 0), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_E_CANCELLED);
    pthread_join(thread, NULL);
    alcore_ctx_cancel_clear(ctx);
    ck_assert(done.updates > 0 && done.updates < how.updates);
    ck_assert_msg(done.seconds < 30, "%g s", done.seconds);
    save_scratch(model);
    engine->close(model);
    size_t count, other_count;
    char *bytes = slurp_saved("model.safetensors", &count);
    how.updates = done.updates;
    how.after_update = NULL;
    model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
    save_scratch(model);
    char *other = slurp_saved("model.safetensors", &other_count);
    ck_assert_uint_eq(count, other_count);
    ck_assert_mem_eq(bytes, other, count);
    free(bytes);
    free(other);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* What is translated after each update of a training, and its results after the last one. */
typedef struct {
    alcore_sys_model *model;
    const alcore_sys_model_texts *sources;
    const alcore_sys_model_decoding *decoding;
    results last;
} translating;

static alcore_status translate_again(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)update, (void)updates, (void)stop;
    translating *what = user;
    free_results(&what->last);
    const alcore_sys_model_sink sink = sink_of(&what->last);
    return engine->translate(what->model, what->sources, what->decoding, &sink);
}

/* Calls that compute with packed weights leave the model as it was: a training with them before
 * it, one of them cancelled, and after each update ends with the same bytes as one without them.
 * And what they have packed is not what the model translates by after the next update, nor once it
 * is trained. */
START_TEST(other_calls_do_not_change_a_training) {
    begin();
    copy_fixture("bart", true);
    examples all = read_examples("bart");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 3;
    how.rate = 0.01;
    char *bytes[2];
    size_t counts[2];
    results after[2];
    memset(after, 0, sizeof after);
    for (int i = 0; i < 2; i++) {
        alcore_sys_model *model = open_folder(scratch, 0, 0, 10);
        const alcore_sys_model_decoding decoding = {
            .size = sizeof decoding, .beams = 2, .max_tokens = 5};
        for (int cancelled = 0; cancelled < 2 * i; cancelled++) {
            results out = {0};
            alcore_sys_model_sink sink = sink_of(&out);
            if (cancelled) alcore_ctx_cancel(ctx);
            ck_assert_int_eq(engine->translate(model, how.sources, &decoding, &sink),
                             cancelled ? ALCORE_E_CANCELLED : ALCORE_OK);
            alcore_ctx_cancel_clear(ctx);
            free_results(&out);
        }
        translating what = {.model = model, .sources = how.sources, .decoding = &decoding};
        how.user = &what;
        how.after_update = i ? translate_again : NULL;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
        save_scratch(model);
        bytes[i] = slurp_saved("model.safetensors", &counts[i]);
        for (int64_t item = 0; i == 1 && item < how.sources->count; item++)
            ck_assert_double_eq(after[0].scores[item], what.last.scores[item]);
        free_results(&what.last);
        alcore_sys_model_sink sink = sink_of(&after[i]);
        ck_assert_int_eq(engine->translate(model, how.sources, &decoding, &sink), ALCORE_OK);
        engine->close(model);
    }
    ck_assert_uint_eq(counts[0], counts[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], counts[0]);
    for (int64_t item = 0; item < how.sources->count; item++)
        ck_assert_double_eq(after[0].scores[item], after[1].scores[item]);
    for (int i = 0; i < 2; i++) free_results(&after[i]);
    free(bytes[0]);
    free(bytes[1]);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

static int warnings; /* of torch, in the log */

static void count_warnings(void *user, int32_t level, const char *component, const char *message,
                           const char *fields) {
    (void)user;
    (void)fields;
    if (level != ALCORE_LOG_WARN || strcmp(component, "torch")) return;
    ck_assert_ptr_nonnull(strstr(message, "draw for this device"));
    warnings++;
}

/* The device of other_device.cpp warns in each training with dropout; the CPU does not. */
START_TEST(warnings_of_torch_are_logged) {
    const void *module;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    load_devices();
    options.module_dir = getenv("TORCH_MODULE_DIR");
    options.log = count_warnings;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__module_load(ctx, getenv("TORCH_ENGINE"), &module), ALCORE_OK);
    engine = module;
    copy_fixture("bert-class", true);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 2;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
    ck_assert_int_eq(warnings > 0, getenv("TORCH_DEVICE_LIBRARY") != NULL);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Gradients are on in a training and as they were after it, whatever they were and however it ends;
 * so is the number of threads. */
START_TEST(torch_is_as_it_was) {
    begin();
    bool (*enabled)(void) =
        (bool (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "aoti_torch_grad_mode_is_enabled");
    void *torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    if (!enabled && torch)
        enabled = (bool (*)(void))(uintptr_t)dlsym(torch, "aoti_torch_grad_mode_is_enabled");
    void (*set)(bool) = (void (*)(bool))(uintptr_t)dlsym(torch, "aoti_torch_grad_mode_set_enabled");
    int (*threads)(void) = (int (*)(void))(uintptr_t)dlsym(torch, "_ZN2at15get_num_threadsEv");
    ck_assert_ptr_nonnull((void *)(uintptr_t)enabled);
    ck_assert_ptr_nonnull((void *)(uintptr_t)set);
    ck_assert_ptr_nonnull((void *)(uintptr_t)threads);
    copy_fixture("bert-class", true);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 2;
    int before = threads();
    for (int on = 0; on < 2; on++) {
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        set(on);
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
        ck_assert_int_eq(enabled(), on);
        how.rate = -1;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_INVALID);
        how.rate = 0;
        alcore_ctx_cancel(ctx);
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_CANCELLED);
        alcore_ctx_cancel_clear(ctx);
        ck_assert_int_eq(enabled(), on);
        ck_assert_int_eq(threads(), before);
        expect_first_device();
        engine->close(model);
    }
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch train", updates_agree_with_pytorch, whole_texts_agree_with_pytorch,
            tiny_data_is_learned, the_seed_decides, scores_with_dropout,
            outputs_are_scored_without_dropout, one_epoch_by_default, wrong_trainings_are_refused,
            cancelled_trainings_keep_the_last_update, adam_adds_decay_to_the_gradient,
            the_caller_follows_the_updates, other_calls_do_not_change_a_training,
            torch_is_as_it_was, warnings_of_torch_are_logged);
