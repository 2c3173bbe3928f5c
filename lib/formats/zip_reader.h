/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a ZIP file, one at a time, decompressed by zlib: what office programs write. Nothing
 * is unpacked to the disk.
 *
 * Every size of the file is checked against its length before anything is read by it, and a file
 * may give out 64 MiB and 64 times its length in all, so that a bomb is an error. Encrypted members
 * and ZIP64 are ALCORE_E_UNSUPPORTED. Built where zlib is (ALCORE_HAVE_ZLIB). */
#ifndef ALCORE__ZIP_READER_H
#define ALCORE__ZIP_READER_H

#include "base/base.h"

typedef struct alcore__zip alcore__zip;

/* Reads the list of members. ALCORE_E_DATA: it is no ZIP file, or a damaged one. */
alcore_status alcore__zip_open(alcore_ctx *ctx, const char *path, alcore__zip **out);
/* Begins a member. ALCORE_E_NOT_FOUND, without a text: there is none of that name. */
alcore_status alcore__zip_begin(alcore__zip *zip, const char *name);
/* Reads up to `bytes` bytes of the member; *out_bytes 0: it has ended, and its length and checksum
 * are those that the list says. An alcore__xml_source. */
alcore_status alcore__zip_read(void *zip, void *data, size_t bytes, size_t *out_bytes);
void alcore__zip_close(alcore__zip *zip); /* NULL-safe */

#endif
