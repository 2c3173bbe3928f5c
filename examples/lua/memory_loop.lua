-- SPDX-License-Identifier: Apache-2.0
-- A round in one process, without a file: picks become annotations, answers become the pairs to train on.
--
-- usage: lua memory_loop.lua
local alcore = require("alcore")

local pool = assert(alcore.pool({"the patient has severe headache", "severe headache was reported", "the patient was treated",
                                 "the patient has fever"}))
local picked = assert(pool:select({budget = 2, strategy = "nnll"}))
local items = assert(assert(alcore.annotations(pool)):add_selection(picked))
-- Your translators answer; false: no translation.
assert(items:answer({"erste Antwort", false}, {statuses = {"ok", "skip"}}))
local report = assert(items:answer_report())
print(("%d answered, %d skipped, spent %g"):format(report.answered, report.skipped, items.spent))
local pairs_made = assert(alcore.mix({pool = pool, annotations = items, kind = "none"}))
for i = 1, pairs_made.count do
    print(pairs_made:get(i).source .. " = " .. pairs_made:get(i).target)
end
