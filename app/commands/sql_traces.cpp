#include "app/commands/sql_traces.h"

#include "app/commands/place_in_text.h"

namespace lanescope {

Result<Table> SqlTraces::run(const std::string& script) const {
    SqlRows rows(SqlOptions().memory_bytes);
    for (std::size_t i = 0; i < connections.size(); ++i) {
        if (connections.size() > 1) rows.of_trace(names[i]);
        const Result<void> done = connections[i]->run(script, rows);
        if (!done) return with_place(script, done.error());
    }
    return rows.take();
}

}  // namespace lanescope
