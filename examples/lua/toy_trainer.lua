-- SPDX-License-Identifier: Apache-2.0
-- Stands for your trainer in driver.lua: the share of the words of the held-out texts that the labeled ones have.
--
-- usage: lua toy_trainer.lua LABELED.txt HELDOUT.tsv
local known, seen, covered = {}, 0, 0
for line in io.lines(arg[1]) do
    for word in line:gmatch("%S+") do known[word] = true end
end
for line in io.lines(arg[2]) do
    local text = line:match("^[^\t]*\t([^\t]*)") or line
    for word in text:gmatch("%S+") do
        seen = seen + 1
        if known[word] then covered = covered + 1 end
    end
end
print(string.format("%.6f", covered / math.max(seen, 1)))
