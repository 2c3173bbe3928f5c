/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings with less memory: blocks that are computed twice, which changes no byte, and products
 * in bfloat16 and float16 with weights in float32. And what scores of sources that begin alike
 * need. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_suite.h"
#include "torch_training.h"

/* Trains a fixture and reads the weights that come out. The caller frees them. */
static char *trained_bytes(const char *folder, const alcore_sys_model_training *settings,
                           size_t *count, double *loss) {
    copy_fixture(folder, true);
    examples all = read_examples(folder);
    alcore_sys_model_training how = training_of(&all);
    how.updates = settings->updates;
    how.batch_tokens = 20;
    how.accumulate = 2;
    how.seed = 5;
    how.clip = settings->clip;
    how.dtype = settings->dtype;
    how.recompute = settings->recompute;
    alcore_sys_model_trained done = {.size = sizeof done};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_status status = engine->train(model, &how, &done);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", folder, alcore_last_error());
    *loss = done.loss;
    save_scratch(model);
    engine->close(model);
    char *bytes = slurp_saved("model.safetensors", count);
    free_examples(&all);
    remove_scratch();
    return bytes;
}

/* With dropout, relative positions, shared embeddings, embeddings narrower than the stack, and
 * every head. */
START_TEST(recomputed_blocks_change_no_byte) {
    begin();
    static const char *const folders[] = {"bert-class",    "roberta-token", "bert-mlm",
                                          "rembert-token", "bart",          "t5",
                                          "marian",        "qwen3"};
    static const int32_t types[] = {0, ALCORE_BFLOAT16};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (size_t t = 0; t < 2; t++) {
            size_t count, other_count;
            double loss, other_loss;
            alcore_sys_model_training how = {.updates = 4, .clip = 0.5, .dtype = types[t]};
            char *bytes = trained_bytes(folders[i], &how, &count, &loss);
            how.recompute = 1;
            char *other = trained_bytes(folders[i], &how, &other_count, &other_loss);
            ck_assert_uint_eq(count, other_count);
            ck_assert_msg(memcmp(bytes, other, count) == 0, "%s, type %d", folders[i], types[t]);
            ck_assert_double_eq(loss, other_loss);
            free(bytes);
            free(other);
        }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- memory ---- */

enum { DEEP = 16, LONG = 100, PAIRS = 20 };

/* A deep and narrow model without weights in the scratch folder. */
static void make_deep(void) {
    const plain_model model = {20, 64, DEEP, 4, 256, LONG, "\"dropout\": 0.1, \"random_seed\": 1"};
    make_plain(&model);
}

/* The bytes by which one update raises the peak of a process of its own. */
static int64_t bytes_of_update(int32_t recompute) {
    int ends[2];
    int64_t found = 0;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        static int64_t ids[PAIRS * LONG], offsets[PAIRS + 1];
        for (int i = 0; i < PAIRS * LONG; i++) ids[i] = 3 + i % 17;
        for (int i = 0; i <= PAIRS; i++) offsets[i] = (int64_t)i * LONG;
        begin();
        alcore_sys_model_texts texts = {
            .size = sizeof texts, .count = PAIRS, .ids = ids, .offsets = offsets};
        alcore_sys_model_training how = {.size = sizeof how,
                                         .sources = &texts,
                                         .targets = &texts,
                                         .updates = 1,
                                         .batch_tokens = 200,
                                         .recompute = recompute};
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        /* What is allocated once, whatever the batch, is there before it counts. */
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
        const int64_t before = peak_memory();
        how.batch_tokens = 2 * PAIRS * LONG;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
        found = peak_memory() - before;
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &found, sizeof found), sizeof found);
    close(ends[0]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return found;
}

/* 2,000 tokens a side: autograd keeps some 20 dims + 4 feed-forward components of 4 bytes of each
 * token and block, of which 32 are kept; with recomputation one, and 0.5 MB for the input of each.
 * The allocator keeps some of what is freed. */
START_TEST(recomputed_blocks_need_less_memory) {
    make_deep();
    const int64_t kept = bytes_of_update(0), computed = bytes_of_update(1);
    ck_assert_msg(kept > ((int64_t)100 << 20), "%lld bytes", (long long)kept);
    ck_assert_msg(computed * 2 < kept, "%lld bytes beside %lld", (long long)computed,
                  (long long)kept);
    remove_scratch();
}
END_TEST

/* ---- sources that begin alike ---- */

enum { MANY = 100000, SOURCE = 29, READ = SOURCE + 1, ENDS = 50 };

static float first_scores[MANY]; /* of each source, that of its target */

static alcore_status keep_first(void *user, const int64_t *items, const int64_t *row_lengths,
                                int64_t count, const alcore_tensor *values) {
    const float *row = (const float *)((const char *)values->data + values->byte_offset);
    for (int64_t i = 0; i < count; row += row_lengths[i++]) first_scores[items[i]] = *row;
    *(int64_t *)user += count;
    return ALCORE_OK;
}

/* The beginning of a batch, which is read once, is not kept for each of its items: 2 keys of 32
 * numbers for SOURCE tokens would be 742 MB a layer. */
START_TEST(a_common_beginning_is_not_copied_for_all_items) {
    static int64_t sources[MANY * SOURCE], offsets[MANY + 1], targets[MANY], places[MANY + 1];
    int64_t scored = 0;
    for (int64_t i = 0; i < MANY * SOURCE; i++) sources[i] = 5 + i % SOURCE;
    for (int64_t i = 0; i < MANY; i++) sources[(i + 1) * SOURCE - 1] = 5 + i % ENDS;
    for (int64_t i = 0; i < MANY; i++) {
        targets[i] = 12;
        offsets[i + 1] = (i + 1) * SOURCE;
        places[i + 1] = i + 1;
    }
    alcore_sys_model_texts texts = {.size = sizeof texts, .ids = sources, .offsets = offsets},
                           behind = {.size = sizeof behind, .ids = targets, .offsets = places};
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = &scored, .put = keep_first};
    const alcore_sys_model_options options = {.size = sizeof options, .batch_tokens = 2 * MANY};
    char path[600];
    release_at_once();
    begin();
    alcore_sys_model *model = NULL;
    snprintf(path, sizeof path, "%s/llama", fixtures());
    ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_OK);
    /* Alone each of them is read as a whole, in a batch of as many tokens. */
    const int64_t counts[] = {1, 2 * MANY / READ, MANY};
    int64_t peaks[3];
    for (int i = 0; i < 3; i++) {
        texts.count = behind.count = counts[i];
        if (i == 1) sources[0] = 7;
        ck_assert_int_eq(engine->token_logprobs(model, &texts, &behind, NULL, &sink), ALCORE_OK);
        sources[0] = 5;
        peaks[i] = peak_memory();
    }
    ck_assert_int_eq(scored, counts[0] + counts[1] + counts[2]);
    for (int64_t i = 0; i < MANY; i++)
        ck_assert_msg(fabsf(first_scores[i] - first_scores[i % ENDS]) < 1e-5f, "source %lld",
                      (long long)i);
    ck_assert(fabsf(first_scores[0] - first_scores[1]) > 1e-4f);
    const int64_t plain = peaks[1] - peaks[0], alike = peaks[2] - peaks[1];
    ck_assert_msg(alike < ((int64_t)64 << 20), "%lld bytes, %lld bytes more", (long long)plain,
                  (long long)alike);
    engine->close(model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- types of products ---- */

/* Products of 8 bits of precision give other weights, near those of float32; the saved ones are
 * float32. */
START_TEST(bfloat16_is_near_float32) {
    begin();
    static const char *const folders[] = {"bert-class", "marian", "t5"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t count, other_count;
        double loss, other_loss;
        alcore_sys_model_training how = {.updates = 4};
        char *bytes = trained_bytes(folders[i], &how, &count, &loss);
        how.dtype = ALCORE_BFLOAT16;
        char *other = trained_bytes(folders[i], &how, &other_count, &other_loss);
        ck_assert_uint_eq(count, other_count); /* as many bytes: the same types */
        ck_assert(memcmp(bytes, other, count) != 0);
        ck_assert_msg(fabs(loss - other_loss) < 0.1 * (1 + loss), "%s: %g and %g", folders[i], loss,
                      other_loss);
        free(bytes);
        free(other);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(tiny_data_is_learned_in_all_types) {
    begin();
    static const int32_t types[] = {ALCORE_BFLOAT16, ALCORE_FLOAT16};
    for (size_t t = 0; t < 2; t++) {
        copy_fixture("marian", false);
        examples all = read_examples("marian");
        alcore_sys_model_training how = training_of(&all);
        how.weights = NULL;
        how.updates = 300;
        how.warmup = 10;
        how.schedule = ALCORE_SYS_SCHEDULE_LINEAR;
        how.dtype = types[t];
        alcore_sys_model_trained done = {.size = sizeof done};
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        alcore_status status = engine->train(model, &how, &done);
        ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
        ck_assert_msg(done.loss < 0.1, "type %d: %g", types[t], done.loss);
        engine->close(model);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* A number of checkpoint.json. */
static double kept_number(const char *folder, const char *key) {
    size_t count;
    char *text = slurp_from(folder, "checkpoint.json", &count), name[40];
    snprintf(name, sizeof name, "\"%s\": ", key);
    char *at = strstr(text, name);
    ck_assert_msg(at != NULL, "%s", text);
    double value = strtod(at + strlen(name), NULL);
    free(text);
    return value;
}

/* When after_update ends a training. */
typedef struct calls_of_updates {
    int64_t stop_at;
} calls_of_updates;

static alcore_status stop_after(void *user, int64_t update, int64_t updates, int32_t *stop) {
    const calls_of_updates *all = user;
    *stop = update == all->stop_at && update < updates;
    return ALCORE_OK;
}

/* Gradients of losses with weights of 1e6 are too large for float16 at first. An update that finds
 * that out moves nothing and halves the scale, until they fit; a training that goes on from a
 * checkpoint among them ends with the same bytes. */
START_TEST(float16_overflows_are_skipped) {
    begin();
    char folder[100];
    size_t counts[2];
    char *bytes[2];
    copy_fixture("marian", true);
    snprintf(folder, sizeof folder, "%s/checkpoints", scratch);
    examples all = read_examples("marian");
    for (int64_t i = 0; i < all.sources.texts.count; i++) ((float *)all.weights.data)[i] = 1e6f;
    alcore_sys_model_training how = training_of(&all);
    how.updates = 40;
    how.batch_tokens = 64;
    how.dtype = ALCORE_FLOAT16;
    how.checkpoints = folder;
    how.checkpoint_every = 1;

    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_sys_model_info info = {.size = sizeof info};
    char version[200];
    ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
    snprintf(version, sizeof version, "%s", info.version);
    for (int run = 0; run < 2; run++) {
        calls_of_updates noted = {.stop_at = run == 0 ? 3 : -1};
        how.after_update = stop_after;
        how.user = &noted;
        alcore_status status = engine->train(model, &how, NULL);
        ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
        if (run > 0) break;
        ck_assert_double_eq(kept_number(folder, "scale"), 1024.0 / 8);
        ck_assert_double_eq(kept_number(folder, "moved"), 0);
        ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
        ck_assert_str_eq(info.version, version);
        engine->close(model);
        model = open_folder(scratch, 0, 0, 0);
    }
    const double moved = kept_number(folder, "moved"), scale = kept_number(folder, "scale");
    ck_assert_msg(moved > 5 && moved < 37, "%g updates moved", moved);
    ck_assert_double_eq(scale, 1024 / pow(2, 40 - moved));
    save_scratch(model);
    engine->close(model);
    bytes[0] = slurp_saved("model.safetensors", &counts[0]);
    how.checkpoints = NULL;
    how.after_update = NULL;
    model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
    save_scratch(model);
    bytes[1] = slurp_saved("model.safetensors", &counts[1]);
    ck_assert_uint_eq(counts[0], counts[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], counts[0]);
    free(bytes[0]);
    free(bytes[1]);

    /* Where no scale helps, the training ends. */
    for (int64_t i = 0; i < all.sources.texts.count; i++) ((float *)all.weights.data)[i] = 1e30f;
    how.updates = 200;
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "not finite"));
    engine->close(model);
    how.dtype = ALCORE_INT64;
    model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "bfloat16"));
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* 2000 updates in a row that move the weights double the scale of the losses. There is one text.
 * After 2003 updates the scale has been doubled once. */
START_TEST(float16_scale_grows) {
    begin();
    char folder[100];
    copy_fixture("bert-class", false);
    snprintf(folder, sizeof folder, "%s/checkpoints", scratch);
    examples all = read_examples("bert-class");
    alcore_sys_model_texts first = all.sources.texts;
    alcore_sys_model_training how = training_of(&all);
    first.count = 1;
    how.sources = &first;
    how.rate = 1e-6;
    how.updates = 2003;
    how.batch_tokens = 64;
    how.dtype = ALCORE_FLOAT16;
    how.checkpoints = folder;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_status status = engine->train(model, &how, NULL);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    engine->close(model);
    ck_assert_double_eq(kept_number(folder, "moved"), 2003);
    ck_assert_double_eq(kept_number(folder, "steady"), 3);
    ck_assert_double_eq(kept_number(folder, "scale"), 2048);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch memory", recomputed_blocks_change_no_byte, recomputed_blocks_need_less_memory,
            a_common_beginning_is_not_copied_for_all_items, bfloat16_is_near_float32,
            tiny_data_is_learned_in_all_types, float16_overflows_are_skipped, float16_scale_grows);
