-- SPDX-License-Identifier: Apache-2.0
-- What the parts of test_alcore.lua share.
local fixture = {scratch = assert(arg[1], "usage: test_alcore.lua SCRATCH-FOLDER"), full = os.getenv("ALCORE_TEST_FULL")}

-- TV-HUDS (spec 3.5): eight rows, four strata; picks there are C rows.
local huds = require("vectors").find("huds", "TV-HUDS").input
fixture.TEXTS = {"a", "b c", "d e f", "g", "h i", "j", "k l m n", "o"}
fixture.U, fixture.E = huds.u, huds.embeddings

function fixture.request(more)
    local what = {texts = fixture.TEXTS, budget = 4, strategy = "huds", n_strata = 4, scores = fixture.U,
        embeddings = fixture.E}
    for name, value in pairs(more or {}) do what[name] = value end
    return what
end

function fixture.many(count)
    local texts = {}
    for i = 1, count do texts[i] = "text number " .. i .. " of a pool" end
    return texts
end

-- The JSON documents of selections are kept in $ALCORE_TEST_DOCUMENTS, where test_documents.py of
-- the tests of Python validates them.
local folder = os.getenv("ALCORE_TEST_DOCUMENTS")
local kept, place = {}, tostring({}):gsub("%W", "") .. os.time()

local function keep(text)
    local form = text:gsub('"fingerprint":"%x+"', ""):gsub("%d+", "0")
    if kept[form] then return end
    kept[form] = true
    kept[#kept + 1] = form
    local file = io.open(folder .. "/lua-" .. place .. "-" .. #kept .. ".json", "wb")
    if file then -- write() returns the file from Lua 5.2 on only
        file:write(text)
        file:close()
    end
end

local function keeping(select)
    return function(...)
        local picked, message, code = select(...)
        if picked then keep(picked.provenance) end
        return picked, message, code
    end
end

if folder then
    local alcore = require("alcore")
    alcore.select = keeping(alcore.select)
end

return fixture
