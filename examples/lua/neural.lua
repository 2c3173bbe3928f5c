-- SPDX-License-Identifier: Apache-2.0
-- HUDS with the embeddings of a Hugging Face folder, and what else a model does: usage: lua neural.lua FOLDER POOL.txt
local alcore = require("alcore")
local folder, path = arg[1], arg[2]
local texts = {}
for line in io.lines(path) do
    texts[#texts + 1] = line
end
local model = assert(alcore.open(folder))
local picked = assert(alcore.select{texts = texts, budget = 5, strategy = "huds", model = {embeddings = model, logprobs = "ngram"}})
for _, index in ipairs(picked.indices) do
    print(texts[index])
end
local vectors = assert(model:embed({texts[1], texts[2]}))
io.stderr:write(("%s: %d numbers a text\n"):format(model.info.family, #vectors[1]))
if model.info.translates then
    print(assert(model:translate({texts[1], texts[2]}, {beams = 4}))[1])
end
