// lanescope sql: SQL over one trace or several.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "app/commands/place_in_text.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/structure/time_range.h"
#include "core/base/rest_of_stream.h"
#include "core/session/part_names.h"
#include "core/session/specs_file.h"
#include "core/sql/connection.h"

namespace lanescope {

namespace {

struct SqlCommandOptions {
    std::vector<std::string> words;  // the traces, and the query
    std::string file;
    std::string specs;
    std::string timeout;
    OutputOptions output;
};

// The query of the command, which is taken from the words; empty: there is none.
Result<std::string> query_of(SqlCommandOptions& options) {
    if (!options.file.empty()) {
        const std::string path = options.file == "-" ? "/dev/stdin" : options.file;
        std::ifstream file(path, std::ios::binary);
        std::optional<std::string> query = file ? rest_of(file) : std::nullopt;
        if (!query)
            return Error{ErrorCode::io, Error::no_offset, options.file + ": cannot be read"};
        return *std::move(query);
    }
    if (options.words.size() < 2)
        return Error{ErrorCode::usage, Error::no_offset,
                     "lanescope sql takes a trace and a query: lanescope sql TRACE \"select …\""};
    std::string query = std::move(options.words.back());
    options.words.pop_back();
    return query;
}

Result<Table> rows_of(const SqlCommandOptions& options, const std::string& query) {
    const Result<SpecsBookPtr> specs = load_specs(options.specs);
    if (!specs) return specs.error();
    SqlOptions limits;
    if (!options.timeout.empty())
        limits.timeout = std::chrono::nanoseconds(*parse_duration(options.timeout));
    SqlRows rows(limits.memory_bytes);
    const bool several = options.words.size() > 1;
    std::vector<TraceFile> files;
    std::vector<TracePtr> traces;
    for (const std::string& path : options.words) {
        const Result<TraceWithCost> loaded = load_for_command(path);
        if (!loaded)
            return Error{loaded.error().code, loaded.error().byte_offset,
                         path + ": " + loaded.error().text};
        report_incomplete(path, *loaded->trace);
        traces.push_back(loaded->trace);
        files.push_back({loaded->trace->path, own_rank(*loaded->trace)});
    }
    const std::vector<std::string> names = part_names(files);
    for (std::size_t i = 0; i < traces.size(); ++i) {
        if (several) rows.of_trace(names[i]);
        const auto connection = SqlConnection::open(traces[i], *specs, limits);
        if (!connection) return connection.error();
        const Result<void> done = (*connection)->run(query, rows);
        if (!done) return with_place(query, done.error());
    }
    return rows.take();
}

int run_sql(SqlCommandOptions options) {
    const Result<std::string> query = query_of(options);
    if (!query) return report(query.error(), "");
    Result<Table> table = rows_of(options, *query);
    if (!table) return report(table.error(), "");
    TextStyle style = text_style(options.output);
    style.plain = true;
    return write_output(write_table(*table, options.output.format, style), options.output);
}

}  // namespace

void add_sql_command(CLI::App& app, int& status) {
    auto options = std::make_shared<SqlCommandOptions>();
    CLI::App* command = app.add_subcommand("sql", "SQL over a trace, with Perfetto's tables too");
    command
        ->add_option("TRACE", options->words,
                     "The file, or several, and then the query; - reads standard input")
        ->required();
    command->add_option("-f,--file", options->file, "Read the query from a file")
        ->type_name("FILE");
    command
        ->add_option("--timeout", options->timeout, "Stop the query after this time, such as 10s")
        ->type_name("TIME")
        ->check([](const std::string& text) {
            return parse_duration(text) ? std::string() : text + " is no time such as 10s or 500ms";
        });
    command->add_option("--specs", options->specs, kSpecsHelp)->type_name("FILE");
    add_output_options(*command, options->output);
    command->footer(
        "Tables, and what carries over from Perfetto: docs/sql.md. Several traces are queried one\n"
        "after the other; the column trace tells them apart.\n\n"
        "Examples:\n"
        "  lanescope sql trace.json.gz 'select name, count(*), sum(dur) from slice group by 1'\n"
        "  lanescope sql trace.json.gz \"select * from kernels('config', 'step:3') limit 5\"\n"
        "  lanescope sql rank0.json.gz rank1.json.gz -f busy.sql --format csv -o busy.csv");
    command->callback([options, &status] { status = run_sql(*options); });
}

}  // namespace lanescope
