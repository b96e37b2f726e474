// lanescope table: one analysis of a trace as a table, filtered, sorted and cut as requested.
#include "core/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "app/commands/table_rows.h"
#include "core/analysis/operators/operators.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/tables/torch_table.h"
#include "core/insight/compare/trace_figures.h"
#include "core/registry/tables.h"
#include "core/session/specs_file.h"

namespace lanescope {

namespace {

constexpr std::string_view kSummaryForm = "summary";

struct TableOptions {
    std::string trace;
    Companions companions;
    std::string by;
    std::string range;
    std::string specs;
    RowOptions rows;
    OutputOptions output;
};

// Tables that compare with what devices can do.
bool compares_with_peaks(std::string_view table) {
    constexpr std::array<std::string_view, 5> names = {"hotspots", "kernels", "models", "modules",
                                                       "roofline"};
    return std::ranges::find(names, table) != names.end();
}

Error no_such_table(const std::vector<std::string>& words) {
    std::string names;
    for (const TableMaker& maker : table_makers())
        if (maker.spec->by.empty()) names += " " + std::string(maker.spec->name);
    names += " " + std::string(kTracesTable.name);
    const std::string message = words.empty() ? std::string("Name a table")
                                              : fmt::format("There is no table {}", words.front());
    return {ErrorCode::usage, Error::no_offset, fmt::format("{}; there are:{}", message, names)};
}

int run_table(std::string_view name, const TableOptions& options) {
    const TableMaker* named = find_table_maker(name, options.by);
    const TableMaker& maker = named ? *named : *find_table_maker(name, "");
    const Result<RowChoice> choice = row_choice(*maker.spec, options.rows);
    if (!choice) return report(choice.error(), "");
    if (options.output.torch && !choice->grouping.by.empty())
        return report({ErrorCode::usage, Error::no_offset, "torch's layout has no groups"}, "");
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const Result<SpecsBookPtr> specs = load_specs(options.specs);
    if (!specs) return report(specs.error(), "");
    const TraceContext context(loaded->trace, Evidence(*specs));
    const Result<TableQuery> query = query_for_command(context, options.range);
    if (!query) return report(query.error(), "");
    Table table = maker.make(context, *query);
    if (!options.output.torch)
        return write_rows(std::move(table), options.rows, *choice, options.output);
    if (choice->sort) table.sort_by(*choice->sort, options.rows.reversed);
    return write_output(write_torch_table(table, *loaded->trace,
                                          options.rows.top > 0 ? options.rows.top : kTorchRowLimit),
                        options.output);
}

}  // namespace

void add_table_command(CLI::App& app, int& status) {
    CLI::App* tables = app.add_subcommand("table", "One analysis of a trace as a table");
    tables->require_subcommand(0, 1);
    tables->footer(
        "Examples:\n"
        "  lanescope table lanes trace.json.gz --sort busy_ns --top 5\n"
        "  lanescope table kernels trace.json.gz --group-by operator,name --top 10\n"
        "  lanescope table lanes trace.json.gz --range step:4 --format csv -o lanes.csv");
    const auto words = std::make_shared<std::vector<std::string>>();
    tables->add_option("TABLE", *words)->group("");  // hidden: an unknown table
    tables->callback([tables, words, &status] {
        if (tables->get_subcommands().empty()) status = report(no_such_table(*words), "");
    });
    for (const TableMaker& maker : table_makers()) {
        if (!maker.spec->by.empty()) continue;
        auto options = std::make_shared<TableOptions>();
        CLI::App* command =
            tables->add_subcommand(std::string(maker.spec->name), std::string(maker.spec->about));
        command->add_option("TRACE", options->trace, "The file; - reads standard input")
            ->required();
        add_companions(*command, options->companions);
        const std::vector<std::string_view> forms = forms_of_table(maker.spec->name);
        if (!forms.empty())
            command
                ->add_option("--by", options->by,
                             fmt::format("One row for each {}", fmt::join(forms, ", ")))
                ->type_name("FORM")
                ->check(CLI::IsMember(forms));
        if (find_table_maker(maker.spec->name, kSummaryForm))
            command->add_flag_callback(
                "--summary", [options] { options->by = kSummaryForm; }, "The same as --by summary");
        command
            ->add_option("--range", options->range,
                         "Only this time range: A..B, such as 1.2ms..3ms, or step:N")
            ->type_name("RANGE");
        add_row_options(*command, options->rows);
        if (compares_with_peaks(maker.spec->name))
            command->add_option("--specs", options->specs, kSpecsHelp)->type_name("FILE");
        add_output_options(*command, options->output, maker.spec->name == kOperatorsTable.name);
        add_full_names(*command, options->output);
        command->footer(
            fmt::format("Example:\n  lanescope table {0} trace.json.gz --top 10 --format md\n\n"
                        "Columns: lanescope columns {0}",
                        maker.spec->name));
        command->callback(
            [name = maker.spec->name, options, &status] { status = run_table(name, *options); });
    }
    add_ranks_table(*tables, status);
    add_traces_table(*tables, status);
}

}  // namespace lanescope
