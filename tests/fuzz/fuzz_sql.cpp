// SQL: any script runs, or is refused with a place in it; completion and macros never fail.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/sql/completion.h"
#include "core/sql/connection.h"
#include "core/sql/script.h"
#include "core/sql/tokens.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/small_trace.h"

using namespace lanescope;

namespace {

// A value for each parameter in a script, as far as its tokens tell.
SqlParameters parameters_in(std::string_view script) {
    SqlParameters parameters;
    const auto tokens = sql_tokens(script);
    if (!tokens) return parameters;
    for (const SqlToken& token : *tokens) {
        const std::string_view word = script.substr(token.begin, token.end - token.begin);
        if (token.kind != SqlTokenKind::other ||
            std::string_view("?:@$").find(word.front()) == std::string_view::npos)
            continue;
        parameters.emplace(word == "?" ? "1" : word.substr(1), std::string(word));
    }
    return parameters;
}

// Runs a script, and reads its rows.
void run(SqlConnection& connection, std::string_view script, const SqlParameters& parameters) {
    SqlRows rows(uint64_t{16} << 20);
    const Result<void> done = connection.run(script, parameters, rows);
    if (!done) {
        require(done.error().byte_offset == Error::no_offset ||
                    done.error().byte_offset <= script.size(),
                "an error's place is outside the script");
        require(!done.error().text.empty(), "an error has no text");
        return;
    }
    const Table table = rows.take();
    for (std::size_t row = 0; row < table.row_count() && row < 100; ++row)
        for (std::size_t column = 0; column < table.column_count(); ++column)
            (void)table.cell(row, column);
}

}  // namespace

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
    const auto connection = SqlConnection::open(trace, Evidence(), options);
    require(static_cast<bool>(connection), "there is no connection");
    const SqlParameters parameters = parameters_in(script);
    run(**connection, script, parameters);
    if (!parameters.empty()) run(**connection, script, {});
    static const auto tables = (*connection)->table_names();
    const SqlCompletion completion = complete_sql(script, size / 2, tables, {"sum", "extract_arg"});
    require(completion.begin <= size, "a completion begins outside the script");
    (void)is_complete_sql(script);
    return 0;
}
