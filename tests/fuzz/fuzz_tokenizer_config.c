/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer_config.json, and config.json and special_tokens_map.json beside it: the first byte says
 * in which folder the rest of the input lies, and as which of these files. A folder that is
 * accepted encodes and decodes any text. */
#include "alcore/extra/tokenizer.h"
#include "fuzz_pieces.h"
#include "fuzz_tokens.h"

static const char vocab_txt[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nab\n";
/* Words, and two languages, of which the template names one. */
static const char tokenizer_json[] =
    "{\"added_tokens\":[{\"id\":3,\"content\":\"eng_Latn\",\"special\":true},"
    "{\"id\":4,\"content\":\"deu_Latn\",\"special\":true}],"
    "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},"
    "\"post_processor\":{\"type\":\"TemplateProcessing\","
    "\"single\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},"
    "{\"SpecialToken\":{\"id\":\"</s>\",\"type_id\":0}},"
    "{\"SpecialToken\":{\"id\":\"eng_Latn\",\"type_id\":0}}],"
    "\"pair\":[{\"SpecialToken\":{\"id\":\"eng_Latn\",\"type_id\":0}},"
    "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}],"
    "\"special_tokens\":{\"</s>\":{\"id\":\"</s>\",\"ids\":[1],\"tokens\":[\"</s>\"]},"
    "\"eng_Latn\":{\"id\":\"eng_Latn\",\"ids\":[3],\"tokens\":[\"eng_Latn\"]}}},"
    "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"<unk>\","
    "\"vocab\":{\"<unk>\":0,\"</s>\":1,\"ab\":2}}}";
/* The ids of M2M100 and Marian. */
static const char vocab_json[] =
    "{\"<s>\":0,\"<pad>\":1,\"</s>\":2,\"<unk>\":3,\"\xe2\x96\x81\":4,\"a\":5,\"ab\":6,\"b\":7}";

#define TEXT_FILE(name, text)                                                                      \
    { name, text, sizeof(text) - 1 }
#define PIECES_FILE(name)                                                                          \
    { name, fuzz_pieces_model, sizeof fuzz_pieces_model }

/* Every folder with sentencepiece models has the files of all families, so that the family that an
 * input names never lacks one. */
#define ALL_PIECES                                                                                 \
    PIECES_FILE("spiece.model"), PIECES_FILE("sentencepiece.bpe.model"),                           \
        PIECES_FILE("source.spm"), PIECES_FILE("target.spm"), TEXT_FILE("vocab.json", vocab_json)

enum { MAX_FILES = 8 };

static const struct {
    const char *input;                /* name of the file that the input is */
    memory_file files[MAX_FILES - 1]; /* the others, up to one without a name */
} folders[] = {
    {"tokenizer_config.json", {TEXT_FILE("vocab.txt", vocab_txt)}},
    {"tokenizer_config.json", {TEXT_FILE("tokenizer.json", tokenizer_json)}},
    {"tokenizer_config.json", {ALL_PIECES}},
    {"config.json", {ALL_PIECES}},
    {"special_tokens_map.json",
     {ALL_PIECES, TEXT_FILE("tokenizer_config.json", "{\"tokenizer_class\":\"NllbTokenizer\"}")}}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const char text[] =
        "Ab [MASK] >>de<< \xc3\xa9\xcc\x81  a\xe4\xb8\xad</s>deu_Latn\xff 12";
    static const alcore__encoding as_target = {.as_target = true};
    if (bytes == 0) return 0;
    const size_t chosen = data[0] % (sizeof folders / sizeof *folders);
    memory_file files[MAX_FILES] = {{folders[chosen].input, data + 1, bytes - 1}};
    size_t count = 1;
    for (; count < MAX_FILES && folders[chosen].files[count - 1].name; count++)
        files[count] = folders[chosen].files[count - 1];
    memory_host host;
    memory_host_open(&host);
    memory_host_files(&host, files, count);
    alcore_tokenizer *tokenizer = NULL;
    const alcore_status status = alcore_tokenizer_open(host.ctx, "folder", &tokenizer);
    FUZZ_CHECK((status == ALCORE_OK) == (tokenizer != NULL));
    if (tokenizer) {
        fuzz_encode(host.ctx, tokenizer, text, strlen(text), true, NULL, false);
        fuzz_encode(host.ctx, tokenizer, text, strlen(text), false, &as_target, false);
    }
    alcore_tokenizer_unref(tokenizer);
    fuzz_finish(&host, bytes, status);
    return 0;
}
