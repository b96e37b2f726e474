// SQL: any script runs, or is refused with a place in it; completion and macros never fail.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/sql/completion.h"
#include "core/sql/connection.h"
#include "core/sql/script.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/small_trace.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    static const TracePtr trace = small_trace();
    const std::string_view script(reinterpret_cast<const char*>(data), size);
    if (const auto statements = parse_script(script)) {
        for (const SqlStatement& statement : *statements)
            for (const std::size_t offset : {std::size_t{0}, statement.text.size() / 2})
                (void)statement.place_of(offset);
    } else {
        require(statements.error().byte_offset <= size, "an error's place is outside the script");
    }
    SqlOptions options;
    options.memory_bytes = uint64_t{64} << 20;
    options.timeout = std::chrono::milliseconds(500);
    const auto connection = SqlConnection::open(trace, nullptr, options);
    require(static_cast<bool>(connection), "there is no connection");
    SqlRows rows(uint64_t{16} << 20);
    if (const Result<void> done = (*connection)->run(script, rows); !done) {
        require(done.error().byte_offset == Error::no_offset || done.error().byte_offset <= size,
                "an error's place is outside the script");
        require(!done.error().text.empty(), "an error has no text");
    } else {
        const Table table = rows.take();
        for (std::size_t row = 0; row < table.row_count() && row < 100; ++row)
            for (std::size_t column = 0; column < table.column_count(); ++column)
                (void)table.cell(row, column);
    }
    static const auto tables = (*connection)->table_names();
    const SqlCompletion completion = complete_sql(script, size / 2, tables, {"sum", "extract_arg"});
    require(completion.begin <= size, "a completion begins outside the script");
    (void)is_complete_sql(script);
    return 0;
}
