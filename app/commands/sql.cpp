// lanescope sql: SQL over one trace or several.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "app/commands/place_in_text.h"
#include "app/commands/sql_prompt.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/structure/time_range.h"
#include "core/base/rest_of_stream.h"
#include "core/session/part_names.h"
#include "core/session/specs_file.h"
#include "core/sql/connection.h"
#include "core/sql/traces.h"

namespace lanescope {

namespace {

struct SqlCommandOptions {
    std::vector<std::string> words;  // the traces, and the query
    Companions companions;
    std::string file;
    std::string specs;
    std::string timeout;
    std::vector<std::string> params;  // "name=value"
    OutputOptions output;
};

// The script of a file; "-" is standard input.
Result<std::string> script_in(const std::string& path) {
    std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
    std::optional<std::string> script = file ? rest_of(file) : std::nullopt;
    if (!script) return Error{ErrorCode::io, Error::no_offset, path + ": cannot be read"};
    return *std::move(script);
}

// The last of several words is the query, unless it is a file.
bool has_query(const std::vector<std::string>& words) {
    std::error_code error;
    return words.size() > 1 && !std::filesystem::is_regular_file(words.back(), error);
}

// The query of the command, which is taken from the words; empty: there is none, so that the user
// is asked.
Result<std::optional<std::string>> query_of(SqlCommandOptions& options) {
    const auto given = [](Result<std::string> script) -> Result<std::optional<std::string>> {
        if (!script) return script.error();
        return std::optional(std::move(*script));
    };
    if (!options.file.empty()) return given(script_in(options.file));
    if (has_query(options.words)) {
        std::string query = std::move(options.words.back());
        options.words.pop_back();
        return std::optional(std::move(query));
    }
    for (const std::string& word : options.words)
        if (word == "-")
            return Error{ErrorCode::usage, Error::no_offset,
                         "standard input is the trace: write the query behind it"};
    if (!isatty(STDIN_FILENO)) {
        Result<std::string> script = script_in("-");
        if (script && script->find_first_not_of(" \t\r\n") == std::string::npos)
            return Error{
                ErrorCode::usage, Error::no_offset,
                "lanescope sql takes a trace and a query: lanescope sql TRACE \"select …\""};
        return given(std::move(script));
    }
    if (!isatty(STDOUT_FILENO) || !options.output.path.empty())
        return Error{ErrorCode::usage, Error::no_offset,
                     "the prompt writes to a terminal: write the query behind the trace"};
    return std::optional<std::string>();
}

// The values of "name=value". Errors: no name, a name twice, or a number that is out of range.
Result<SqlParameters> parameters_of(const std::vector<std::string>& params) {
    SqlParameters parameters;
    for (const std::string& param : params) {
        const std::size_t sign = param.find('=');
        if (sign == std::string::npos || sign == 0)
            return Error{ErrorCode::usage, Error::no_offset,
                         fmt::format("--param takes name=value, not {}", param)};
        const std::string name = param.substr(0, sign);
        Result<SqlParameter> value = sql_parameter_in_text(param.substr(sign + 1));
        if (!value)
            return Error{ErrorCode::usage, Error::no_offset,
                         fmt::format("--param {}: {}", name, value.error().text)};
        if (!parameters.emplace(name, std::move(*value)).second)
            return Error{ErrorCode::usage, Error::no_offset,
                         fmt::format("--param gives {} two values", name)};
    }
    return parameters;
}

Result<SqlTraces> open_traces(const SqlCommandOptions& options, const std::atomic<bool>* cancel) {
    const Result<SpecsBookPtr> specs = load_specs(options.specs);
    if (!specs) return specs.error();
    SqlOptions limits;
    limits.cancel = cancel;
    if (!options.timeout.empty())
        limits.timeout = std::chrono::nanoseconds(*parse_duration(options.timeout));
    std::vector<TraceFile> files;
    SqlTraces traces;
    std::string failed;
    const Result<std::vector<std::string>> paths = given_traces(options.words, failed);
    if (!paths) return paths.error();
    for (const std::string& path : *paths) {
        const Result<TraceWithCost> loaded = load_for_command(path, options.companions);
        if (!loaded)
            return Error{loaded.error().code, loaded.error().byte_offset,
                         path + ": " + loaded.error().text};
        report_incomplete(path, *loaded->trace);
        files.push_back({loaded->trace->path, own_rank(*loaded->trace)});
        auto connection = SqlConnection::open(loaded->trace, Evidence(*specs), limits);
        if (!connection) return connection.error();
        traces.connections.push_back(std::move(*connection));
    }
    traces.names = part_names(files);
    return Result<SqlTraces>(std::move(traces));
}

int run_sql(SqlCommandOptions options) {
    const Result<std::optional<std::string>> query = query_of(options);
    if (!query) return report(query.error(), "");
    const Result<SqlParameters> parameters = parameters_of(options.params);
    if (!parameters) return report(parameters.error(), "");
    TextStyle style = text_style(options.output);
    style.plain = true;
    if (!*query && !parameters->empty())
        return report({ErrorCode::usage, Error::no_offset,
                       "--param belongs to a query: write the query behind the trace"},
                      "");
    if (!*query) {
        std::atomic<bool> cancel = false;
        Result<SqlTraces> traces = open_traces(options, &cancel);
        if (!traces) return report(traces.error(), "");
        return run_sql_prompt(*traces, {options.output.format, style}, cancel);
    }
    Result<SqlTraces> traces = open_traces(options, nullptr);
    if (!traces) return report(traces.error(), "");
    const Result<Table> table = traces->run(**query, *parameters);
    if (!table) return report(with_place(**query, table.error()), "");
    return write_output(write_table(*table, options.output.format, style), options.output);
}

}  // namespace

void add_sql_command(CLI::App& app, int& status) {
    auto options = std::make_shared<SqlCommandOptions>();
    CLI::App* command = app.add_subcommand("sql", "SQL over a trace, with Perfetto's tables too");
    command
        ->add_option(
            "TRACE", options->words,
            "The file, or several, and then the query; - reads the trace from standard input")
        ->required();
    add_companions(*command, options->companions);
    command->add_option("-f,--file", options->file, "Read the query from a file")
        ->type_name("FILE");
    command
        ->add_option("--timeout", options->timeout, "Stop the query after this time, such as 10s")
        ->type_name("TIME")
        ->check([](const std::string& text) {
            return parse_duration(text) ? std::string() : text + " is no time such as 10s or 500ms";
        });
    command
        ->add_option("--param", options->params,
                     "The value of a parameter of the query, such as :step; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command->add_option("--specs", options->specs, kSpecsHelp)->type_name("FILE");
    add_output_options(*command, options->output);
    command->footer(
        "Tables, and what carries over from Perfetto: docs/sql.md. Several traces are queried one\n"
        "after the other; the column trace tells them apart. Without a query, a prompt with "
        "history\n"
        "and completion reads statements; where standard input is no terminal, it is the query.\n\n"
        "Examples:\n"
        "  lanescope sql trace.json.gz 'select name, count(*), sum(dur) from slice group by 1'\n"
        "  lanescope sql trace.json.gz \"select * from kernels('config', 'step:3') limit 5\"\n"
        "  lanescope sql trace.json.gz 'select * from slice where name = :name' --param "
        "name=aten::mm\n"
        "  lanescope sql trace.json.gz\n"
        "  lanescope sql rank0.json.gz rank1.json.gz -f busy.sql --format csv -o busy.csv");
    command->callback([options, &status] { status = run_sql(*options); });
}

}  // namespace lanescope
