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
// Null if there is none of this name.
const SqlModule* find_sql_module(std::string_view name);
// The first module that makes this view; null if there is none.
const SqlModule* module_with_view(std::string_view view);

}  // namespace lanescope
