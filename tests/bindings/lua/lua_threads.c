/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with a Lua state of their own each use the module at once: it shares nothing between
 * states, so all of them find the same. usage: lua_threads CPATH */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define THREADS 4

static const char script[] =
    "package.cpath = ...\n"
    "local alcore = require('alcore')\n"
    "local texts, sum = {}, 0\n"
    "for i = 1, 300 do texts[i] = 'text ' .. i .. ' of ' .. (i * 7919) % 101 end\n"
    "local function longest(view)\n"
    "    local scores = {}\n"
    "    for i, text in ipairs(view:texts()) do scores[i] = #text + view:random(i) end\n"
    "    return scores\n"
    "end\n"
    "for seed = 1, 30 do\n"
    "    for _, strategy in ipairs{'random', longest} do\n"
    "        local picked = assert(alcore.select{texts = texts, budget = 5, strategy = strategy,\n"
    "            seed = seed, progress = function() end})\n"
    "        for _, index in ipairs(picked.indices) do sum = (sum * 31 + index) % 1000003 end\n"
    "    end\n"
    "    local ok, why = pcall(alcore.select, {texts = texts, budget = 1,\n"
    "        strategy = function() error('number ' .. seed, 0) end})\n"
    "    assert(not ok and why == 'number ' .. seed)\n"
    "    local picked, message = alcore.select{texts = texts, budget = 1, strategy = 's' .. seed}\n"
    "    assert(not picked and message:find('\"s' .. seed .. '\"', 1, true), message)\n"
    "end\n"
    "return sum\n";

typedef struct job {
    const char *cpath;
    char said[512]; /* the sum, or the error */
    int failed;
} job;

static void *run(void *argument) {
    job *self = argument;
    lua_State *L = luaL_newstate();
    if (!L) return NULL;
    luaL_openlibs(L);
    self->failed = luaL_loadstring(L, script) != 0;
    if (!self->failed) {
        lua_pushstring(L, self->cpath);
        self->failed = lua_pcall(L, 1, 1, 0) != 0;
    }
    const char *text = lua_tostring(L, -1);
    snprintf(self->said, sizeof self->said, "%s", text ? text : "no text");
    lua_close(L);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    job jobs[THREADS];
    if (argc != 2) return 2;
    memset(jobs, 0, sizeof jobs);
    /* Kept to the end: the thread sanitizer knows nothing of the loader's own locks, which a state
     * that unloads the module last would need. */
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!module) return 1;
    for (int i = 0; i < THREADS; i++) {
        jobs[i].cpath = argv[1];
        if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0) return 1;
    }
    int good = 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        good = good && !jobs[i].failed && jobs[i].said[0] != '\0' &&
               strcmp(jobs[i].said, jobs[0].said) == 0;
        printf("# thread %d: %s\n", i, jobs[i].said);
    }
    printf("%s 1 - states in %d threads find the same\n1..1\n", good ? "ok" : "not ok", THREADS);
    dlclose(module);
    return !good;
}
