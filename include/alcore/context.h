/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The context: allocator, log, progress, cancellation, threads, seed and files of everything made
 * from it. There is no process-wide state: two contexts in one process know nothing of each other.
 */
#ifndef ALCORE_CONTEXT_H
#define ALCORE_CONTEXT_H

#include "alcore/status.h"

ALCORE_BEGIN

/** A context. Made by alcore_ctx_new(); every other handle keeps a reference to its context. */
typedef struct alcore_ctx alcore_ctx;

/** Memory functions. Must be thread-safe; may be called from any thread. All three or none are
 * given. */
typedef struct alcore_allocator {
    size_t size; /**< sizeof(alcore_allocator) */
    void *user;  /**< passed back to every function */
    /** Returns bytes of memory aligned for any object type, or NULL. bytes is never 0. */
    void *(*allocate)(void *user, size_t bytes);
    /** Grows or shrinks; the old block stays valid when NULL is returned. */
    void *(*reallocate)(void *user, void *memory, size_t old_bytes, size_t new_bytes);
    /** Gives back a block of that many bytes. memory is never NULL. */
    void (*release)(void *user, void *memory, size_t bytes);
} alcore_allocator;
#define ALCORE_ALLOCATOR_INIT ALCORE_INIT(alcore_allocator)

/** Levels of a log line. */
enum { ALCORE_LOG_DEBUG = 10, ALCORE_LOG_INFO = 20, ALCORE_LOG_WARN = 30, ALCORE_LOG_ERROR = 40 };

/** Receives one log line. Runs on the thread that entered the call. Silent by default.
 * @param user the pointer of alcore_ctx_options
 * @param level ALCORE_LOG_*
 * @param component "pool", "strategy", ... borrowed
 * @param message one line, UTF-8, without newline, borrowed
 * @param fields a JSON object with the facts of the message, or NULL, borrowed */
typedef void (*alcore_log_function)(void *user, int32_t level, const char *component,
                                    const char *message, const char *fields);

/** Receives progress, at most 10 times a second and at least every 100 ms of a call that lasts
 * longer. Runs on the thread that entered the call.
 * @param stage what is being done, such as "reading", borrowed
 * @param done units done @param total units in all, -1 when unknown
 * @return 0 to go on; anything else cancels the call (ALCORE_E_CANCELLED) */
typedef int32_t (*alcore_progress_function)(void *user, const char *stage, int64_t done,
                                            int64_t total);

/** How alcore_files.open is asked to open. */
enum {
    ALCORE_FILE_READ = 1,  /**< an existing file, for reading */
    ALCORE_FILE_CREATE = 2 /**< a new file, for writing; ALCORE_E_BUSY when the path exists */
};

/** Virtual files: every file the library touches goes through this table. Functions must be
 * thread-safe and may be called from any thread; a function reports a failure by a negative status,
 * best with alcore_error_set(). Missing functions (NULL) mean unsupported. */
typedef struct alcore_files {
    size_t size;                 /**< sizeof(alcore_files) */
    void *user;                  /**< passed back to every function */
    void (*destroy)(void *user); /**< called once, when the context goes; may be NULL */
    /** Opens path (mode ALCORE_FILE_*); *out_file is then passed to the others. */
    alcore_status (*open)(void *user, const char *path, int32_t mode, void **out_file);
    /** Reads up to bytes at offset; *out_bytes = 0 at the end of the file. Streams that cannot seek
     * are read with rising offsets only. */
    alcore_status (*read)(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                          size_t *out_bytes);
    /** Appends all the bytes or fails. */
    alcore_status (*write)(void *user, void *file, const void *data, size_t bytes);
    /** Length in bytes; -1 for a stream without one. */
    alcore_status (*length)(void *user, void *file, int64_t *out_bytes);
    /** Brings what was written to the disk. */
    alcore_status (*sync)(void *user, void *file);
    /** Closes; the file pointer is gone afterwards, also on failure. */
    alcore_status (*close)(void *user, void *file);
    /** Renames within one folder, replacing the target at once. */
    alcore_status (*rename)(void *user, const char *from, const char *to);
    /** Removes a file. */
    alcore_status (*remove)(void *user, const char *path);
} alcore_files;
#define ALCORE_FILES_INIT ALCORE_INIT(alcore_files)

/** Settings of a context. Zero means default everywhere. */
typedef struct alcore_ctx_options {
    size_t size;                       /**< sizeof(alcore_ctx_options) */
    const alcore_allocator *allocator; /**< copied; NULL: malloc */
    const alcore_files *files;         /**< copied; NULL: the file system */
    alcore_log_function log;           /**< NULL: silent */
    alcore_progress_function progress; /**< NULL: none */
    void *user;                        /**< passed to log and progress */
    const char
        *module_dir;  /**< copied; where modules are looked for first; NULL: the usual places */
    uint64_t seed;    /**< default seed of requests made from this context */
    int32_t threads;  /**< worker threads, 0 to 4096; 0: the cores of the affinity mask */
    int32_t reserved; /**< 0 */
} alcore_ctx_options;
#define ALCORE_CTX_OPTIONS_INIT ALCORE_INIT(alcore_ctx_options)

/** What ALCORE_CTX_OPTIONS_INIT does, for languages without macros.
 * @param[out] options filled within size bytes @param[in] size sizeof the caller's struct
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_STRUCT_SIZE */
ALCORE_API alcore_status alcore_ctx_options_init(alcore_ctx_options *options, size_t size);

/** Makes a context.
 * @param[in] options borrowed; NULL for all defaults
 * @param[out] out owned by the caller; NULL on failure
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOMEM, ALCORE_E_INVALID, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_ctx_new(const alcore_ctx_options *options, alcore_ctx **out);

/** Takes another reference. @threadsafe @since 0.1 @return ctx itself; NULL for NULL */
ALCORE_API alcore_ctx *alcore_ctx_ref(alcore_ctx *ctx);

/** Drops a reference; the last one releases the context. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_ctx_unref(alcore_ctx *ctx);

/** Cancels: every call that runs on this context, and every later one, ends with ALCORE_E_CANCELLED
 * within 100 ms, until alcore_ctx_cancel_clear(). Safe from any thread and from a signal handler.
 * @threadsafe async-signal-safe @since 0.1 */
ALCORE_API void alcore_ctx_cancel(alcore_ctx *ctx);

/** Lets calls run again after alcore_ctx_cancel(). @threadsafe @since 0.1 */
ALCORE_API void alcore_ctx_cancel_clear(alcore_ctx *ctx);

/** Worker threads of this context: what was asked for, or the cores of the affinity mask.
 * @threadsafe @since 0.1 */
ALCORE_API int32_t alcore_ctx_threads(const alcore_ctx *ctx);

/** Names of devices this build knows, one a call: "cpu", "cuda".
 * @param[in] index from 0 @threadsafe @since 0.1 @return a static string; NULL past the last */
ALCORE_API const char *alcore_device_name(int32_t index);

/** Whether a device can be used, loading its module on first use.
 * @param[in] ctx borrowed @param[in] device "cpu" or "cuda" @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_UNSUPPORTED, ALCORE_E_MODULE */
ALCORE_API alcore_status alcore_device_check(alcore_ctx *ctx, const char *device);

/** Why a device cannot be used, with the places where its module was looked for; "" when it can.
 * @param[in] ctx borrowed @param[in] device "cpu" or "cuda" @threadsafe @since 0.1
 * @return a view, valid until ctx is released, never NULL */
ALCORE_API const char *alcore_device_reason(alcore_ctx *ctx, const char *device);

ALCORE_END

#endif
