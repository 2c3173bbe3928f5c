-- SPDX-License-Identifier: Apache-2.0
-- Reads tests/vectors. vectors.find("huds", "TV-HUDS") gives a vector; vectors.cases(vector) its
-- cases, each with `name`, `input` (its own over what all share) and `expected`. No JSON library is
-- there for all five Lua versions of the tests, and the generator writes a small part of JSON: no
-- escape but \" and \\, no exponent that tonumber does not know.
local vectors = {}

local folder = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/../../vectors"
local files = {}

-- The value at a position of the text, and the position behind it.
local function value(text, position)
    position = text:find("%S", position)
    local first = text:sub(position, position)
    if first == "{" or first == "[" then
        local list = {}
        position = text:find("%S", position + 1)
        while not text:find("^[}%]]", position) do
            local key
            if first == "{" then
                key, position = value(text, position)
                position = text:find(":", position, true) + 1
            end
            list[key or #list + 1], position = value(text, position)
            position = text:find("%S", position)
            if text:sub(position, position) == "," then position = text:find("%S", position + 1) end
        end
        return list, position + 1
    elseif first == '"' then
        local stop = position + 1
        while text:sub(stop, stop) ~= '"' do
            stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
        end
        return (text:sub(position + 1, stop - 1):gsub("\\(.)", "%1")), stop + 1
    end
    local word = text:match("^[%w.+-]+", position)
    local known = {["true"] = true, ["false"] = false, null = vectors.null}
    local result = known[word]
    if result == nil then result = assert(tonumber(word), "no JSON: " .. word) end
    return result, position + #word
end

vectors.null = {} -- what null becomes

function vectors.find(topic, name)
    if not files[topic] then
        local file = assert(io.open(folder .. "/" .. topic .. ".json", "rb"))
        files[topic] = value(file:read("*a"), 1).vectors
        file:close()
    end
    return assert(files[topic][name], topic .. ".json has no " .. name)
end

function vectors.cases(vector)
    local cases = {}
    for i, one in ipairs(vector.cases) do
        local input = {}
        for key, entry in pairs(vector.input or {}) do input[key] = entry end
        for key, entry in pairs(one.input or {}) do input[key] = entry end
        cases[i] = {name = one.name, input = input, expected = one.expected}
    end
    return cases
end

-- Rows count from 0 there and from 1 in Lua.
function vectors.indices(rows)
    local indices = {}
    for i, row in ipairs(rows) do indices[i] = row + 1 end
    return indices
end

return vectors
