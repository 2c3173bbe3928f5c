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

return fixture
