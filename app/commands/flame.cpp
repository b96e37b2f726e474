// lanescope flame: calls merged by their stacks, for flame graph tools and speedscope, or as a
// picture.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/flame/sandwich.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/pictures/flame_writer.h"
#include "core/view/lane_arrangement.h"

namespace lanescope {

namespace {

struct FlameOptions {
    std::string trace;
    Companions companions;
    std::string of;
    std::string range;
    std::string lanes;  // regular expression; empty: all
    std::string focus;
    std::string format = "folded";
    std::string weight = "time";
    std::string theme = "light";
    bool inverted = false;
    OutputOptions output;
};

Error usage(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

Result<FlameQuery> query_of(const TraceContext& context, const FlameOptions& options) {
    const Trace& trace = context.trace();
    FlameQuery query;
    query.source = options.of.empty() ? first_flame_source(trace) : *find_flame_source(options.of);
    const std::string_view missing = missing_for_flame(trace, query.source);
    if (!missing.empty()) return Error{ErrorCode::empty, Error::no_offset, std::string(missing)};
    if (options.weight == "samples") {
        if (!sampled_source(trace, query.source))
            return usage(
                "--weight samples needs --of samples, waiting or python with Python "
                "samples: calls only have times.");
        query.weight = FlameWeight::samples;
    }
    const Result<TableQuery> table = query_for_command(context, options.range);
    if (!table) return table.error();
    query.table = *table;
    if (!options.lanes.empty()) {
        const Result<LaneArrangement> only = only_lanes(trace, options.lanes);
        if (!only) return only.error();
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
            if (!only->hidden.contains(lane)) query.lanes.push_back(lane);
    }
    const bool merges = options.inverted || !options.focus.empty();
    if (options.format == "speedscope" && !merges) query.order = FlameOrder::time;
    return query;
}

// A frame has the name, or it is the only one that contains it.
Result<uint32_t> frame_called(const Trace& trace, const FlameTree& tree, const std::string& name) {
    std::vector<uint32_t> containing;
    for (uint32_t i = 0; i < tree.frames.size(); ++i) {
        const std::string_view text = frame_text(trace, tree.frames[i]);
        if (text == name) return i;
        if (text.find(name) != std::string_view::npos) containing.push_back(i);
    }
    if (containing.size() == 1) return containing.front();
    if (containing.empty()) return usage("No call has " + name + " in its name.");
    return usage(fmt::format("{} names contain {}, such as {} and {}: give all of one name.",
                             containing.size(), name, frame_text(trace, tree.frames[containing[0]]),
                             frame_text(trace, tree.frames[containing[1]])));
}

Result<FlameTree> tree_of(const TraceContext& context, const FlameQuery& query,
                          const FlameOptions& options) {
    FlameTree tree = make_flame_tree(context, query);
    if (options.focus.empty()) return options.inverted ? inverted(tree) : std::move(tree);
    const Result<uint32_t> frame = frame_called(context.trace(), tree, options.focus);
    if (!frame) return frame.error();
    return options.inverted ? callers_of(tree, *frame) : callees_of(tree, *frame);
}

std::string written(const Trace& trace, const FlameTree& tree, const FlameOptions& options) {
    const std::string file = std::filesystem::path(options.trace).filename().string();
    const std::string title =
        fmt::format("{}: {}", file, flame_source_title(tree.source)) +
        (options.focus.empty()
             ? ""
             : (options.inverted ? ", callers of " : ", inside ") + options.focus);
    if (options.format == "speedscope") return flame_as_speedscope(trace, tree, title);
    if (options.format == "json") return flame_as_json(trace, tree);
    if (options.format == "folded") return flame_as_folded(trace, tree);
    FlameSvgOptions picture;
    picture.theme = options.theme == "dark" ? Theme::dark : Theme::light;
    picture.title = title + (trace.synthetic ? ", a synthetic sample" : "");
    return flame_svg(trace, tree, picture);
}

// The format that the end of a file's name stands for.
std::string flame_format_of_name(std::string_view path) {
    if (path.ends_with(".svg")) return "svg";
    if (path.ends_with(".speedscope.json")) return "speedscope";
    return path.ends_with(".json") ? "json" : "folded";
}

int run_flame(const FlameOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const TraceContext context(loaded->trace);
    const Result<FlameQuery> query = query_of(context, options);
    if (!query) return report(query.error(), "");
    const Result<FlameTree> tree = tree_of(context, *query, options);
    if (!tree) return report(tree.error(), "");
    return write_output(written(*loaded->trace, *tree, options), options.output);
}

}  // namespace

void add_flame_command(CLI::App& app, int& status) {
    auto options = std::make_shared<FlameOptions>();
    CLI::App* command = app.add_subcommand(
        "flame", "Calls merged by their stacks: a flame graph, also for other programs");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    add_companions(*command, options->companions);
    command
        ->add_option("--of", options->of,
                     "calls, python, samples, waiting, modules or gpu: GPU time by launching stack "
                     "(default: the first that the trace has)")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"calls", "python", "samples", "waiting", "modules", "gpu"}));
    command
        ->add_option("--range", options->range,
                     "Only this time range, to which calls are clipped: A..B, such as 1.2ms..3ms, "
                     "or step:N")
        ->type_name("RANGE");
    command
        ->add_option("--lanes", options->lanes,
                     "Only threads and streams whose name or group name matches this regular "
                     "expression")
        ->type_name("RE");
    command->add_option("--focus", options->focus, "Only calls of this name and what they call")
        ->type_name("NAME");
    command->add_flag("--inverted", options->inverted,
                      "Callers below what they call; with --focus, those of one name");
    command
        ->add_option("--weight", options->weight,
                     "time, or samples: the number of samples (default: time)")
        ->type_name("WEIGHT")
        ->check(CLI::IsMember({"time", "samples"}));
    command
        ->add_option("--format", options->format,
                     "folded, speedscope, json or svg (default: as FILE ends, .svg, "
                     ".speedscope.json or .json; else folded)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"folded", "speedscope", "json", "svg"}));
    command->add_option("--theme", options->theme, "Of an SVG: dark or light (default: light)")
        ->type_name("THEME")
        ->check(CLI::IsMember({"dark", "light"}));
    add_output_path(*command, options->output, "Write to a file instead of stdout");
    command->footer(
        "Examples:\n"
        "  lanescope flame trace.json.gz --of gpu --format svg -o gpu.svg\n"
        "  lanescope flame trace.json.gz --format speedscope -o trace.speedscope.json\n"
        "  lanescope flame trace.json.gz --focus aten::linear --inverted");
    command->callback([options, command, &status] {
        if (command->count("--format") == 0)
            options->format = flame_format_of_name(options->output.path);
        status = run_flame(*options);
    });
}

}  // namespace lanescope
