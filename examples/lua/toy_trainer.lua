-- SPDX-License-Identifier: Apache-2.0
-- Takes the place of your trainer in driver.lua: prints the share of the words of the held-out texts that occur in the
-- labeled texts.
--
-- usage: lua toy_trainer.lua LABELED.txt HELDOUT.tsv
local labeled_words, words, covered = {}, 0, 0
for line in io.lines(arg[1]) do
    for word in line:gmatch("%S+") do labeled_words[word] = true end
end
for line in io.lines(arg[2]) do
    local text = line:match("^[^\t]*\t([^\t]*)") or line
    for word in text:gmatch("%S+") do
        words = words + 1
        if labeled_words[word] then covered = covered + 1 end
    end
end
print(string.format("%.6f", covered / math.max(words, 1)))
