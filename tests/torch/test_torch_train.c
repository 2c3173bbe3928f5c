/* SPDX-License-Identifier: Apache-2.0 */
/* Training: five updates against PyTorch's AdamW (the numbers are make_training.py's), and tiny
 * data that is learned. What stands around a training is in test_torch_train_calls.c. */
#include <math.h>

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

CHECK_SUITE("torch train", updates_agree_with_pytorch, whole_texts_agree_with_pytorch,
            tiny_data_is_learned, the_seed_decides, one_epoch_by_default,
            adam_adds_decay_to_the_gradient);
