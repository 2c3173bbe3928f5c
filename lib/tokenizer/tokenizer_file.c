/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the files of a tokenizer (tokenizer_handle.h): tokenizer.json if the folder has it, else
 * vocab.txt with the settings of tokenizer_config.json, as BERT's folders before 2020 have them. */
#include <string.h>

#include "alcore/sys/model.h"
#include "formats/byte_stream.h"
#include "text/utf8.h"
#include "tokenizer/class_rules.h"
#include "tokenizer/folder_files.h"
#include "tokenizer/language.h"
#include "tokenizer/pieces_folder.h"
#include "tokenizer/tokenizer_handle.h"

/* ---- vocab.txt ---- */

/* What tokenizer_config.json says of a BERT model. */
typedef struct bert_settings {
    alcore__bert_cleaning cleaning;
    alcore__name unk, sep, pad, cls, mask; /* the texts of the special tokens */
} bert_settings;

/* Overwrites the defaults in *out. */
static alcore_status read_bert_settings(const alcore__part *config, bert_settings *out) {
    ALCORE__TRY(alcore__class_rules_read_cleaning(config, &out->cleaning));
    ALCORE__TRY(alcore__class_rules_read_name(config, "unk_token", &out->unk));
    ALCORE__TRY(alcore__class_rules_read_name(config, "sep_token", &out->sep));
    ALCORE__TRY(alcore__class_rules_read_name(config, "pad_token", &out->pad));
    ALCORE__TRY(alcore__class_rules_read_name(config, "cls_token", &out->cls));
    return alcore__class_rules_read_name(config, "mask_token", &out->mask);
}

/* Adds a special token as an added token where the vocabulary has it. */
static alcore_status add_special(alcore_ctx *ctx, alcore_tokenizer *tokenizer, alcore__name name) {
    const alcore__added_token token = {.content = name, .id = -1, .special = true};
    if (alcore__token_model_id(tokenizer->model, name.text, name.length) < 0) return ALCORE_OK;
    return alcore__added_tokens_add(ctx, &tokenizer->added, &token);
}

/* Adds the parts of a BERT model around its vocabulary, which has been read from `path`. */
static alcore_status add_bert_parts(const alcore__part *config, const char *path,
                                    const bert_settings *settings, alcore_tokenizer *tokenizer) {
    alcore_ctx *ctx = config->ctx;
    const alcore__name names[] = {settings->unk, settings->sep, settings->pad, settings->cls,
                                  settings->mask};
    alcore__pre_tokenizer_step *step;
    ALCORE__TRY(alcore__normalizer_add_bert(ctx, &settings->cleaning, &tokenizer->normalizer));
    ALCORE__TRY(alcore__token_decoder_add_word_piece(ctx, &tokenizer->decoder));
    ALCORE__TRY(alcore__pre_tokenizer_add(ctx, ALCORE__PRE_BERT, &tokenizer->pre, &step));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ALCORE__TRY(add_special(ctx, tokenizer, names[i]));
    const int64_t cls =
        alcore__token_model_id(tokenizer->model, settings->cls.text, settings->cls.length);
    const int64_t sep =
        alcore__token_model_id(tokenizer->model, settings->sep.text, settings->sep.length);
    if (cls < 0 || sep < 0)
        return alcore__fail(ALCORE_E_DATA, "%s: the tokens %.*s and %.*s are not in it", path,
                            (int)settings->cls.length, settings->cls.text,
                            (int)settings->sep.length, settings->sep.text);
    const alcore__pair_shape shape = {false, 1};
    return alcore__post_processor_set_around(config, (alcore__around){settings->cls, cls},
                                             (alcore__around){settings->sep, sep}, &shape,
                                             &tokenizer->post);
}

/* The defaults of BertTokenizer of the package transformers. */
static bert_settings bert_defaults(void) {
    return (bert_settings){.cleaning = {true, true, true, true},
                           .unk = {"[UNK]", 5},
                           .sep = {"[SEP]", 5},
                           .pad = {"[PAD]", 5},
                           .cls = {"[CLS]", 5},
                           .mask = {"[MASK]", 6}};
}

/* Makes a BERT tokenizer of the bytes of vocab.txt and of what tokenizer_config.json overwrites of
 * the defaults. path: of vocab.txt. */
static alcore_status read_vocab(const alcore__buffer *vocab, const char *path,
                                const alcore__part *config, alcore_tokenizer *tokenizer) {
    bert_settings settings = bert_defaults();
    alcore__name class = {0};
    ALCORE__TRY(alcore__part_text(config, "tokenizer_class", &class));
    if (alcore__name_is(class, "MPNetTokenizer") || alcore__name_is(class, "MPNetTokenizerFast"))
        return alcore__part_fail(config, ALCORE_E_UNSUPPORTED,
                                 "a vocab.txt without tokenizer.json is read as one of BERT, and "
                                 "tokenizer_class is %.*s; open the tokenizer with transformers "
                                 "and save it, which writes tokenizer.json",
                                 (int)class.length, class.text);
    alcore__post_processor_start(&tokenizer->post);
    ALCORE__TRY(read_bert_settings(config, &settings));
    ALCORE__TRY(alcore__token_model_read_vocab(config->ctx, vocab->data, vocab->length,
                                               settings.unk, path, &tokenizer->model));
    return add_bert_parts(config, path, &settings, tokenizer);
}

/* ---- folders ---- */

/* The files of a tokenizer while they are read. */
typedef struct files {
    /* path: of the file that was read last, but for tokenizer_config.json, which has a path of its
     * own; text: the bytes of tokenizer.json or vocab.txt; config: those of tokenizer_config.json
     */
    alcore__buffer path, text, config_path, config;
} files;

/* Reads tokenizer_config.json of the folder; where that has none, *out is a part of which no member
 * is found. *out lives as long as f. */
static alcore_status read_config(alcore_ctx *ctx, const char *folder, files *f,
                                 alcore_tokenizer *tokenizer, alcore__part *out) {
    bool found;
    ALCORE__TRY(alcore__folder_read(ctx, folder, "tokenizer_config.json", &f->config_path,
                                    &f->config, &found));
    *out = (alcore__part){ctx, &tokenizer->arena, f->config_path.data, NULL, {0}};
    return found ? alcore__part_open(ctx, &tokenizer->arena, &f->config, f->config_path.data, out)
                 : ALCORE_OK;
}

/* Reads tokenizer.json, and what tokenizer_config.json changes of it. model_type: of config.json;
 * without a text where there is none. */
static alcore_status read_json(const char *path, files *f, const alcore__part *config,
                               alcore__name model_type, alcore_tokenizer *tokenizer) {
    ALCORE__TRY(
        alcore__tokenizer_read_json(config->ctx, f->text.data, f->text.length, path, tokenizer));
    ALCORE__TRY(alcore__class_rules_check_specials(config, tokenizer));
    ALCORE__TRY(alcore__class_rules_apply(config, model_type, tokenizer));
    return alcore__languages_read(config, tokenizer);
}

/* Reads tokenizer.json of a folder, whose bytes are f->text. */
static alcore_status read_folder_json(alcore_ctx *ctx, const char *folder, files *f,
                                      const alcore__part *config, alcore_tokenizer *tokenizer) {
    alcore__buffer path = {0}, text = {0};
    alcore__name model_type = {0};
    alcore__part object;
    bool found;
    alcore_status status = alcore__folder_read(ctx, folder, "config.json", &path, &text, &found);
    if (status == ALCORE_OK && found)
        status = alcore__part_open(ctx, &tokenizer->arena, &text, path.data, &object);
    if (status == ALCORE_OK && found)
        status = alcore__part_text(&object, "model_type", &model_type);
    if (status == ALCORE_OK) status = read_json(f->path.data, f, config, model_type, tokenizer);
    alcore__buffer_clear(ctx, &path);
    alcore__buffer_clear(ctx, &text);
    return status;
}

/* Reads a folder: tokenizer.json, else vocab.txt, else a sentencepiece model. */
static alcore_status read_folder(alcore_ctx *ctx, const char *folder, files *f,
                                 alcore_tokenizer *tokenizer) {
    alcore__part config;
    bool found;
    ALCORE__TRY(read_config(ctx, folder, f, tokenizer, &config));
    ALCORE__TRY(alcore__folder_read(ctx, folder, "tokenizer.json", &f->path, &f->text, &found));
    if (found) return read_folder_json(ctx, folder, f, &config, tokenizer);
    ALCORE__TRY(alcore__folder_read(ctx, folder, "vocab.txt", &f->path, &f->text, &found));
    if (found) return read_vocab(&f->text, f->path.data, &config, tokenizer);
    ALCORE__TRY(alcore__pieces_folder_read(ctx, folder, &config, tokenizer, &found));
    if (found) return ALCORE_OK;
    return alcore__fail(ALCORE_E_IO,
                        "%s: no tokenizer here; a folder with tokenizer.json, vocab.txt or a "
                        "sentencepiece model is expected",
                        folder);
}

/* read_config() for the folder in which a file lies. */
static alcore_status read_config_beside(alcore_ctx *ctx, const char *path, files *f,
                                        alcore_tokenizer *tokenizer, alcore__part *out) {
    const char *slash = strrchr(path, '/');
    char *folder = alcore__strndup(ctx, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    if (!folder) return alcore__fail_memory(strlen(path));
    const alcore_status status = read_config(ctx, folder, f, tokenizer, out);
    alcore__free(ctx, folder);
    return status;
}

static bool is_pieces(const char *path) {
    const size_t length = strlen(path);
    return alcore__path_ends_in(path, length, ".model") ||
           alcore__path_ends_in(path, length, ".spm");
}

/* Reads a file that the caller named. */
static alcore_status read_named(alcore_ctx *ctx, const char *path, files *f,
                                alcore_tokenizer *tokenizer) {
    alcore__part config;
    if (is_pieces(path)) return alcore__pieces_file_read(ctx, path, tokenizer);
    ALCORE__TRY(read_config_beside(ctx, path, f, tokenizer, &config));
    ALCORE__TRY(alcore__folder_read_file(ctx, path, &f->text));
    return alcore__path_ends_in(path, strlen(path), ".json")
               ? read_json(path, f, &config, (alcore__name){0}, tokenizer)
               : read_vocab(&f->text, path, &config, tokenizer);
}

/* Whether path ends as files of tokenizers do. */
static bool is_named_as_file(const char *path) {
    const size_t length = strlen(path);
    return alcore__path_ends_in(path, length, ".json") ||
           alcore__path_ends_in(path, length, ".txt") || is_pieces(path);
}

/* *out: whether the path is a file. A folder may be named like one, such as "trained.model": it is
 * known by a file that folders of models have. */
static alcore_status is_file(alcore_ctx *ctx, const char *path, bool *out) {
    static const char *const names[] = {"config.json", ALCORE_SYS_TOKENIZER_FILES};
    alcore__buffer inside = {0};
    alcore_status status = ALCORE_OK;
    *out = is_named_as_file(path);
    for (size_t i = 0; i < sizeof names / sizeof *names && *out && status == ALCORE_OK; i++) {
        alcore__file *file;
        inside.length = 0;
        status = alcore__buffer_format(ctx, &inside, "%s/%s", path, names[i]);
        if (status != ALCORE_OK) break;
        status = alcore__file_open(ctx, inside.data, &file);
        *out = status != ALCORE_OK;
        if (status == ALCORE_OK) alcore__file_close(file);
        if (status == ALCORE_E_IO) status = ALCORE_OK;
    }
    alcore__buffer_clear(ctx, &inside);
    return status;
}

alcore_status alcore__tokenizer_read_alone(alcore_ctx *ctx, const char *path,
                                           alcore_tokenizer *tokenizer) {
    alcore__buffer text = {0};
    alcore_status status = alcore__folder_read_file(ctx, path, &text);
    if (status == ALCORE_OK)
        status = alcore__tokenizer_read_json(ctx, text.data, text.length, path, tokenizer);
    if (status == ALCORE_OK) {
        status = alcore__tokenizer_finish(ctx, tokenizer);
        if (status == ALCORE_E_DATA) (void)alcore__fail_within(status, "%s", path);
    }
    alcore__buffer_clear(ctx, &text);
    return status;
}

/* Reads the files at path, a folder or a file, and finishes the tokenizer. An error in what the
 * files say together names the path. */
alcore_status alcore__tokenizer_read(alcore_ctx *ctx, const char *path,
                                     alcore_tokenizer *tokenizer) {
    files f = {0};
    bool file;
    ALCORE__TRY(is_file(ctx, path, &file));
    alcore_status status =
        file ? read_named(ctx, path, &f, tokenizer) : read_folder(ctx, path, &f, tokenizer);
    if (status == ALCORE_OK) {
        status = alcore__tokenizer_finish(ctx, tokenizer);
        if (status == ALCORE_E_DATA) (void)alcore__fail_within(status, "%s", path);
    }
    alcore__buffer_clear(ctx, &f.path);
    alcore__buffer_clear(ctx, &f.text);
    alcore__buffer_clear(ctx, &f.config_path);
    alcore__buffer_clear(ctx, &f.config);
    return status;
}
