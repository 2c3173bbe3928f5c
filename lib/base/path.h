/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders of the file system as a whole: whether something is there, how it appears and
 * goes, and locks between processes. A host's file table has no part in it.
 *
 * A lock is flock() on a file that stays: the kernel drops it when the process ends, however that
 * happens, and no file that is removed and made again can be locked twice. */
#ifndef ALCORE__PATH_H
#define ALCORE__PATH_H

#include "base/base.h"

bool alcore__path_exists(const char *path);
/* Brings a file, or a folder with all that is in it, to the disk and gives it the name, a path with
 * a slash. */
alcore_status alcore__path_appear(alcore_ctx *ctx, const char *temporary, const char *path);
/* Brings the names in the folder of a path, which has a slash, to the disk. */
alcore_status alcore__path_sync_name(alcore_ctx *ctx, const char *path);
/* Removes a file, or a folder with all that is in it; returns the bytes of the files that went. */
int64_t alcore__path_remove(const char *path);
/* Takes the lock file at path, which is made where there is none and stays for ever. wait false:
 * *out is -1 where another process has it. The lock goes when the descriptor is closed, or its
 * process ends. */
alcore_status alcore__path_lock(alcore_ctx *ctx, const char *path, bool wait, int *out);
/* Reads a file of at most `most` bytes, whatever its length is said to be, NUL-terminated. */
alcore_status alcore__read_text(alcore_ctx *ctx, const char *path, size_t most,
                                alcore__buffer *out);

#endif
