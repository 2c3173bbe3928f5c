/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning a struct of either tier by its name. The rows are made from the headers
 * (bindings/gen/generate.py). */
#include "alcore/extra.h"
#include "select/struct_images.h"

static const alcore__struct_image extra_struct_images[] = {
#include "extra/structs/extra_struct_rows.h"
    {NULL, 0, NULL}};

alcore_status alcore_extra_struct_begin(void *any_struct, size_t size, const char *name) {
    const alcore__struct_image *const tables[] = {extra_struct_images, alcore__struct_images};
    return alcore__struct_begin(any_struct, size, name, tables, 2);
}
