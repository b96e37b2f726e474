#include "api/query_options.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/base/number_text.h"
#include "core/insight/compare/run_profile.h"
#include "core/insight/findings/story.h"

namespace lanescope {

Result<TableQuery> query_in(const TraceContext& context, const std::string& range) {
    if (range.empty()) return TableQuery();
    const Result<ParsedQuery> parsed = parse_query(context, range);
    if (!parsed) return parsed.error();
    return parsed->query;
}

Findings story_of(const OneTrace& one) {
    constexpr double kMinShare = 0.01;
    return find_story(one.context(), Thresholds(), {one.query, kMinShare});
}

JoinFacts join_facts(const lanescope_trace& trace) {
    const AlignedTrace& joined = trace.joined;
    if (joined.parts.size() < 2) return {};
    return {alignment_text(joined.aligned_by), joined.parts};
}

Result<std::vector<Note>> notes_of(const lanescope_trace& opened, const Trace& file) {
    if (opened.is_stream) return std::vector<Note>();
    LoadedNotes loaded =
        load_notes(noted_trace(file.path, file), notes_places(file.path), BrokenNotes::leave);
    if (!loaded.may_save) return Error{ErrorCode::damaged, Error::no_offset, loaded.message};
    return std::move(loaded.notes);
}

Result<Findings> findings_of(const lanescope_trace& trace, const FindingsOptions& options) {
    const auto share = share_in_text(options.min_share, 1);
    if (!share) return misuse(options.min_share + " is not a share such as 1% or 0.01");
    Thresholds thresholds;
    for (const std::string& assignment : options.threshold)
        if (const Result<void> set = thresholds.set(assignment); !set) return set.error();
    const Result<TableQuery> query = query_in(*trace.context, options.range);
    if (!query) return query.error();
    return find_all(*trace.context, thresholds, {*query, *share});
}

Result<std::vector<Comparison>> comparisons_of(Opened traces, const ComparedTraces& options) {
    if (traces.size() < 2) return misuse("compare takes two traces, A and B");
    constexpr std::size_t kMinBaseline = 5;
    if (options.baseline > 0 &&
        (options.baseline < kMinBaseline || options.baseline >= traces.size()))
        return misuse(
            "The baseline of compare takes at least 5 runs of one program, and at least one run "
            "must follow it");
    const std::optional<BatchPhase> phase = batch_phase_named(options.phase);
    if (!options.phase.empty() && !phase)
        return misuse(options.phase + " is not a phase: prefill, decode or mixed");
    std::vector<RunProfile> profiles;
    profiles.reserve(traces.size());
    for (lanescope_trace* const trace : traces) {
        if (trace->joined.parts.size() > 1) return misuse("compare takes traces of one file each");
        const Result<TableQuery> query = query_in(*trace->context, options.range);
        if (!query) return query.error();
        profiles.push_back(
            profile_run(*trace->context, *query, phase.value_or(BatchPhase::unknown)));
        if (phase && profiles.back().steps.empty())
            return misuse(trace->paths.front() + ": " + no_step_of_phase(options.phase));
    }
    for (std::size_t i = 0; i < profiles.size(); ++i)
        if (std::ranges::count(profiles, profiles[i].file, &RunProfile::file) > 1)
            profiles[i].name = traces[i]->paths.front();
    const std::span<const RunProfile> runs = profiles;
    const std::size_t on_a = std::max<std::size_t>(options.baseline, 1);
    std::vector<Comparison> all;
    if (on_a > 1) {
        all.push_back(compare_runs(runs.first(on_a), runs.subspan(on_a), {options.top}));
        return all;
    }
    all.reserve(runs.size() - 1);
    for (std::size_t i = 1; i < runs.size(); ++i)
        all.push_back(compare_runs(runs.first(1), runs.subspan(i, 1), {options.top}));
    return all;
}

}  // namespace lanescope
