// lanescope report: a trace as one HTML page.
#include "core/report/report.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"

namespace lanescope {

namespace {

struct ReportRequest {
    std::string trace;
    Companions companions;
    std::string range;
    std::string compare;
    double max_megabytes = 5;
    OutputOptions output;
};

int run_report(const ReportRequest& request) {
    const Result<TraceWithCost> loaded = load_for_command(request.trace, request.companions);
    if (!loaded) return report(loaded.error(), request.trace);
    report_incomplete(request.trace, *loaded->trace);
    const TraceContext context(loaded->trace);
    ReportOptions options;
    options.title = std::filesystem::path(request.trace).filename().string();
    options.max_bytes = static_cast<std::size_t>(request.max_megabytes * 1e6);
    const Result<TableQuery> query = query_for_command(context, request.range);
    if (!query) return report(query.error(), "");
    options.query = *query;
    std::optional<TraceContext> other;
    if (!request.compare.empty()) {
        const Result<TraceWithCost> second = load_for_command(request.compare, request.companions);
        if (!second) return report(second.error(), request.compare);
        report_incomplete(request.compare, *second->trace);
        other.emplace(second->trace);
        const Result<TableQuery> other_query = query_for_command(*other, request.range);
        if (!other_query) return report(other_query.error(), request.compare);
        options.other_query = *other_query;
        options.other = &*other;
    }
    return write_output(make_report(loaded->trace, context, options).html, request.output);
}

}  // namespace

void add_report_command(CLI::App& app, int& status) {
    auto request = std::make_shared<ReportRequest>();
    CLI::App* command =
        app.add_subcommand("report", "Write a trace as one self-contained HTML page");
    command->add_option("TRACE", request->trace, "The file; - reads standard input")->required();
    add_companions(*command, request->companions);
    command
        ->add_option("--range", request->range,
                     "Figures of this time range only: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command
        ->add_option("--compare", request->compare,
                     "Another run: the page also says what changed from TRACE to it")
        ->type_name("TRACE");
    command
        ->add_option("--max-size", request->max_megabytes,
                     "The timeline's data in the page, in megabytes; shorter slices are drawn "
                     "together where it would be larger (5)")
        ->type_name("MB")
        ->check(CLI::Range(0.1, 1000.0));
    add_output_path(*command, request->output, "The HTML file to write")->required();
    command->footer(
        "One file that needs no network and no program: summary, findings with pictures, a "
        "timeline for W A S D, tables that sort and filter, roofline and "
        "histograms.\n\nExamples:\n"
        "  lanescope report trace.json.gz -o report.html\n"
        "  lanescope report trace.json.gz --range step:4 -o step.html\n"
        "  lanescope report before.json.gz --compare after.json.gz -o change.html");
    command->callback([request, &status] { status = run_report(*request); });
}

}  // namespace lanescope
