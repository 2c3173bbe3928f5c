-- SPDX-License-Identifier: Apache-2.0
-- What a call costs beyond the library's own work: usage: lua bench_alcore.lua
local alcore = require("alcore")
local pool = assert(alcore.pool({"a b c", "d e", "f"}))
local picked = assert(pool:select{budget = 2, strategy = "random"})

local calls = {
    {"pool:words(1)", function(count) for _ = 1, count do pool:words(1) end end},
    {"pool:text(1)", function(count) for _ = 1, count do pool:text(1) end end},
    {"#pool", function(count) local n for _ = 1, count do n = #pool end return n end},
    {"picked.spent", function(count) local n for _ = 1, count do n = picked.spent end return n end},
    {"pool:find('2')", function(count) for _ = 1, count do pool:find("2") end end},
}
local worst = 0
for _, call in ipairs(calls) do
    local best = math.huge
    for _ = 1, 5 do
        local begun = os.clock()
        call[2](100000)
        best = math.min(best, (os.clock() - begun) / 100000)
    end
    worst = math.max(worst, best)
    print(string.format("%-16s %7.3f us", call[1], best * 1e6))
end
print(string.format("%-16s %7.3f us (goal: under 1)", "slowest", worst * 1e6))
if os.getenv("ALCORE_BENCH_STRICT") and worst >= 1e-6 then error("a call takes 1 us or more") end
