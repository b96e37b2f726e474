#include "core/replays/replayed_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/replays/layers.h"
#include "core/replays/sequence_match.h"

namespace lanescope {

namespace {

// A replay is linked in part if at most this share of its kernels, or a single one, has no partner.
constexpr double kMostUnmatched = 0.05;
constexpr std::size_t kMostDifferences = 1000;  // limits time and memory
// Fewer launches are not searched where the limits of graphs are not recorded.
constexpr std::size_t kFew = 3;

using Sequence = std::vector<uint32_t>;  // of LaunchTokens

// The work that one graph launch started, by time.
struct Replay {
    Nanos launched = 0;
    uint32_t process = 0;        // process that launched the graph
    std::vector<uint32_t> rows;  // of Trace::gpu_activities
    Sequence tokens;
};

template <typename Value, typename Key>
void sort_by(std::vector<Value>& values, const Key& key) {
    if (!std::ranges::is_sorted(values, {}, key)) std::ranges::stable_sort(values, {}, key);
}

// The work of each graph launch. Links are sorted by (launch, work), so that the rows of a launch
// mostly follow each other.
std::vector<Replay> launched_by_graphs(const Trace& trace) {
    std::vector<uint8_t> launches(trace.strings.size(), 2);  // by name: whether it launches graphs
    std::vector<Replay> replays;
    const std::span<const SliceRef> work = trace.gpu_activities.slice;
    SliceRef last;
    uint32_t row = 0;
    for (const Link& link : trace.links) {
        if (link.kind != LinkKind::launch) continue;
        uint8_t& known = launches[trace.name_id(link.from)];
        if (known == 2) known = launches_graph(trace.name(link.from)) ? 1 : 0;
        if (known == 0) continue;
        if (row >= work.size() || work[row] != link.to) row = find_row(work, link.to);
        if (row == kNoRow) continue;
        if (link.from != last)
            replays.push_back(
                {trace.start(link.from), trace.lanes[link.from.lane].process, {}, {}});
        last = link.from;
        replays.back().rows.push_back(row++);
    }
    return replays;
}

std::vector<Replay> replays_of(const Trace& trace, LaunchTokens& tokens) {
    std::vector<Replay> replays = launched_by_graphs(trace);
    sort_by(replays, &Replay::launched);
    std::vector<uint32_t> token_of(trace.strings.size(), 0);
    const auto token = [&](SliceRef work) {
        uint32_t& known = token_of[trace.name_id(work)];
        if (known != 0) return known;
        const std::string_view name = trace.name(work);
        if (trace.event_class(work) != EventClass::memory)
            known = tokens.of_kernel(name);
        else
            known = name.find("emset") != std::string_view::npos ? LaunchTokens::kSet
                                                                 : LaunchTokens::kCopy;
        return known;
    };
    for (Replay& replay : replays) {
        sort_by(replay.rows,
                [&](uint32_t row) { return trace.start(trace.gpu_activities.slice[row]); });
        for (const uint32_t row : replay.rows)
            replay.tokens.push_back(token(trace.gpu_activities.slice[row]));
    }
    return replays;
}

// The partner of each of a replay's kernels.
struct Match {
    ReplayLink link = ReplayLink::none;
    uint32_t graphs = kNoRow;
    std::vector<uint32_t> launches;  // kNone: this kernel has none
    std::size_t unused = 0;          // launches of the captured graph that have no kernel
    bool is_ambiguous = false;       // another file's capture has an equal graph

    static Match in_order(uint32_t graphs, std::size_t begin, std::size_t size) {
        Match match{ReplayLink::order, graphs, {}, 0, false};
        for (std::size_t k = 0; k < size; ++k)
            match.launches.push_back(static_cast<uint32_t>(begin + k));
        return match;
    }
};

Sequence tokens_of(const CapturedGraphs& graphs) {
    Sequence tokens;
    for (const CapturedLaunch& launch : graphs.launches) tokens.push_back(launch.token);
    return tokens;
}

bool may_launch(uint32_t captured, uint32_t replayed) {
    return captured == replayed ||
           (captured == LaunchTokens::kAnyKernel && LaunchTokens::is_kernel(replayed));
}

std::size_t most_unmatched(std::size_t kernels) {
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(kMostUnmatched * static_cast<double>(kernels)));
}

// Searches the replays, in order of time, in the captures. Graphs are mostly replayed in the order
// of their captures, so each search begins behind the graph that the last one found.
class Matcher {
  public:
    explicit Matcher(std::span<const CapturedGraphs> captures) : captures_(captures) {
        for (const CapturedGraphs& graphs : captures) tokens_.push_back(tokens_of(graphs));
        next_.resize(captures.size(), 0);
        for (uint32_t i = 0; i < captures.size(); ++i) {
            Captured& captured = captured_.emplace_back();
            for (const CapturedGraph& graph : captures[i].graphs) {
                if (!captures[i].has_limits && graph.size() < kFew) continue;
                const auto launches = launches_of(i, graph);
                if (std::ranges::find(launches, LaunchTokens::kAnyKernel) != launches.end())
                    captured.unstated.push_back(graph);
                else
                    captured.whole[{launches.begin(), launches.end()}].push_back(graph.begin);
            }
        }
    }

    Match match(const Sequence& replay) {
        for (uint32_t i = 0; i < captures_.size(); ++i) {
            const auto place = whole_graph(i, replay);
            if (!place) continue;
            Match match = found(i, *place, replay.size());
            for (uint32_t other = i + 1; other < captures_.size(); ++other)
                match.is_ambiguous = match.is_ambiguous || whole_graph(other, replay);
            return match;
        }
        if (const auto known = others_.find(replay); known != others_.end()) return known->second;
        for (uint32_t i = 0; i < captures_.size(); ++i)
            if (const auto place = part_of_launches(i, replay))
                return found(i, *place, replay.size());
        return others_.emplace(replay, most_of_graph(replay)).first->second;
    }

  private:
    Match found(uint32_t i, std::size_t place, std::size_t size) {
        next_[i] = place + size;
        return Match::in_order(i, place, size);
    }

    std::span<const uint32_t> launches_of(uint32_t i, const CapturedGraph& graph) const {
        return std::span(tokens_[i]).subspan(graph.begin, graph.size());
    }

    // The next graph that the replay repeats as a whole. Where calls do not state their kernels,
    // the number of launches decides, and no known one may differ.
    std::optional<std::size_t> whole_graph(uint32_t i, const Sequence& replay) const {
        const Captured& captured = captured_[i];
        std::optional<std::size_t> first;
        if (const auto known = captured.whole.find(replay); known != captured.whole.end()) {
            const auto next = std::ranges::lower_bound(known->second, next_[i]);
            if (next != known->second.end()) return *next;
            first = known->second.front();
        }
        for (const CapturedGraph& graph : captured.unstated) {
            if (graph.size() != replay.size()) continue;
            if (!std::ranges::equal(launches_of(i, graph), replay, may_launch)) continue;
            if (graph.begin >= next_[i]) return graph.begin;
            if (!first) first = graph.begin;
        }
        return first;
    }

    // Where the limits of graphs are not recorded: the next equal launches. A few kernels would be
    // found by chance, unless they follow the last graph.
    std::optional<std::size_t> part_of_launches(uint32_t i,
                                                std::span<const uint32_t> replay) const {
        if (captures_[i].has_limits || !captures_[i].knows_kernels) return std::nullopt;
        const auto place = find_sequence(tokens_[i], replay, next_[i]);
        return place && (replay.size() >= kFew || *place == next_[i]) ? place : std::nullopt;
    }

    // The graph that leaves the fewest kernels without a partner.
    Match most_of_graph(std::span<const uint32_t> replay) const {
        const std::size_t most = most_unmatched(replay.size());
        Match best;
        std::size_t fewest = SIZE_MAX;
        for (uint32_t i = 0; i < captures_.size(); ++i) {
            if (!captures_[i].knows_kernels) continue;
            for (const CapturedGraph& graph : captures_[i].graphs) {
                if (graph.size() > replay.size() + most || replay.size() > graph.size() + most)
                    continue;
                Match match = aligned(i, graph, replay, most);
                const auto unmatched =
                    static_cast<std::size_t>(std::ranges::count(match.launches, kNone));
                if (match.launches.empty() || unmatched > most || unmatched == replay.size())
                    continue;
                if (unmatched + match.unused >= fewest) continue;
                fewest = unmatched + match.unused;
                best = std::move(match);
            }
        }
        return best;
    }

    // "By order" if the replay is the graph without launches at its begin or end: those can be
    // outside of the graph.
    Match aligned(uint32_t i, const CapturedGraph& graph, std::span<const uint32_t> replay,
                  std::size_t most) const {
        const auto launches = launches_of(i, graph);
        if (const auto place = find_sequence(launches, replay, 0)) {
            Match match = Match::in_order(i, graph.begin + *place, replay.size());
            match.unused = graph.size() - replay.size();
            return match;
        }
        Match match{ReplayLink::name, i,
                    align(launches, replay, std::min(2 * most, kMostDifferences)), 0, false};
        for (uint32_t& launch : match.launches)
            if (launch != kNone) launch += graph.begin;
        match.unused = graph.size() +
                       static_cast<std::size_t>(std::ranges::count(match.launches, kNone)) -
                       replay.size();
        return match;
    }

    // The graphs of a capture.
    struct Captured {
        std::map<Sequence, std::vector<std::size_t>>
            whole;                            // begins of those that state all kernels
        std::vector<CapturedGraph> unstated;  // all others
    };

    std::span<const CapturedGraphs> captures_;
    std::vector<Sequence> tokens_;      // by capture
    std::vector<Captured> captured_;    // by capture
    std::vector<std::size_t> next_;     // by capture: behind the last graph found
    std::map<Sequence, Match> others_;  // replays that are no whole graph
};

void note(std::vector<ReplayProblem>& problems, std::string text) {
    const auto known = std::ranges::find(problems, text, &ReplayProblem::text);
    if (known == problems.end())
        problems.push_back({1, std::move(text)});
    else
        ++known->replays;
}

void note_problem(const Match& match, std::size_t kernels, ReplayedKernels& all) {
    if (match.link == ReplayLink::none) {
        note(all.problems, fmt::format("no captured graph has the same sequence of {} kernels, "
                                       "copies and sets",
                                       kernels));
        return;
    }
    if (match.is_ambiguous)
        note(all.problems,
             "several captures have an equal graph, and the first one counts: its "
             "shapes may be those of another batch size");
    const auto missing = std::ranges::count(match.launches, kNone);
    if (missing == 0 && match.unused == 0) return;
    note(all.problems,
         fmt::format("{} of {} kernels, copies and sets have no captured launch, and {} captured "
                     "launches have no kernel",
                     missing, kernels, match.unused));
}

// The launches that created the nodes of a replay's kernels; kNoRow: no node ID, or not recorded.
std::vector<uint32_t> launches_by_id(const Trace& trace, const CapturedNodes& nodes,
                                     const Replay& replay) {
    std::vector<uint32_t> launches(replay.rows.size(), kNoRow);
    const GpuActivities& work = trace.gpu_activities;
    if (work.graph_node.empty()) return launches;
    for (std::size_t k = 0; k < replay.rows.size(); ++k) {
        const uint32_t row = replay.rows[k];
        if (work.graph_node[row] != kNoValue)
            launches[k] = nodes.launch_of(replay.process, work.graph_node[row]);
    }
    return launches;
}

}  // namespace

ReplayedKernels replayed_kernels(const Trace& trace, std::span<const CapturedGraphs> captures,
                                 const CapturedNodes& nodes, LaunchTokens& tokens) {
    ReplayedKernels all;
    const bool any_capture = std::ranges::any_of(
        captures, [](const CapturedGraphs& graphs) { return !graphs.launches.empty(); });
    Matcher matcher(captures);
    std::map<Sequence, RepeatedLayers> layers_of;  // by sequence
    uint32_t number = 0;
    for (const Replay& replay : replays_of(trace, tokens)) {
        const std::vector<uint32_t> by_id = launches_by_id(trace, nodes, replay);
        const bool has_ids = std::ranges::count(by_id, kNoRow) == 0;
        const Match match = any_capture && !has_ids ? matcher.match(replay.tokens) : Match();
        if (any_capture && !has_ids) note_problem(match, replay.rows.size(), all);
        RepeatedLayers layers;
        if (match.link == ReplayLink::none && !has_ids) {
            const auto [known, added] = layers_of.try_emplace(replay.tokens);
            if (added) known->second = find_layers(replay.tokens);
            layers = known->second;
        }
        for (uint32_t k = 0; k < replay.rows.size(); ++k) {
            ReplayedKernel& kernel = all.kernels.emplace_back();
            kernel.row = replay.rows[k];
            kernel.replay = number;
            if (by_id[k] != kNoRow) {
                kernel.link = ReplayLink::graph_id;
                kernel.captured = {static_cast<uint32_t>(captures.size()), by_id[k]};
                continue;
            }
            if (layers.contains(k)) {
                kernel.layer = layers.layer_of(k) + 1;
                kernel.layers = layers.count;
            }
            if (match.link == ReplayLink::none || match.launches[k] == kNone) continue;
            kernel.link = match.link;
            kernel.captured = {match.graphs, match.launches[k]};
        }
        ++number;
    }
    return all;
}

}  // namespace lanescope
