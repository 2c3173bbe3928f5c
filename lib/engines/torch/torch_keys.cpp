/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON file, read strictly. */
#include <cmath>
#include <cstdlib>

#include "torch_keys.h"

namespace alcore_torch {

json_t *Keys::find(const char *key) const {
    json_t *value = json_object_get(object_.get(), key);
    return json_is_null(value) ? nullptr : value;
}

/* The value as it stands in the file, cut to a length that fits into a message. */
static std::string written(json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    std::string out = text == nullptr ? "?" : text;
    std::free(text);
    return out.size() > 60 ? out.substr(0, 57) + "..." : out;
}

void Keys::refuse(const char *key, const char *expected, alcore_status status) const {
    json_t *value = json_object_get(object_.get(), key);
    if (value == nullptr) fail(status, "%s: %s is missing; it is %s", path_.c_str(), key, expected);
    fail(status, "%s: %s is %s; it is %s", path_.c_str(), key, written(value).c_str(), expected);
}

int64_t Keys::integer(const char *key, int64_t otherwise) const {
    json_t *value = find(key);
    if (value == nullptr) return otherwise;
    if (!json_is_integer(value)) refuse(key, "an integer");
    return json_integer_value(value);
}

double Keys::real(const char *key, double otherwise) const {
    json_t *value = find(key);
    if (value == nullptr) return otherwise;
    if (!json_is_number(value) || !std::isfinite(json_number_value(value)))
        refuse(key, "a finite number");
    return json_number_value(value);
}

bool Keys::flag(const char *key, bool otherwise) const {
    json_t *value = find(key);
    if (value == nullptr) return otherwise;
    if (!json_is_boolean(value)) refuse(key, "true or false");
    return json_is_true(value);
}

std::string Keys::text(const char *key, const char *otherwise) const {
    json_t *value = find(key);
    if (value == nullptr) return otherwise;
    if (!json_is_string(value)) refuse(key, "a text");
    return json_string_value(value);
}

std::vector<int64_t> Keys::ids_of(json_t *list, const char *what, int64_t end) const {
    std::vector<int64_t> out;
    bool one = json_is_integer(list);
    if (!one && !json_is_array(list)) refuse(what, "a token id or a list of them");
    for (size_t i = 0; i < (one ? 1 : json_array_size(list)); i++) {
        json_t *value = one ? list : json_array_get(list, i);
        if (!json_is_integer(value)) refuse(what, "a token id or a list of them");
        int64_t id = json_integer_value(value);
        if (id < 0 || id >= end)
            fail(ALCORE_E_DATA, "%s: %s has the token %lld; the vocabulary has 0 to %lld",
                 path_.c_str(), what, static_cast<long long>(id), static_cast<long long>(end - 1));
        out.push_back(id);
    }
    return out;
}

std::vector<int64_t> Keys::ids(const char *key, int64_t end) const {
    json_t *value = find(key);
    return value == nullptr ? std::vector<int64_t>() : ids_of(value, key, end);
}

} // namespace alcore_torch
