/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a JSON file of a folder, read strictly: a value of another type than the one that
 * is asked for is an error that names the file and the key, never the default. */
#ifndef ALCORE__TORCH_KEYS_H
#define ALCORE__TORCH_KEYS_H

#include <optional>

#include "torch_parts.h"

namespace alcore_torch {

class Keys {
  public:
    /* object: that of the file at path, or NULL where there is no such file, which has no keys. */
    Keys(Json object, std::string path) : object_(std::move(object)), path_(std::move(path)) {}
    /* The value of a key; NULL where it is absent or null. Valid as long as the object. */
    json_t *find(const char *key) const;
    bool has(const char *key) const { return find(key) != nullptr; }
    /* The value of a key, or `otherwise` where it is absent or null. A real number may be written
     * as an integer, an integer only as one. */
    int64_t integer(const char *key, int64_t otherwise) const;
    double real(const char *key, double otherwise) const;
    bool flag(const char *key, bool otherwise) const;
    std::string text(const char *key, const char *otherwise) const;
    /* An integer or a list of integers, each 0 to `end` - 1, such as ids of tokens; empty where the
     * key is absent or null. */
    std::vector<int64_t> ids(const char *key, int64_t end) const;
    /* The elements of a list as ids(); what: for messages, such as "bad_words_ids". */
    std::vector<int64_t> ids_of(json_t *list, const char *what, int64_t end) const;
    /* Fails: PATH: KEY is VALUE; `expected`. */
    [[noreturn]] void refuse(const char *key, const char *expected,
                             alcore_status status = ALCORE_E_DATA) const;
    const std::string &path() const { return path_; }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    Json object_;
    std::string path_;
};

} // namespace alcore_torch

#endif
