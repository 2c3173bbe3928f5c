/* SPDX-License-Identifier: Apache-2.0 */
/* What every other folder of lib/ may use: errors, memory, calls, threads, files, objects. */
#ifndef ALCORE__BASE_H
#define ALCORE__BASE_H

#include <locale.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alcore/context.h"
#include "alcore/status.h"
#include "alcore/sys/host.h"

/* ---- errors (error.c) ---- */

/* Bytes of an error text or a log line, its NUL included; longer ones are cut. */
#define ALCORE__TEXT_BYTES 1024

/* Sets the thread's error text and returns status, so that a function can end with
 * return alcore__fail(ALCORE_E_DATA, "%s:%lld: ...", path, line). */
alcore_status alcore__fail(alcore_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
alcore_status alcore__fail_v(alcore_status status, const char *format, va_list args);
/* Adds a remedy (alcore/remedy.h) to the error that was set just now and returns its status. kind:
 * ALCORE_REMEDY_*; the strings are static, value may be NULL. */
alcore_status alcore__fail_remedy(alcore_status status, int32_t kind, const char *name,
                                  const char *value, const char *effect);
/* The error of a failed allocation of that many bytes. */
alcore_status alcore__fail_memory(size_t bytes);
/* The error of a system call: what could not be done with the path, and the text of errno.
 * ALCORE_E_IO; ALCORE_E_NOMEM for ENOMEM (file_system.c). */
alcore_status alcore__fail_system(int error, const char *what, const char *path);
/* Puts "prefix: " before the present error text (a path before "line 3: ..."), whose remedy stays.
 * Returns status. */
alcore_status alcore__fail_within(alcore_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Replaces the first `temporary` in the error text by `path`, so that the name of a file of ours
 * does not reach the user in place of his. Returns status. */
alcore_status alcore__fail_renamed(alcore_status status, const char *temporary, const char *path);
/* A callback returned status (not 0): keeps its text, or writes "WHAT failed" when it set none for
 * this status. A positive number becomes the status that the callback gave to alcore_error_set(),
 * else ALCORE_E_CALLBACK. */
alcore_status alcore__fail_callback(alcore_status status, const char *what);
/* The one of names [count] with the smallest edit distance to text, for "did you mean"; NULL when
 * none is near (an edit or two for a short name). */
const char *alcore__nearest_name(const char *text, const char *const *names, size_t count);

/* vsnprintf() without the host's locale, cut at a code point; returns the full length as
 * vsnprintf() does. */
int alcore__format_v(char *out, size_t bytes, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
int alcore__format(char *out, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
locale_t alcore__c_locale(void); /* the C locale; not to be freed */

/* Leaves the function with the status when it is not ALCORE_OK. */
#define ALCORE__TRY(expression)                                                                    \
    do {                                                                                           \
        alcore_status alcore__status_ = (expression);                                              \
        if (alcore__status_ != ALCORE_OK) return alcore__status_;                                  \
    } while (0)

/* Goes to `label` with `status` set when it is not ALCORE_OK. */
#define ALCORE__TRY_GOTO(status, label, expression)                                                \
    do {                                                                                           \
        (status) = (expression);                                                                   \
        if ((status) != ALCORE_OK) goto label;                                                     \
    } while (0)

/* ---- calls (call.c) ---- */

/* Begins a public status call on ctx (may be NULL for calls without one) that sets, asks or saves:
 * no cancel refuses or ends it, only an answer of the progress function does. Clears the error text
 * when it is the outermost of this thread, and refuses a context of the parent process
 * (ALCORE_E_FORKED). Every enter that returned ALCORE_OK is paired with one leave. */
alcore_status alcore__enter(alcore_ctx *ctx);
/* The same of a long call, one that computes or reads: a cancel that was not cleared refuses it,
 * and one that comes while it runs ends it (ALCORE_E_CANCELLED). */
alcore_status alcore__enter_long(alcore_ctx *ctx);
/* The same of a long call that answers a request, which has cancels and progress of its own (NULL:
 * it has none). The request stays until the call is left. */
struct alcore__control;
alcore_status alcore__enter_request(alcore_ctx *ctx, const struct alcore__control *request);
/* Ends it; returns status, and clears the error text after a success. */
alcore_status alcore__leave(alcore_ctx *ctx, alcore_status status);
/* Called inside long loops. On the entering thread (the one that made the call) it drains queued
 * log lines, calls progress when it is due and polls cancellation; on a worker it only polls
 * cancellation. ALCORE_E_CANCELLED ends the loop. Cheap enough to be called every microsecond (it
 * reads a coarse clock). stage is a static string, done of total its progress (total -1: unknown);
 * NULL repeats what the thread said last. */
alcore_status alcore__tick(alcore_ctx *ctx, const char *stage, int64_t done, int64_t total);
/* From any thread: whether the running call is to stop. A call that is no long one, or is made in a
 * callback of one, stops only when the progress function says so. */
bool alcore__cancelled(const alcore_ctx *ctx);
/* Nanoseconds of a monotonic clock, a few milliseconds coarse. */
int64_t alcore__now_ns(void);
/* The error of a call that was cancelled: ALCORE_E_CANCELLED. */
alcore_status alcore__fail_cancelled(void);
/* Whether this process is a forked child of the one that made ctx: then release functions free
 * memory and call nothing of the host (no destroy, no close). */
bool alcore__forked(const alcore_ctx *ctx);

/* ---- size-first structs (struct_size.c) ---- */

/* Every public struct begins with its size in bytes, as the caller's header knows it. ours: a
 * struct of this library, full_size bytes. first_size: the size in the first release. name: for the
 * error.
 *
 * Copies a caller's struct into ours: checks size (0: ALCORE_E_STRUCT_UNSET; below first_size or
 * above 4096: ALCORE_E_STRUCT_SIZE; nonzero bytes past our own size: ALCORE_E_STRUCT_NEWER), fills
 * what the caller lacks with 0. NULL input gives an all-default struct. ours has full_size bytes;
 * its size member is set to full_size. */
alcore_status alcore__struct_read(void *ours, size_t full_size, size_t first_size,
                                  const void *theirs, const char *name);
/* Checks a caller's struct of settings that has none yet, only its size; NULL is allowed. */
alcore_status alcore__struct_empty(const void *theirs, const char *name);
/* The same, where some members have a default that is not 0 (ALCORE_UNSET): ours is begun with its
 * _INIT, and what the caller lacks stays as it is. */
alcore_status alcore__struct_read_over(void *ours, size_t full_size, size_t first_size,
                                       const void *theirs, const char *name);
/* An enum of a struct of options, in which 0 is the default. */
static inline int32_t alcore__or_default(int32_t given, int32_t fallback) {
    return given ? given : fallback;
}
/* A number of a struct of options, in which ALCORE_UNSET is the default. */
static inline double alcore__or_unset(double given, double fallback) {
    return given != given ? fallback : given;
}
/* The first values of a struct by its name; there is a table for each tier. */
typedef struct alcore__struct_image {
    const char *name;
    size_t size;
    const void *initial; /* [size] what its _INIT makes; a table ends with a NULL */
} alcore__struct_image;
/* The call alcore_struct_begin() with tables [count]: begins any_struct, size bytes, as the struct
 * of that name in one of them. */
alcore_status alcore__struct_begin(void *any_struct, size_t size, const char *name,
                                   const alcore__struct_image *const *tables, int count);
/* The check of a member that only pads, called `reserved` in every public struct: nonzero is
 * ALCORE_E_STRUCT_NEWER, as a later version may give it a meaning. name: the struct's. */
alcore_status alcore__struct_reserved(int32_t reserved, const char *name);
/* Copies a result struct out: writes only within *(size_t *)theirs, after the same checks on it. */
alcore_status alcore__struct_write(void *theirs, const void *ours, size_t full_size,
                                   size_t first_size, const char *name);
/* Size of a struct of which `member` is the last of its first version. */
#define ALCORE__FIRST_SIZE(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* ---- memory (memory.c): through the context's allocator, or malloc where ctx is NULL; each block
 * has its size before it ---- */

/* These return NULL when out of memory, without setting an error text; 0 bytes give a valid block.
 */
void *alcore__alloc(alcore_ctx *ctx, size_t bytes);
/* The size, `bytes` or more, with which a block fills whole large pages: for callers that can use
 * the rest. */
size_t alcore__alloc_size(size_t bytes);
void *alcore__calloc(alcore_ctx *ctx, size_t count, size_t bytes);  /* NULL on overflow too */
void *alcore__realloc(alcore_ctx *ctx, void *memory, size_t bytes); /* memory may be NULL */
void alcore__free(alcore_ctx *ctx, void *memory);                   /* NULL is allowed */
char *alcore__strndup(alcore_ctx *ctx, const char *text, size_t bytes);
/* Both set the error text and check count * bytes for overflow. Allocates an array of `count`
 * elements of `bytes` bytes each, zeroed; out is the address of the pointer (T **), which is NULL
 * on failure. */
alcore_status alcore__new_array(alcore_ctx *ctx, size_t count, size_t bytes, void *out);
/* alcore__new_array() of which *out begins at a cache line of 64 bytes, for tables of which each
 * element is to lie in one line. *block is what alcore__free() takes; both are NULL on failure. */
alcore_status alcore__new_lines(alcore_ctx *ctx, size_t count, size_t bytes, void **block,
                                void *out);
/* Grows an array, whose pointer is at `array` (T **), to `need` elements or more: by half and 8 at
 * least, so that appending costs O(1). *capacity: the elements it has memory for. New elements are
 * not set. A failure leaves the array as it was. */
alcore_status alcore__grow(alcore_ctx *ctx, void *array, size_t *capacity, size_t need,
                           size_t bytes);
/* Gives back what such an array has beyond `count` elements, when it has grown for the last time. A
 * failure leaves it as it was. */
alcore_status alcore__trim(alcore_ctx *ctx, void *array, size_t count, size_t bytes);

/* Sorts an array of `count` elements of `bytes` bytes each by rising order of compare, which
 * answers as the one of qsort() does; equal elements keep their order (sort.c). Allocates as much
 * memory as the array has, and polls cancellation: after a failure each element is undefined. */
alcore_status alcore__sort(alcore_ctx *ctx, void *array, size_t count, size_t bytes,
                           int (*compare)(const void *, const void *));
/* A compare of it: int64_t, ascending. */
int alcore__ascending(const void *a, const void *b);
/* The place of the first of ascending numbers [count] that is not below `number`, or count. */
int64_t alcore__first_from(const int64_t *numbers, int64_t count, int64_t number);

/* A text or byte buffer that grows. A struct of zeros is an empty one. */
typedef struct alcore__buffer {
    char *data;    /* [capacity] owned; NUL-terminated after every append; NULL before the first */
    size_t length; /* bytes, without the NUL */
    size_t capacity; /* bytes */
} alcore__buffer;
/* Makes sure that `bytes` more bytes and a NUL fit, so that the caller may write them to data. */
alcore_status alcore__buffer_reserve(alcore_ctx *ctx, alcore__buffer *buffer, size_t bytes);
alcore_status alcore__buffer_append(alcore_ctx *ctx, alcore__buffer *buffer, const void *data,
                                    size_t bytes);
alcore_status alcore__buffer_format(alcore_ctx *ctx, alcore__buffer *buffer, const char *format,
                                    ...) __attribute__((format(printf, 3, 4)));
void alcore__buffer_clear(alcore_ctx *ctx, alcore__buffer *buffer); /* frees */

/* An arena: memory for texts that never move and are freed together. A struct of zeros is an empty
 * one. */
typedef struct alcore__arena {
    struct alcore__arena_chunk *chunk; /* the one that is being filled; older ones follow it */
    size_t bytes;                      /* allocated for all chunks */
} alcore__arena;
/* NULL when out of memory; aligned to `align` (a power of two). */
void *alcore__arena_alloc(alcore_ctx *ctx, alcore__arena *arena, size_t bytes, size_t align);
/* *out, the address of a pointer to char or const char: a copy of text [bytes], ended by NUL. text
 * may be NULL where bytes is 0. */
alcore_status alcore__arena_text(alcore_ctx *ctx, alcore__arena *arena, const char *text,
                                 size_t bytes, void *out);
void alcore__arena_clear(alcore_ctx *ctx, alcore__arena *arena);

/* ---- objects (object.c): the head of every handle ---- */

typedef struct alcore__object {
    atomic_int references;         /* the last alcore__object_unref() frees the handle */
    atomic_int users;              /* calls that use it: 1 or more readers, -1 a writer, 0 none */
    alcore_ctx *ctx;               /* a reference */
    void (*release)(void *object); /* frees what the handle owns, not the handle */
    /* The handle itself. Calls that only read are given it as const: through this they count
     * themselves as users, keep what they computed, and hand the handle out. */
    void *self;
} alcore__object;
/* Allocates `bytes` zeroed with an alcore__object as first member and a reference to ctx. */
alcore_status alcore__object_new(alcore_ctx *ctx, size_t bytes, void (*release)(void *), void *out);
void *alcore__object_ref(void *object);  /* NULL-safe */
void alcore__object_unref(void *object); /* NULL-safe; in a forked child only memory is released */
/* Ends the making of an object: *out is the object, which a failure releases instead; status. */
alcore_status alcore__object_made(alcore_status status, void *object, void *out);
/* A call that only reads / that changes the handle: ALCORE_E_BUSY, naming the noun, when it is in
 * use otherwise; ALCORE_E_INVALID for NULL. */
alcore_status alcore__read_begin(const void *object, const char *noun);
void alcore__read_end(const void *object);
alcore_status alcore__write_begin(void *object, const char *noun);
void alcore__write_end(void *object);

/* ---- threads (threads.c) ---- */

/* One task: its index, and the number of the worker that runs it, by which it finds scratch memory
 * of its own. */
typedef alcore_status (*alcore__task)(void *data, int64_t index, int32_t worker);
/* Runs task(data, i, worker) for i = 0 .. count - 1, handed out in this order, on the context's
 * threads, worker in 0 .. alcore_ctx_threads(ctx) - 1, while the calling thread calls progress and
 * drains the log. No two tasks run at once with the same worker. Stops early on a failure or
 * cancellation; returns the status and text of the lowest index that failed. Called from a worker
 * it runs the tasks on that worker. stage NULL: progress repeats what alcore__tick() was told last.
 */
alcore_status alcore__parallel(alcore_ctx *ctx, const char *stage, int64_t count, alcore__task task,
                               void *data);
/* The same for one part of a longer work of `total` tasks, of which `before` are done: the progress
 * of the stage counts these too. */
alcore_status alcore__parallel_part(alcore_ctx *ctx, const char *stage, int64_t before,
                                    int64_t total, int64_t count, alcore__task task, void *data);
/* Makes the system provide fresh memory that is about to be filled, on all threads at once
 * (memory_touch.c); it may write zeros there. Does nothing on one thread, in a task, and in less
 * than a large page. */
alcore_status alcore__touch(alcore_ctx *ctx, void *memory, size_t bytes);

/* ---- log (log.c) ---- */

/* Logs a line, from any thread; lines of workers are queued for the entering thread. component: the
 * folder or engine it comes from; fields: a JSON object as a text, or NULL. */
void alcore__log(alcore_ctx *ctx, int32_t level, const char *component, const char *fields,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- files (files.c): the context's virtual file table ---- */

typedef struct alcore__file alcore__file;
/* Opens for reading; "-" is standard input with the default table. Error texts name the path. */
alcore_status alcore__file_open(alcore_ctx *ctx, const char *path, alcore__file **out);
alcore_status alcore__file_length(alcore__file *file, int64_t *out); /* -1: unknown */
/* Reads up to bytes at offset; *out_bytes < bytes only at the end. Thread-safe. */
alcore_status alcore__file_read(alcore__file *file, int64_t offset, void *data, size_t bytes,
                                size_t *out_bytes);
/* The same, but fewer bytes than asked for is ALCORE_E_DATA "PATH ends at byte N". */
alcore_status alcore__file_read_all(alcore__file *file, int64_t offset, void *data, size_t bytes);
const char *alcore__file_path(const alcore__file *file);
void alcore__file_close(alcore__file *file); /* NULL-safe */

/* A whole file in memory, to be read only (file_map.c). A struct of zeros has none. */
typedef struct alcore__file_map {
    const char *data; /* [bytes] */
    size_t bytes;
    alcore__file *file; /* owned, open as long as the map */
    char *copy;         /* owned; NULL: data is mapped */
} alcore__file_map;
/* Maps a file of the file system, whose pages are then read when they are needed and shared with
 * other processes; a file of the host's file table is read. Takes `file` over, which is closed
 * after a failure too. */
alcore_status alcore__file_map_open(alcore_ctx *ctx, alcore__file *file, alcore__file_map *out);
/* ALCORE_E_DATA where a mapped file is shorter than it was: reading what was cut off would end the
 * process (SIGBUS). */
alcore_status alcore__file_map_check(const alcore__file_map *map);
void alcore__file_map_close(alcore_ctx *ctx, alcore__file_map *map);

/* Writes path through a temporary file beside it: it appears whole or not at all. "-" is standard
 * output with the default table. */
typedef struct alcore__writer alcore__writer;
alcore_status alcore__writer_open(alcore_ctx *ctx, const char *path, alcore__writer **out);
/* Appends bytes; small pieces are collected. */
alcore_status alcore__writer_put(alcore__writer *writer, const void *data, size_t bytes);
/* Names the file otherwise than it was opened, in the same folder: by what was written to it. */
alcore_status alcore__writer_name(alcore__writer *writer, const char *path);
/* Brings the file to the disk under its name; frees writer in any case. */
alcore_status alcore__writer_commit(alcore__writer *writer);
/* The same for two files that belong together: both appear, or neither. After a failure a file that
 * was there before under the first path may be gone. */
alcore_status alcore__writer_commit_both(alcore__writer *first, alcore__writer *second);
void alcore__writer_abort(alcore__writer *writer); /* removes the temporary file; NULL-safe */
/* Writes a whole text as the file at path. */
alcore_status alcore__write_text(alcore_ctx *ctx, const char *path, const alcore__buffer *text);
/* Which file it is and when it was last written, by which a change is noticed. */
typedef struct alcore__file_state {
    bool known; /* false: there is no such file, or the host's file table, which tells no times */
    uint64_t device, inode;
    int64_t bytes, seconds, nanoseconds; /* length, and when it was last written */
} alcore__file_state;
/* Of the file that a path names now, and of an open file, which may have lost its name. */
void alcore__path_state(alcore_ctx *ctx, const char *path, alcore__file_state *out);
void alcore__file_state_of(const alcore__file *file, alcore__file_state *out);
bool alcore__file_state_equal(const alcore__file_state *one, const alcore__file_state *other);
/* Removes what killed processes left of writing path: temporary files of its name whose process is
 * gone, or to which nothing was written for an hour. Of a path that ends in a slash: of all names
 * in the folder. */
void alcore__remove_leftovers(alcore_ctx *ctx, const char *path);
/* When the file at path was last written, in seconds since 1970; NaN: there is no such file. Only
 * of the file system: ALCORE_E_UNSUPPORTED where the host has a file table of its own, which knows
 * no times. */
alcore_status alcore__file_time(alcore_ctx *ctx, const char *path, double *out);
/* Sets that time; a failure is ignored, as nothing is lost but the time. */
void alcore__file_set_time(alcore_ctx *ctx, const char *path, double time);
/* Makes a folder in the file system, unless it exists; its parent must. Nothing happens where the
 * host has a file table of its own, which knows no folders. */
alcore_status alcore__make_folder(alcore_ctx *ctx, const char *path);

/* ---- modules (module.c) ---- */

/* Loads libalcore-<engine>.so (explicit folder, $ALCORE_MODULE_DIR, the folder of libalcore.so)
 * once per context and calls its entry point; *out is the module's table. A failure's reason stays
 * for alcore__module_reason(). */
alcore_status alcore__module_load(alcore_ctx *ctx, const char *engine, const void **out);
/* The same, with a folder that is looked at after these: another package may have brought the
 * engine. */
alcore_status alcore__module_load_beside(alcore_ctx *ctx, const char *engine, const char *last,
                                         const void **out);
/* The same for a size-first table of which this library knows full_size bytes: one that is shorter,
 * of an older release of the same ABI, comes back as a copy of full_size bytes in which what it
 * lacks is 0. The size member still tells the module's own size. */
alcore_status alcore__module_table(alcore_ctx *ctx, const char *engine, size_t full_size,
                                   const void **out);
const char *alcore__module_reason(alcore_ctx *ctx, const char *engine); /* "" when it loaded */
/* Whether a file of the engine's name is in one of the folders, of which last, or NULL, is the last
 * one; it is not loaded. */
bool alcore__module_found(alcore_ctx *ctx, const char *engine, const char *last);
const alcore_sys_host *alcore__sys_host(void); /* host_user is the alcore_ctx */

/* ---- hashing (hash.c); random numbers are in base/rng.h ---- */

typedef struct alcore__hash {
    uint64_t low, high; /* the two halves of 128 bits */
} alcore__hash;
/* XXH3, 128 bits: equal hashes are taken for equal texts. alcore__hash64() of
 * base/rng.h is the one that enters seeds. */
alcore__hash alcore__hash128(const void *data, size_t bytes);
/* The 32 hexadecimal digits of a hash, as xxh128sum prints it. */
enum { ALCORE__HASH_TEXT_BYTES = 33 }; /* with the NUL */
void alcore__hash_print(alcore__hash hash, char out[ALCORE__HASH_TEXT_BYTES]);
/* The digest of the bytes of an open file, which is read to its end, and how many there are
 * (file_digest.c). copy gets them too; NULL: there is none. */
alcore_status alcore__file_digest(alcore_ctx *ctx, alcore__file *file, alcore__writer *copy,
                                  char digest[ALCORE__HASH_TEXT_BYTES], int64_t *bytes);
/* The same of the file at path; "" and 0 where it cannot be opened. */
alcore_status alcore__path_digest(alcore_ctx *ctx, const char *path,
                                  char digest[ALCORE__HASH_TEXT_BYTES], int64_t *bytes);

/* ---- context internals (context.c) ---- */

/* The seed that the context was made with. */
uint64_t alcore__ctx_seed(const alcore_ctx *ctx);

#endif
