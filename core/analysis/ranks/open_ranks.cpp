#include "core/analysis/ranks/open_ranks.h"

#include <algorithm>
#include <filesystem>

#include "core/analysis/structure/gpu_work.h"
#include "core/trace/trace.h"

namespace lanescope {

namespace {

std::string name_of_part(const Trace& trace) {
    if (trace.only_part != kNoRow) return trace.parts[trace.only_part].name;
    return trace.parts.size() == 1 ? trace.parts.front().name : std::string();
}

// GPUs of one trace are called by their numbers in it.
void name_devices(const std::vector<GpuDevice>& devices, RankData& data) {
    for (RankMember& member : data.members)
        if (member.device != kNoRow)
            member.name = "GPU " + std::to_string(devices[member.device].device);
}

void index_slices(std::span<const TraceContext* const> parts, OpenRanks& ranks) {
    std::vector<std::pair<SliceRef, uint32_t>> calls;  // slices with their matched call
    for (uint32_t i = 0; i < ranks.result.matched.calls.size(); ++i)
        for (const uint32_t call : ranks.result.matched.members_of(ranks.result.matched.calls[i]))
            calls.emplace_back(ranks.data.calls[call].slice, i);
    std::ranges::sort(calls);
    ranks.by_slice = calls;
    for (const TraceContext* const part : parts)
        for (const CollectiveRow& row : part->get<AllCollectives>().rows) {
            if (!row.launch) continue;
            const auto found = std::ranges::lower_bound(calls, row.slice, {},
                                                        &std::pair<SliceRef, uint32_t>::first);
            if (found != calls.end() && found->first == row.slice)
                ranks.by_slice.emplace_back(row.launch, found->second);
        }
    std::ranges::sort(ranks.by_slice);
}

}  // namespace

const MatchedCall* OpenRanks::call_of(SliceRef slice) const {
    const auto found =
        std::ranges::lower_bound(by_slice, slice, {}, &std::pair<SliceRef, uint32_t>::first);
    return found != by_slice.end() && found->first == slice ? &result.matched.calls[found->second]
                                                            : nullptr;
}

std::shared_ptr<const OpenRanks> compare_open_ranks(std::span<const TraceContext* const> parts) {
    auto ranks = std::make_shared<OpenRanks>();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Trace& trace = parts[i]->trace();
        append_ranks(parts[i]->get<OwnRanks>().data,
                     {static_cast<int64_t>(i), name_of_part(trace),
                      std::filesystem::path(trace.path).filename().string()},
                     ranks->data);
    }
    if (ranks->data.members.size() < 2) return nullptr;
    if (parts.size() == 1) name_devices(parts.front()->get<GpuDevices>().all, ranks->data);
    number_ranks_by_order(ranks->data);
    ranks->result = compare_ranks(ranks->data);
    ranks->grid = rank_grid(ranks->data, ranks->result);
    index_slices(parts, *ranks);
    return ranks;
}

}  // namespace lanescope
