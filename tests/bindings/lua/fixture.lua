-- SPDX-License-Identifier: Apache-2.0
-- What the parts of test_alcore.lua share.
local fixture = {scratch = assert(arg[1], "usage: test_alcore.lua SCRATCH-FOLDER"), full = os.getenv("ALCORE_TEST_FULL")}

-- TV-HUDS of the specification (spec 3.5): eight rows, four strata; picks there are C rows.
fixture.TEXTS = {"a", "b c", "d e f", "g", "h i", "j", "k l m n", "o"}
fixture.U = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5}
fixture.E = {{1, 0}, {0, 1}, {3, 4}, {4, 3}, {1, 0}, {-1, 0}, {2, 0}, {2, 0}}

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

return fixture
