-- SPDX-License-Identifier: Apache-2.0
-- Runs the Lua snippets of a page, in their order and with common globals; comments "--> text" at
-- the end of a line that prints are what it has to print. usage: lua run_snippets.lua PAGE.md
-- FOLDER-OF-DATA SCRATCH
local page = assert(io.open(arg[1])):read("*a")
local data, scratch = arg[2], arg[3]
local count, failed = 0, 0

-- A file that a snippet names is one of the data, or a new one in the scratch folder.
local globals = setmetatable({}, {__index = _G})
function globals.placed(path)
    local file = io.open(data .. "/" .. path)
    if not file then return scratch .. "/" .. path end
    file:close()
    return data .. "/" .. path
end

globals.io = setmetatable({write = function() end}, {__index = io}) -- TAP alone goes to the output

local function load_in(code, name)
    if setfenv then
        local chunk, why = loadstring(code, name)
        return chunk and setfenv(chunk, globals), why
    end
    return load(code, name, "t", globals)
end

for code in page:gmatch("```lua\n(.-)```") do
    count = count + 1
    local expected, printed = {}, {}
    for text in code:gmatch("%-%-> ([^\n]*)") do expected[#expected + 1] = text end
    globals.print = function(...)
        local parts = {}
        for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
        printed[#printed + 1] = table.concat(parts, "\t")
    end
    local first = code:match("^[^\n]*")
    local chunk, why = load_in((code:gsub('"([%w_]+%.%w+)"', 'placed("%1")')), "=snippet " .. count)
    local ok = chunk ~= nil
    if ok then ok, why = pcall(chunk) end
    if ok and #expected > 0 and table.concat(printed, "\n") ~= table.concat(expected, "\n") then
        ok, why = false, "printed\n" .. table.concat(printed, "\n") .. "\nexpected\n" .. table.concat(expected, "\n")
    end
    if not ok then
        failed = failed + 1
        print("# " .. (tostring(why):gsub("\n", "\n# ")))
    end
    print((ok and "ok " or "not ok ") .. count .. " - " .. first)
end
print("1.." .. count)
if failed > 0 or count == 0 then error(failed .. " snippets failed", 0) end
