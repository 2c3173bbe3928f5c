/* SPDX-License-Identifier: Apache-2.0 */
/* Folders: JSON settings and safetensors weights, read through the host's files.
 *
 * A safetensors file is the length of its header (8 bytes, little-endian), the header, which is a
 * JSON object {name: {dtype, shape, data_offsets}}, and the values, little-endian and row-major.
 * Everything in the header is checked against the file before a tensor is allocated: sizes must
 * fit, and tensors may neither overlap nor leave holes. Values are read in blocks and not mapped,
 * so a file that is cut off while it is read is an error and no signal. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "torch_parts.h"

namespace alcore_torch {

namespace {

/* READ_BLOCK: bytes of one read. */
enum : int64_t { READ_BLOCK = 16 << 20, MOST_DIMENSIONS = 8 };
/* Objects and arrays within one another in the header of a safetensors file; three are needed. */
enum : int64_t { MOST_DEPTH = 4 };
/* What the largest header that is read may hold: three objects and arrays a tensor (its own, shape
 * and data_offsets), and a comma for each of its sizes and keys. */
enum : int64_t { MOST_CONTAINERS = 4 * MOST_TENSORS, MOST_COMMAS = 16 * MOST_TENSORS };

/* An open file that is closed with its owner. */
struct File {
    const Host &host;
    alcore_sys_file *handle = nullptr;
    explicit File(const Host &host) : host(host) {}
    ~File() { host.table->file_close(handle); }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
};

/* Opens a file and says how long it is; false when it cannot be opened. */
bool open_file(const Host &host, const std::string &path, File &file, int64_t &length) {
    alcore_status status = host.table->file_open(host.user, path.c_str(), &file.handle);
    if (status == ALCORE_E_IO || status == ALCORE_E_NOT_FOUND) return false;
    check(status);
    check(host.table->file_length(file.handle, &length));
    if (length < 0) fail(ALCORE_E_IO, "%s: its length is not known", path.c_str());
    return true;
}

/* Parses an object, duplicate keys refused; path: for messages. */
Json parse_json(const std::string &path, const std::string &text) {
    json_error_t error;
    Json value(json_loadb(text.data(), text.size(), JSON_REJECT_DUPLICATES, &error), json_decref);
    if (!json_is_object(value.get()))
        fail(ALCORE_E_DATA, "%s: line %d: %s", path.c_str(), value ? 1 : error.line,
             value ? "an object is expected" : error.text);
    return value;
}

/* Refuses the header of a safetensors file that is nested more deeply, or has more objects, arrays
 * and values, than one of MOST_TENSORS tensors: jansson's tree of it would need 30 times the memory
 * of the text. Looks at brackets and commas outside of strings only; jansson checks the grammar. */
void check_header(const std::string &path, const std::string &text) {
    int64_t depth = 0, containers = 0, commas = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); i++) {
        char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted && c == '\\') i++; /* a quote behind it does not end the string */
        if (quoted) continue;
        if (c == '{' || c == '[') {
            containers++;
            depth++;
        }
        if (c == '}' || c == ']') depth--;
        if (c == ',') commas++;
        if (depth > MOST_DEPTH)
            fail(ALCORE_E_DATA, "%s: byte %zu of its header: nested too deeply", path.c_str(),
                 i + 1);
        if (containers > MOST_CONTAINERS || commas > MOST_COMMAS)
            fail(ALCORE_E_DATA, "%s: its header holds more than %d tensors need", path.c_str(),
                 MOST_TENSORS);
    }
}

/* "__metadata__", texts by name, says nothing about the numbers. It is only checked. */
void check_metadata(const std::string &path, json_t *metadata) {
    const char *key;
    json_t *value;
    if (!json_is_object(metadata))
        fail(ALCORE_E_DATA, "%s: its __metadata__ is no object", path.c_str());
    json_object_foreach(metadata, key, value) if (!json_is_string(value))
        fail(ALCORE_E_DATA, "%s: its __metadata__ has '%s', which is no text", path.c_str(), key);
}

/* The type of a dtype of safetensors; those that models do not use are refused. */
at::ScalarType scalar_type(const std::string &path, const char *tensor, const std::string &name) {
    static const std::pair<const char *, at::ScalarType> types[] = {
        {"F32", at::kFloat}, {"F16", at::kHalf}, {"BF16", at::kBFloat16}, {"F64", at::kDouble},
        {"I64", at::kLong},  {"I32", at::kInt},  {"U8", at::kByte},       {"BOOL", at::kBool}};
    for (const auto &[key, type] : types)
        if (name == key) return type;
    fail(ALCORE_E_UNSUPPORTED, "%s: tensor %s has the number type %s, which models do not use",
         path.c_str(), tensor, name.c_str());
}

} // namespace

/* Reads the object in folder/name, at most 16 MiB (LARGEST_HEADER). NULL when it cannot be opened:
 * the host's ALCORE_E_IO does not tell a missing file from one without permission. Other failures
 * throw. */
Json read_json(const Host &host, const std::string &folder, const char *name) {
    std::string path = folder + "/" + name;
    File file(host);
    int64_t length = 0;
    if (!open_file(host, path, file, length)) return nullptr;
    if (length > LARGEST_HEADER) fail(ALCORE_E_DATA, "%s: larger than 16 MiB", path.c_str());
    std::string text(static_cast<size_t>(length), '\0');
    check(host.table->file_read(file.handle, 0, text.data(), text.size()));
    return parse_json(path, text);
}

int64_t json_int(const Json &object, const char *key, int64_t otherwise) {
    json_t *value = json_object_get(object.get(), key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

double json_real(const Json &object, const char *key, double otherwise) {
    json_t *value = json_object_get(object.get(), key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

bool json_flag(const Json &object, const char *key, bool otherwise) {
    json_t *value = json_object_get(object.get(), key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

std::string json_text(const Json &object, const char *key, const char *otherwise) {
    json_t *value = json_object_get(object.get(), key);
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

bool has_file(const Host &host, const std::string &path) {
    File probe(host);
    int64_t length = 0;
    return open_file(host, path, probe, length);
}

bool has_weights(const Host &host, const std::string &folder) {
    for (const char *name : {"/model.safetensors", "/model.safetensors.index.json",
                             "/pytorch_model.bin", "/pytorch_model.bin.index.json"})
        if (has_file(host, folder + name)) return true;
    return false;
}

uint64_t text_hash(const std::string &text) {
    return XXH3_64bits(text.data(), text.size());
}

/* Whether name holds the part. */
static bool contains(const std::string &name, const char *part) {
    return name.find(part) != std::string::npos;
}

/* A tensor of a model that is to be trained: norms 1, biases 0, embeddings normal with the variance
 * 1 / dims, other matrices uniform with the variance 2 / (rows + columns) (Glorot and Bengio 2010).
 * Draws depend on the seed and the name. */
static at::Tensor draw(const std::string &name, const std::vector<int64_t> &shape, uint64_t seed) {
    at::TensorOptions options = at::TensorOptions().dtype(at::kFloat);
    if (shape.size() < 2)
        return contains(name, ".bias") ? at::zeros(shape, options) : at::ones(shape, options);
    at::Generator generator =
        at::detail::createCPUGenerator(hash_join(seed, XXH3_64bits(name.data(), name.size())));
    double rows = static_cast<double>(shape[0]), columns = static_cast<double>(shape[1]);
    at::Tensor out = at::empty(shape, options);
    if (contains(name, "shared")) return out.normal_(0, 1 / std::sqrt(columns), generator);
    double bound = std::sqrt(6 / (rows + columns));
    return out.uniform_(-bound, bound, generator);
}

/* Refuses a folder whose weights are pickled, in one file or in several of an index. The line of
 * Python keeps every tensor under its name, those of heads included; weights_only is the loader of
 * PyTorch that runs no code, and clone() parts tensors that share memory. */
[[noreturn]] static void refuse_pickle(const std::string &folder, const char *name) {
    fail(
        ALCORE_E_UNSUPPORTED,
        "%s holds %s, which is code, not data; convert it once, with PyTorch 2.6 or newer: python3 "
        "-c \"import glob, torch, safetensors.torch as s; d = {}; [d.update(torch.load(f, "
        "weights_only=True)) for f in glob.glob('%s/pytorch_model*.bin')]; s.save_file({k: "
        "v.contiguous().clone() for k, v in d.items()}, '%s/model.safetensors', {'format': "
        "'pt'})\"",
        folder.c_str(), name, folder.c_str(), folder.c_str());
}

/* Finds the tensors of model.safetensors or, without that file, of those that the index file names:
 * opens the files and reads their headers, no values. Files stay open until the destructor; when
 * the constructor throws, they are closed here, as no destructor runs then. */
Weights::Weights(const Host &host, const std::string &folder, const char *only) : host_(host) {
    try {
        if (only != nullptr) {
            add_file(folder + "/" + only);
            return;
        }
        File probe(host);
        int64_t length = 0;
        if (open_file(host, folder + "/model.safetensors", probe, length)) {
            add_file(folder + "/model.safetensors");
            return;
        }
        Json index = read_json(host, folder, "model.safetensors.index.json");
        if (!index) {
            for (const char *name : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
                if (open_file(host, folder + "/" + name, probe, length))
                    refuse_pickle(folder, name);
            fail(ALCORE_E_IO, "%s: model.safetensors is missing", folder.c_str());
        }
        add_shards(folder, index);
    } catch (...) {
        for (alcore_sys_file *file : files_) host_.table->file_close(file);
        throw;
    }
}

Weights::~Weights() {
    for (alcore_sys_file *file : files_) host_.table->file_close(file);
}

/* Adds the files that the index (weight_map: name of a tensor -> name of a file beside the index)
 * names, and checks that each tensor is in the file in which the index places it. */
void Weights::add_shards(const std::string &folder, const Json &index) {
    std::string path = folder + "/model.safetensors.index.json";
    json_t *map = json_object_get(index.get(), "weight_map");
    if (json_object_size(map) == 0)
        fail(ALCORE_E_DATA, "%s: its weight_map is missing or names no tensor", path.c_str());
    std::vector<std::string> names;
    const char *key;
    json_t *value;
    json_object_foreach(map, key, value) {
        std::string name = json_is_string(value) ? json_string_value(value) : "";
        if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
            fail(ALCORE_E_DATA, "%s: '%s' names no file beside it", path.c_str(), key);
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string &name : names) add_file(folder + "/" + name);
    json_object_foreach(map, key, value) {
        auto found = entries_.find(key);
        const char *name = json_string_value(value);
        if (found == entries_.end() || paths_[found->second.file] != folder + "/" + name)
            fail(ALCORE_E_DATA, "%s: the tensor %s is not in %s", path.c_str(), key, name);
    }
}

/* Opens one file and adds its tensors to entries_. Its values begin at data_start, behind the 8
 * bytes of length and the header; sorted spans that follow one another without a gap and end with
 * the file show that tensors neither overlap nor leave holes. */
void Weights::add_file(const std::string &path) {
    alcore_sys_file *file;
    check(host_.table->file_open(host_.user, path.c_str(), &file));
    files_.push_back(file);
    paths_.push_back(path);
    int64_t length = 0;
    uint64_t header = 0;
    check(host_.table->file_length(file, &length));
    check(host_.table->file_read(file, 0, &header, sizeof header));
    if (header > LARGEST_HEADER || static_cast<int64_t>(header) > length - 8)
        fail(ALCORE_E_DATA, "%s: its header of %llu bytes is longer than the file or than 16 MiB",
             path.c_str(), static_cast<unsigned long long>(header));
    std::string text(header, '\0');
    check(host_.table->file_read(file, 8, text.data(), text.size()));
    if (text.empty() || text[0] != '{')
        fail(ALCORE_E_DATA, "%s: its header is no JSON", path.c_str());
    check_header(path, text);
    Json object = parse_json(path, text);
    int64_t data_start = 8 + static_cast<int64_t>(header);
    if (json_object_size(object.get()) >
        MOST_TENSORS + (json_object_get(object.get(), "__metadata__") ? 1 : 0))
        fail(ALCORE_E_DATA, "%s: more than %d tensors", path.c_str(), MOST_TENSORS);
    std::vector<std::pair<int64_t, int64_t>> spans; /* bytes of each tensor: [begin, end) */
    const char *key;
    json_t *value;
    json_object_foreach(object.get(), key, value) {
        if (std::strcmp(key, "__metadata__") == 0)
            check_metadata(path, value);
        else
            add_entry(path, key, value, data_start, length - data_start, spans);
    }
    std::sort(spans.begin(), spans.end());
    int64_t end = 0;
    for (const auto &[from, to] : spans) {
        if (from != end) fail(ALCORE_E_DATA, "%s: tensors overlap or leave a hole", path.c_str());
        end = to;
    }
    if (end != length - data_start)
        fail(ALCORE_E_DATA, "%s: %lld bytes of numbers, its header speaks of %lld", path.c_str(),
             static_cast<long long>(length - data_start), static_cast<long long>(end));
}

/* Checks the entry of one tensor in the header of the file added last, {dtype, shape,
 * data_offsets}, and adds it to entries_ and its bytes, relative to data_start, to spans. The size
 * of shape and dtype must be that of data_offsets and lie within data_bytes. */
void Weights::add_entry(const std::string &path, const char *name, json_t *value,
                        int64_t data_start, int64_t data_bytes,
                        std::vector<std::pair<int64_t, int64_t>> &spans) {
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    json_t *shape = json_object_get(value, "shape");
    json_t *ends = json_object_get(value, "data_offsets");
    if (!dtype || !json_is_array(shape) || json_array_size(ends) != 2 ||
        json_array_size(shape) > MOST_DIMENSIONS)
        fail(ALCORE_E_DATA, "%s: tensor %s lacks dtype, shape or data_offsets", path.c_str(), name);
    Entry entry{files_.size() - 1 /* file */, scalar_type(path, name, dtype), {}, 0, 0};
    int64_t bytes = static_cast<int64_t>(c10::elementSize(entry.dtype));
    for (size_t i = 0; i < json_array_size(shape); i++) {
        json_t *size = json_array_get(shape, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0 ||
            __builtin_mul_overflow(bytes, json_integer_value(size), &bytes))
            fail(ALCORE_E_DATA, "%s: tensor %s has an impossible shape", path.c_str(), name);
        entry.shape.push_back(json_integer_value(size));
    }
    json_t *first = json_array_get(ends, 0), *second = json_array_get(ends, 1);
    int64_t from = json_integer_value(first), to = json_integer_value(second);
    if (!json_is_integer(first) || !json_is_integer(second) || from < 0 || to < from ||
        to > data_bytes || to - from != bytes)
        fail(ALCORE_E_DATA, "%s: tensor %s has data_offsets outside the file or unlike its shape",
             path.c_str(), name);
    entry.start = data_start + from;
    entry.bytes = bytes;
    spans.emplace_back(from, to);
    if (!entries_.emplace(name, entry).second)
        fail(ALCORE_E_DATA, "%s: tensor %s stands in two files", path.c_str(), name);
}

/* Whether there is a tensor of this name; of random weights, whether the model needs it. */
bool Weights::has(const std::string &name) const {
    if (!random_) return entries_.count(name) != 0;
    for (const char *none : {"embed_tokens", "lm_head", "logits_bias", "layernorm_embedding"})
        if (contains(name, none)) return false;
    return name.rfind("model.", 0) == 0;
}

/* The names of all tensors, sorted. */
std::vector<std::string> Weights::names() const {
    std::vector<std::string> out;
    for (const auto &[name, entry] : entries_) out.push_back(name);
    return out;
}

at::Tensor Weights::read(const std::string &name) {
    return read(name, has(name) ? shape(name) : std::vector<int64_t>());
}

at::Tensor Weights::read(const std::string &name, const std::vector<int64_t> &shape) {
    return read_entry(name, shape, {}, {});
}

at::Tensor Weights::read(const std::string &name, const std::vector<int64_t> &shape,
                         at::ScalarType dtype, const at::Tensor &into) {
    return read_entry(name, shape, dtype, into);
}

/* Reads a tensor on the CPU, in blocks, each of which is converted where the file has another type:
 * all go through block_, since one for each tensor would leave holes in the heap between tensors
 * that stay. Throws when cancelled. */
at::Tensor Weights::read_entry(const std::string &name, const std::vector<int64_t> &shape,
                               std::optional<at::ScalarType> dtype, const at::Tensor &into) {
    if (random_) {
        const at::Tensor drawn = draw(name, shape, *random_).to(dtype.value_or(at::kFloat));
        return into.defined() ? into.copy_(drawn) : drawn;
    }
    auto found = entries_.find(name);
    if (found == entries_.end())
        fail(ALCORE_E_DATA, "%s: the tensor %s is missing", paths_[0].c_str(), name.c_str());
    const Entry &entry = found->second;
    bool fits = entry.shape.size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); i++)
        fits = shape[i] < 0 || shape[i] == entry.shape[i];
    if (!fits) {
        std::string has, wants;
        for (int64_t size : entry.shape) has += " " + std::to_string(size);
        for (int64_t size : shape) wants += " " + (size < 0 ? "any" : std::to_string(size));
        fail(ALCORE_E_SHAPE, "%s: tensor %s has the shape [%s ], config.json asks for [%s ]",
             paths_[entry.file].c_str(), name.c_str(), has.c_str(), wants.c_str());
    }
    const at::ScalarType type = dtype.value_or(entry.dtype);
    const int64_t size = static_cast<int64_t>(c10::elementSize(entry.dtype)),
                  most = std::min<int64_t>(READ_BLOCK, entry.bytes) / size;
    const at::Tensor out =
        into.defined() ? into : at::empty(entry.shape, at::TensorOptions().dtype(type));
    const at::Tensor flat = out.view({-1});
    at::Tensor block;
    if (type != entry.dtype && !block_.defined())
        block_ = at::empty({READ_BLOCK}, at::TensorOptions().dtype(at::kByte));
    if (type != entry.dtype)
        block = at::from_blob(block_.data_ptr(), {most}, at::TensorOptions().dtype(entry.dtype));
    for (int64_t done = 0, all = flat.numel(); done < all;) {
        const int64_t count = std::min(most, all - done);
        const at::Tensor to = flat.narrow(0, done, count),
                         from = block.defined() ? block.narrow(0, 0, count) : to;
        check(host_.table->file_read(files_[entry.file], entry.start + done * size, from.data_ptr(),
                                     static_cast<size_t>(count * size)));
        if (block.defined()) to.copy_(from);
        done += count;
        host_.tick("reading weights", done * size, entry.bytes);
    }
    return out;
}

} // namespace alcore_torch
