/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions of Python, as files of PEFT have them (torch_expression.cpp). */
#ifndef ALCORE__TORCH_EXPRESSION_H
#define ALCORE__TORCH_EXPRESSION_H

#include <regex>
#include <string>

namespace alcore_torch {

/* An expression that is compared with the whole name of a module, as re.fullmatch() does, between
 * what `before` and `behind` say in the syntax of C++. path, key: of the file and its member, for
 * the message of ALCORE_E_UNSUPPORTED where the expression has what is not read here. */
std::regex expression_of(const std::string &text, const std::string &path, const char *key,
                         const char *before = "", const char *behind = "");

} // namespace alcore_torch

#endif
