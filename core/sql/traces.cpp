#include "core/sql/traces.h"

namespace lanescope {

Result<Table> SqlTraces::run(const std::string& script, const SqlParameters& parameters,
                             std::optional<std::size_t> only) const {
    SqlRows rows(SqlOptions().memory_bytes);
    for (std::size_t i = only.value_or(0); i < (only ? *only + 1 : connections.size()); ++i) {
        if (!only && connections.size() > 1) rows.of_trace(names[i]);
        const Result<void> done = connections[i]->run(script, parameters, rows);
        if (!done) return done.error();
    }
    return rows.take();
}

}  // namespace lanescope
