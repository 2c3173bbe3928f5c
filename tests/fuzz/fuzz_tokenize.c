/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a text, by one of a few tokenizers: the first byte chooses it, the second a limit of
 * tokens, the rest is the text. */
#include <stdio.h>

#include "alcore/extra/tokenizer.h"
#include "fuzz_tokens.h"

#define SPECIAL(id, name)                                                                          \
    "{\"id\":" #id ",\"content\":\"" name "\",\"single_word\":false,\"lstrip\":false,"             \
    "\"rstrip\":false,\"normalized\":false,\"special\":true}"
#define TEMPLATE(first, last)                                                                      \
    "{\"type\":\"BertProcessing\",\"cls\":[\"[CLS]\"," #first "],\"sep\":[\"[SEP]\"," #last "]}"

/* in_order: nothing that the tokenizer does moves a part of the text before another. */
static const struct {
    const char *json;
    bool in_order;
} tokenizers[] = {
    /* BERT: accents are taken off after canonical decomposition, which sorts marks */
    {"{\"added_tokens\":[" SPECIAL(0, "[UNK]") "," SPECIAL(1, "[CLS]") "," SPECIAL(
         2, "[SEP]") "],"
                     "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_"
                     "chinese_chars\":true,"
                     "\"strip_accents\":null,\"lowercase\":true},\"pre_tokenizer\":{\"type\":"
                     "\"BertPreTokenizer\"},"
                     "\"post_processor\":" TEMPLATE(
                         1, 2) ",\"decoder\":{\"type\":\"WordPiece\",\"prefix\":\"##\","
                               "\"cleanup\":true},\"model\":{\"type\":\"WordPiece\",\"unk_token\":"
                               "\"[UNK]\","
                               "\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":"
                               "20,\"vocab\":{\"[UNK]\":0,"
                               "\"[CLS]\":1,\"[SEP]\":2,\"a\":3,\"##a\":4,\"b\":5,\"##b\":6,\"ab\":"
                               "7,\"e\":8,\"##e\":9,"
                               "\".\":10,\"\u4e2d\":11}}}",
     false},
    /* Unigram with spaces as characters, and bytes for what is unknown */
    {"{\"added_tokens\":[" SPECIAL(
         0, "<unk>") "],\"normalizer\":null,\"pre_tokenizer\":"
                     "{\"type\":\"Metaspace\",\"replacement\":\"\u2581\",\"prepend_scheme\":"
                     "\"always\",\"split\":true},"
                     "\"post_processor\":null,\"decoder\":{\"type\":\"Metaspace\",\"replacement\":"
                     "\"\u2581\","
                     "\"prepend_scheme\":\"always\",\"split\":true},\"model\":{\"type\":"
                     "\"Unigram\",\"unk_id\":0,"
                     "\"byte_fallback\":false,\"vocab\":[[\"<unk>\",0],[\"\u2581\",-2],[\"a\",-3],["
                     "\"ab\",-3.5],"
                     "[\"\u2581a\",-4],[\"b\",-5],[\"aab\",-5.5],[\"\u4e2d\",-6]]}}",
     true},
    /* BPE of characters without a pre-tokenizer: the whole text is one word */
    {"{\"added_tokens\":[" SPECIAL(
         0,
         "<unk>") "],\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":["
                  "{\"type\":\"Prepend\",\"prepend\":\"\u2581\"},{\"type\":\"Replace\",\"pattern\":"
                  "{\"String\":\" \"},"
                  "\"content\":\"\u2581\"}]},\"pre_tokenizer\":null,\"post_processor\":null,"
                  "\"decoder\":null,"
                  "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,\"byte_"
                  "fallback\":true,"
                  "\"vocab\":{\"<unk>\":0,\"a\":1,\"b\":2,\"\u2581\":3,\"ab\":4,\"aba\":5,"
                  "\"\u2581a\":6,"
                  "\"abab\":7,\"<0xE4>\":8},\"merges\":[\"a b\",\"ab a\",\"\u2581 a\",\"ab ab\"]}}",
     true},
    /* byte-level BPE whose alphabet is not whole: other bytes have no token */
    {"{\"added_tokens\":[" SPECIAL(
         0, "<s>") "],\"normalizer\":null,\"pre_tokenizer\":"
                   "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_"
                   "regex\":true},"
                   "\"post_processor\":{\"type\":\"RobertaProcessing\",\"sep\":[\"<s>\",0],\"cls\":"
                   "[\"<s>\",0],"
                   "\"trim_offsets\":true,\"add_prefix_space\":true},\"decoder\":{\"type\":"
                   "\"ByteLevel\","
                   "\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true},\"model\":{"
                   "\"type\":\"BPE\","
                   "\"vocab\":{\"<s>\":0,\"a\":1,\"b\":2,\"\u0120\":3,\"\u0120a\":4,\"ab\":5,"
                   "\"\u00e4\":6,\"\u00b8\":7,"
                   "\"\u0143\":8,\"\u00e4\u00b8\":9},\"merges\":[[\"\u0120\",\"a\"],[\"a\",\"b\"],"
                   "[\"\u00e4\",\"\u00b8\"]]}}",
     true},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    if (bytes < 2) return 0;
    const size_t chosen = data[0] % (sizeof tokenizers / sizeof *tokenizers);
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, tokenizers[chosen].json, strlen(tokenizers[chosen].json));
    alcore_tokenizer *tokenizer = NULL;
    FUZZ_CHECK(alcore_tokenizer_open(host.ctx, "tokenizer.json", &tokenizer) == ALCORE_OK);
    const char *text = (const char *)data + 2;
    const alcore__encoding cut = {.max_tokens = data[1] >> 1};
    fuzz_encode(host.ctx, tokenizer, text, bytes - 2, false, NULL, tokenizers[chosen].in_order);
    fuzz_encode(host.ctx, tokenizer, text, bytes - 2, data[1] & 1, &cut, false);
    alcore_tokenizer_unref(tokenizer);
    fuzz_finish(&host, bytes, ALCORE_OK);
    return 0;
}
