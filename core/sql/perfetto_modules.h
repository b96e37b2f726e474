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

}  // namespace lanescope
