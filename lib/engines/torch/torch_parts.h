/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the torch module share: failures, the host, weights, and the model. All
 * families of models are settings of this one model.
 *
 * A model is one or two stacks of Transformer blocks and at most one head. A stack works on packed
 * tokens: the tokens of all items of a batch lie one after the other in a matrix [tokens, dims],
 * without padding, so that every product with a weight matrix is one product over real tokens.
 * Only attention looks at items; items are sorted by length, and each run of items of one length is
 * one attention without a mask. So the values of an item depend on its own tokens only. */
#ifndef ALCORE__TORCH_PARTS_H
#define ALCORE__TORCH_PARTS_H

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <jansson.h>

#include "alcore/sys/model.h"
#include "torch_generation.h"
#include "torch_kept.h"
#include "torch_signals.h"

namespace alcore_torch {

/* ---- failures and the host (torch_guard.cpp) ---- */

/* The functions of the library that loaded the module; the entry sets them before anything else. */
void set_library(const alcore_sys_host *library);
const alcore_sys_host *library();
/* Sets the library's error text and returns status. */
alcore_status report(alcore_status status, const std::string &text);

/* Thrown inside the module; guard(), which is around every entry, turns it into a status with a
 * text. Where `text` is empty, the text that a failed host function set is kept. A std::exception,
 * because autograd passes no others on from a hook to the caller of backward(). */
struct Failure : std::exception {
    alcore_status status;
    std::string text;
    Failure(alcore_status status, std::string text) : status(status), text(std::move(text)) {}
    const char *what() const noexcept override { return text.c_str(); }
};
[[noreturn]] void fail(alcore_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Throws when a host function failed, with the text that it set. */
void check(alcore_status status);

/* How a call uses autograd. It is set for the thread of the call, until the call ends. */
enum class Mode {
    Compute, /* inference mode: tensors made in it can never have gradients */
    Build,   /* no gradients, but tensors that may have them later: a model's weights */
    Train    /* gradients */
};
/* A function of a caller that outlives it. Unlike a std::function it takes no memory, which could
 * fail before guard() is there to catch that. */
class Borrowed {
  public:
    template <typename Function>
    Borrowed(const Function &function)
        : function_(&function),
          call_([](const void *at) { (*static_cast<const Function *>(at))(); }) {}
    void operator()() const { call_(function_); }

  private:
    const void *function_;
    void (*call_)(const void *);
};
/* Runs a body so that no exception leaves it and the caller's settings of torch, its current device
 * included, are as before afterwards. user: the first argument of the host's functions; device: the
 * current one while the body runs. */
alcore_status guard(void *user, at::Device device, Mode mode, const Borrowed &body) noexcept;

/* Levels of alcore/context.h, which modules do not see. */
enum { LOG_INFO = 20, LOG_WARN = 30 };

/* The functions of the library that the module calls, and their first argument. */
struct Host {
    const alcore_sys_host *table = nullptr;
    void *user = nullptr;
    /* Reports progress and throws when the call is cancelled. Signals that waited are delivered. */
    void tick(const char *stage, int64_t done, int64_t total) const {
        DeliveredSignals delivered;
        check(table->progress(user, stage, done, total));
    }
    void log(const std::string &text) const { table->log(user, LOG_INFO, "torch", text.c_str()); }
};

/* Whether the process is a child of the one that loaded the module (torch_guard.cpp). */
bool is_forked();

/* The device that a name chooses (torch_device.cpp). */
at::Device find_device(const Host &host, const std::string &name);

/* ---- folders (torch_weights.cpp) ---- */

/* A JSON value that is released with its owner. */
using Json = std::shared_ptr<json_t>;
/* Reads folder/name, at most 16 MiB, duplicate keys refused; NULL when there is no such file. */
Json read_json(const Host &host, const std::string &folder, const char *name);
/* The member `key` of an object; `otherwise` when it is absent, null or of another type. */
int64_t json_int(const Json &object, const char *key, int64_t otherwise);
double json_real(const Json &object, const char *key, double otherwise);
bool json_flag(const Json &object, const char *key, bool otherwise);
std::string json_text(const Json &object, const char *key, const char *otherwise);

/* Limits of a safetensors file: bytes of its header, and tensors. */
enum { LARGEST_HEADER = 16 << 20, MOST_TENSORS = 65536 };

/* The tensors of a folder's safetensors files by name: the constructor reads the headers, read()
 * the values. */
class Weights {
  public:
    /* file: the only file to read; NULL: model.safetensors or what its index names. */
    Weights(const Host &host, const std::string &folder, const char *file = nullptr);
    /* Random weights instead of files, of a model that is to be trained from scratch: has() is true
     * for every name of a plain Transformer that begins with "model.", and read() draws a tensor of
     * the shape that it is asked for. */
    Weights(const Host &host, uint64_t seed) : host_(host), random_(seed) {}
    ~Weights();
    Weights(const Weights &) = delete;
    Weights &operator=(const Weights &) = delete;
    bool has(const std::string &name) const;
    /* Reads a tensor as it is stored. shape: what it must be; -1 matches any size. */
    at::Tensor read(const std::string &name, const std::vector<int64_t> &shape);
    /* The same in the type `dtype`, into the rows `into` of another tensor where they are given. A
     * block of 16 MiB is in memory beside it, from the first tensor on that is converted. */
    at::Tensor read(const std::string &name, const std::vector<int64_t> &shape,
                    at::ScalarType dtype, const at::Tensor &into = {});
    /* The same, of the shape that the file gives it. */
    at::Tensor read(const std::string &name);
    /* All names, sorted. */
    std::vector<std::string> names() const;
    at::ScalarType dtype(const std::string &name) const { return entries_.at(name).dtype; }
    const std::vector<int64_t> &shape(const std::string &name) const {
        return entries_.at(name).shape;
    }

  private:
    /* Where the values of a tensor lie. */
    struct Entry {
        size_t file; /* index in files_ */
        at::ScalarType dtype;
        std::vector<int64_t> shape;
        int64_t start, bytes; /* first byte in the file, and how many */
    };
    void add_shards(const std::string &folder, const Json &index);
    void add_file(const std::string &path);
    void add_entry(const std::string &path, const char *name, json_t *value, int64_t data_start,
                   int64_t data_bytes, std::vector<std::pair<int64_t, int64_t>> &spans);
    at::Tensor read_entry(const std::string &name, const std::vector<int64_t> &shape,
                          std::optional<at::ScalarType> dtype, const at::Tensor &into);
    const Host &host_;
    at::Tensor block_;                     /* bytes of the file that are converted next */
    std::optional<uint64_t> random_;       /* the seed of random weights; without it, of files */
    std::vector<alcore_sys_file *> files_; /* open until the destructor */
    std::vector<std::string> paths_;       /* [files_] for messages */
    std::map<std::string, Entry> entries_; /* by name; empty for random weights */
};

/* A tensor to be written: its name, type and shape, and a function that returns it, which is called
 * when it is written, so that at most one tensor is copied at a time. */
struct Written {
    std::string name;
    at::ScalarType dtype;
    std::vector<int64_t> shape;
    std::function<at::Tensor()> value;
};
/* Writes a safetensors file, whole or not at all. */
void write_tensors(const Host &host, const std::string &path, std::vector<Written> tensors);
/* Writes a file, whole or not at all. */
void write_text(const Host &host, const std::string &path, const std::string &text);

/* A path, absolute and without symbolic links where it is one of the file system. */
std::string real_path(const std::string &path);
/* Whether the folder has safetensors or other files of weights. */
bool has_weights(const Host &host, const std::string &folder);
/* Whether there is such a file. */
bool has_file(const Host &host, const std::string &path);
/* Hash of the values of a tensor, row by row, wherever it is. */
uint64_t tensor_hash(const at::Tensor &tensor);
/* Hash of a text. */
uint64_t text_hash(const std::string &text);
/* Hash of two hashes, in this order. */
uint64_t hash_join(uint64_t first, uint64_t second);

/* ---- the model (torch_family.cpp builds it, torch_stack.cpp computes) ---- */

enum class Activation { Gelu, GeluTanh, Relu, Silu, Tanh };
enum class Positions { None, Learned, Sinusoid, SinusoidFairseq, Relative };

struct NarrowWeight; /* torch_narrow.h */
struct LowRank;      /* torch_lora.h */
struct LowRankTable;
struct Lora;
/* x with dropout; an empty function: x itself. */
using Drop = std::function<at::Tensor(const at::Tensor &)>;

/* y = x weight^T + bias. weight: [out, in]; bias: [out] or undefined. narrow: the weight in 16 or 8
 * bits, NULL: it is not; `weight` may then be undefined. low_rank: what a training of an adapter
 * adds to y; NULL: nothing. */
struct Linear {
    at::Tensor weight, bias;
    std::shared_ptr<const NarrowWeight> narrow = nullptr;
    std::shared_ptr<const LowRank> low_rank = nullptr;
    bool given() const { return weight.defined() || narrow != nullptr; }
    /* drop: of what enters low_rank. */
    at::Tensor operator()(const at::Tensor &x, const Drop &drop = {}) const;
};

/* LayerNorm, or RMSNorm where rms is set; undefined weight: the identity. raised: the factor is 1 +
 * weight, in float32 (Gemma). */
struct Norm {
    at::Tensor weight, bias;
    double epsilon = 0;
    bool rms = false, raised = false;
    at::Tensor operator()(const at::Tensor &x) const;
};

/* One block. Projections of one input are one matrix: self is [3 inner, dims] (query, key, value),
 * cross_kv [2 inner, dims] (key, value), where inner = heads x head of the stack. The cross members
 * are undefined in an encoder, and gate in a feed-forward net without gates. */
struct Block {
    Linear self, self_out, cross_q, cross_kv, cross_out, up, gate, down;
    Norm self_norm, cross_norm, ffn_norm;
    Norm query_norm, key_norm;  /* of each head, [head] */
    Norm self_after, ffn_after; /* of what attention and feed-forward net add to the states */
    /* Of distances, where they do not share those of tokens (DeBERTa). */
    Linear distance_query, distance_key;
    bool gated = false;    /* up is [2 ffn, dims]: what is activated, then its gates */
    bool windowed = false; /* attention reaches stack.window tokens to each side, no further */
    int32_t rotation = -1; /* index in stack.rotations; -1: queries and keys are not turned */
};

/* Probabilities with which components are set to 0 in training, from config.json. */
struct DropoutRates {
    double embedding = 0; /* of what enters the first block */
    double weights = 0;   /* of attention weights */
    double attention = 0; /* of the output of an attention */
    double inner = 0;     /* between both layers of a feed-forward net */
    double ffn = 0;       /* of its output */
    double last = 0;      /* of the stack's output */
    double low_rank = 0;  /* of what enters the factors of an adapter that is trained */
};

/* Sets components to 0 at random with a probability `rate` and divides the others by 1 - rate. */
class Dropout {
  public:
    /* Each item draws from a generator of the CPU of its own, so that its draws depend neither on
     * the other items of the batch nor on the device. seed: of the pass; items: their numbers in
     * the call, in the order of the batch. */
    Dropout(uint64_t seed, const std::vector<int64_t> &items);
    /* For training: the same on the CPU. On another device the batch has one generator, which draws
     * there, since a draw for each item would be as many small operations of that device. */
    Dropout(uint64_t seed, const std::vector<int64_t> &items, at::Device device);
    /* x [tokens, n], of which item i of the batch has the next lengths[i] rows. */
    at::Tensor rows(const at::Tensor &x, const std::vector<int64_t> &lengths, double rate);
    /* x [items, ...]: an entry for each item of the batch from index `first` on. */
    at::Tensor items(const at::Tensor &x, size_t first, double rate);
    /* Generators of its own in the present state of these: it draws what these will draw. */
    Dropout copy() const;

  private:
    Dropout() = default;
    at::Tensor mask_of(const at::Tensor &x) const;
    bool apart() const { return place_.is_cpu(); } /* whether each item has a generator */
    at::Device place_ = at::kCPU;                  /* where draws are made */
    std::vector<at::Generator> generators_;        /* [items], or one for all */
};

/* Rotary positions: frequencies, float [head / 2] radians a position, on the CPU, and a factor of
 * cosines and sines (YaRN). */
struct Rotation {
    at::Tensor frequencies;
    double scale = 1;
    Rotation(at::Tensor frequencies, double scale = 1)
        : frequencies(std::move(frequencies)), scale(scale) {}
};

/* Attention of DeBERTa (He et al. 2021, torch_deberta.h): beside the products of queries and keys,
 * those of queries with the keys of distances, and of keys with the queries of distances. */
struct Disentangled {
    at::Tensor table; /* embeddings of distances, [2 span, dims] */
    Norm norm;        /* of the table */
    int64_t span = 0; /* the row of the distance 0 */
    /* Distances of more than buckets / 2 share rows, up to `farthest`; buckets 0: none do. */
    int64_t buckets = 0, farthest = 0;
    bool of_queries = false, of_keys = false; /* which of the two products there are */
};

/* A convolution over the tokens of each text, of what enters the first block; it is added to what
 * the block returns (DeBERTa's largest models). */
struct Convolution {
    at::Tensor weight, bias; /* weight [dims, dims / groups, tokens] */
    int64_t groups = 1;
    Activation activation = Activation::Tanh;
    Norm norm; /* of the sum */
};

/* A stack of blocks with its embeddings. */
struct Stack {
    int64_t dims = 0, heads = 0, head = 0; /* head: components of one attention head */
    /* Factors of the products of queries and keys, and of token embeddings. */
    double attention_scale = 1, embed_scale = 1;
    bool pre_norm = false, causal = false;
    Activation activation = Activation::Gelu;
    Positions positions = Positions::None;
    int64_t padding = -1; /* a token whose embedding is not trained, as in transformers; -1: none */
    int64_t position_base = 0; /* row of the position table of an item's first token */
    int64_t buckets = 0, bucket_distance = 0; /* of relative positions (T5) */
    /* words [vocabulary, width], position_table [positions, width], types [types, width], where
     * width is dims or, with a mapping, less; relative [buckets, heads]. All but words may be
     * undefined. */
    at::Tensor words, position_table, types, relative;
    /* What a training of an adapter adds to rows of words; NULL: nothing. */
    std::shared_ptr<const LowRankTable> low_rank;
    bool widened = false; /* words are of a narrower type than all else (torch_narrow.h) */
    /* Given where the output shares words and is packed in their memory: of `words` itself only the
     * shape means something then. */
    std::shared_ptr<const NarrowWeight> packed_words;
    /* Heads of keys and values, each shared by heads / kv_heads of the queries; 0: as many. */
    int64_t kv_heads = 0;
    std::vector<Rotation> rotations; /* of rotary positions (torch_rotary.h) */
    int64_t window = 0;              /* of blocks that are windowed */
    at::Tensor band;                 /* their mask (torch_window.h) */
    Norm embed_norm, final_norm;
    Linear mapping;            /* of embeddings narrower than the stack (RemBERT) */
    bool mapped_first = false; /* before their norm, which is behind it otherwise (DeBERTa) */
    std::optional<Disentangled> disentangled;
    std::optional<Convolution> convolution;
    std::vector<Block> blocks;
    DropoutRates dropout;
};

/* A tensor of the folder, to be written back under its name: `view` is `whole`, a tensor of the
 * model, or some rows of it, as query, key and value are one matrix here and three in files. */
struct Stored {
    std::string name;
    at::Tensor view, whole;
    uint64_t hash;         /* of the values when they were read, in the model's number type */
    bool constant = false; /* not trained */
};

/* What is computed from hidden states: classes of texts, classes of tokens, beginning and end of an
 * answer, words at masked tokens, an output by a decoder, or the next token of a text. */
enum class Head { None, Classes, Tokens, Answers, Words, Seq2seq, Language };

/* What class_probs() gives of the outputs z of a head over texts: exp(z) over their sum, so that
 * one of several classes is right; 1 / (1 + exp(-z)) of each, which are independent; or z itself,
 * values of a regression. */
enum class ClassValues : int32_t {
    Softmax = ALCORE_SYS_CLASSES_EXCLUSIVE,
    Sigmoid = ALCORE_SYS_CLASSES_INDEPENDENT,
    Plain = ALCORE_SYS_CLASSES_VALUES
};

/* An opened model. */
struct Model {
    Host host;
    /* family: the model_type of config.json; version and json: made by describe() for info() */
    std::string folder, family, device_name, version, json;
    Json config;              /* the object of config.json */
    std::string adapter;      /* the folder of the adapter that was merged; empty: none was */
    std::string architecture; /* the class that it makes of the model, where it is another one */
    bool parted = false;      /* the adapter makes two of the matrix that config.json ties */
    /* The adapter that the last training changed, which is what save() writes; NULL: it changed the
     * model itself, or there was none. */
    std::shared_ptr<const Lora> lora;
    std::vector<Stored> stored; /* in the order of reading */
    Kept<NarrowWeight> packed;  /* by a call for the kernels (torch_linear.h), for later ones */
    bool random = false;        /* the folder has no weights: they were drawn */
    at::Device device = at::kCPU;
    at::ScalarType dtype = at::kFloat; /* of all weights and hidden states */
    /* Of the factors of products with weights of blocks; kBFloat16 and kChar on the CPU, where
     * hidden states are float32: see torch_narrow.h. kFloat: those of dtype. */
    at::ScalarType products = at::kFloat;
    Stack encoder;
    std::optional<Stack> decoder;
    Head head = Head::None;
    Linear pooler;               /* undefined: the family has none */
    Linear head_dense, head_out; /* head_dense undefined: the head is one layer */
    Norm head_norm;
    Activation head_activation = Activation::Tanh;
    ClassValues class_values = ClassValues::Softmax;
    bool head_pooled = false;       /* the head reads the pooler's output */
    bool head_mean = false;         /* a head over texts reads the mean of their tokens */
    bool head_late = false;         /* the mean is that of the outputs of its first layer */
    double head_dropout = 0;        /* of what enters the head's last layer */
    double head_dropout_before = 0; /* of what enters its first, where it has two */
    double output_scale = 1;        /* of what enters the output matrix (T5) */
    /* classes: of a classifier of texts or tokens, else 0. vocabulary: tokens that an output can
     * have. max_tokens: of a text. batch_tokens: of a batch, unless a single text has more. */
    int64_t classes = 0, vocabulary = 0, max_tokens = 0, batch_tokens = 0;
    /* [classes] their names, views of config; empty: it has no id2label. */
    std::vector<const char *> labels;
    /* Of a batch, whatever batch_tokens of a call says: so that a product with weights takes well
     * below the 100 ms in which a call is to notice that it is cancelled. A text may be longer. */
    int64_t most_tokens = INT64_MAX;
    bool start_rolled = false; /* the decoder reads the last target token first (mBART) */
    int64_t start = -1;    /* the token that the decoder, or a language model, reads first; -1: not
                         * known */
    Generation generation; /* how outputs are searched for */
    /* Of embeddings: poolings ALCORE_SYS_POOLING_*, one or more, whose vectors stand side by side;
     * layer: blocks before the states that are pooled, 0: all, -1: none; normalize: to length 1;
     * embedding_dims: components that are kept. */
    std::vector<int32_t> poolings{ALCORE_SYS_POOLING_MEAN};
    int32_t layer = 0;
    /* Of the mean over layers that is pooled in place of `layer`: the weight of what enters the
     * first block and of what each block gives, [blocks + 1], of sum 1; empty: there is none. */
    std::vector<double> layer_weights;
    /* What vectors of tokens [tokens, width], float32, go through before the pooling; lengths
     * [items]: tokens of each text. */
    std::vector<std::function<at::Tensor(const at::Tensor &, const std::vector<int64_t> &lengths)>>
        token_modules;
    /* What vectors of texts [items, width] go through behind the pooling (torch_modules.cpp). */
    std::vector<std::function<at::Tensor(const at::Tensor &)>> modules;
    uint64_t modules_hash = 0; /* of the weights and settings of modules; 0: there are none */
    bool normalize = false;
    int64_t embedding_dims = 0;
    uint64_t weights_hash = 0; /* of all that is stored, in that order */
    uint64_t opened_hash = 0;  /* the same when the folder was opened */
    int64_t parameters = 0;    /* components of all tensors, a tied matrix counted once */
    /* Of the library for the model's device, with hidden_stats, valid until the process ends; NULL:
     * there are none. */
    const struct alcore_sys_kernels *kernels = nullptr;
};

/* The type in which weights are multiplied. */
inline at::ScalarType number_type(const Model &model) {
    return model.products == at::kFloat ? model.dtype : model.products;
}
/* Its name in messages and in what describes the model. */
inline const char *number_name(const Model &model) {
    return model.products == at::kChar ? "Int8" : c10::toString(number_type(model));
}

/* Reads the names of the classes, once their number is known (torch_labels.cpp). */
void read_labels(Model &model, const std::string &folder);

/* Reads a folder into a model. packs: on the CPU in a type other than float32 weights are packed
 * (torch_narrow.h), so that calls can be computed; else they stay as they are, to be saved. */
std::unique_ptr<Model> build_model(const Host &host, const std::string &folder,
                                   const alcore_sys_model_options &options, bool packs = true);

/* Tokens that are read behind every item of a batch, as a tree whose root is the end of the item: a
 * token attends to the item, to the tokens between its end and itself, and to itself. So
 * continuations of one item share what the model makes of the item and of their common beginnings
 * (torch_choices.cpp). Behind a node stand those that go on from it, and then all others. */
struct Tree {
    std::vector<int64_t> ids;     /* [nodes] */
    std::vector<int64_t> parents; /* [nodes] an earlier node; -1: the root */
    std::vector<int64_t> depths;  /* [nodes] nodes between it and the root */
};

/* Items of one pass, sorted by length: their tokens one after the other. */
struct Packed {
    std::vector<int64_t> items;   /* their numbers in the call */
    std::vector<int64_t> lengths; /* [items] */
    at::Tensor ids, types;        /* int64 [tokens]; types undefined: all 0 */
    int64_t tokens = 0;           /* all: those of `shared` and of a tree included */
    /* Tokens that stand in front of every item and once in front of all, which attend to
     * themselves and are attended to by all others. lengths count those behind them. */
    int64_t shared = 0;
    /* Borrowed; its tokens follow those of all items, item by item. NULL: nothing is behind. */
    const Tree *tree = nullptr;
};

/* ---- batches (torch_batch.cpp, which describes them) ---- */

int64_t length_of(const alcore_sys_model_texts &texts, int64_t item);
int64_t type_rows(const Model &model);
void check_texts(const Model &model, const alcore_sys_model_texts &texts, int64_t vocabulary);
Packed pack(const Model &model, const alcore_sys_model_texts &texts,
            const std::vector<int64_t> &items);
void for_batches(const Model &model, int64_t count, const std::function<int64_t(int64_t)> &cost,
                 const std::function<bool(int64_t, int64_t)> &before,
                 const std::function<void(const std::vector<int64_t> &)> &body);
at::Tensor first_tokens(const Packed &packed);
at::Tensor last_hidden(const Model &model, const Packed &packed, Dropout *dropout = nullptr);
Packed shifted(const Model &model, const Packed &targets);
bool may_answer(const alcore_sys_model_texts &texts, int64_t k);

/* ---- the arithmetic (torch_stack.cpp, torch_linear.cpp) ---- */

/* x matrix, without a gradient: x [rows, n], matrix [n, columns], which may be a transposed view.
 */
at::Tensor product_of(const at::Tensor &x, const at::Tensor &matrix);

at::Tensor activate(const at::Tensor &x, Activation activation);
/* The position of each token of a batch in its item, int64 [tokens], on the CPU. */
at::Tensor positions_of(const Packed &batch);
/* Hidden states [tokens, dims] after `blocks` blocks (0: what enters the first; the final norm
 * belongs to the last). memory: encoder states that a decoder attends to, packed in the same way,
 * with the same items. dropout: NULL except in training and in scoring with dropout. */
at::Tensor run_stack(const Model &model, const Stack &stack, const Packed &batch, size_t blocks,
                     const at::Tensor &memory = {}, const std::vector<int64_t> &memory_lengths = {},
                     Dropout *dropout = nullptr);
/* A weighted sum over the layers of a stack, [blocks + 1] weights. */
at::Tensor run_layers(const Model &model, const Stack &stack, const Packed &batch,
                      const std::vector<double> &weights);
/* Embeds tokens at positions (counted from 0): the input of the first block. drop: applied to the
 * sum of the embeddings. */
at::Tensor embed_tokens(const Stack &stack, const at::Tensor &ids, const at::Tensor &types,
                        const at::Tensor &positions, const Drop &drop = {});
/* Bias of relative positions [1, heads, queries, keys], queries from `first` on (T5). */
at::Tensor relative_bias(const Stack &stack, int64_t first, int64_t queries, int64_t keys);
/* The input of the output matrix, made of hidden states [rows, dims] of the decoder, or of the
 * encoder of a masked language model. */
at::Tensor output_input(const Model &model, const at::Tensor &hidden);
/* Logits [rows, vocabulary] of hidden states [rows, dims]. */
at::Tensor output_logits(const Model &model, const at::Tensor &hidden);
/* The input of the last layer of a head over texts, [items, dims], made of the hidden states
 * [tokens, dims] of a batch. */
at::Tensor class_input(const Model &model, const Packed &batch, const at::Tensor &hidden,
                       Dropout *dropout = nullptr);
/* The same of a head over tokens or answers, [rows, dims], made of hidden states [rows, dims]. */
at::Tensor token_input(const Model &model, const at::Tensor &hidden);

/* ---- decoding (torch_decode.cpp) ---- */

/* One output of an item. */
struct Output {
    std::vector<int64_t> ids;    /* without the token that starts every output; the end included */
    std::vector<float> logprobs; /* [ids] */
    double score = 0;            /* sum of log-probabilities, divided by the length penalty */
};
/* Outputs of each source, best first, by beam search (Sutskever et al. 2014) with the scores of
 * transformers' generate(), greedily, or by sampling; none where logits on the way are no numbers.
 * penalty: exponent of the length that scores are divided by, where how.length_penalty is 0. */
std::vector<std::vector<Output>> decode(const Model &model, const Packed &sources,
                                        const alcore_sys_model_decoding &how, double penalty);

/* ---- training and saving ---- */

/* Writes the model as a folder (torch_save.cpp). */
void save_model(const Model &model, const std::string &folder);
/* Trains the model (torch_train.cpp); *out is filled also before it throws. */
void train_model(Model &model, const alcore_sys_model_training &how, alcore_sys_model_trained &out);

} // namespace alcore_torch

#endif
