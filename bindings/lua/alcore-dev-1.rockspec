-- SPDX-License-Identifier: Apache-2.0
-- luarocks make bindings/lua/alcore-dev-1.rockspec ALCORE_DIR=PREFIX, in the root of the sources;
-- libalcore is installed in PREFIX.
rockspec_format = "3.0"
package = "alcore"
version = "dev-1"
source = {url = "."}
description = {
    summary = "Active learning for NLP and machine translation: decides what to label next",
    license = "Apache-2.0",
}
dependencies = {"lua >= 5.1, < 5.5"}
external_dependencies = {ALCORE = {header = "alcore/alcore.h", library = "alcore"}}
build = {
    type = "builtin",
    modules = {
        alcore = {
            sources = {
                "bindings/lua/lua_align.c", "bindings/lua/lua_callbacks.c", "bindings/lua/lua_calls.c", "bindings/lua/lua_context.c", "bindings/lua/lua_experiment.c", "bindings/lua/lua_fields.c",
                "bindings/lua/lua_handle.c", "bindings/lua/lua_host_model.c", "bindings/lua/lua_lm.c", "bindings/lua/lua_logits.c", "bindings/lua/lua_matrix.c",
                "bindings/lua/lua_metrics.c", "bindings/lua/lua_mix.c", "bindings/lua/lua_analysis.c", "bindings/lua/lua_stop.c", "bindings/lua/lua_plots.c", "bindings/lua/lua_model.c", "bindings/lua/lua_model_texts.c", "bindings/lua/lua_module.c", "bindings/lua/lua_number.c",
                "bindings/lua/lua_overlap.c", "bindings/lua/lua_phrases.c", "bindings/lua/lua_pool.c", "bindings/lua/lua_project.c", "bindings/lua/lua_registry.c",
                "bindings/lua/lua_compare.c", "bindings/lua/lua_request.c", "bindings/lua/lua_search.c", "bindings/lua/lua_selection.c", "bindings/lua/lua_strategy.c",
                "bindings/lua/lua_structs.c", "bindings/lua/lua_tables.c", "bindings/lua/lua_tokenizer.c", "bindings/lua/lua_tools.c", "bindings/lua/lua_values.c",
                "bindings/lua/lua_view.c", "bindings/lua/lua_writer.c",
            },
            defines = {"_GNU_SOURCE"},
            libraries = {"alcore", "m"},
            incdirs = {"$(ALCORE_INCDIR)", "bindings/lua", "lib"},
            libdirs = {"$(ALCORE_LIBDIR)"},
        },
    },
}
