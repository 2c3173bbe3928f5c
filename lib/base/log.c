/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines. The host's log function is only called on the thread that has entered the context, so
 * that it never runs on a thread that the host does not know. On that thread a line is passed on at
 * once; other threads (workers, and threads outside of a call) put theirs into a queue. */
#include <string.h>

#include "base/log_names.h"
#include "base/state.h"

struct alcore__log_line {
    struct alcore__log_line *next;
    int32_t level;
    const char *component, *message,
        *fields; /* in the memory after this head; fields may be NULL */
};

void alcore__log_queue_begin(alcore__log_queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    queue->first = queue->last = NULL;
}

/* Copies a text to `out` and returns where the next one goes. */
static char *append(char *out, const char *text, size_t bytes) {
    memcpy(out, text, bytes);
    return out + bytes;
}

/* Appends a line to a queue, from any thread. A line is lost when there is no memory for it:
 * logging never fails a call. */
static void enqueue(alcore_ctx *ctx, alcore__log_queue *queue, int32_t level, const char *component,
                    const char *message, const char *fields) {
    size_t component_bytes = strlen(component) + 1, message_bytes = strlen(message) + 1;
    size_t fields_bytes = fields ? strlen(fields) + 1 : 0;
    struct alcore__log_line *line =
        alcore__alloc(ctx, sizeof *line + component_bytes + message_bytes + fields_bytes);
    if (!line) return;
    char *next = (char *)(line + 1);
    *line = (struct alcore__log_line){.level = level, .component = next};
    line->message = next = append(next, component, component_bytes);
    next = append(next, message, message_bytes);
    if (fields) {
        line->fields = next;
        append(next, fields, fields_bytes);
    }
    pthread_mutex_lock(&queue->lock);
    if (queue->last)
        queue->last->next = line;
    else
        queue->first = line;
    queue->last = line;
    pthread_mutex_unlock(&queue->lock);
}

/* Passes the lines of a queue to the log function and frees them. The list is taken out under the
 * lock and passed on without it, since the log function may log. */
void alcore__log_drain(alcore_ctx *ctx, alcore__log_queue *queue) {
    alcore__call *call = &alcore__this.call;
    if (!ctx->log || call->logging) return;
    pthread_mutex_lock(&queue->lock);
    struct alcore__log_line *line = queue->first, *next;
    queue->first = queue->last = NULL;
    pthread_mutex_unlock(&queue->lock);
    call->logging = true;
    for (; line; line = next) {
        next = line->next;
        ctx->log(ctx->log_user, line->level, line->component, line->message, line->fields);
        alcore__free(ctx, line);
    }
    call->logging = false;
}

/* Frees the lines that nobody drained. In a forked child the lock may be held by a thread that the
 * child does not have, so it is left alone. */
void alcore__log_queue_end(alcore_ctx *ctx, alcore__log_queue *queue) {
    for (struct alcore__log_line *line = queue->first, *next; line; line = next) {
        next = line->next;
        alcore__free(ctx, line);
    }
    if (!alcore__forked(ctx)) pthread_mutex_destroy(&queue->lock);
}

/* What a message quotes, such as the name of a file, may have line breaks: spaces in their place
 * keep it one line. */
static void make_one_line(char *message) {
    for (char *at = message; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
}

void alcore__log_rename(const char *path, const char *name) {
    alcore__this.log_path = path;
    alcore__this.log_name = name;
}

/* Whether a message is to be logged; puts the name of alcore__log_rename() into it. */
static bool rename_file(char message[ALCORE__TEXT_BYTES]) {
    const char *const path = alcore__this.log_path, *const name = alcore__this.log_name;
    const size_t length = path ? strlen(path) : 0;
    if (!path || strncmp(message, path, length) != 0) return true;
    if (!name) return false;
    char rest[ALCORE__TEXT_BYTES];
    alcore__format(rest, sizeof rest, "%s", message + length);
    alcore__format(message, ALCORE__TEXT_BYTES, "%s%s", name, rest);
    return true;
}

/* Formats a line and decides where it goes: from a task into the queue of its loop, from outside a
 * call or from within the log function into the queue of the context, else to the log function. */
void alcore__log(alcore_ctx *ctx, int32_t level, const char *component, const char *fields,
                 const char *format, ...) {
    alcore__thread *self = &alcore__this;
    char message[ALCORE__TEXT_BYTES];
    va_list args;
    if (!ctx || !ctx->log) return;
    va_start(args, format);
    alcore__format_v(message, sizeof message, format, args);
    va_end(args);
    if (!rename_file(message)) return;
    make_one_line(message);
    if (self->loop) {
        enqueue(ctx, alcore__loop_lines(self->loop), level, component, message, fields);
    } else if (self->depth == 0 || self->call.logging) {
        enqueue(ctx, &ctx->lines, level, component, message, fields);
    } else {
        alcore__log_drain(ctx, &ctx->lines);
        self->call.logging = true;
        ctx->log(ctx->log_user, level, component, message, fields);
        self->call.logging = false;
    }
}
