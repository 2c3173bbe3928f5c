/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an expression and names, separated by TABs, from two lines after another, and writes a line
 * with 1 for each name that the expression matches as a whole and 0 for each other one, or
 * "refused". For test_expressions.py. */
#include "torch_expression.h"

#include <iostream>
#include <sstream>

#include "torch_parts.h"

namespace alcore_torch {

/* In place of that of the module, which passes the text on to the library. */
void fail(alcore_status status, const char *format, ...) {
    throw Failure{status, format};
}

} // namespace alcore_torch

int main() {
    for (std::string text, names; std::getline(std::cin, text) && std::getline(std::cin, names);) {
        std::string out;
        try {
            const std::regex read = alcore_torch::expression_of(text, "", "");
            std::istringstream each(names);
            for (std::string name; std::getline(each, name, '\t');)
                out += std::regex_match(name, read) ? '1' : '0';
        } catch (const alcore_torch::Failure &) {
            out = "refused";
        }
        std::cout << out << "\n";
    }
    return 0;
}
