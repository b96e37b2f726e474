// SqlTraces: the connections of `lanescope sql` to one trace or several.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/sql/connection.h"
#include "core/table/table.h"

namespace lanescope {

struct SqlTraces {
    std::vector<std::unique_ptr<SqlConnection>> connections;
    std::vector<std::string> names;  // in the column `trace`, which exists for several traces

    // Errors: those of SqlConnection::run(), with the line and a mark below the place.
    Result<Table> run(const std::string& script) const;
};

}  // namespace lanescope
