/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of Python's re in the syntax of std::regex (ECMAScript), which shares most of it, but
 * gives some of it another meaning: "\Z" is the letter Z there, "a*+" is (a*)+, "[]a]" is an empty
 * class before "a]", "[[:alpha:]]" a class by name. So each part is translated, and what std::regex
 * does not have, or not in this form, is refused: flags, lookbehind, atomic and conditional groups,
 * possessive repetitions, references to groups and characters by number. Names of modules have no
 * line breaks, at which "." and "$" would differ. */
#include "torch_expression.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <set>

#include "torch_parts.h"

namespace alcore_torch {

namespace {

/* Reads an expression from its beginning and writes it. nullopt of a part: it is not read here. */
class Translation {
  public:
    explicit Translation(const std::string &text) : text_(text) {}
    std::optional<std::string> run() {
        bool known = true;
        while (known && at_ < text_.size()) known = part();
        return known ? std::optional(out_) : std::nullopt;
    }

  private:
    char next(size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool starts(const char *word) const { return text_.compare(at_, strlen(word), word) == 0; }
    /* Writes `as` for the next `count` characters. */
    bool take(size_t count, const std::string &as) {
        out_ += as;
        at_ += count;
        return true;
    }
    /* Leaves out what is there up to a character and that one; whether it is there. */
    bool skip_past(char end) {
        const size_t found = text_.find(end, at_);
        at_ = found == std::string::npos ? text_.size() : found + 1;
        return found != std::string::npos;
    }

    bool part() {
        switch (next()) {
        case '\\':
            return escape(false);
        case '[':
            repeatable_ = true;
            return set();
        case '(':
            return group();
        case ')':
            repeatable_ = true;
            return take(1, ")");
        case '|':
            repeatable_ = false;
            return take(1, "|");
        case '^':
        case '$':
            repeatable_ = false;
            return take(1, text_.substr(at_, 1));
        case '*':
        case '+':
        case '?':
            return repetition(1, text_.substr(at_, 1));
        case '{':
            return counted();
        case ']':
        case '}':
            repeatable_ = true;
            return take(1, std::string("\\") + next());
        default:
            repeatable_ = true;
            return take(1, text_.substr(at_, 1));
        }
    }

    bool group() {
        if (starts("(?#")) return skip_past(')');
        repeatable_ = false;
        if (next(1) != '?') return take(1, "(");
        if (starts("(?:") || starts("(?=") || starts("(?!")) return take(3, text_.substr(at_, 3));
        return starts("(?P<") && named();
    }
    /* A group with a name; no two groups may have the same. */
    bool named() {
        const size_t from = at_ + strlen("(?P<");
        if (!skip_past('>')) return false;
        const std::string name = text_.substr(from, at_ - 1 - from);
        const bool is_name = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                             std::all_of(name.begin(), name.end(), [](unsigned char c) {
                                 return std::isalnum(c) || c == '_';
                             });
        return is_name && names_.insert(name).second && take(0, "(");
    }

    /* A repetition, whose sign has `count` characters, and the "?" behind it. A possessive one
     * ("a*+") is refused, as it looks like two repetitions. */
    bool repetition(size_t count, const std::string &as) {
        if (!repeatable_) return false;
        repeatable_ = false;
        take(count, as);
        return next() != '?' || take(1, "?");
    }
    /* Whether what follows is {m}, {m,}, {,n}, {,} or {m,n}; other braces are text. */
    bool is_counted() const {
        static const std::regex form("\\{(\\d+(,\\d*)?|,\\d*)\\}");
        return std::regex_search(text_.begin() + static_cast<long>(at_), text_.end(), form,
                                 std::regex_constants::match_continuous);
    }
    bool counted() {
        if (!is_counted()) {
            repeatable_ = true;
            return take(1, "\\{");
        }
        const size_t count = text_.find('}', at_) + 1 - at_;
        std::string as = text_.substr(at_, count);
        if (as[1] == ',') as.insert(1, "0");
        return repetition(count, as);
    }

    bool escape(bool in_set) {
        const char what = next(1);
        if (what == '\0') return false;
        repeatable_ = strchr("AZbB", what) == nullptr;
        if (!std::isalnum(static_cast<unsigned char>(what)))
            return take(2, std::string("\\") + what);
        if (strchr("dDwWsSnrtfv", what) != nullptr) return take(2, text_.substr(at_, 2));
        if (in_set) return false;
        if (what == 'A') return take(2, "^");
        if (what == 'Z') return take(2, "$");
        return (what == 'b' || what == 'B') && take(2, text_.substr(at_, 2));
    }

    /* A class of characters, in which "]" can be the first one. */
    bool set() {
        take(1, "[");
        if (next() == '^') take(1, "^");
        for (bool first = true; next() != ']' || first; first = false) {
            const char what = next();
            if (what == '\0') return false;
            if (what == '\\') {
                if (!escape(true)) return false;
            } else if (what == '[' || what == ']' || what == '^') {
                take(1, std::string("\\") + what);
            } else {
                take(1, text_.substr(at_, 1));
            }
        }
        return take(1, "]");
    }

    const std::string &text_;
    size_t at_ = 0;
    /* Whether what stands before, comments left out, can be repeated: an item, and neither the
     * beginning of a group or an alternative, nor a place such as "^", nor a repetition. */
    bool repeatable_ = false;
    std::set<std::string> names_;
    std::string out_;
};

} // namespace

std::regex expression_of(const std::string &text, const std::string &path, const char *key,
                         const char *before, const char *behind) {
    const std::optional<std::string> read = Translation(text).run();
    try {
        if (read) return std::regex(before + *read + behind);
    } catch (const std::regex_error &) {
    }
    fail(ALCORE_E_UNSUPPORTED, "%s: %s has '%s', which is no regular expression that is read here",
         path.c_str(), key, text.c_str());
}

} // namespace alcore_torch
