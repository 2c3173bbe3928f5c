/* SPDX-License-Identifier: Apache-2.0 */
/* The one grammar of numbers (lib/base/number.h), for which the library exports no function: it is
 * compiled once more into the module, hidden also where LuaRocks builds it, which has no option
 * that says so. The headers of the system come first, as their functions are not to be hidden. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#pragma GCC visibility push(hidden)
#include "base/number.c"
#pragma GCC visibility pop
