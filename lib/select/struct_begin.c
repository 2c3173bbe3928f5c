/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning a struct of the core by its name. It stands in the last room of the core, as it knows
 * the structs of all of them; the rows are made from the headers (bindings/gen/generate.py). */
#include "alcore/alcore.h"
#include "select/struct_images.h"

const alcore__struct_image alcore__struct_images[] = {
#include "select/struct_rows.h"
    {NULL, 0, NULL}};

alcore_status alcore_struct_begin(void *any_struct, size_t size, const char *name) {
    const alcore__struct_image *const tables[] = {alcore__struct_images};
    return alcore__struct_begin(any_struct, size, name, tables, 1);
}
