/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The context: allocator, log, progress, cancellation, threads, seed and files of everything made
 * from it. There is no process-wide state: two contexts in one process share nothing.
 */
#ifndef ALCORE_CONTEXT_H
#define ALCORE_CONTEXT_H

#include "alcore/status.h"

ALCORE_BEGIN

/** A context. Made by alcore_ctx_new(); every other handle keeps a reference to its context. */
typedef struct alcore_ctx alcore_ctx;

/** Memory functions. Must be thread-safe; may be called from any thread. All three are given. */
typedef struct alcore_allocator {
    size_t size; /**< sizeof(alcore_allocator) */
    void *user;  /**< passed back to every function */
    /** Returns bytes of memory aligned for any object type, or NULL. bytes is never 0. */
    void *(*allocate)(void *user, size_t bytes);
    /** Grows or shrinks a block of old_bytes; the old block stays valid when NULL is returned.
     * memory is never NULL, new_bytes is never 0. */
    void *(*reallocate)(void *user, void *memory, size_t old_bytes, size_t new_bytes);
    /** Frees a block that was allocated with that many bytes. memory is never NULL. */
    void (*release)(void *user, void *memory, size_t bytes);
} alcore_allocator;
/** An alcore_allocator with its size set and everything else 0. */
#define ALCORE_ALLOCATOR_INIT ALCORE_INIT(alcore_allocator)

/** Levels of a log line. */
enum alcore_log_level {
    ALCORE_LOG_DEBUG = 10, /**< what helps to find a defect */
    ALCORE_LOG_INFO = 20,  /**< what was done */
    ALCORE_LOG_WARN = 30,  /**< input was read in a way that the caller may not expect */
    ALCORE_LOG_ERROR = 40  /**< a failure that no status reports */
};

/** Receives one log line. Runs on the thread that entered the call; lines of workers are queued for
 * it, and those of a thread outside of calls, such as one of a module, for the next call of any
 * kind. Silent by default.
 * @param[in] user log_user of alcore_ctx_options
 * @param[in] level ALCORE_LOG_*
 * @param[in] component borrowed: "pool", "strategy", ...
 * @param[in] message borrowed: one line, without newline; UTF-8, but for the names of files, which
 *   are as the system has them
 * @param[in] fields borrowed: a JSON object with the facts of the message; NULL: none
 * @since 1.0 */
typedef void (*alcore_log_function)(void *user, int32_t level, const char *component,
                                    const char *message, const char *fields);

/** Releases what the user pointer of a callback points to. Called once, not in a forked child.
 * @param[in] user the pointer
 * @since 1.0 */
typedef void (*alcore_destroy_function)(void *user);

/** Receives progress, of a context or of a request (alcore_request_set_progress()), about every
 * 100 ms of a call that lasts longer, and at most 10 times a second. Runs on the thread that
 * entered the call.
 * @param[in] user progress_user of alcore_ctx_options, or the user of the request
 * @param[in] stage borrowed: what is being done, such as "reading"
 * @param[in] done units done
 * @param[in] total units in all; -1 when unknown
 * @return 0 to go on; anything else ends this call (ALCORE_E_CANCELLED), one that saves too, and no
 * other call: the context is not cancelled
 * @since 1.0 */
typedef int32_t (*alcore_progress_function)(void *user, const char *stage, int64_t done,
                                            int64_t total);

/** How alcore_files.open is asked to open. */
enum alcore_file_mode {
    ALCORE_FILE_READ = 301, /**< an existing file, for reading */
    /** A new file, for writing. open answers ALCORE_E_EXISTS for a path that exists and leaves the
     * file as it is; the library then tries another name. */
    ALCORE_FILE_CREATE = 302
};

/** Virtual files: what the library reads and writes under a path goes through this table. Beside it
 * stay modules and the libraries that they need, the process that trains a vocabulary, and what the
 * table has no function for: with functions of the host no folder is made or listed (a cache finds
 * its folder made), and what depends on the age of a file is ALCORE_E_UNSUPPORTED.
 *
 * Functions must be thread-safe and may be called from any thread; a function reports a failure by
 * a negative status, best with alcore_error_set(). Reading needs open, read and close, writing
 * open, write, close and rename; where one of them is NULL the call is ALCORE_E_UNSUPPORTED.
 * length, sync and remove may be NULL: a length is not known then, and nothing is synced or
 * removed.
 *
 * A result is created beside its target (PATH.alcore-NUMBERS, of a long name its first 200 bytes),
 * written, synced, closed and renamed over the target; it is removed when that fails. The path "-"
 * is standard input when read and standard output when created; it is never renamed or removed. */
typedef struct alcore_files {
    size_t size;                 /**< sizeof(alcore_files) */
    void *user;                  /**< passed back to every function */
    void (*destroy)(void *user); /**< called once, when the context is released; may be NULL */
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
    /** Waits until what was written is on the disk. */
    alcore_status (*sync)(void *user, void *file);
    /** Closes the file; the file pointer is invalid afterwards, also on failure. */
    alcore_status (*close)(void *user, void *file);
    /** Renames within one folder, replacing the target at once. */
    alcore_status (*rename)(void *user, const char *from, const char *to);
    /** Removes a file. */
    alcore_status (*remove)(void *user, const char *path);
} alcore_files;
/** An alcore_files with its size set and everything else 0. */
#define ALCORE_FILES_INIT ALCORE_INIT(alcore_files)

/** Settings of a context. Zero means default everywhere. */
typedef struct alcore_ctx_options {
    size_t size;                       /**< sizeof(alcore_ctx_options) */
    const alcore_allocator *allocator; /**< kept: copied; NULL: malloc */
    const alcore_files *files;         /**< kept: copied; NULL: the file system */
    alcore_log_function log;           /**< NULL: silent */
    void *log_user;                    /**< passed to log */
    /** Called once with log_user when the context is released; may be NULL */
    void (*log_destroy)(void *log_user);
    alcore_progress_function progress; /**< NULL: none */
    void *progress_user;               /**< passed to progress */
    /** Called once with progress_user when the context is released; may be NULL */
    void (*progress_destroy)(void *progress_user);
    /** Kept: copied. Folder in which modules are looked for first, before the folder that the
     * environment variable ALCORE_MODULE_DIR names (not in a set-user-id program) and the folder of
     * libalcore. NULL: only these two. */
    const char *module_dir;
    uint64_t seed;    /**< default seed of requests made from this context */
    int32_t threads;  /**< worker threads, 0 to 4096; 0: the cores of the affinity mask */
    int32_t reserved; /**< pads: 0, checked */
    /** Kept: copied. Folder with libtorch (libtorch_cpu.so and libc10.so), such as
     * .../site-packages/torch/lib, on which Hugging Face models run where the process has loaded
     * none. NULL: the folder that the environment variable ALCORE_TORCH_LIBDIR names (not in a
     * set-user-id program), else what the engine finds. */
    const char *torch_dir;
} alcore_ctx_options;
/** An alcore_ctx_options with its size set and everything else 0. */
#define ALCORE_CTX_OPTIONS_INIT ALCORE_INIT(alcore_ctx_options)

/** Makes a context. The three destroy functions that options may have (of files, log and progress)
 * are called by the context only if this call returned ALCORE_OK: after a failure none is called,
 * and the caller still owns what their user pointers point to.
 * @param[in] options borrowed; NULL: all defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (threads out of range, an allocator without one
 * of its functions), ALCORE_E_NOMEM, ALCORE_E_STRUCT_*
 * @threadsafe @callback allocator
 * @since 1.0 */
ALCORE_API alcore_status alcore_ctx_new(const alcore_ctx_options *options, alcore_ctx **out);

/** Takes another reference.
 * @param[in] ctx the context; NULL is allowed
 * @return owned: ctx itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_ctx *alcore_ctx_ref(alcore_ctx *ctx);

/** Drops a reference; the last one ends the workers and releases the context.
 * @param[in] ctx the caller's reference; NULL is allowed
 * @threadsafe
 * @callback allocator; destroy of the files, log_destroy, progress_destroy (not in a forked child)
 * @since 1.0 */
ALCORE_API void alcore_ctx_unref(alcore_ctx *ctx);

/** Cancels the long calls of the context, which compute, read or train: their comments name
 * ALCORE_E_CANCELLED without "(by progress)". Those that run and those that come later end with
 * ALCORE_E_CANCELLED within 100 ms, until alcore_ctx_cancel_clear():
 *
 * - A cancel between two calls is not lost: it is sticky.
 * - A cancel while a call runs ends that call even where it is cleared meanwhile. Only a call that
 *   has done its work may still return it; alcore_select() never does.
 * - All other calls, which make a handle, set something, ask for something or save, are neither
 *   refused nor ended: after a Ctrl-C a program can save what is there without clearing first. Some
 *   may take long, such as writing a file: they report progress, and its answer alone ends them.
 *
 * A host's own function that is running first has to return; see alcore_ctx_poll().
 * alcore_request_cancel() does the same for the calls of one request.
 * @param[in] ctx borrowed; NULL is allowed
 * @threadsafe Async-signal-safe.
 * @since 1.0 */
ALCORE_API void alcore_ctx_cancel(alcore_ctx *ctx);

/** Lets long calls run again: forgets the cancels that were made before. A call that they have
 * reached ends all the same, and a cancel that comes at the same time is either forgotten or stays.
 * @param[in] ctx borrowed; NULL is allowed
 * @threadsafe Async-signal-safe.
 * @since 1.0 */
ALCORE_API void alcore_ctx_cancel_clear(alcore_ctx *ctx);

/** Whether to stop. In a callback: whether the call that called back is to end, because its context
 * or its request was cancelled or its progress function said so. On any other thread, and outside
 * of callbacks: whether the context is cancelled, so that long calls would be refused.
 * @param[in] ctx borrowed; NULL is allowed
 * @return 1 or 0; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int32_t alcore_ctx_is_cancelled(const alcore_ctx *ctx);

/** Says in a callback how far it is and asks whether to go on. A host's function that runs for more
 * than 100 ms, such as one of a model, calls it that often, on the thread that it was called on,
 * and returns what it returns unless that is ALCORE_OK. Calls progress when it is due. On any other
 * thread, and outside of callbacks, it only asks.
 * @param[in] ctx borrowed: that of the call
 * @param[in] stage borrowed: what is being done, such as "embedding"; NULL: what the library said
 *   last, and done and total are not read
 * @param[in] done units done
 * @param[in] total units in all; -1 when unknown
 * @return ALCORE_OK, ALCORE_E_INVALID (ctx is NULL), ALCORE_E_CANCELLED (alcore_ctx_is_cancelled())
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_ctx_poll(alcore_ctx *ctx, const char *stage, int64_t done,
                                         int64_t total);

/** Worker threads of this context: what was asked for, or the cores of the affinity mask.
 * @param[in] ctx borrowed
 * @return 1 or more; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int32_t alcore_ctx_threads(const alcore_ctx *ctx);

/** Names of devices this library knows, one a call: "cpu", "cuda". Knowing one does not mean that
 * it can be used: see alcore_device_check().
 * @param[in] index from 0
 * @return a view, valid for ever; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_device_builtin_name(int64_t index);

/** Whether a device can be used, loading its module on first use. The error text of a failure says
 * why not, and names every place where the module was looked for.
 * @param[in] ctx borrowed
 * @param[in] device borrowed: "cpu" or "cuda"
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (no such device), ALCORE_E_MODULE (no
 *   module for it could be loaded), ALCORE_E_NOMEM; or what the module said
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_device_check(alcore_ctx *ctx, const char *device);

ALCORE_END

#endif
