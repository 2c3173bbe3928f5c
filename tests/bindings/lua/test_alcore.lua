-- SPDX-License-Identifier: Apache-2.0
-- The Lua module, run under every Lua: usage: lua test_alcore.lua SCRATCH-FOLDER
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path
require("part_select")
require("part_vectors")
require("part_metrics")
require("part_analysis")
require("part_search")
require("part_logits")
require("part_data")
require("part_functions")
require("part_align")
require("part_tokenizer")
require("part_mix")
require("part_tools")
require("part_project")
require("part_experiment")
require("part_objects")
require("tap").done()
