// lanescope find: the slices that match an expression.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/count_check.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "app/commands/place_in_text.h"
#include "core/analysis/structure/time_range.h"
#include "core/search/argument_search.h"
#include "core/search/matches_table.h"

namespace lanescope {

namespace {

struct FindOptions {
    std::string trace;
    Companions companions;
    std::string expression;
    std::string range;
    std::size_t top = 0;  // 0: all
    OutputOptions output;
};

Result<Matches> matches_of(const TracePtr& trace, const SearchExpression& expression,
                           std::optional<TimeRange> range) {
    if (!reads_arguments(expression)) return find_matches(trace, expression, range);
    ArgumentProgress progress;
    return search_arguments(trace, {{trace}}, expression, range, progress);
}

int run_find(const FindOptions& options) {
    const Result<SearchExpression> expression = parse_search(options.expression);
    if (!expression) return report(with_place(options.expression, expression.error()), "");
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const Result<TableQuery> query = query_for_command(TraceContext(loaded->trace), options.range);
    if (!query) return report(query.error(), "");
    const Result<Matches> found = matches_of(loaded->trace, *expression, query->shown_range());
    if (!found) return report(found.error(), options.trace);
    const Matches matches = query->work ? matches_within(*found, *query) : *found;
    const std::size_t limit = options.top > 0 ? options.top : matches.count;
    return write_output(write_table(matches_table(matches, limit), options.output.format,
                                    text_style(options.output)),
                        options.output);
}

}  // namespace

void add_find_command(CLI::App& app, int& status) {
    auto options = std::make_shared<FindOptions>();
    CLI::App* command = app.add_subcommand("find", "The slices that match an expression");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    add_companions(*command, options->companions);
    command->add_option("EXPRESSION", options->expression, "What to look for")->required();
    command
        ->add_option("--range", options->range,
                     "Only slices that begin in this range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command->add_option("--top", options->top, "Only the first N, in order of time")
        ->type_name("N")
        ->check(check_count);
    add_output_options(*command, options->output);
    add_full_names(*command, options->output);
    command->footer(
        "All words of the expression must match; a word with - before it must not (put a space\n"
        "before a leading minus: ' -copy'):\n"
        "  gemm \"two words\"   a part of the name, category, or an argument such as shapes\n"
        "  re:^aten::.*mm$     a regular expression (RE2) on the same texts\n"
        "  name: cat: lane:    a part of the name, the category, the lane's name alone\n"
        "  args:128 args:k=v   in any argument: its name, its value or name=value (reads the file\n"
        "                      again)\n"
        "  dur>1ms dur<20us dur=1ms..2ms\n"
        "  tid:7 pid:12 stream:7\n"
        "  kernel kind:operator  the kind of work\n\n"
        "Examples:\n"
        "  lanescope find trace.json.gz 'kernel dur>1ms' --top 20\n"
        "  lanescope find trace.json.gz 'aten::mm -[8,' --range step:4 --format csv");
    command->callback([options, &status] { status = run_find(*options); });
}

}  // namespace lanescope
