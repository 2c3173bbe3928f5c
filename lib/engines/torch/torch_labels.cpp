/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the classes of a classifier: id2label of config.json, an object whose keys are the
 * numbers of the classes as texts, "0", "1" and so on. transformers writes LABEL_0, LABEL_1 where a
 * model was given no names. */
#include "torch_parts.h"

namespace alcore_torch {

/* Sets model.labels to views of the configuration's strings, or leaves it empty where there is no
 * id2label. Throws where a class of the head has no name, or where there are more names. */
void read_labels(Model &model, const std::string &folder) {
    json_t *names = json_object_get(model.config.get(), "id2label");
    if (names == nullptr || json_is_null(names)) return;
    /* Those of the base of an adapter are not of the head that came with the adapter. */
    if (!model.architecture.empty() &&
        json_object_size(names) != static_cast<size_t>(model.classes))
        return;
    for (int64_t k = 0; k < model.classes; k++) {
        json_t *name = json_object_get(names, std::to_string(k).c_str());
        if (!json_is_string(name))
            fail(ALCORE_E_DATA,
                 "%s/config.json: id2label names no class \"%lld\"; the head has %lld classes",
                 folder.c_str(), static_cast<long long>(k), static_cast<long long>(model.classes));
        model.labels.push_back(json_string_value(name));
    }
    if (json_object_size(names) != model.labels.size())
        fail(ALCORE_E_DATA, "%s/config.json: id2label has %zu names; the head has %lld classes",
             folder.c_str(), json_object_size(names), static_cast<long long>(model.classes));
}

} // namespace alcore_torch
