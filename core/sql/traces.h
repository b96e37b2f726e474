// SqlTraces: SQL over several traces at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/sql/connection.h"
#include "core/table/table.h"

namespace lanescope {

struct SqlTraces {
    std::vector<std::unique_ptr<SqlConnection>> connections;
    std::vector<std::string> names;  // in the column `trace`, which exists for several traces

    // Runs the script over each trace, or only over the trace with the index `only`. The rows of a
    // single trace have no column `trace`. Errors: those of SqlConnection::run().
    Result<Table> run(const std::string& script, const SqlParameters& parameters = {},
                      std::optional<std::size_t> only = {}) const;
};

}  // namespace lanescope
