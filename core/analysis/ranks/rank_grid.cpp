#include "core/analysis/ranks/rank_grid.h"

#include <algorithm>

namespace lanescope {

namespace {

template <typename T>
std::size_t place_in(const std::vector<T>& sorted, T value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

std::vector<int64_t> steps_of(const RankData& data, const RankWaits& waits) {
    std::vector<int64_t> steps;
    for (const RankArrival& arrival : waits.arrivals)
        if (const int64_t step = data.calls[arrival.call].step; step != kNoValue)
            steps.push_back(step);
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

}  // namespace

RankGrid rank_grid(const RankData& data, const RankComparison& result) {
    RankGrid grid;
    for (uint32_t m = 0; m < data.members.size(); ++m)
        if (result.is_compared(m)) grid.members.push_back(m);
    std::ranges::stable_sort(grid.members, {},
                             [&](uint32_t member) { return data.members[member].rank; });
    std::vector<std::size_t> row_of(data.members.size());
    for (std::size_t row = 0; row < grid.members.size(); ++row) row_of[grid.members[row]] = row;
    grid.steps = steps_of(data, result.waits);
    grid.cells.resize(grid.members.size() * grid.steps.size());
    for (std::size_t i = 0; i < result.matched.calls.size(); ++i) {
        const CallWait& wait = result.waits.calls[i];
        const MatchedCall& call = result.matched.calls[i];
        for (uint32_t a = call.first; a < call.first + call.count; ++a) {
            const RankArrival& arrival = result.waits.arrivals[a];
            const int64_t step = data.calls[arrival.call].step;
            if (step == kNoValue) continue;
            RankCell& cell =
                grid.cells[row_of[arrival.member] * grid.steps.size() + place_in(grid.steps, step)];
            ++cell.calls;
            // Calls of one member are sorted by begin.
            cell.first = std::min(cell.first, arrival.call);
            cell.final = cell.final == kNoRow ? arrival.call : std::max(cell.final, arrival.call);
            if (a != wait.last) continue;
            ++cell.last;
            cell.caused += wait.wait;
            grid.most_caused = std::max(grid.most_caused, cell.caused);
        }
    }
    return grid;
}

}  // namespace lanescope
