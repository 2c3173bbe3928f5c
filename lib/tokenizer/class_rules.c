/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of tokenizers whose constructors go before tokenizer.json (class_rules.h):
 *
 *   class      normalizer                 words                             one text
 *   BERT       BertNormalizer             BertPreTokenizer                  [CLS] A [SEP]
 *   RoBERTa    none                       ByteLevel(add_prefix_space)       <s> A </s>
 *   MPNet      BertNormalizer             BertPreTokenizer                  <s> A </s>
 *   XLM-R      the map of sentencepiece   WhitespaceSplit, Metaspace        <s> A </s>
 *   T5         the map of sentencepiece   WhitespaceSplit, Metaspace        A </s>
 *   RemBERT    that of the file           Metaspace                         [CLS] A [SEP]
 *   DeBERTa    Replace, NFC, Strip        Metaspace                         [CLS] A [SEP]
 *   Llama      none                       Metaspace without cuts            that of the file
 *
 * A post-processor of RemBERT's file, also one that adds nothing, is replaced; where there is none,
 * none is put. BART's class is that of RoBERTa, CamemBERT's that of XLM-R. Defaults are those of
 * the constructors: lowercase is true where BERT's file does not say otherwise. */
#include "tokenizer/class_rules.h"

#include <string.h>

#include "tokenizer/language.h"
#include "tokenizer/token_kinds.h"

typedef enum class { OTHER, BERT, MPNET, ROBERTA, XLM_ROBERTA, T5, REMBERT, DEBERTA, LLAMA } class;

static const struct {
    const char *begin; /* of tokenizer_class */
    const char *types; /* model types without a class, between spaces */
    class class;
    alcore__token_kind model; /* of its tokenizer.json; a file with another one is left as it is */
} classes[] = {
    {"BertTokenizer", " bert electra nomic_bert ", BERT, ALCORE__WORD_PIECE},
    {"DistilBertTokenizer", " distilbert ", BERT, ALCORE__WORD_PIECE},
    {"ElectraTokenizer", " ", BERT, ALCORE__WORD_PIECE},
    {"MPNetTokenizer", " mpnet ", MPNET, ALCORE__WORD_PIECE},
    {"RobertaTokenizer", " roberta ", ROBERTA, ALCORE__BYTE_PAIR},
    {"BartTokenizer", " bart ", ROBERTA, ALCORE__BYTE_PAIR},
    {"XLMRobertaTokenizer", " xlm-roberta ", XLM_ROBERTA, ALCORE__UNIGRAM},
    {"CamembertTokenizer", " camembert ", XLM_ROBERTA, ALCORE__UNIGRAM},
    {"T5Tokenizer", " t5 mt5 ", T5, ALCORE__UNIGRAM},
    {"MT5Tokenizer", " ", T5, ALCORE__UNIGRAM},
    {"RemBertTokenizer", " rembert ", REMBERT, ALCORE__UNIGRAM},
    {"DebertaV2Tokenizer", " deberta-v2 ", DEBERTA, ALCORE__UNIGRAM},
    {"LlamaTokenizer", " ", LLAMA, ALCORE__BYTE_PAIR},
};

/* Model types of which AutoTokenizer takes tokenizer.json as it is, whatever class is named. */
static const char AS_IT_IS[] = " xlm-roberta-xl modernbert mistral ";

/* Whether name is `begin`, or that and "Fast". */
static bool is_class(alcore__name name, const char *begin) {
    const size_t length = strlen(begin);
    if (name.length < length || memcmp(name.text, begin, length) != 0) return false;
    return name.length == length ||
           (name.length == length + 4 && memcmp(name.text + length, "Fast", 4) == 0);
}

/* Whether a list of words between spaces has the name. */
static bool has_word(const char *list, alcore__name name) {
    for (const char *at = list; *at; at++)
        if (*at == ' ' && strncmp(at + 1, name.text, name.length) == 0 &&
            at[1 + name.length] == ' ')
            return true;
    return false;
}

static alcore_status find_class(const alcore__part *config, alcore__name model_type,
                                alcore__token_kind model, class *out) {
    alcore__name name = {0};
    *out = OTHER;
    if (model_type.length > 0 && has_word(AS_IT_IS, model_type)) return ALCORE_OK;
    ALCORE__TRY(alcore__part_text(config, "tokenizer_class", &name));
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const bool fits = name.text
                              ? is_class(name, classes[i].begin)
                              : model_type.length > 0 && has_word(classes[i].types, model_type);
        if (fits && classes[i].model == model) *out = classes[i].class;
    }
    return ALCORE_OK;
}

alcore_status alcore__class_rules_read_cleaning(const alcore__part *config,
                                                alcore__bert_cleaning *out) {
    ALCORE__TRY(alcore__part_flag(config, "do_lower_case", &out->lowercase));
    out->strip_accents = out->lowercase;
    ALCORE__TRY(alcore__part_flag(config, "strip_accents", &out->strip_accents));
    return alcore__part_flag(config, "tokenize_chinese_chars", &out->handle_chinese_chars);
}

alcore_status alcore__class_rules_read_name(const alcore__part *config, const char *member,
                                            alcore__name *out) {
    alcore__part value;
    if (!alcore__part_member(config, member, &value)) return ALCORE_OK;
    if (alcore__json_kind(&value.value) == '{') return alcore__part_text(&value, "content", out);
    return alcore__part_string(&value, out);
}

/* ---- the parts ---- */

/* The id of a token that is about to be in a template; -1: there is none. Added tokens that the
 * model does not have get the ids behind its own, in their order, when the tokenizer is
 * finished. */
static int64_t id_of(const alcore_tokenizer *tokenizer, alcore__name name) {
    const int64_t id = alcore__token_model_id(tokenizer->model, name.text, name.length);
    int64_t next = alcore__token_model_size(tokenizer->model);
    for (size_t i = 0; id < 0 && i < tokenizer->added.count; i++) {
        const alcore__name other = tokenizer->added.token[i].content;
        if (other.length == name.length && memcmp(other.text, name.text, name.length) == 0)
            return next;
        if (alcore__token_model_id(tokenizer->model, other.text, other.length) < 0) next++;
    }
    return id;
}

/* Puts the tokens first and last around a text, and around a pair; first without a text: nothing.
 * A vocabulary without them keeps the template of the file. */
static alcore_status put_around(const alcore__part *config, alcore_tokenizer *tokenizer,
                                alcore__name first, alcore__name last,
                                const alcore__pair_shape *shape) {
    const alcore__around before = {first, first.text ? id_of(tokenizer, first) : -1};
    const alcore__around behind = {last, id_of(tokenizer, last)};
    if (behind.id < 0 || (first.text && before.id < 0)) return ALCORE_OK;
    return alcore__post_processor_set_around(config, before, behind, shape, &tokenizer->post);
}

static alcore_status apply_bert(const alcore__part *config, alcore_tokenizer *tokenizer) {
    alcore_ctx *ctx = config->ctx;
    alcore__bert_cleaning cleaning = {true, true, true, true};
    alcore__pre_tokenizer_step *step;
    ALCORE__TRY(alcore__class_rules_read_cleaning(config, &cleaning));
    alcore__normalizer_clear(ctx, &tokenizer->normalizer);
    alcore__pre_tokenizer_clear(ctx, &tokenizer->pre);
    ALCORE__TRY(alcore__normalizer_add_bert(ctx, &cleaning, &tokenizer->normalizer));
    return alcore__pre_tokenizer_add(ctx, ALCORE__PRE_BERT, &tokenizer->pre, &step);
}

static alcore_status apply_roberta(const alcore__part *config, alcore_tokenizer *tokenizer) {
    alcore__pre_tokenizer_step *step;
    bool prefix = false;
    ALCORE__TRY(alcore__part_flag(config, "add_prefix_space", &prefix));
    alcore__normalizer_clear(config->ctx, &tokenizer->normalizer);
    alcore__pre_tokenizer_clear(config->ctx, &tokenizer->pre);
    ALCORE__TRY(
        alcore__pre_tokenizer_add(config->ctx, ALCORE__PRE_BYTE_LEVEL, &tokenizer->pre, &step));
    step->add_prefix_space = prefix;
    step->use_regex = true;
    tokenizer->post.trim_offsets = true;
    tokenizer->post.add_prefix_space = prefix;
    return alcore__part_flag(config, "trim_offsets", &tokenizer->post.trim_offsets);
}

/* WhitespaceSplit, where `split`, and Metaspace. prepend_always false: it puts its mark nowhere. */
static alcore_status set_marks(alcore_ctx *ctx, bool split, bool prepend_always,
                               alcore__pre_tokenizer *pre) {
    alcore__pre_tokenizer_step *step;
    alcore__pre_tokenizer_clear(ctx, pre);
    if (split)
        ALCORE__TRY(alcore__pre_tokenizer_add(ctx, ALCORE__PRE_WHITESPACE_SPLIT, pre, &step));
    ALCORE__TRY(alcore__pre_tokenizer_add(ctx, ALCORE__PRE_METASPACE, pre, &step));
    step->mark = (alcore__name){"\xe2\x96\x81", 3};
    step->prepend = prepend_always ? ALCORE__PREPEND_ALWAYS : ALCORE__PREPEND_NEVER;
    step->split = true;
    return ALCORE_OK;
}

/* A tokenizer.json with bytes, such as that of Llama 3, stays as it is. */
static alcore_status apply_llama(const alcore__part *config, alcore_tokenizer *tokenizer) {
    bool prefix = true, legacy = false;
    for (size_t i = 0; i < tokenizer->pre.count; i++)
        if (tokenizer->pre.step[i].kind == ALCORE__PRE_BYTE_LEVEL) return ALCORE_OK;
    ALCORE__TRY(alcore__part_flag(config, "add_prefix_space", &prefix));
    ALCORE__TRY(alcore__part_flag(config, "legacy", &legacy));
    alcore__normalizer_clear(config->ctx, &tokenizer->normalizer);
    ALCORE__TRY(set_marks(config->ctx, false, prefix, &tokenizer->pre));
    alcore__pre_tokenizer_step *step = &tokenizer->pre.step[0];
    if (prefix && !legacy) step->prepend = ALCORE__PREPEND_FIRST;
    step->split = false;
    return ALCORE_OK;
}

/* The steps of DeBERTa, as tokenizer.json has them; lowercase: one more before them. */
static alcore_status apply_deberta(const alcore__part *config, alcore_tokenizer *tokenizer) {
    static const char TEXT[] =
        "{\"lower\": {\"type\": \"Lowercase\"}, \"rest\": {\"type\": \"Sequence\", "
        "\"normalizers\": [{\"type\": \"Replace\", \"pattern\": {\"Regex\": "
        "\"\\\\s{2,}|[\\\\n\\\\r\\\\t]\"}, \"content\": \" \"}, {\"type\": \"NFC\"}, "
        "{\"type\": \"Strip\", \"strip_left\": false}]}, \"punctuation\": {\"type\": "
        "\"Punctuation\", \"behavior\": \"Isolated\"}, \"marks\": {\"type\": \"Metaspace\", "
        "\"replacement\": \"\xe2\x96\x81\", \"prepend_scheme\": \"always\"}, \"first\": "
        "{\"type\": \"Metaspace\", \"replacement\": \"\xe2\x96\x81\", \"prepend_scheme\": "
        "\"first\"}}";
    alcore__buffer text = {0};
    alcore__part steps, step;
    bool lowercase = false, split = false, prefix = true;
    ALCORE__TRY(alcore__part_flag(config, "do_lower_case", &lowercase));
    ALCORE__TRY(alcore__part_flag(config, "split_by_punct", &split));
    ALCORE__TRY(alcore__part_flag(config, "add_prefix_space", &prefix));
    text.data = (char *)TEXT; /* it is only read */
    text.length = sizeof TEXT - 1;
    ALCORE__TRY(alcore__part_open(config->ctx, config->arena, &text, config->path, &steps));
    alcore__normalizer_clear(config->ctx, &tokenizer->normalizer);
    alcore__pre_tokenizer_clear(config->ctx, &tokenizer->pre);
    if (lowercase && alcore__part_member(&steps, "lower", &step))
        ALCORE__TRY(alcore__normalizer_read(&step, &tokenizer->normalizer));
    if (alcore__part_member(&steps, "rest", &step))
        ALCORE__TRY(alcore__normalizer_read(&step, &tokenizer->normalizer));
    if (split && alcore__part_member(&steps, "punctuation", &step))
        ALCORE__TRY(alcore__pre_tokenizer_read(&step, &tokenizer->pre));
    if (!alcore__part_member(&steps, prefix ? "marks" : "first", &step)) return ALCORE_OK;
    return alcore__pre_tokenizer_read(&step, &tokenizer->pre);
}

/* do_lower_case and keep_accents of RemBERT are steps that its file has, as a rule. */
static alcore_status check_rembert(const alcore__part *config) {
    bool lowercase = false, accents = true;
    ALCORE__TRY(alcore__part_flag(config, "do_lower_case", &lowercase));
    ALCORE__TRY(alcore__part_flag(config, "keep_accents", &accents));
    if (!lowercase && accents) return ALCORE_OK;
    return alcore__part_fail(config, ALCORE_E_UNSUPPORTED,
                             "%s is %s, which is not computed for RemBERT; put the step into the "
                             "normalizer of tokenizer.json, and take the key out",
                             lowercase ? "do_lower_case" : "keep_accents",
                             lowercase ? "true" : "false");
}

static bool is_added(const alcore__added_tokens *added, alcore__name name) {
    for (size_t i = 0; i < added->count; i++)
        if (added->token[i].content.length == name.length &&
            memcmp(added->token[i].content.text, name.text, name.length) == 0)
            return true;
    return false;
}

/* transformers adds a special token that tokenizer.json lacks, and finds it in texts. */
static alcore_status check_special(const alcore__part *config, const char *key, alcore__part *item,
                                   const alcore__added_tokens *added) {
    alcore__name name = {0};
    if (alcore__json_kind(&item->value) == '{')
        ALCORE__TRY(alcore__part_text(item, "content", &name));
    else
        ALCORE__TRY(alcore__part_string(item, &name));
    if (!name.text || alcore__is_language(name) || is_added(added, name)) return ALCORE_OK;
    return alcore__part_fail(config, ALCORE_E_UNSUPPORTED,
                             "%s has '%.*s', which is none of added_tokens of tokenizer.json; open "
                             "the tokenizer with transformers and save it with save_pretrained(), "
                             "or take the token out",
                             key, name.length > 64 ? 64 : (int)name.length, name.text);
}

alcore_status alcore__class_rules_check_specials(const alcore__part *config,
                                                 const alcore_tokenizer *tokenizer) {
    static const char *const keys[] = {"additional_special_tokens", "extra_special_tokens"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        alcore__part list, item;
        if (!alcore__part_member(config, keys[i], &list)) continue;
        const char kind = alcore__json_kind(&list.value);
        if (kind != '[' && kind != '{') continue;
        if (kind == '[')
            alcore__part_enter(&list);
        else
            alcore__part_enter_object(&list);
        while (kind == '[' ? alcore__part_next(&list, &item)
                           : alcore__part_next_member(&list, &item))
            ALCORE__TRY(check_special(config, keys[i], &item, &tokenizer->added));
        ALCORE__TRY(alcore__part_leave(&list));
    }
    return ALCORE_OK;
}

alcore_status alcore__class_rules_apply(const alcore__part *config, alcore__name model_type,
                                        alcore_tokenizer *tokenizer) {
    static const alcore__pair_shape bert = {false, 1}, twice = {true, 0}, once = {false, 0};
    alcore__name cls = {"[CLS]", 5}, sep = {"[SEP]", 5}, bos = {"<s>", 3}, eos = {"</s>", 4};
    alcore_ctx *ctx = config->ctx;
    bool prefix = true;
    class found;
    ALCORE__TRY(find_class(config, model_type, tokenizer->model->kind, &found));
    if (found == OTHER) return ALCORE_OK;
    if (found == BERT || found == REMBERT || found == DEBERTA) {
        ALCORE__TRY(alcore__class_rules_read_name(config, "cls_token", &cls));
        ALCORE__TRY(alcore__class_rules_read_name(config, "sep_token", &sep));
    }
    if (found == ROBERTA || found == MPNET) {
        ALCORE__TRY(alcore__class_rules_read_name(config, "cls_token", &bos));
        ALCORE__TRY(alcore__class_rules_read_name(config, "sep_token", &eos));
    } else if (found == XLM_ROBERTA) {
        ALCORE__TRY(alcore__class_rules_read_name(config, "bos_token", &bos));
        ALCORE__TRY(alcore__class_rules_read_name(config, "eos_token", &eos));
    }
    if (found == XLM_ROBERTA || found == REMBERT)
        ALCORE__TRY(alcore__part_flag(config, "add_prefix_space", &prefix));
    switch (found) {
    case BERT:
        ALCORE__TRY(apply_bert(config, tokenizer));
        return put_around(config, tokenizer, cls, sep, &bert);
    case LLAMA:
        return apply_llama(config, tokenizer);
    case DEBERTA:
        ALCORE__TRY(apply_deberta(config, tokenizer));
        return put_around(config, tokenizer, cls, sep, &bert);
    case MPNET:
        ALCORE__TRY(apply_bert(config, tokenizer));
        tokenizer->post.trim_offsets = true;
        return put_around(config, tokenizer, bos, eos, &twice);
    case ROBERTA:
        ALCORE__TRY(apply_roberta(config, tokenizer));
        return put_around(config, tokenizer, bos, eos, &twice);
    case XLM_ROBERTA:
        alcore__normalizer_keep_map(ctx, &tokenizer->normalizer);
        ALCORE__TRY(set_marks(ctx, true, prefix, &tokenizer->pre));
        return put_around(config, tokenizer, bos, eos, &twice);
    case T5:
        alcore__normalizer_keep_map(ctx, &tokenizer->normalizer);
        ALCORE__TRY(set_marks(ctx, true, true, &tokenizer->pre));
        return put_around(config, tokenizer, (alcore__name){0}, eos, &once);
    default:
        ALCORE__TRY(check_rembert(config));
        ALCORE__TRY(set_marks(ctx, false, prefix, &tokenizer->pre));
        /* The constructor takes its template back where the file has none. */
        return tokenizer->post.given ? put_around(config, tokenizer, cls, sep, &bert) : ALCORE_OK;
    }
}
