/* SPDX-License-Identifier: Apache-2.0 */
/* Folders with sentencepiece models (pieces_folder.h). What the ids are and which special tokens
 * stand around a text is written in no file: the classes of the package transformers know it, and
 * this file does. In the table A is the tokens of the text and LANG that of its language; "behind"
 * means: with ids above those of the pieces.
 *
 *   family   files                              ids                               one text
 *   XLM-R    sentencepiece.bpe.model            fairseq's, <mask> behind          <s> A </s>
 *   mBART    sentencepiece.bpe.model            fairseq's, languages, <mask>      A </s> LANG
 *   T5       spiece.model                       the pieces', <extra_id_N> behind  A </s>
 *   M2M100   sentencepiece.bpe.model,           vocab.json's, languages behind    LANG A </s>
 *            vocab.json
 *   Marian   source.spm, target.spm, vocab.json vocab.json's                      A </s>
 *
 * mBART-50 and NLLB are as mBART, with the language in front, to which alcore__languages_read()
 * moves it. A folder of alcore_transformer is as T5, without <extra_id_N>. A file that is named
 * itself has the pieces' ids and adds nothing. */
#include "tokenizer/pieces_folder.h"

#include <string.h>

#include "tokenizer/folder_files.h"
#include "tokenizer/language.h"
#include "tokenizer/sentencepiece.h"

typedef enum family { NONE, XLMR, MBART, T5, M2M100, MARIAN } family;

/* The languages of mBART-50, in the order of their ids; the first MBART_LANGUAGES of them are those
 * of mBART. */
static const char *const MBART50_LANGUAGES[] = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN",
    "hi_IN", "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP",
    "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN", "af_ZA", "az_AZ",
    "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK", "ml_IN",
    "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN",
    "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};
enum { MBART_LANGUAGES = 25 };

/* The languages of M2M100, in the order of their ids, and those of its models for WMT 2021. */
static const char M2M100_LANGUAGES[] =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
    "ha "
    "he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my "
    "ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz "
    "vi "
    "wo xh yi yo zh zu";
static const char WMT21_LANGUAGES[] = "en ha is ja cs ru zh de";

/* The folder while it is read. */
typedef struct reader {
    alcore_ctx *ctx;
    const char *folder;
    const alcore__part *config;
    alcore_tokenizer *tokenizer;
    /* path: of the file that was read last, for messages, NUL-terminated; file: the bytes of the
     * sentencepiece model; vocab: those of the JSON file that was read last */
    alcore__buffer path, file, vocab;
    size_t mbart_languages; /* how many of MBART50_LANGUAGES the family has if no file lists any */
    int64_t extra_ids;      /* how many <extra_id_N> T5 has if the folder does not say it */
    const char **extra;     /* [extras] tokens behind the pieces (alcore__spm_layout.extra), in the
                             * order of their ids: names in the arena, the array owned */
    size_t extras, extra_capacity;
} reader;

/* ---- names ---- */

/* Copies a name into the tokenizer's arena, NUL-terminated. */
static alcore_status keep_name(reader *r, const char *text, size_t length, const char **out) {
    return alcore__arena_text(r->ctx, &r->tokenizer->arena, text, length, out);
}

/* Appends a token behind the pieces; it gets its id in make_model(). */
static alcore_status add_extra(reader *r, const char *text, size_t length) {
    ALCORE__TRY(
        alcore__grow(r->ctx, &r->extra, &r->extra_capacity, r->extras + 1, sizeof *r->extra));
    ALCORE__TRY(keep_name(r, text, length, &r->extra[r->extras]));
    r->extras++;
    return ALCORE_OK;
}

/* Adds a special added token, with the flags of `like`. text: kept. Its id follows once all parts
 * are read (alcore__tokenizer_finish()): the model's, or one behind all others. */
static alcore_status add_like(reader *r, const char *text, alcore__added_token like) {
    like.content = (alcore__name){text, strlen(text)};
    like.id = -1;
    like.special = true;
    return alcore__added_tokens_add(r->ctx, &r->tokenizer->added, &like);
}

static alcore_status add_special(reader *r, const char *text) {
    return add_like(r, text, (alcore__added_token){0});
}

/* Adds those of the usual special tokens that the model has. */
static alcore_status add_usual(reader *r) {
    static const char *const names[] = {"<s>", "<pad>", "</s>", "<unk>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (alcore__token_model_id(r->tokenizer->model, names[i], strlen(names[i])) >= 0)
            ALCORE__TRY(add_special(r, names[i]));
    return ALCORE_OK;
}

/* Appends the languages that a configuration lists as additional special tokens to r->extra. */
static alcore_status read_languages(reader *r, const alcore__part *config) {
    alcore__part list, item;
    if (!alcore__part_member(config, "additional_special_tokens", &list)) return ALCORE_OK;
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) {
        alcore__name name = {0};
        if (alcore__json_kind(&item.value) == '{')
            ALCORE__TRY(alcore__part_text(&item, "content", &name));
        else
            ALCORE__TRY(alcore__part_string(&item, &name));
        if (name.text && alcore__is_language(name))
            ALCORE__TRY(add_extra(r, name.text, name.length));
    }
    return alcore__part_leave(&list);
}

/* Appends the languages of mBART and NLLB to r->extra: from tokenizer_config.json, else from
 * special_tokens_map.json, else (mBART) those of the family. */
static alcore_status find_languages(reader *r) {
    bool found;
    ALCORE__TRY(read_languages(r, r->config));
    if (r->extras > 0) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "special_tokens_map.json", &r->path,
                                    &r->vocab, &found));
    if (found) {
        alcore__part map;
        ALCORE__TRY(alcore__part_open(r->ctx, &r->tokenizer->arena, &r->vocab, r->path.data, &map));
        ALCORE__TRY(read_languages(r, &map));
    }
    if (r->extras > 0) return ALCORE_OK;
    if (r->mbart_languages > 0) {
        for (size_t i = 0; i < r->mbart_languages; i++)
            ALCORE__TRY(add_extra(r, MBART50_LANGUAGES[i], strlen(MBART50_LANGUAGES[i])));
        return ALCORE_OK;
    }
    return alcore__fail(
        ALCORE_E_UNSUPPORTED,
        "%s: neither tokenizer_config.json nor special_tokens_map.json lists the "
        "languages as additional_special_tokens; with tokenizer.json they are known",
        r->folder);
}

/* ---- models ---- */

/* Adds the normalizer of a sentencepiece model. */
static alcore_status add_normalizer(reader *r, const alcore__sentencepiece *pieces,
                                    alcore__normalizer *out) {
    const alcore__pieces_rules rules = {pieces->add_dummy_prefix, pieces->space_behind,
                                        pieces->remove_extra_whitespaces,
                                        pieces->escape_whitespaces};
    alcore__precompiled_map map = {0};
    if (pieces->charsmap_length > 0) {
        const alcore_status status =
            alcore__precompiled_map_make(r->ctx, pieces->charsmap, pieces->charsmap_length, &map);
        if (status == ALCORE_E_DATA) (void)alcore__fail_within(status, "%s", r->path.data);
        ALCORE__TRY(status);
    }
    return alcore__normalizer_add_pieces(r->ctx, &rules, &map, out);
}

/* Makes the model of the bytes in r->file, with r->extra behind its pieces, and its normalizer. */
static alcore_status make_model(reader *r, alcore__spm_layout *layout,
                                alcore__normalizer *normalizer, alcore__token_model **model) {
    alcore__sentencepiece pieces = {0};
    alcore_status status =
        alcore__sentencepiece_read(r->ctx, r->file.data, r->file.length, r->path.data, &pieces);
    layout->extra = r->extra;
    layout->extra_count = r->extras;
    if (status == ALCORE_OK)
        status = alcore__sentencepiece_model(r->ctx, &pieces, layout, r->path.data, model);
    if (status == ALCORE_OK) status = add_normalizer(r, &pieces, normalizer);
    alcore__sentencepiece_clear(r->ctx, &pieces);
    return status;
}

/* Reads FOLDER/NAME into *out; it must be there. */
static alcore_status need_file(reader *r, const char *name, alcore__buffer *out) {
    bool found;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, name, &r->path, out, &found));
    return found ? ALCORE_OK : alcore__fail(ALCORE_E_IO, "%s: %s is missing", r->folder, name);
}

/* Reads the model NAME, with the ids of vocab.json. JSON of depth 4 is deeper than {token: id}. */
static alcore_status read_with_vocab(reader *r, const char *name, alcore__normalizer *normalizer,
                                     alcore__token_model **model) {
    alcore__json json;
    ALCORE__TRY(need_file(r, "vocab.json", &r->vocab));
    ALCORE__TRY(need_file(r, name, &r->file));
    alcore__json_begin(&json, r->vocab.data, r->vocab.length, 4);
    alcore__spm_layout layout = {.vocab = &json, .vocab_path = "vocab.json"};
    return make_model(r, &layout, normalizer, model);
}

/* Reads the model NAME, with ids of its own or fairseq's (alcore__spm_layout). */
static alcore_status read_alone(reader *r, const char *name, bool fairseq) {
    alcore__spm_layout layout = {.fairseq = fairseq};
    ALCORE__TRY(need_file(r, name, &r->file));
    return make_model(r, &layout, &r->tokenizer->normalizer, &r->tokenizer->model);
}

/* ---- templates ---- */

/* Writes a template. pieces: "A" and "B" for the texts, else the texts of special tokens, then
 * NULL; static or in the arena, as the template keeps them. */
static alcore_status write_template(reader *r, alcore__template *out, const char *const *pieces) {
    out->count = 0;
    for (; *pieces; pieces++) {
        const alcore__name name = {*pieces, strlen(*pieces)};
        if (alcore__name_is(name, "A") || alcore__name_is(name, "B")) {
            ALCORE__TRY(alcore__template_add_text(
                r->config, out,
                name.text[0] == 'A' ? ALCORE__TEMPLATE_FIRST : ALCORE__TEMPLATE_SECOND, 0));
            continue;
        }
        const int64_t id = alcore__token_model_id(r->tokenizer->model, name.text, name.length);
        /* Languages of M2M100 are no tokens of the model: their id is -1 until
         * alcore__languages_finish() finds those of the added tokens. */
        if (id < 0 && !alcore__is_language(name))
            return alcore__fail(ALCORE_E_DATA, "%s: the model has no token %s", r->folder,
                                name.text);
        ALCORE__TRY(alcore__template_add_special(r->config, out, name, &id, 1, 0));
    }
    return ALCORE_OK;
}

static alcore_status write_templates(reader *r, const char *const *single,
                                     const char *const *pair) {
    ALCORE__TRY(write_template(r, &r->tokenizer->post.single, single));
    return write_template(r, &r->tokenizer->post.pair, pair);
}

/* ---- families ---- */

/* The functions of this section fill the tokenizer from the files of one family. The order of calls
 * matters: r->extra must be complete before the model is read, and what add_usual() and the
 * templates look up is found in the model. */

static alcore_status read_xlmr(reader *r) {
    static const char *const single[] = {"<s>", "A", "</s>", NULL};
    static const char *const pair[] = {"<s>", "A", "</s>", "</s>", "B", "</s>", NULL};
    ALCORE__TRY(add_extra(r, "<mask>", 6));
    ALCORE__TRY(read_alone(r, "sentencepiece.bpe.model", true));
    ALCORE__TRY(add_usual(r));
    ALCORE__TRY(add_like(r, "<mask>", (alcore__added_token){.left = true}));
    return write_templates(r, single, pair);
}

/* The language of a text where neither the folder nor the call names one: English, as in the
 * classes of transformers, if it is among the languages. */
static const char *usual_language(const reader *r) {
    const char *usual = r->mbart_languages > 0 ? "en_XX" : "eng_Latn";
    for (size_t i = 0; i < r->extras; i++)
        if (strcmp(r->extra[i], usual) == 0) return usual;
    return r->extra[0];
}

/* Also NLLB. The languages are the first of r->extra, and special; <mask> comes behind them. */
static alcore_status read_mbart(reader *r) {
    ALCORE__TRY(find_languages(r));
    const size_t languages = r->extras;
    ALCORE__TRY(add_extra(r, "<mask>", 6));
    ALCORE__TRY(read_alone(r, "sentencepiece.bpe.model", true));
    ALCORE__TRY(add_usual(r));
    for (size_t i = 0; i < languages; i++) ALCORE__TRY(add_special(r, r->extra[i]));
    ALCORE__TRY(add_like(r, "<mask>", (alcore__added_token){.left = true}));
    const char *const single[] = {"A", "</s>", usual_language(r), NULL};
    const char *const pair[] = {"A", "B", "</s>", usual_language(r), NULL};
    return write_templates(r, single, pair);
}

/* The ids of <extra_id_N> fall with N: <extra_id_0> has the highest one. */
static alcore_status read_t5(reader *r) {
    static const char *const single[] = {"A", "</s>", NULL};
    static const char *const pair[] = {"A", "</s>", "B", "</s>", NULL};
    int64_t extra_ids = r->extra_ids;
    char name[32];
    ALCORE__TRY(alcore__part_integer(r->config, "extra_ids", &extra_ids));
    if (extra_ids < 0 || extra_ids > 10000)
        return alcore__part_fail(r->config, ALCORE_E_DATA,
                                 "extra_ids is %lld: 0 to 10000 are known", (long long)extra_ids);
    for (int64_t i = extra_ids - 1; i >= 0; i--) {
        const int bytes = alcore__format(name, sizeof name, "<extra_id_%lld>", (long long)i);
        ALCORE__TRY(add_extra(r, name, (size_t)bytes));
    }
    ALCORE__TRY(read_alone(r, "spiece.model", false));
    ALCORE__TRY(add_usual(r));
    for (size_t i = 0; i < r->extras; i++) ALCORE__TRY(add_special(r, r->extra[i]));
    return write_templates(r, single, pair);
}

/* Adds an added token __XX__ for each of the languages, which are separated by spaces. Texts are
 * not searched for them. */
static alcore_status add_language_tokens(reader *r, const char *languages) {
    char name[16];
    for (const char *next = languages; *next;) {
        const size_t length = strcspn(next, " ");
        const char *kept = "";
        const int bytes = alcore__format(name, sizeof name, "__%.*s__", (int)length, next);
        ALCORE__TRY(keep_name(r, name, (size_t)bytes, &kept));
        ALCORE__TRY(add_like(r, kept, (alcore__added_token){.template_only = true}));
        next += length + (next[length] == ' ');
    }
    return ALCORE_OK;
}

/* The languages are added tokens, so that their ids lie behind those of vocab.json; English is the
 * language of the templates. */
static alcore_status read_m2m100(reader *r) {
    static const char *const single[] = {"__en__", "A", "</s>", NULL};
    static const char *const pair[] = {"__en__", "A", "B", "</s>", NULL};
    alcore__name codes = {0};
    ALCORE__TRY(read_with_vocab(r, "sentencepiece.bpe.model", &r->tokenizer->normalizer,
                                &r->tokenizer->model));
    ALCORE__TRY(alcore__part_text(r->config, "language_codes", &codes));
    /* The languages come first, so that no other added token gets an id before them. */
    ALCORE__TRY(add_language_tokens(
        r, codes.text && alcore__name_is(codes, "wmt21") ? WMT21_LANGUAGES : M2M100_LANGUAGES));
    ALCORE__TRY(add_usual(r));
    return write_templates(r, single, pair);
}

/* Both models share the ids of vocab.json; target.spm cuts texts that are outputs. */
static alcore_status read_marian(reader *r) {
    static const char *const single[] = {"A", "</s>", NULL};
    static const char *const pair[] = {"A", "B", "</s>", NULL};
    alcore_tokenizer *tokenizer = r->tokenizer;
    bool separate = false;
    ALCORE__TRY(alcore__part_flag(r->config, "separate_vocabs", &separate));
    if (separate)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: separate vocabularies of source and target are not supported",
                            r->folder);
    ALCORE__TRY(read_with_vocab(r, "source.spm", &tokenizer->normalizer, &tokenizer->model));
    ALCORE__TRY(
        read_with_vocab(r, "target.spm", &tokenizer->target_normalizer, &tokenizer->target_model));
    ALCORE__TRY(add_usual(r));
    tokenizer->language_codes = true;
    return write_templates(r, single, pair);
}

/* ---- which family ---- */

/* *found: whether the folder has the file. */
static alcore_status has_file(reader *r, const char *name, bool *found) {
    alcore__file *file;
    r->path.length = 0;
    ALCORE__TRY(alcore__buffer_format(r->ctx, &r->path, "%s/%s", r->folder, name));
    const alcore_status status = alcore__file_open(r->ctx, r->path.data, &file);
    *found = status == ALCORE_OK;
    if (*found) alcore__file_close(file);
    return status == ALCORE_E_IO ? ALCORE_OK : status;
}

/* A family by what configurations call it: the beginning of the name of a class of tokenizers, and
 * a type of models. mbart_languages: as in reader. */
typedef struct kind {
    const char *class, *type;
    family family;
    size_t mbart_languages;
} kind;
/* Of two names that begin alike the longer one comes first, as is_kind() compares beginnings. */
static const kind kinds[] = {
    {"XLMRoberta", "xlm-roberta", XLMR, 0},
    {"MBart50", "mbart50", MBART, sizeof MBART50_LANGUAGES / sizeof *MBART50_LANGUAGES},
    {"MBart", "mbart", MBART, MBART_LANGUAGES},
    {"Nllb", "nllb", MBART, 0},
    {"T5", "t5", T5, 0},
    {"AlcoreTransformer", "alcore_transformer", T5, 0},
    {"MT5", "mt5", T5, 0},
    {"M2M100", "m2m_100", M2M100, 0},
    {"Marian", "marian", MARIAN, 0}};

/* Reads tokenizer_class of tokenizer_config.json into *class, else model_type of config.json into
 * *type. Both stay without a text if neither file has one. */
static alcore_status read_kind_name(reader *r, alcore__name *class, alcore__name *type) {
    bool found;
    ALCORE__TRY(alcore__part_text(r->config, "tokenizer_class", class));
    if (class->text) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "config.json", &r->path, &r->vocab, &found));
    if (!found) return ALCORE_OK;
    alcore__part part;
    ALCORE__TRY(alcore__part_open(r->ctx, &r->tokenizer->arena, &r->vocab, r->path.data, &part));
    return alcore__part_text(&part, "model_type", type);
}

/* Whether the class, or the type where there is no class, is of this kind. */
static bool is_kind(const kind *one, alcore__name class, alcore__name type) {
    const size_t length = strlen(one->class);
    return class.text ? class.length >= length && memcmp(class.text, one->class, length) == 0
                      : alcore__name_is(type, one->type);
}

/* The family of a folder, by its class or type; one that names neither is of XLM-R, T5 or Marian,
 * by its files. NONE: it has none of the files. */
static alcore_status find_family(reader *r, family *out) {
    alcore__name class = {0}, type = {0};
    bool spiece, bpe, marian;
    *out = NONE;
    ALCORE__TRY(has_file(r, "spiece.model", &spiece));
    ALCORE__TRY(has_file(r, "sentencepiece.bpe.model", &bpe));
    ALCORE__TRY(has_file(r, "source.spm", &marian));
    if (!spiece && !bpe && !marian) return ALCORE_OK;
    ALCORE__TRY(read_kind_name(r, &class, &type));
    if (!class.text && !type.text) {
        *out = marian ? MARIAN : bpe ? XLMR : T5;
        return ALCORE_OK;
    }
    /* Sentinels of T5's own task; a model that is trained from scratch has none. */
    if (alcore__name_is(type, "alcore_transformer")) r->extra_ids = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!is_kind(&kinds[i], class, type)) continue;
        *out = kinds[i].family;
        r->mbart_languages = kinds[i].mbart_languages;
        return ALCORE_OK;
    }
    const alcore__name name = class.text ? class : type;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s: the folder has a sentencepiece model and no tokenizer.json; it is of "
                        "\"%.*s\", and XLM-R, mBART, NLLB, T5, M2M100 and Marian are known",
                        r->folder, (int)(name.length > 64 ? 64 : name.length), name.text);
}

static alcore_status read_family(reader *r, family which) {
    switch (which) {
    case XLMR:
        return read_xlmr(r);
    case MBART:
        return read_mbart(r);
    case T5:
        return read_t5(r);
    case M2M100:
        return read_m2m100(r);
    case MARIAN:
        return read_marian(r);
    case NONE:
        break;
    }
    return ALCORE_OK;
}

/* Frees what the reader owns. */
static void clear_reader(reader *r) {
    alcore__buffer_clear(r->ctx, &r->path);
    alcore__buffer_clear(r->ctx, &r->file);
    alcore__buffer_clear(r->ctx, &r->vocab);
    alcore__free(r->ctx, r->extra);
}

/* Reads a folder by its family, then the decoder, which all families share but for the spaces at
 * the ends of outputs, and the languages. */
alcore_status alcore__pieces_folder_read(alcore_ctx *ctx, const char *folder,
                                         const alcore__part *config, alcore_tokenizer *tokenizer,
                                         bool *found) {
    reader r = {
        .ctx = ctx, .folder = folder, .config = config, .tokenizer = tokenizer, .extra_ids = 100};
    family which = NONE;
    alcore_status status = find_family(&r, &which);
    *found = which != NONE;
    if (status == ALCORE_OK && *found) {
        alcore__post_processor_start(&tokenizer->post);
        status = read_family(&r, which);
        if (status == ALCORE_OK)
            status = alcore__token_decoder_add_metaspace(ctx, &tokenizer->decoder);
        if (status == ALCORE_OK && (which == M2M100 || which == MARIAN))
            status = alcore__token_decoder_add_trim(ctx, &tokenizer->decoder);
        if (status == ALCORE_OK) status = alcore__languages_read(config, tokenizer);
    }
    clear_reader(&r);
    return status;
}

/* The steps of alcore__pieces_file_read(). */
static alcore_status read_file(reader *r) {
    static const char *const single[] = {"A", NULL};
    static const char *const pair[] = {"A", "B", NULL};
    alcore__spm_layout layout = {0};
    ALCORE__TRY(alcore__buffer_format(r->ctx, &r->path, "%s", r->folder));
    ALCORE__TRY(alcore__folder_read_file(r->ctx, r->folder, &r->file));
    ALCORE__TRY(make_model(r, &layout, &r->tokenizer->normalizer, &r->tokenizer->model));
    ALCORE__TRY(add_usual(r));
    ALCORE__TRY(write_templates(r, single, pair));
    return alcore__token_decoder_add_metaspace(r->ctx, &r->tokenizer->decoder);
}

alcore_status alcore__pieces_file_read(alcore_ctx *ctx, const char *path,
                                       alcore_tokenizer *tokenizer) {
    const alcore__part none = {ctx, &tokenizer->arena, path, "settings", {0}};
    reader r = {.ctx = ctx, .folder = path, .config = &none, .tokenizer = tokenizer};
    alcore__post_processor_start(&tokenizer->post);
    const alcore_status status = read_file(&r);
    clear_reader(&r);
    return status;
}
