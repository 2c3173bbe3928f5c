/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What the library gives to a loadable module. Modules link nothing of libalcore: everything they
 * need comes through this table, so an error raised inside a module reaches the caller's thread and
 * a program linked with the static library has one core. System tier: stable within a minor
 * release. */
#ifndef ALCORE_SYS_HOST_H
#define ALCORE_SYS_HOST_H

#include "alcore/status.h"

ALCORE_BEGIN

/** ABI number of the system tier, passed to every module's entry point. */
#define ALCORE_SYS_ABI 2u

/** A file of the context's file table, open for reading. */
typedef struct alcore_sys_file alcore_sys_file;
/** A file being written. */
typedef struct alcore_sys_writer alcore_sys_writer;

/** The library's services to a module. The functions are valid until the process ends, a `user`
 * argument at least during the call that it was given in. */
typedef struct alcore_sys_host {
    size_t size; /**< sizeof(alcore_sys_host) of the library that loads */
    /** Allocates from the context's allocator; NULL when out of memory. */
    void *(*allocate)(void *user, size_t bytes);
    /** Frees a block that was allocated with that many bytes; memory is never NULL. */
    void (*release)(void *user, void *memory, size_t bytes);
    /** Writes one line to the context's log; level: ALCORE_LOG_*. */
    void (*log)(void *user, int32_t level, const char *component, const char *message);
    /** Sets the error text of the calling thread, as alcore_error_set(). */
    alcore_status (*set_error)(alcore_status status, const char *text, size_t length);
    /** Nonzero when the running call is to end with ALCORE_E_CANCELLED. */
    int32_t (*poll_cancel)(void *user);
    /** Runs task(data, i, worker) for i = 0..count-1 on the context's threads. Returns the status
     * of the lowest index that failed. */
    alcore_status (*parallel_for)(void *user, const char *stage, int64_t count,
                                  alcore_status (*task)(void *data, int64_t index, int32_t worker),
                                  void *data);
    /** The largest number of threads that parallel_for() uses; a module that makes threads itself
     * makes no more than that. */
    int32_t (*threads)(void *user);
    /** Reports the progress of a call, done of total units (-1: unknown), and returns
     * ALCORE_E_CANCELLED when the call has to end, else ALCORE_OK. A module calls it at least every
     * 100 ms, on the thread that entered the call. stage: static text, such as "embedding". */
    alcore_status (*progress)(void *user, const char *stage, int64_t done, int64_t total);
    /** Opens a file for reading through the context's file table; *out is NULL on failure. Error
     * texts name the path. */
    alcore_status (*file_open)(void *user, const char *path, alcore_sys_file **out);
    /** Sets *out to the length of the file in bytes; -1 when it is not known. */
    alcore_status (*file_length)(alcore_sys_file *file, int64_t *out);
    /** Reads exactly `bytes` bytes at offset; ALCORE_E_DATA where the file ends before. May be
     * called from any thread. */
    alcore_status (*file_read)(alcore_sys_file *file, int64_t offset, void *data, size_t bytes);
    /** Closes the file; NULL is allowed. */
    void (*file_close)(alcore_sys_file *file);
    /** Begins a file that appears under its path whole or not at all; *out is NULL on failure. */
    alcore_status (*writer_open)(void *user, const char *path, alcore_sys_writer **out);
    /** Appends bytes. */
    alcore_status (*writer_put)(alcore_sys_writer *writer, const void *data, size_t bytes);
    /** Makes the file appear under its path and frees the writer, also after a failure. */
    alcore_status (*writer_commit)(alcore_sys_writer *writer);
    /** Discards the file and frees the writer. NULL is allowed. */
    void (*writer_abort)(alcore_sys_writer *writer);
    /** Makes a folder where there is none; the one that it is in must exist. */
    alcore_status (*folder_make)(void *user, const char *path);
} alcore_sys_host;

ALCORE_END

#endif
