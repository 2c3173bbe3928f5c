/* SPDX-License-Identifier: Apache-2.0 */
/* The request that the fields of a table make, for select{...} and what compares answers of it
 * (lua_request.c). An int is 0, or how many results say what failed (AL_CALL). */
#ifndef LUA_SELECTING_H
#define LUA_SELECTING_H

#include "lua_binding.h"

#pragma GCC visibility push(hidden)

/* One call of select, ablate or compare. */
typedef struct selecting {
    lua_State *L;
    int fields;                                    /* stack index of the caller's table */
    const char *const *more_fields;                /* than select has; NULL: none */
    int compares;                                  /* 1: strategies have their own parameters */
    al_context *context;                           /* of all objects of the call */
    al_object *pool, *request, *strategy;          /* NULL until they are made or found */
    int pool_index, request_index, strategy_index; /* their stack indices; 0 until then */
    char given[1024]; /* names of the columns among the fields, with commas between them */
} selecting;

/* The context of the field "context", else of the first object among the fields, else the module's;
 * objects of another context are refused where they are used. */
al_context *al_selecting_context(lua_State *L, int fields);
/* Raises where an object, of which `what` tells, is of another context. */
void al_selecting_check(const selecting *self, const al_object *object, const char *what);
/* Makes the request from the fields. */
int al_selecting_build(selecting *self);
/* Rows that the call leaves out, rows that it is limited to, and those of another selection. */
int al_selecting_limit(selecting *self);
/* Pushes a selection without a handle, which keeps the pool. */
al_object *al_selecting_push(selecting *self);
/* Sets the progress function of this call in the table of the context's functions. Pushes the
 * table, whose index it returns, and above it the function that was there before: of an outer call,
 * whose function this call keeps when it has none. */
int al_selecting_begin(selecting *self);
/* Ends the call that al_selecting_begin() began, with the status that it returns: puts the earlier
 * progress function back, which may run the collector and with it finalizers that clear the error
 * text. */
alcore_status al_selecting_end(selecting *self, int functions, alcore_status status);

#pragma GCC visibility pop

#endif
