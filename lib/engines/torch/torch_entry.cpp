/* SPDX-License-Identifier: Apache-2.0 */
/* The torch module's only entry, its table, and the calls that open, describe, train and save a
 * model. */
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

#include "torch_call.h"
#include "torch_output.h"

/* "MAJOR.MINOR" of the torch whose headers this was compiled with. */
#define TEXT_OF(x) #x
#define NUMBER(x) TEXT_OF(x)
#define BUILT_FOR NUMBER(TORCH_VERSION_MAJOR) "." NUMBER(TORCH_VERSION_MINOR)

using namespace alcore_torch;

namespace {

/* Which calls the model supports, by its head: bits ALCORE_SYS_MODEL_*. Training changes float32
 * weights only. */
uint32_t calls_of(const Model &model) {
    uint32_t calls = ALCORE_SYS_MODEL_EMBED |
                     (model.products == at::kChar ? 0u : uint32_t{ALCORE_SYS_MODEL_SAVE}) |
                     (model.adapter.empty() ? 0u : uint32_t{ALCORE_SYS_MODEL_ADAPTED});
    uint32_t train =
        number_type(model) == at::kFloat ? ALCORE_SYS_MODEL_TRAIN | ALCORE_SYS_MODEL_TRAIN_LORA : 0;
    switch (model.head) {
    case Head::Classes:
        return calls | train | ALCORE_SYS_MODEL_CLASS_PROBS;
    case Head::Tokens:
        return calls | train | ALCORE_SYS_MODEL_TOKEN_PROBS;
    case Head::Answers:
        return calls | train | ALCORE_SYS_MODEL_QA_PROBS;
    case Head::Words:
        return calls | train | ALCORE_SYS_MODEL_MLM_LOSSES;
    case Head::Seq2seq:
        return calls | train | ALCORE_SYS_MODEL_TOKEN_LOGPROBS | ALCORE_SYS_MODEL_TRANSLATE;
    case Head::Language:
        return calls | train | ALCORE_SYS_MODEL_TOKEN_LOGPROBS | ALCORE_SYS_MODEL_TRANSLATE |
               ALCORE_SYS_MODEL_CONTINUES;
    default:
        return calls;
    }
}

/* Sets the model's version, which names weights and options so that columns of other ones are not
 * used again, and its description in JSON. Names are short enough for `text`. */
void describe(Model &model) {
    static const char *const heads[] = {
        "none",         "classes", "token classes", "question answering",
        "masked words", "seq2seq", "language model"};
    static const char *const values[] = {", \"class_values\": \"exclusive\"",
                                         ", \"class_values\": \"independent\"",
                                         ", \"class_values\": \"values\""};
    char text[700];
    std::string poolings;
    for (int32_t pooling : model.poolings)
        poolings += (poolings.empty() ? "" : ".") + std::to_string(pooling);
    std::snprintf(text, sizeof text, "%016llx-p%s-l%d-n%d-t%lld-d%d-e%lld",
                  static_cast<unsigned long long>(model.weights_hash), poolings.c_str(),
                  model.layer, model.normalize, static_cast<long long>(model.max_tokens),
                  static_cast<int>(number_type(model)),
                  static_cast<long long>(model.embedding_dims));
    model.version = text;
    if (model.modules_hash != 0) {
        std::snprintf(text, sizeof text, "-m%016llx",
                      static_cast<unsigned long long>(model.modules_hash));
        model.version += text;
    }
    if (model.head == Head::Seq2seq || model.head == Head::Language) {
        std::snprintf(text, sizeof text, "-g%016llx",
                      static_cast<unsigned long long>(model.generation.hash));
        model.version += text;
    }
    if (model.class_values != ClassValues::Softmax)
        model.version += model.class_values == ClassValues::Sigmoid ? "-sigmoid" : "-plain";
    /* Hidden states are float32, those of bfloat16 were not in earlier releases. */
    if (model.products != at::kFloat) model.version += "-f";
    /* Other kinds of devices round in another way, and so do the kernels of the library there. */
    if (!model.device.is_cpu())
        model.version += "-" + c10::DeviceTypeName(model.device.type(), true) +
                         (model.kernels != nullptr ? "-k" : "");
    const Stack &encoder = model.encoder;
    std::snprintf(
        text, sizeof text,
        "{\"family\": \"%s\", \"head\": \"%s\", \"dims\": %lld, \"layers\": %lld, "
        "\"decoder_layers\": %lld, \"heads\": %lld, \"vocabulary\": %lld, \"classes\": %lld, "
        "\"max_tokens\": %lld, \"batch_tokens\": %lld, \"parameters\": %lld, \"dtype\": "
        "\"%s\", \"device\": \"%s\", \"engine\": \"torch-%s\"%s}",
        model.family.c_str(), heads[static_cast<int>(model.head)],
        static_cast<long long>(encoder.dims), static_cast<long long>(encoder.blocks.size()),
        static_cast<long long>(model.decoder ? model.decoder->blocks.size() : 0),
        static_cast<long long>(encoder.heads), static_cast<long long>(model.vocabulary),
        static_cast<long long>(model.classes),
        static_cast<long long>(model.max_tokens == INT64_MAX ? 0 : model.max_tokens),
        static_cast<long long>(model.batch_tokens), static_cast<long long>(model.parameters),
        number_name(model), model.device_name.c_str(), BUILT_FOR,
        model.head == Head::Classes ? values[static_cast<int>(model.class_values)] : "");
    model.json = text;
}

/* open of the table: *out is a model that close_model() frees. options, of the size that they say,
 * may be older than ours; NULL: defaults. */
alcore_status open_folder(void *user, const char *path, const alcore_sys_model_options *options,
                          alcore_sys_model **out) {
    *out = nullptr;
    return alcore_torch::guard(user, at::kCPU, Mode::Build, [&] {
        alcore_sys_model_options settings{};
        if (options != nullptr)
            std::memcpy(&settings, options, std::min(options->size, sizeof settings));
        auto model = std::make_unique<alcore_sys_model>();
        static_cast<Model &>(*model) = std::move(*build_model({library(), user}, path, settings));
        model->kernels = find_kernels(*model, settings);
        describe(*model);
        *out = model.release();
    });
}

void close_model(alcore_sys_model *model) {
    delete model;
}

/* info of the table: fills as much of *out as the caller's struct has; strings are the model's. */
alcore_status info(alcore_sys_model *model, alcore_sys_model_info *out) {
    alcore_sys_model_info all{};
    all.size = std::min(out->size, sizeof all);
    all.calls = calls_of(*model);
    all.takes_tokens = 1;
    all.dims = model->embedding_dims;
    all.classes = model->classes;
    all.max_tokens = model->max_tokens;
    all.vocabulary = model->encoder.words.size(0);
    all.family = model->family.c_str();
    all.device = model->device_name.c_str();
    all.version = model->version.c_str();
    all.json = model->json.c_str();
    all.labels = model->labels.empty() ? nullptr : model->labels.data();
    all.class_values = static_cast<int32_t>(model->class_values);
    std::memcpy(out, &all, all.size);
    return ALCORE_OK;
}

/* train of the table. *out, of the size that it says, is filled also after a failure. describe()
 * makes the version anew, as it contains the hash of the weights; a model that kept the version of
 * other weights would be taken for these. */
alcore_status train(alcore_sys_model *model, const alcore_sys_model_training *training,
                    alcore_sys_model_trained *out) {
    alcore_sys_model_training settings{};
    std::memcpy(&settings, training, std::min(training->size, sizeof settings));
    alcore_sys_model_trained done{};
    const alcore_status trained = guard(
        model, [&] { train_model(*model, settings, done); }, Mode::Train);
    const alcore_status described = guard(
        model, [&] { describe(*model); }, Mode::Build);
    if (out != nullptr) {
        done.size = std::min(out->size, sizeof done);
        std::memcpy(out, &done, done.size);
    }
    return trained != ALCORE_OK ? trained : described;
}

/* save of the table. */
alcore_status save(alcore_sys_model *model, const char *path) {
    return guard(
        model, [&] { save_model(*model, path); }, Mode::Build);
}

const alcore_sys_model_engine engine = {
    sizeof engine,  ALCORE_SYS_ABI, 0,           "torch-" BUILT_FOR,
    open_folder,    close_model,    info,        embed,
    token_logprobs, class_probs,    token_probs, qa_probs,
    mlm_losses,     translate,      train,       save};

} // namespace

/* Refuses a host that lacks what the module needs and a libtorch of another release than the
 * headers: the C++ interface of torch changes with every minor release. libtorch's version has the
 * major number in its highest byte and the minor one in the next. */
extern "C" ALCORE_API alcore_status alcore_torch_entry(uint32_t abi, const alcore_sys_host *host,
                                                       const alcore_sys_model_engine **out) {
    *out = nullptr;
    set_library(host);
    char text[300];
    if (abi != ALCORE_SYS_ABI || !ALCORE_STRUCT_HAS(host, folder_make)) {
        std::snprintf(text, sizeof text,
                      "the torch module is of ABI %u, the library of %u; take both "
                      "from one release",
                      ALCORE_SYS_ABI, abi);
        return report(ALCORE_E_UNSUPPORTED, text);
    }
    uint64_t version = aoti_torch_abi_version();
    unsigned major = static_cast<unsigned>(version >> 56), minor = (version >> 48) & 255;
    if (major != TORCH_VERSION_MAJOR || minor != TORCH_VERSION_MINOR) {
        std::snprintf(text, sizeof text,
                      "the module is built for torch " BUILT_FOR
                      ", the libtorch of this process is %u.%u",
                      major, minor);
        return report(ALCORE_E_UNSUPPORTED, text);
    }
    *out = &engine;
    return ALCORE_OK;
}
