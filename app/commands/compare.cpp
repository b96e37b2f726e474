// lanescope compare: what changed between runs.
#include "core/insight/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/number_checks.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/pictures/flame_writer.h"
#include "core/export/tables/compare_writer.h"

namespace lanescope {

namespace {

constexpr int kSlower = 3;
constexpr std::size_t kMinBaseline = 5;

struct CompareCommand {
    std::vector<std::string> traces;
    Companions companions;
    std::vector<std::string> baseline;
    std::string range;
    std::string fail_over;
    std::string row;
    std::string phase;
    bool strict = false;
    std::size_t top = 20;
    OutputOptions output;
    OutputOptions flames;  // only its path
};

constexpr double kMostThreshold = 100;  // times the step

// Keeps two traces in memory at a time, profiled side by side. Returns an exit status, 0 if all
// were read.
int profile_all(const std::vector<std::string>& paths, const CompareCommand& command,
                std::vector<RunProfile>& runs) {
    constexpr std::size_t kTogether = 2;
    const BatchPhase phase = batch_phase_named(command.phase).value_or(BatchPhase::unknown);
    std::vector<TraceContext> loaded_runs;
    std::vector<TableQuery> queries;
    for (const std::string& path : paths) {
        const Result<TraceWithCost> loaded = load_for_command(path, command.companions);
        if (!loaded) return report(loaded.error(), path);
        const TraceContext& context = loaded_runs.emplace_back(loaded->trace);
        const Result<TableQuery> query = query_for_command(context, command.range);
        if (!query) return report(query.error(), path);
        queries.push_back(*query);
        if (loaded_runs.size() < kTogether && &path != &paths.back()) continue;
        for (RunProfile& run : profile_runs(loaded_runs, queries, phase))
            runs.push_back(std::move(run));
        loaded_runs.clear();
        queries.clear();
    }
    return 0;
}

std::string wrong_number_of_traces(const CompareCommand& command) {
    if (!command.baseline.empty()) {
        if (command.baseline.size() < kMinBaseline)
            return fmt::format(
                "--baseline takes at least {} runs of one program, to know how runs vary; there {} "
                "{}",
                kMinBaseline, command.baseline.size() == 1 ? "is" : "are", command.baseline.size());
        return command.traces.empty() ? "lanescope compare --baseline FILE... also takes a new run"
                                      : "";
    }
    if (command.traces.size() > 2 && !command.flames.path.empty())
        return "--flame draws two runs: give A and B only";
    return command.traces.size() < 2 ? "lanescope compare takes two traces, A and B" : "";
}

// The picture of both runs; returns an exit status.
int write_flames(const CompareCommand& command, const Comparison& comparison) {
    if (!comparison.comparable) {
        fmt::print(stderr, "{}: not written, because the traces are not comparable\n",
                   command.flames.path);
        return 0;
    }
    FlameSvgOptions picture;
    picture.title = fmt::format("A: {}, B: {}; time in a {}, boxes as wide as the longer",
                                comparison.name_a, comparison.name_b, comparison.step.name);
    OutputOptions output = command.flames;
    output.force = command.output.force;
    output.command = command.output.command;
    return write_output(difference_flame_svg(difference_flames(comparison), picture), output);
}

// Replaces folders and archives by their traces. Returns an exit status.
int list_traces_of(CompareCommand& command) {
    for (std::vector<std::string>* const words : {&command.baseline, &command.traces}) {
        std::string failed;
        Result<std::vector<std::string>> paths = given_traces(*words, failed);
        if (!paths) return report(paths.error(), failed);
        *words = std::move(*paths);
    }
    return 0;
}

int run_compare(CompareCommand command) {
    if (const int failed = list_traces_of(command)) return failed;
    const std::string wrong = wrong_number_of_traces(command);
    if (!wrong.empty()) return report({ErrorCode::usage, Error::no_offset, wrong}, "");
    std::vector<RunProfile> profiles;
    std::vector<std::string> paths = command.baseline;
    paths.insert(paths.end(), command.traces.begin(), command.traces.end());
    if (const int failed = profile_all(paths, command, profiles)) return failed;
    if (!command.phase.empty())
        for (std::size_t i = 0; i < paths.size(); ++i)
            if (profiles[i].steps.empty())
                return report({ErrorCode::usage, Error::no_offset, no_step_of_phase(command.phase)},
                              paths[i]);
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (std::ranges::count(profiles, profiles[i].file, &RunProfile::file) > 1)
            profiles[i].name = paths[i];
    const std::span<const RunProfile> runs = profiles;
    const std::size_t on_a = command.baseline.empty() ? 1 : command.baseline.size();
    const CompareOptions options{command.top};
    std::vector<ComparedRuns> all;
    if (on_a > 1)
        all.push_back({compare_runs(runs.first(on_a), runs.subspan(on_a), options), {}});
    else
        for (std::size_t i = 1; i < runs.size(); ++i)
            all.push_back({compare_runs(runs.first(1), runs.subspan(i, 1), options), {}});
    bool slower = false;
    bool not_judged = false;
    if (!command.fail_over.empty())
        for (ComparedRuns& one : all) {
            const double threshold = share_in_text(command.fail_over, kMostThreshold).value_or(0);
            Result<GateResult> gate = judge(one.comparison, threshold, command.row);
            if (!gate) return report(gate.error(), "");
            slower = slower || gate->outcome == GateResult::Outcome::failed;
            not_judged = not_judged || gate->outcome == GateResult::Outcome::not_judged;
            one.gate = std::move(*gate);
        }
    if (command.output.format == TableFormat::csv) fmt::print(stderr, "{}", compare_notes(all));
    const int written = write_output(
        write_comparisons(all, command.output.format, text_style(command.output)), command.output);
    if (written != 0) return written;
    if (!command.flames.path.empty())
        if (const int failed = write_flames(command, all.front().comparison)) return failed;
    return slower || (not_judged && command.strict) ? kSlower : 0;
}

void add_gate_options(CLI::App& command, CompareCommand& options) {
    auto* fail_over =
        command
            .add_option("--fail-over", options.fail_over,
                        "Exit with 3 if the step is slower by more than this, beyond chance")
            ->type_name("SHARE")
            ->check([](const std::string& text) {
                return share_in_text(text, kMostThreshold)
                           ? std::string()
                           : text + " is not a share: write 5% or 0.05";
            });
    command
        .add_option("--row", options.row,
                    "With --fail-over: judge the function of this name or path, not the step")
        ->type_name("NAME")
        ->needs(fail_over);
    command
        .add_flag("--strict", options.strict,
                  "With --fail-over: exit with 3 also if there are too few steps to judge")
        ->needs(fail_over);
}

}  // namespace

void add_compare_command(CLI::App& app, int& status) {
    auto options = std::make_shared<CompareCommand>();
    CLI::App* command =
        app.add_subcommand("compare", "What changed between two runs: their steps, by function");
    command->add_option("TRACE", options->traces, "A, then B and others to compare with A");
    add_companions(*command, options->companions);
    command
        ->add_option("--baseline", options->baseline,
                     "At least five runs of one program, in place of A: the other traces are new "
                     "runs that are judged by how these vary")
        ->type_name("FILE");
    command
        ->add_option("--range", options->range,
                     "Only steps in this time range of each: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command
        ->add_option("--phase", options->phase,
                     "Only steps of servers that compute prompts (prefill), next tokens (decode) "
                     "or both (mixed)")
        ->type_name("PHASE")
        ->check(CLI::IsMember({"prefill", "decode", "mixed"}));
    command
        ->add_option("--top", options->top,
                     "Functions in rows of their own, those with the largest difference; 0: all "
                     "(default: 20)")
        ->type_name("N");
    command
        ->add_option("--flame", options->flames.path,
                     "Also write an SVG: the functions of both as a flame graph, coloured by what "
                     "changed")
        ->type_name("FILE");
    add_gate_options(*command, *options);
    add_output_options(*command, options->output);
    add_full_names(*command, options->output);
    command->footer(
        "First says whether the runs are comparable. Then each function's time in a step, which "
        "add "
        "up to the step: see `lanescope columns compare`. Fewer than five steady steps on a side "
        "show nothing beyond chance.\n\n"
        "Examples:\n"
        "  lanescope compare before.json.gz after.json.gz\n"
        "  lanescope compare before.json.gz after.json.gz --fail-over 5% --format md\n"
        "  lanescope compare before.json.gz after.json.gz --flame change.svg\n"
        "  lanescope compare new.json.gz --baseline run1.json run2.json run3.json run4.json "
        "run5.json\n\n"
        "Exit status: 3 if --fail-over says so, else as of all commands.");
    command->callback([options, &status] { status = run_compare(*options); });
}

}  // namespace lanescope
