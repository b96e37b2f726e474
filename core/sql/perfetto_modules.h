// The views that every connection has, and the modules of Perfetto's standard library that are
// provided, as SQL.
#pragma once

#include <span>
#include <string_view>

namespace lanescope {

struct SqlModule {
    std::string_view name;
    std::string_view sql;  // empty: its contents are always there
};

std::string_view sql_prelude();
// CREATE PERFETTO FUNCTION statements.
std::string_view sql_flow_functions();
std::span<const SqlModule> sql_modules();
// Returns the module of this name, or null.
const SqlModule* find_sql_module(std::string_view name);
// Returns the first module that creates this view, or null.
const SqlModule* module_with_view(std::string_view view);

}  // namespace lanescope
