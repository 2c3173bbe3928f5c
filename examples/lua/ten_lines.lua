-- SPDX-License-Identifier: Apache-2.0
-- A selection with LuaJIT's ffi, without the module: usage: luajit ten_lines.lua POOL.txt (LD_LIBRARY_PATH finds libalcore.so.1)
local ffi = require("ffi")
ffi.cdef [[
typedef struct alcore_ctx alcore_ctx; typedef struct alcore_pool alcore_pool;
typedef struct alcore_request alcore_request; typedef struct alcore_selection alcore_selection;
const char *alcore_last_error(void);
int32_t alcore_ctx_new(const void *options, alcore_ctx **out); void alcore_ctx_unref(alcore_ctx *);
int32_t alcore_pool_new(alcore_ctx *, const void *options, alcore_pool **out); void alcore_pool_unref(alcore_pool *);
int32_t alcore_pool_read(alcore_pool *, const char *path, const void *options);
const char *alcore_pool_text(const alcore_pool *, int64_t row, size_t *out_length);
int32_t alcore_request_new(alcore_ctx *, alcore_request **out); void alcore_request_unref(alcore_request *);
int32_t alcore_request_set_pool(alcore_request *, int32_t role, alcore_pool *);
int32_t alcore_request_set(alcore_request *, const char *name, const char *value);
int32_t alcore_select(alcore_request *, alcore_selection **out); void alcore_selection_unref(alcore_selection *);
int64_t alcore_selection_count(const alcore_selection *); const int64_t *alcore_selection_rows(const alcore_selection *);
]]
local al = ffi.load("libalcore.so.1")
local function check(status) if status ~= 0 then error(ffi.string(al.alcore_last_error()), 2) end end
local function new(noun, make)
    local out = ffi.new("alcore_" .. noun .. "*[1]")
    check(make(out))
    return ffi.gc(out[0], al["alcore_" .. noun .. "_unref"])
end

local ctx = new("ctx", function(out) return al.alcore_ctx_new(nil, out) end)
local pool = new("pool", function(out) return al.alcore_pool_new(ctx, nil, out) end)
check(al.alcore_pool_read(pool, arg[1], nil))
local request = new("request", function(out) return al.alcore_request_new(ctx, out) end)
check(al.alcore_request_set_pool(request, 1701, pool)) -- ALCORE_ROLE_CANDIDATES
check(al.alcore_request_set(request, "budget", "30w"))
local picked = new("selection", function(out) return al.alcore_select(request, out) end)
local rows = al.alcore_selection_rows(picked)
for i = 0, tonumber(al.alcore_selection_count(picked)) - 1 do
    print(tonumber(rows[i]), ffi.string(al.alcore_pool_text(pool, rows[i], nil)))
end
