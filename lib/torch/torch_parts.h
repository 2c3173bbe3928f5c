/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the torch module share: failures, the host, weights, and the one model that
 * all families are settings of.
 *
 * A model is one or two stacks of Transformer blocks and at most one head. A stack works on packed
 * tokens: the tokens of all items of a batch lie one after the other in a matrix [tokens, dims],
 * without padding, so that every product with a weight matrix is one product over real tokens.
 * Only attention looks at items; items are sorted by length, and each run of items of one length is
 * one attention without a mask. An item's values so depend on its own tokens alone. */
#ifndef ALCORE__TORCH_PARTS_H
#define ALCORE__TORCH_PARTS_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <jansson.h>

#include "alcore/sys/model.h"

namespace alcore_torch {

/* ---- failures and the host (torch_entry.cpp) ---- */

/* Thrown inside the module; the wall around every entry turns it into a status with a text. The
 * text of a host function that failed is kept when it is empty. */
struct Failure {
    alcore_status status;
    std::string text;
};
[[noreturn]] void fail(alcore_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Throws when a host function failed, with the text that it set. */
void check(alcore_status status);

/* The library's services with the first argument of one model. */
struct Host {
    const alcore_sys_host *table = nullptr;
    void *user = nullptr;
    /* Reports progress and throws when the call is cancelled. */
    void tick(const char *stage, int64_t done, int64_t total) const {
        check(table->progress(user, stage, done, total));
    }
};

/* ---- folders (torch_weights.cpp) ---- */

/* A JSON value that is released with its owner. */
using Json = std::shared_ptr<json_t>;
/* Reads folder/name, at most 16 MiB, duplicate keys refused; NULL when there is no such file. */
Json read_json(const Host &host, const std::string &folder, const char *name);
/* Members of an object, with what holds when they are absent, null or of another type. */
int64_t json_int(const Json &object, const char *key, int64_t otherwise);
double json_real(const Json &object, const char *key, double otherwise);
bool json_flag(const Json &object, const char *key, bool otherwise);
std::string json_text(const Json &object, const char *key, const char *otherwise);

/* The tensors of a folder's safetensors files by name: found when opened, read when asked for. */
class Weights {
  public:
    Weights(const Host &host, const std::string &folder);
    ~Weights();
    Weights(const Weights &) = delete;
    Weights &operator=(const Weights &) = delete;
    bool has(const std::string &name) const;
    /* Reads a tensor as it is stored. shape: what it must be; -1 matches any size. */
    at::Tensor read(const std::string &name, const std::vector<int64_t> &shape);
    /* Hash of the bytes of all tensors read so far, in the order of reading. */
    uint64_t hash() const { return hash_; }

  private:
    struct Entry {
        size_t file;
        at::ScalarType dtype;
        std::vector<int64_t> shape;
        int64_t start, bytes; /* in the file */
    };
    void add_file(const std::string &path);
    void add_entry(const std::string &path, const char *name, json_t *value, int64_t data_start,
                   int64_t data_bytes, std::vector<std::pair<int64_t, int64_t>> &spans);
    const Host &host_;
    std::vector<alcore_sys_file *> files_;
    std::vector<std::string> paths_;
    std::map<std::string, Entry> entries_;
    uint64_t hash_ = 0;
};

/* ---- the model (torch_family.cpp builds it, torch_stack.cpp computes) ---- */

enum class Activation { Gelu, GeluTanh, Relu, Silu, Tanh };
enum class Positions { None, Learned, Sinusoid, SinusoidFairseq, Relative };

/* y = x weight^T + bias. weight: [out, in]; bias: [out] or undefined. */
struct Linear {
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor &x) const { return at::linear(x, weight, bias); }
};

/* LayerNorm, or RMSNorm where rms is set; undefined weight: the identity. */
struct Norm {
    at::Tensor weight, bias;
    double epsilon = 0;
    bool rms = false;
    at::Tensor operator()(const at::Tensor &x) const;
};

/* One block. Projections of one input are one matrix: self is [3 inner, dims] (query, key, value),
 * cross_kv [2 inner, dims]. */
struct Block {
    Linear self, self_out, cross_q, cross_kv, cross_out, up, gate, down;
    Norm self_norm, cross_norm, ffn_norm;
};

/* A stack of blocks with its embeddings. */
struct Stack {
    int64_t dims = 0, heads = 0, head = 0; /* head: numbers of one attention head */
    double attention_scale = 1, embed_scale = 1;
    bool pre_norm = false, causal = false;
    Activation activation = Activation::Gelu;
    Positions positions = Positions::None;
    int64_t position_base = 0; /* row of the position table of an item's first token */
    int64_t buckets = 0, bucket_distance = 0;          /* of relative positions (T5) */
    at::Tensor words, position_table, types, relative; /* [n, dims]; relative: [buckets, heads] */
    Norm embed_norm, final_norm;
    Linear mapping; /* of embeddings narrower than the stack (RemBERT) */
    std::vector<Block> blocks;
};

enum class Head { None, Classes, Tokens, Answers, Words, Seq2seq };

struct Model {
    Host host;
    std::string family, device_name, version, json;
    at::Device device = at::kCPU;
    at::ScalarType dtype = at::kFloat;
    Stack encoder;
    std::optional<Stack> decoder;
    Head head = Head::None;
    Linear pooler;               /* undefined: the family has none */
    Linear head_dense, head_out; /* head_dense undefined: the head is one layer */
    Norm head_norm;
    Activation head_activation = Activation::Tanh;
    bool head_pooled = false; /* the head reads the pooler's output */
    double output_scale = 1;  /* of what enters the output matrix (T5) */
    int64_t classes = 0, vocabulary = 0, max_tokens = 0, batch_tokens = 0;
    /* of decoding */
    bool start_rolled = false; /* the decoder reads the last target token first (mBART) */
    int64_t start = -1, finish = -1, forced_first = -1, forced_last = -1, output_tokens = 0;
    std::vector<int64_t> forbidden;
    int32_t beams = 1;
    double length_penalty = 1;
    bool renormalize = false; /* log-probabilities without forbidden tokens sum to 1 again */
    /* of embeddings */
    int32_t pooling = ALCORE_SYS_POOLING_MEAN, layer = 0;
    bool normalize = false;
    uint64_t weights_hash = 0;
    int64_t parameters = 0;
};

/* Reads a folder into a model. */
std::unique_ptr<Model> build_model(const Host &host, const std::string &folder,
                                   const alcore_sys_model_options &options);

/* Items of one pass, sorted by length: their tokens one after the other. */
struct Packed {
    std::vector<int64_t> items;   /* their places in the call */
    std::vector<int64_t> lengths; /* [items] */
    at::Tensor ids, types;        /* int64 [tokens]; types undefined: all 0 */
    int64_t tokens = 0;
};

at::Tensor activate(const at::Tensor &x, Activation activation);
/* Hidden states [tokens, dims] after `blocks` blocks (0: what enters the first; the final norm
 * belongs to the last). memory: what a decoder attends to, packed alike with as many items. */
at::Tensor run_stack(const Model &model, const Stack &stack, const Packed &batch, size_t blocks,
                     const at::Tensor &memory = {},
                     const std::vector<int64_t> &memory_lengths = {});
/* Embeds tokens at positions (counted from 0): the input of the first block. */
at::Tensor embed_tokens(const Stack &stack, const at::Tensor &ids, const at::Tensor &types,
                        const at::Tensor &positions);
/* Bias of relative positions [1, heads, queries, keys], queries from `first` on (T5). */
at::Tensor relative_bias(const Stack &stack, int64_t first, int64_t queries, int64_t keys);
/* Logits [rows, vocabulary] of decoder states or of the masked-LM head's. */
at::Tensor output_logits(const Model &model, const at::Tensor &hidden);

/* ---- decoding (torch_decode.cpp) ---- */

/* One output of an item. */
struct Output {
    std::vector<int64_t> ids;    /* without the token that starts every output; the end included */
    std::vector<float> logprobs; /* [ids] */
    double score = 0;
};
/* Outputs of each source, best first, by beam search (Sutskever et al. 2014) as transformers'
 * generate() counts it, or by sampling. */
std::vector<std::vector<Output>> decode(const Model &model, const Packed &sources,
                                        const alcore_sys_model_decoding &how);

} // namespace alcore_torch

#endif
