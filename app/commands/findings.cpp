// lanescope findings: what costs time in a trace, how much, why, where, and what to try.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/number_checks.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"
#include "core/base/rest_of_stream.h"
#include "core/export/tables/findings_writer.h"

namespace lanescope {

namespace {

struct FindingsOptions {
    std::vector<std::string> traces;
    Companions companions;
    std::string align;
    std::string range;
    std::string min_share = "1%";
    std::string thresholds_file;
    std::vector<std::string> thresholds;
    bool list_thresholds = false;
    OutputOptions output;
};

Result<Thresholds> chosen_thresholds(const FindingsOptions& options) {
    Thresholds thresholds;
    if (!options.thresholds_file.empty()) {
        std::ifstream file(options.thresholds_file, std::ios::binary);
        const std::optional<std::string> text = file ? rest_of(file) : std::nullopt;
        if (!text)
            return Error{ErrorCode::io, Error::no_offset,
                         options.thresholds_file + ": cannot be read"};
        if (const Result<void> set = thresholds.set_from_json(*text); !set)
            return Error{ErrorCode::usage, Error::no_offset,
                         fmt::format("{}: {}", options.thresholds_file, set.error().text)};
    }
    for (const std::string& assignment : options.thresholds)
        if (const Result<void> set = thresholds.set(assignment); !set) return set.error();
    return thresholds;
}

int run_findings(const FindingsOptions& options) {
    const Result<Thresholds> thresholds = chosen_thresholds(options);
    if (!thresholds) return report(thresholds.error(), "");
    const TextStyle style = text_style(options.output);
    if (options.list_thresholds)
        return write_output(
            write_table(thresholds_table(*thresholds), options.output.format, style),
            options.output);
    if (options.traces.empty())
        return report({ErrorCode::usage, Error::no_offset, "lanescope findings takes a trace"}, "");
    std::string failed;
    const Result<AlignedWithCost> loaded =
        load_joined(options.traces, options.companions, options.align, failed);
    if (!loaded) return report(loaded.error(), failed);
    const TraceContext context(loaded->whole);
    FindingsQuery query;
    query.min_share = share_in_text(options.min_share, 1).value_or(0);
    const Result<TableQuery> table = query_for_command(context, options.range);
    if (!table) return report(table.error(), "");
    query.table = *table;
    const Findings findings = find_all(context, *thresholds, query);
    switch (options.output.format) {
        case TableFormat::text:
            return write_output(findings_as_text(context, findings, style), options.output);
        case TableFormat::json:
            return write_output(findings_as_json(context, findings), options.output);
        default:
            return write_output(
                write_table(findings_table(context, findings), options.output.format, style),
                options.output);
    }
}

}  // namespace

void add_findings_command(CLI::App& app, int& status) {
    auto options = std::make_shared<FindingsOptions>();
    CLI::App* command = app.add_subcommand(
        "findings", "What costs time in a trace, how much, why, where, and what to try");
    command->add_option("TRACE", options->traces,
                        "The file; - reads standard input; several files are ranks of one job");
    add_companions(*command, options->companions);
    command
        ->add_option("--align", options->align,
                     "How to align several files: start, clock, step:N or event:NAME")
        ->type_name("HOW");
    command
        ->add_option("--range", options->range,
                     "Only this time range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command
        ->add_option("--min-share", options->min_share,
                     "Only findings that cost at least this share of the steps (1%)")
        ->type_name("SHARE")
        ->check([](const std::string& text) {
            return share_in_text(text, 1) ? std::string()
                                          : text + " is not a share such as 1% or 0.01";
        });
    command
        ->add_option("--threshold", options->thresholds,
                     "Change a threshold of a rule: RULE.NAME=VALUE; may be repeated")
        ->type_name("RULE.NAME=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--thresholds", options->thresholds_file,
                     "Change thresholds by a JSON file: {\"RULE.NAME\": VALUE}")
        ->type_name("FILE");
    command->add_flag("--list-thresholds", options->list_thresholds,
                      "List the thresholds of all rules");
    add_output_options(*command, options->output);
    command->footer(
        "Examples:\n"
        "  lanescope findings trace.json.gz\n"
        "  lanescope findings trace.json.gz --range step:4 --format json\n"
        "  lanescope findings rank0.json.gz rank1.json.gz\n"
        "  lanescope findings trace.json.gz --threshold tiny-kernels.max_duration=5us");
    command->callback([options, &status] { status = run_findings(*options); });
}

}  // namespace lanescope
