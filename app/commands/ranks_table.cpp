// lanescope table ranks: compares the ranks of a job by their collectives.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "app/commands/table_rows.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/ranks/rank_tables.h"
#include "core/session/part_names.h"

namespace lanescope {

namespace {

struct RanksOptions {
    std::vector<std::string> traces;
    std::string by;
    Companions companions;
    RowOptions rows;
    OutputOptions output;
};

// Loads one trace at a time, and keeps only the rows to compare.
int run_ranks(const RanksOptions& options) {
    const RankTableMaker* const maker = find_rank_table(options.by);
    const Result<RowChoice> choice = row_choice(*maker->spec, options.rows);
    if (!choice) return report(choice.error(), "");
    std::string failed;
    const Result<std::vector<std::string>> paths = given_traces(options.traces, failed);
    if (!paths) return report(paths.error(), failed);
    std::vector<TraceFile> files;
    std::vector<OwnRanks> ranks;
    for (const std::string& path : *paths) {
        const Result<TraceWithCost> loaded = load_for_command(path, options.companions);
        if (!loaded) return report(loaded.error(), path);
        report_incomplete(path, *loaded->trace);
        files.push_back({loaded->trace->path, own_rank(*loaded->trace)});
        ranks.push_back(OwnRanks::compute(TraceContext(loaded->trace)));
    }
    const std::vector<std::string> names = part_names(files);
    RankData data;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        append_ranks(ranks[i].data,
                     {static_cast<int64_t>(i), names[i],
                      std::filesystem::path(files[i].path).filename().string()},
                     data);
    number_ranks_by_order(data);
    const RankComparison result = compare_ranks(data);
    if (paths->size() > 1 && result.matched.calls.empty())
        fmt::print(stderr,
                   "lanescope: no collective was found on two ranks, so nothing is compared; "
                   "\"--by problem\" says why\n");
    return write_rows(maker->make(data, result), options.rows, *choice, options.output);
}

std::vector<std::string> forms_of_ranks() {
    std::vector<std::string> forms;
    for (const RankTableMaker& maker : rank_table_makers())
        if (!maker.spec->by.empty()) forms.emplace_back(maker.spec->by);
    return forms;
}

}  // namespace

void add_ranks_table(CLI::App& tables, int& status) {
    auto options = std::make_shared<RanksOptions>();
    CLI::App* command =
        tables.add_subcommand(std::string(kRanksTable.name), std::string(kRanksTable.about));
    command
        ->add_option("TRACE", options->traces, "Files, folders or archives; - reads standard input")
        ->required();
    add_companions(*command, options->companions);
    const std::vector<std::string> forms = forms_of_ranks();
    command
        ->add_option("--by", options->by,
                     fmt::format("One row for each {}", fmt::join(forms, ", ")))
        ->type_name("FORM")
        ->check(CLI::IsMember(forms));
    add_row_options(*command, options->rows);
    add_output_options(*command, options->output);
    add_full_names(*command, options->output);
    command->footer(
        "Example:\n  lanescope table ranks rank0.json.gz rank1.json.gz rank2.json.gz --by "
        "verdict\n\nColumns: lanescope columns ranks");
    command->callback([options, &status] { status = run_ranks(*options); });
}

}  // namespace lanescope
