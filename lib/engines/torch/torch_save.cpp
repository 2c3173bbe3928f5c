/* SPDX-License-Identifier: Apache-2.0 */
/* Writing: safetensors files, and a model as a folder that open() and transformers read.
 *
 * A folder that is saved holds one model.safetensors, also where the weights came in shards;
 * tensors have the names that they were read under, in the number type that the model computes in.
 * What the file held beside them is copied, but for second copies of a tied matrix, which would be
 * out of date after training. Files of tokenizers and of sentence-transformers are copied;
 * config.json is written last, so that a new folder is a model only when it is complete. */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "torch_family.h"
#include "torch_lora.h"

namespace alcore_torch {

namespace {

enum : int64_t { WRITE_BLOCK = 16 << 20 };

/* A file that appears when commit() is called, else not at all. */
class Writer {
  public:
    Writer(const Host &host, const std::string &path) : host_(host) {
        check(host.table->writer_open(host.user, path.c_str(), &handle_));
    }
    ~Writer() { host_.table->writer_abort(handle_); }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
    /* Appends bytes in blocks. Throws when cancelled. */
    void put(const void *data, int64_t bytes) {
        for (int64_t done = 0; done < bytes; done += WRITE_BLOCK) {
            check(host_.table->writer_put(
                handle_, static_cast<const char *>(data) + done,
                static_cast<size_t>(std::min<int64_t>(WRITE_BLOCK, bytes - done))));
            host_.tick(nullptr, 0, 0);
        }
    }
    void commit() {
        alcore_sys_writer *handle = handle_;
        handle_ = nullptr; /* commit frees it, also after a failure */
        check(host_.table->writer_commit(handle));
    }

  private:
    const Host &host_;
    alcore_sys_writer *handle_ = nullptr;
};

/* The name of a type in safetensors; the types are those that Weights reads. */
const char *type_name(at::ScalarType type) {
    switch (type) {
    case at::kFloat:
        return "F32";
    case at::kHalf:
        return "F16";
    case at::kBFloat16:
        return "BF16";
    case at::kDouble:
        return "F64";
    case at::kLong:
        return "I64";
    case at::kInt:
        return "I32";
    case at::kByte:
        return "U8";
    default:
        return "BOOL";
    }
}

int64_t bytes_of(const Written &tensor) {
    int64_t bytes = static_cast<int64_t>(c10::elementSize(tensor.dtype));
    for (int64_t size : tensor.shape) bytes *= size;
    return bytes;
}

/* The JSON header of a safetensors file, padded so that the values start at a multiple of 8. place:
 * the byte behind the header at which the values of a tensor begin. json_object_set_new() refuses
 * the NULL that json_pack() returns for lack of memory. */
std::string header_of(const std::string &path, const std::vector<Written> &tensors) {
    Json header(json_object(), json_decref);
    json_object_set_new(header.get(), "__metadata__", json_pack("{s:s}", "format", "pt"));
    int64_t place = 0;
    for (const Written &tensor : tensors) {
        json_t *shape = json_array();
        for (int64_t size : tensor.shape) json_array_append_new(shape, json_integer(size));
        int64_t end = place + bytes_of(tensor);
        json_t *entry =
            json_pack("{s:s, s:o, s:[I, I]}", "dtype", type_name(tensor.dtype), "shape", shape,
                      "data_offsets", static_cast<json_int_t>(place), static_cast<json_int_t>(end));
        if (json_object_set_new(header.get(), tensor.name.c_str(), entry) != 0)
            throw std::bad_alloc();
        place = end;
    }
    std::unique_ptr<char, decltype(&std::free)> dump(json_dumps(header.get(), JSON_COMPACT),
                                                     std::free);
    if (!dump) throw std::bad_alloc();
    std::string text = dump.get();
    text.append((8 - text.size() % 8) % 8, ' ');
    if (text.size() > LARGEST_HEADER || tensors.size() > MOST_TENSORS)
        fail(ALCORE_E_UNSUPPORTED, "%s: %zu tensors are more than a safetensors file may hold",
             path.c_str(), tensors.size());
    return text;
}

/* Files beside the weights that belong to a model: settings, tokenizers, sentence-transformers. The
 * library does not read all of these tokenizers, but other programs that open the folder do. */
const char *const SIDE_FILES[] = {"generation_config.json",
                                  ALCORE_SYS_TOKENIZER_FILES,
                                  "target_vocab.json",
                                  "bpe.codes",
                                  "spm.model",
                                  "tokenizer.model",
                                  "sentencepiece.model",
                                  "chat_template.jinja",
                                  "modules.json",
                                  ALCORE_SYS_SENTENCE_FILES,
                                  "config_sentence_transformers.json",
                                  "README.md",
                                  "LICENSE"};

/* Copies a file, if it is there. */
void copy_file(const Host &host, const std::string &from, const std::string &to) {
    alcore_sys_file *file = nullptr;
    alcore_status status = host.table->file_open(host.user, from.c_str(), &file);
    if (status == ALCORE_E_IO || status == ALCORE_E_NOT_FOUND) return;
    check(status);
    std::unique_ptr<alcore_sys_file, void (*)(alcore_sys_file *)> held(file,
                                                                       host.table->file_close);
    int64_t length = 0;
    check(host.table->file_length(file, &length));
    if (length < 0) fail(ALCORE_E_IO, "%s: its length is not known", from.c_str());
    Writer writer(host, to);
    std::string block;
    for (int64_t done = 0; done < length; done += static_cast<int64_t>(block.size())) {
        block.resize(static_cast<size_t>(std::min<int64_t>(WRITE_BLOCK, length - done)));
        check(host.table->file_read(file, done, block.data(), block.size()));
        writer.put(block.data(), static_cast<int64_t>(block.size()));
    }
    writer.commit();
}

/* Copies the files of the tokenizer of the adapter that was merged, if there is one and it has
 * them. */
void copy_tokenizer(const Model &model, const std::string &folder) {
    if (model.adapter.empty() || model.adapter == folder) return;
    for (const char *name : {ALCORE_SYS_TOKENIZER_FILES, "chat_template.jinja"})
        copy_file(model.host, model.adapter + "/" + name, folder + "/" + name);
}

/* Copies the folders of sentence-transformers' modules that are directly in the model's folder,
 * each with its config.json and weights. What is no list counts as empty: opening the model has
 * refused it. */
void copy_modules(const Model &model, const std::string &folder) {
    alcore_sys_file *file = nullptr;
    const Host &host = model.host;
    std::string path = model.folder + "/modules.json";
    alcore_status status = host.table->file_open(host.user, path.c_str(), &file);
    if (status == ALCORE_E_IO || status == ALCORE_E_NOT_FOUND) return;
    check(status);
    int64_t length = 0;
    status = host.table->file_length(file, &length);
    std::string text(length > 0 && length < 1 << 20 ? static_cast<size_t>(length) : 0, '\0');
    if (status == ALCORE_OK) status = host.table->file_read(file, 0, text.data(), text.size());
    host.table->file_close(file);
    check(status);
    json_error_t error;
    Json list(json_loadb(text.data(), text.size(), 0, &error), json_decref);
    for (size_t i = 0; i < json_array_size(list.get()); i++) {
        Json entry(json_incref(json_array_get(list.get(), i)), json_decref);
        std::string place = json_text(entry, "path", "");
        if (place.empty() || place.find("..") != std::string::npos ||
            place.find('/') != std::string::npos)
            continue;
        check(host.table->folder_make(host.user, (folder + "/" + place).c_str()));
        for (const char *name : {"/config.json", "/model.safetensors"})
            copy_file(host, model.folder + "/" + place + name, folder + "/" + place + name);
    }
}

/* config.json of a model whose class or output the adapter has changed. It lists the classes where
 * transformers would otherwise expect another number of them. */
Json adapted_config(const Model &model) {
    Json config(json_deep_copy(model.config.get()), json_decref);
    if (!config) throw std::bad_alloc();
    if (model.parted) json_object_set_new(config.get(), "tie_word_embeddings", json_false());
    if (model.parted && model.output_scale != 1) /* T5, which else scales a tied output alone */
        json_object_set_new(config.get(), "scale_decoder_outputs", json_true());
    if (model.architecture.empty()) return config;
    json_object_set_new(config.get(), "architectures",
                        json_pack("[s]", model.architecture.c_str()));
    if (model.classes == 0 || !model.labels.empty()) return config;
    json_object_del(config.get(), "label2id");
    json_t *names = json_object();
    for (int64_t k = 0; k < model.classes; k++)
        json_object_set_new(names, std::to_string(k).c_str(),
                            json_string(("LABEL_" + std::to_string(k)).c_str()));
    if (json_object_set_new(config.get(), "id2label", names) != 0) throw std::bad_alloc();
    return config;
}

/* Writes config.json with the number type that the weights have now, under the key that it has.
 * Where nothing changes, the file is copied, or left as it is in the model's own folder. */
void write_config(const Model &model, const std::string &folder) {
    const char *type = number_type(model) == at::kFloat  ? "float32"
                       : number_type(model) == at::kHalf ? "float16"
                                                         : "bfloat16";
    bool changed = false;
    for (const char *key : {"dtype", "torch_dtype"}) {
        json_t *value = json_object_get(model.config.get(), key);
        if (value == nullptr || json_is_null(value)) continue;
        if (json_is_string(value) && std::strcmp(json_string_value(value), type) == 0) continue;
        json_object_set_new(model.config.get(), key, json_string(type));
        changed = true;
    }
    const bool other = !model.architecture.empty() || model.parted;
    const Json config = other ? adapted_config(model) : model.config;
    if (!changed && !other && model.folder != folder)
        return copy_file(model.host, model.folder + "/config.json", folder + "/config.json");
    if (!changed && !other) return;
    std::unique_ptr<char, decltype(&std::free)> text(json_dumps(config.get(), JSON_INDENT(2)),
                                                     std::free);
    if (!text) throw std::bad_alloc();
    write_text(model.host, folder + "/config.json", text.get() + std::string("\n"));
}

/* Fails where the model's folder holds another config.json than when it was opened: what is copied
 * from there would not fit the weights. The number type may be another one: save() changes it. */
void check_config(const Model &model) {
    Json before(json_copy(model.config.get()), json_decref);
    Json now = read_json(model.host, model.folder, "config.json");
    if (!before) throw std::bad_alloc();
    if (!now) fail(ALCORE_E_IO, "%s: config.json is missing", model.folder.c_str());
    for (const char *key : {"dtype", "torch_dtype"}) {
        json_object_del(before.get(), key);
        json_object_del(now.get(), key);
    }
    if (!json_equal(before.get(), now.get()))
        fail(ALCORE_E_DATA, "%s/config.json is not the one with which the model was opened",
             model.folder.c_str());
}

} // namespace

std::string real_path(const std::string &path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           std::free);
    return real ? real.get() : path;
}

uint64_t hash_join(uint64_t first, uint64_t second) {
    return XXH3_64bits_withSeed(&second, sizeof second, first);
}

uint64_t tensor_hash(const at::Tensor &tensor) {
    at::Tensor plain = tensor.to(at::kCPU).contiguous();
    return XXH3_64bits(plain.data_ptr(), plain.nbytes());
}

/* Tensors are sorted by the size of their values, the largest first, so that each begins at a
 * multiple of that size; then by name, so that the same tensors always make the same file. */
void write_tensors(const Host &host, const std::string &path, std::vector<Written> tensors) {
    std::sort(tensors.begin(), tensors.end(), [](const Written &a, const Written &b) {
        size_t x = c10::elementSize(a.dtype), y = c10::elementSize(b.dtype);
        return x != y ? x > y : a.name < b.name;
    });
    std::string header = header_of(path, tensors);
    uint64_t length = header.size();
    Writer writer(host, path);
    writer.put(&length, sizeof length);
    writer.put(header.data(), static_cast<int64_t>(header.size()));
    for (const Written &tensor : tensors) {
        at::Tensor value = tensor.value().to(at::kCPU).contiguous();
        writer.put(value.data_ptr(), static_cast<int64_t>(value.nbytes()));
    }
    writer.commit();
}

void write_text(const Host &host, const std::string &path, const std::string &text) {
    Writer writer(host, path);
    writer.put(text.data(), static_cast<int64_t>(text.size()));
    writer.commit();
}

/* A tensor of a model that has packed it (torch_narrow.h), from the folder. */
static at::Tensor read_again(const Model &model, Weights &before, const Stored &stored) {
    at::Tensor value = before.read(stored.name).to(number_type(model));
    if (tensor_hash(value) != stored.hash)
        fail(ALCORE_E_DATA, "%s: the tensor %s is not the one with which the model was opened",
             model.folder.c_str(), stored.name.c_str());
    return value;
}

/* The model of an adapter that was opened as bfloat16 on the CPU, which has packed its weights: it
 * is read and merged again. */
static std::unique_ptr<Model> merge_again(const Model &model) {
    alcore_sys_model_options options = {};
    options.device = "cpu";
    options.dtype = ALCORE_BFLOAT16;
    options.adapter = model.adapter.c_str();
    std::unique_ptr<Model> merged = build_model(model.host, model.folder, options, false);
    if (merged->weights_hash != model.opened_hash)
        fail(ALCORE_E_DATA,
             "%s: the weights of the adapter, or those of its base %s, are not those with which "
             "the model was opened",
             model.adapter.c_str(), model.folder.c_str());
    return merged;
}

/* Without tie_word_embeddings transformers looks for a table of each stack. known: names of
 * `tensors`. */
static void add_tables(const Model &model, const std::set<std::string> &known,
                       std::vector<Written> &tensors) {
    const auto family = std::find_if(families().begin(), families().end(), [&](const Family &row) {
        return model.family == row.model_type;
    });
    const auto add = [&](const char *prefix, const at::Tensor &words) {
        const std::string name =
            family->prefix + std::string(prefix == nullptr ? "" : prefix) + "embed_tokens.weight";
        if (known.count(name) == 0)
            tensors.push_back(
                {name, words.scalar_type(), words.sizes().vec(), [&words] { return words; }});
    };
    add(family->encoder.prefix, model.encoder.words);
    add(family->decoder.prefix, model.decoder->words);
}

/* Throws on every failure; files that were written until then stay, each of them whole. Tensors of
 * the old folder that the model does not use are copied, unless they have the values that a tensor
 * of the model had when it was read: those are second copies of a tied matrix. */
void save_model(const Model &model, const std::string &folder) {
    const Host &host = model.host;
    check_config(model);
    if (model.lora) {
        save_lora(model, folder);
        copy_tokenizer(model, folder);
        return;
    }
    const bool own = real_path(folder) == real_path(model.folder);
    if (!model.adapter.empty() && own)
        fail(ALCORE_E_INVALID,
             "%s is the base of the adapter %s, and would be merged twice when that is opened "
             "again; save the model to another folder",
             folder.c_str(), model.adapter.c_str());
    if (has_file(host, folder + "/adapter_config.json"))
        fail(ALCORE_E_INVALID,
             "%s holds an adapter, which other programs would put on top of the model; save the "
             "model to another folder",
             folder.c_str());
    if (model.products == at::kChar)
        fail(ALCORE_E_UNSUPPORTED, "%s: what was opened as int8 is not saved; open it as float32",
             model.folder.c_str());
    if (model.products != at::kFloat && !model.adapter.empty())
        return save_model(*merge_again(model), folder);
    check(host.table->folder_make(host.user, folder.c_str()));
    std::vector<Written> tensors;
    std::set<std::string> known;
    std::optional<Weights> before;
    if (!model.random) before.emplace(host, model.folder);
    for (const Stored &stored : model.stored) {
        known.insert(stored.name);
        if (stored.view.defined())
            tensors.push_back({stored.name, stored.view.scalar_type(), stored.view.sizes().vec(),
                               [&stored] { return stored.view; }});
        else
            tensors.push_back({stored.name, number_type(model), before->shape(stored.name),
                               [&] { return read_again(model, *before, stored); }});
    }
    for (const std::string &name : before ? before->names() : std::vector<std::string>()) {
        if (known.count(name) != 0) continue;
        const uint64_t hash = tensor_hash(before->read(name).to(number_type(model)));
        bool copy = false; /* of a tensor that the model has */
        for (const Stored &stored : model.stored)
            copy = copy || (stored.hash == hash &&
                            stored.view.sizes() == at::IntArrayRef(before->shape(name)));
        /* The table of which the adapter makes several is kept in their type. */
        const at::ScalarType type = model.parted ? number_type(model) : before->dtype(name);
        if (!copy)
            tensors.push_back({name, type, before->shape(name),
                               [&before, name, type] { return before->read(name).to(type); }});
    }
    if (model.parted && model.decoder) add_tables(model, known, tensors);
    write_tensors(host, folder + "/model.safetensors", std::move(tensors));
    if (!own) {
        for (const char *name : SIDE_FILES)
            copy_file(host, model.folder + "/" + name, folder + "/" + name);
        copy_tokenizer(model, folder);
        copy_modules(model, folder);
    }
    write_config(model, folder);
}

} // namespace alcore_torch
