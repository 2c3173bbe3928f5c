/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of the sweep find: handles made without failures, and a folder of small input
 * files. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "column_functions.h"
#include "must.h"
#include "sweep.h"
#include "test_folder.h"

static const char TEMPORARY[] = "temporary"; /* the folder that TMPDIR names */
static char folder[TEST_PATH_BYTES];
static char paths[8][200];
static unsigned next_path;

const char *world_file(const char *name) {
    char *path = paths[next_path++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *const texts[WORLD_ROWS] = {
    "the controller shall inform the data subject", "personal data are processed lawfully",
    "the processor acts on instructions only",      "",
    "a data protection officer is designated",      "the supervisory authority may impose fines",
    "personal data are processed lawfully",         "consent can be withdrawn at any time",
    "records of processing are kept in writing",    "Ein Satz auf Deutsch",
    "transfers need appropriate safeguards",        "the right to erasure applies"};

static float scores[WORLD_ROWS], embeddings[WORLD_ROWS * WORLD_DIMS], probs[WORLD_ROWS * 2];
static float logprobs[WORLD_ROWS * 2];
static int64_t offsets[WORLD_ROWS + 1];

static void set(alcore_pool *pool, const char *name, float *data, int64_t columns,
                const int64_t *ragged) {
    int64_t shape[2] = {ragged ? ragged[WORLD_ROWS] : WORLD_ROWS, columns},
            ends[1] = {WORLD_ROWS + 1};
    alcore_tensor values, offset;
    MUST(alcore_tensor_init(&values, data, ALCORE_FLOAT32, shape, columns ? 2 : 1));
    if (ragged) MUST(alcore_tensor_init(&offset, (void *)(uintptr_t)ragged, ALCORE_INT64, ends, 1));
    MUST(alcore_pool_set_column(pool, name, &values, ragged ? &offset : NULL, NULL));
}

/* Two samples [2, rows, 2], which are read where they lie. */
static void set_samples(alcore_pool *pool) {
    static float values[2 * WORLD_ROWS * 2];
    int64_t shape[3] = {2, WORLD_ROWS, 2};
    alcore_tensor tensor;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    for (int i = 0; i < 2 * WORLD_ROWS; i++) {
        values[2 * i] = (float)(i * 5 % 17) / 16;
        values[2 * i + 1] = 1 - values[2 * i];
    }
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 3));
    MUST(alcore_pool_set_column(pool, "sample_probs", &tensor, NULL, &options));
}

static alcore_status embed(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    float values[WORLD_ROWS * WORLD_DIMS];
    int64_t shape[2] = {batch->count, WORLD_DIMS};
    alcore_tensor tensor;
    (void)user;
    for (int64_t i = 0; i < batch->count * WORLD_DIMS; i++)
        values[i] = (float)(batch->rows[i / WORLD_DIMS] + i % 2);
    alcore_status status = alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2);
    return status ? status
                  : alcore_column_writer_put(out, batch->rows, NULL, batch->count, &tensor);
}

/* Two tokens a row. */
static alcore_status logprobs_of(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    float values[2 * WORLD_ROWS];
    int64_t lengths[WORLD_ROWS], shape[1] = {2 * batch->count};
    alcore_tensor tensor;
    (void)user;
    for (int64_t i = 0; i < 2 * batch->count; i++) values[i] = -(float)batch->rows[i / 2];
    for (int64_t i = 0; i < batch->count; i++) lengths[i] = 2;
    alcore_status status = alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 1);
    return status ? status
                  : alcore_column_writer_put(out, batch->rows, lengths, batch->count, &tensor);
}

TEST_COLUMN_FUNCTIONS({"embeddings", embed}, {"logprobs", logprobs_of});

/* alcore_model_host.score: one token a reference. */
static alcore_status score(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    float values[WORLD_ROWS];
    int64_t lengths[WORLD_ROWS], shape[1] = {batch->count};
    alcore_tensor tensor;
    (void)user;
    for (int64_t i = 0; i < batch->count; i++) {
        values[i] = -(float)batch->reference_lengths[i];
        lengths[i] = 1;
    }
    alcore_status status = alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 1);
    return status ? status
                  : alcore_column_writer_put(out, batch->rows, lengths, batch->count, &tensor);
}

/* Every part that allocates: added tokens of both kinds, each of the normalizers that rewrite a
 * text, pre-tokenizers that rewrite and that cut it, byte-pair encoding, a template. */
static const char tokenizer_json[] =
    "{\"added_tokens\":[{\"id\":0,\"content\":\"[X]\",\"special\":true},"
    "{\"id\":9,\"content\":\"Seven\",\"normalized\":true,\"lstrip\":true}],"
    "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFKC\"},"
    "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\" {2,}|[x-z]+(?=a)\"},\"content\":\"_\"},"
    "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AAAAAA==\"},"
    "{\"type\":\"BertNormalizer\"},{\"type\":\"Strip\"}]},"
    "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"WhitespaceSplit\"},"
    "{\"type\":\"Digits\"},{\"type\":\"Metaspace\",\"replacement\":\"_\"},"
    "{\"type\":\"ByteLevel\"}]},"
    "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":"
    "\"[X]\",\"type_id\":0}},{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"pair\":[{\"Sequence\":"
    "{\"id\":\"A\",\"type_id\":0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":1}}],"
    "\"special_tokens\":{\"[X]\":{\"id\":\"[X]\",\"ids\":[0],\"tokens\":[\"[X]\"]}}},"
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"[X]\",\"vocab\":{\"[X]\":0,\"e\":1,\"n\":2,\"o\":"
    "3,"
    "\"t\":4,\"en\":5,\"on\":6},\"merges\":[\"e n\",\"o n\"]}}";

/* A sentencepiece model: <unk>, </s>, U+2581, on, e and t; and their ids in vocab.json. */
static const char spm_pieces[] =
    "\x0A\x0E\x0A\x05<unk>\x15\x00\x00\x00\x00\x18\x02\x0A\x0D\x0A\x04</s>\x15\x00"
    "\x00\x00\x00\x18\x03\x0A\x0A\x0A\x03\xE2\x96\x81\x15\x00\x00\x80\xBF\x0A\x09"
    "\x0A\x02on\x15\x00\x00\x00\xC0\x0A\x08\x0A\x01\x65\x15\x00\x00@\xC0\x0A\x08\x0A"
    "\x01t\x15\x00\x00`\xC0\x12\x02\x08\x01";
static const char pieces_vocab[] =
    "{\"</s>\":0,\"<unk>\":1,\"\xE2\x96\x81\":2,\"on\":3,\"e\":4,\"t\":5,\">>de<<\":6}";

static void put(alcore_column_writer *writer, int64_t count) {
    int64_t rows[WORLD_ROWS];
    alcore_tensor values;
    for (int64_t i = 0; i < count; i++) rows[i] = i;
    MUST(alcore_tensor_init(&values, scores, ALCORE_FLOAT32, &count, 1));
    MUST(alcore_column_writer_put(writer, rows, NULL, count, &values));
}

/* What WITH_MIX asks for. */
static void begin_mix(world *w) {
    static const int64_t rows[] = {0, 1, 2};
    static const char *const references[] = {"eins zwei drei", "zwei drei", "drei eins"};
    const char *translation = "eins";
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    MUST(alcore_pool_set_references(w->pool, rows, references, NULL, 3));
    MUST(alcore_pool_set_references(w->labeled, rows, references, NULL, 3));
    int64_t shape[2] = {3, WORLD_DIMS};
    alcore_tensor values;
    MUST(alcore_tensor_init(&values, embeddings, ALCORE_FLOAT32, shape, 2));
    MUST(alcore_pool_set_column(w->labeled, "embeddings", &values, NULL, NULL));
    records.texts = texts + 1;
    records.translations = &translation;
    records.rows = rows + 1;
    records.count = 1;
    MUST(alcore_annotations_new(w->pool, &w->annotations));
    MUST(alcore_annotations_add(w->annotations, &records));
    MUST(alcore_mix_new(w->ctx, NULL, w->pool, w->annotations, NULL, &w->mix));
}

void world_begin(world *w, unsigned with) {
    memset(w, 0, sizeof *w);
    alcore_allocator table = fault_table(&w->fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.allocator = &table;
    options.threads = 1; /* the order of allocations is then the same each time */
    MUST(alcore_ctx_new(&options, &w->ctx));
    /* The context's threads start at the first call that wants them, and stay with it. */
    const char *one = "one text";
    alcore_lm *starter;
    MUST(alcore_lm_new_trained(w->ctx, &one, NULL, 1, NULL, &starter));
    alcore_lm_unref(starter);
    MUST(alcore_pool_new(w->ctx, NULL, &w->pool));
    MUST(alcore_pool_add_texts(w->pool, texts, NULL, WORLD_ROWS, NULL));
    MUST(alcore_pool_new(w->ctx, NULL, &w->labeled));
    MUST(alcore_pool_add_texts(w->labeled, texts, NULL, 3, NULL));
    for (int i = 0; i < WORLD_ROWS; i++) {
        scores[i] = (float)(i * 7 % 12) / 12;
        offsets[i + 1] = offsets[i] + (i == 3 ? 0 : 2);
        probs[2 * i] = 0.25f;
        probs[2 * i + 1] = 0.75f;
        logprobs[2 * i] = logprobs[2 * i + 1] = -(float)(i + 1) / 4;
        for (int j = 0; j < WORLD_DIMS; j++)
            embeddings[i * WORLD_DIMS + j] = (float)((i + j) % 5) + 0.5f;
    }
    if (with & (WITH_SCORES | WITH_REQUEST | WITH_SELECTION)) {
        set(w->pool, "scores", scores, 0, NULL);
        set(w->pool, "embeddings", embeddings, WORLD_DIMS, NULL);
        set(w->pool, "probs", probs, 2, NULL);
        set(w->pool, "logprobs", logprobs, 0, offsets);
        set_samples(w->pool);
    }
    if (with & WITH_LM) MUST(alcore_lm_new_trained(w->ctx, texts, NULL, WORLD_ROWS, NULL, &w->lm));
    if (with & WITH_ALIGNER) {
        MUST(alcore_aligner_new_trained(w->ctx, texts, NULL, texts, NULL, WORLD_ROWS, NULL,
                                        &w->aligner));
        MUST(alcore_aligner_links(w->aligner, &w->links));
    }
    if (with & WITH_TOKENIZER) {
        MUST(alcore_tokenizer_open(w->ctx, world_file("tokenizer.json"), &w->tokenizer));
        MUST(alcore_tokenizer_encode(w->tokenizer, texts, NULL, NULL, NULL, WORLD_ROWS, NULL,
                                     &w->tokens));
    }
    if (with & WITH_MIX) begin_mix(w);
    if (with & WITH_MODEL) {
        alcore_model_host host = ALCORE_MODEL_HOST_INIT;
        host.name = "world";
        host.can = test_can;
        host.compute = test_compute;
        host.score = score;
        MUST(alcore_model_new_host(w->ctx, &host, &w->model));
    }
    if (with & WITH_SCORER) {
        MUST(alcore_scorer_new(w->ctx, "nsp", &w->scorer));
        MUST(alcore_strategy_new(w->ctx, "random", &w->strategy));
    }
    if (with & (WITH_REQUEST | WITH_SELECTION)) {
        MUST(alcore_request_new(w->ctx, &w->request));
        MUST(alcore_request_set_pool(w->request, ALCORE_ROLE_CANDIDATES, w->pool));
        MUST(alcore_request_set(w->request, "budget", "3"));
        alcore_strategy *huds;
        MUST(alcore_strategy_new(w->ctx, "huds", &huds));
        MUST(alcore_request_set_strategy(w->request, huds));
        alcore_strategy_unref(huds);
    }
    if (with & WITH_SELECTION) MUST(alcore_select(w->request, &w->selection));
    if (with & (WITH_WRITER | WITH_FULL_WRITER)) {
        MUST(alcore_column_writer_new(w->pool, "written", ALCORE_COLUMN_SCALAR, NULL, &w->writer));
        put(w->writer, with & WITH_FULL_WRITER ? WORLD_ROWS : 2);
    }
}

void world_end(world *w) {
    alcore_column_writer_unref(w->writer);
    alcore_selection_unref(w->selection);
    alcore_request_unref(w->request);
    alcore_strategy_unref(w->strategy);
    alcore_scorer_unref(w->scorer);
    alcore_model_unref(w->model);
    alcore_mix_unref(w->mix);
    alcore_annotations_unref(w->annotations);
    alcore_tokens_unref(w->tokens);
    alcore_tokenizer_unref(w->tokenizer);
    alcore_links_unref(w->links);
    alcore_aligner_unref(w->aligner);
    alcore_lm_unref(w->lm);
    alcore_pool_unref(w->labeled);
    alcore_pool_unref(w->pool);
    alcore_ctx_unref(w->ctx);
}

alcore_search_data world_embeddings(const world *w) {
    alcore_search_data data = ALCORE_SEARCH_DATA_INIT;
    data.pool = w->pool;
    return data;
}

uint64_t world_digest(const world *w) {
    uint64_t digest = 0;
    for (int side = 0; side < 2; side++) {
        const alcore_pool *pool = side ? w->labeled : w->pool;
        int64_t rows = alcore_pool_row_count(pool);
        digest = alcore__rng_derive(digest, 1, (uint64_t)rows,
                                    alcore__hash64(alcore_pool_states(pool), (size_t)rows * 4));
        for (int64_t i = 0; i < rows; i++) {
            size_t length;
            const char *text = alcore_pool_text(pool, i, &length);
            digest = alcore__rng_derive(digest, 2, alcore__hash64(text, length),
                                        (uint64_t)alcore_pool_words(pool, i));
        }
        const char *name;
        for (int64_t i = 0; (name = alcore_pool_column_name(pool, i)); i++)
            digest = alcore__rng_derive(digest, 3, alcore__hash64(name, strlen(name)), (uint64_t)i);
    }
    if (w->writer)
        digest = alcore__rng_derive(digest, 4,
                                    (uint64_t)alcore_column_writer_missing_count(w->writer), 0);
    return digest;
}

void world_file_write(const char *name, const void *data, size_t bytes) {
    FILE *file = fopen(world_file(name), "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file)) exit(2);
}

void world_file_write_npy(const char *name, const char *type, const char *shape, const void *data,
                          size_t bytes) {
    char head[128 + 64];
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length = snprintf(head + 10, 119,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    memset(head + 10 + length, ' ', (size_t)(117 - length));
    head[127] = '\n';
    char all[1024];
    memcpy(all, head, 128);
    memcpy(all + 128, data, bytes);
    world_file_write(name, all, 128 + bytes);
}

/* In the place of spm_train, which alcore_tokenizer_train_vocabulary() looks for on PATH: a script
 * that gives a model as its result. */
static void write_trainer(void) {
    static char search[4096];
    char script[300];
    snprintf(search, sizeof search, "%s:%s", world_file("bin"), getenv("PATH"));
    snprintf(script, sizeof script, "#!/bin/sh\ncp %s out.model\n",
             world_file("pieces/source.spm"));
    mkdir(world_file("bin"), 0700);
    world_file_write("bin/spm_train", script, strlen(script));
    chmod(world_file("bin/spm_train"), 0700);
    setenv("PATH", search, 1);
}

void world_files_write(void) {
    /* In memory where it can be: a disk takes minutes for some ten thousand flushed files. */
    snprintf(folder, sizeof folder, "/dev/shm/alcore-sweep-XXXXXX");
    if (!mkdtemp(folder)) test_folder_make(folder, "sweep");
    world w;
    world_begin(&w, 0); /* fills the arrays */
    world_end(&w);
    char all[2000] = "", tsv[3000] = "id\ttext\tlang\n", jsonl[3000] = "";
    char conll[3000] = "# newdoc id = d\n# sent_id = s\n";
    for (int i = 0; i < WORLD_ROWS; i++) {
        sprintf(all + strlen(all), "%s\n", texts[i]);
        sprintf(tsv + strlen(tsv), "r%d\t%s\ten\n", i, texts[i]);
        sprintf(jsonl + strlen(jsonl), "{\"id\": \"r%d\", \"source\": \"%s\", \"cost\": %d}\n", i,
                texts[i], i);
        sprintf(conll + strlen(conll), "w%.9s\tX\n%s", texts[i], i % 3 ? "" : "\n");
    }
    world_file_write("pool.txt", all, strlen(all));
    world_file_write("column.links", "0-0\n1-1 0-1\n\n\n\n\n\n\n\n\n\n\n", 22);
    static const char served[] =
        "{\"choices\":[{\"logprobs\":{\"content\":[{\"id\":1,\"logprob\":-1,\"top_logprobs\":[{"
        "\"id\":2,\"logprob\":-0.5}]}]}}]}\n"
        "{\"choices\":[{\"logprobs\":{\"token_logprobs\":[-1],\"top_logprobs\":[{\"a\":-0.5}]}}]}"
        "\n";
    world_file_write("answers.jsonl", served, sizeof served - 1);
    world_file_write("tags.txt", "B-PER I-PER O\nO\n", 16);
    world_file_write("pool.tsv", tsv, strlen(tsv));
    world_file_write("pool.jsonl", jsonl, strlen(jsonl));
    world_file_write("pool.conllu", conll, strlen(conll));
    world_file_write_npy("scores.npy", "<f4", "12,", scores, sizeof scores);
    mkdir(world_file("model"), 0700);
    world_file_write_npy("model/embeddings.npy", "<f4", "12, 3", embeddings, sizeof embeddings);
    mkdir(world_file("null"), 0700);
    mkdir(world_file("training"), 0700);
    world_file_write("null/config.json", "{\"dims\": 2, \"tokens\": 1}", 24);
    mkdir(world_file("reads-texts"), 0700);
    world_file_write("reads-texts/config.json", "{\"dims\": 2}", 11);
    world_file_write("null/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n", 24);
    mkdir(world_file("continues"), 0700); /* outputs continue texts, as of a language model */
    static const char continues[] = "{\"dims\": 2, \"tokens\": 1, \"calls\": 579}";
    world_file_write("continues/config.json", continues, sizeof continues - 1);
    static const char chat[] = "{{ messages[0].content ~ messages[1].content }}";
    world_file_write("continues/chat_template.jinja", chat, sizeof chat - 1);
    world_file_write("continues/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nno\nother\n", 33);
    alcore_ctx *ctx;
    alcore_lm *lm;
    mkdir(world_file(TEMPORARY), 0700);
    setenv("TMPDIR", world_file(TEMPORARY), 1);
    MUST(alcore_ctx_new(NULL, &ctx));
    MUST(alcore_lm_new_trained(ctx, texts, NULL, WORLD_ROWS, NULL, &lm));
    MUST(alcore_lm_write_arpa(lm, world_file("lm.arpa")));
    alcore_lm_unref(lm);
    alcore_aligner *aligner;
    MUST(alcore_aligner_new_trained(ctx, texts, NULL, texts, NULL, WORLD_ROWS, NULL, &aligner));
    MUST(alcore_aligner_write(aligner, world_file("aligner")));
    alcore_aligner_unref(aligner);
    world_file_write("tokenizer.json", tokenizer_json, strlen(tokenizer_json));
    mkdir(world_file("pieces"), 0700);
    world_file_write("pieces/source.spm", spm_pieces, sizeof spm_pieces - 1);
    world_file_write("pieces/target.spm", spm_pieces, sizeof spm_pieces - 1);
    world_file_write("pieces/vocab.json", pieces_vocab, strlen(pieces_vocab));
    write_trainer();
    world_file_write("links.txt", "0-0 1-1\n\n1-0 0-2 1-0\n", 21);
    char selection[2000] = "id\ttext\tkind\n", answers[2000] = "id\ttext\ttranslation\n";
    for (int i = 0; i < 3; i++) {
        sprintf(selection + strlen(selection), "%d\t%s\t%s\n", i + 1, texts[i],
                i % 2 ? "phrase" : "sent");
        sprintf(answers + strlen(answers), "%d\t%s\t%s\n", i + 1, texts[i], texts[i]);
    }
    world_file_write("selection.tsv", selection, strlen(selection));
    world_file_write("answers.tsv", answers, strlen(answers));
    world_file_write("dictionary.tsv", "one\teins\n", 9);
    alcore_pool *pool;
    alcore_column_writer *writer;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, texts, NULL, WORLD_ROWS, NULL));
    MUST(alcore_column_writer_new(pool, "written", ALCORE_COLUMN_SCALAR, NULL, &writer));
    put(writer, WORLD_ROWS);
    MUST(alcore_column_writer_save(writer, world_file("written.part")));
    alcore_column_writer_unref(writer);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static int count_files(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (directory) closedir(directory);
    return count;
}

int world_files_count(void) {
    return count_files(folder);
}

int world_temporaries_count(void) {
    return count_files(world_file(TEMPORARY));
}

void world_files_remove(void) {
    test_folder_remove(folder);
}
