#include "core/ingest/build/launch_owners.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

namespace lanescope {

namespace {

constexpr double kSureShare = 0.95;
constexpr double kLikelyShare = 0.9;
// A number that more calls have is no correlation.
constexpr std::size_t kMostCalls = 256;

bool has_calls_of_several(const Trace& trace) {
    const Column<SliceRef>& calls = trace.runtime_calls.slice;
    return std::ranges::any_of(calls, [&](SliceRef call) {
        return trace.lanes[call.lane].process != trace.lanes[calls[0].lane].process;
    });
}

// "RANK 1" for "RANK 1 - GPU" and "RANK 1 - CPU"; empty if the name does not end so.
std::string_view name_without_kind(std::string_view name, std::string_view kind) {
    if (!name.ends_with(kind)) return {};
    name.remove_suffix(kind.size());
    const std::size_t end = name.find_last_not_of(" -:_");
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end + 1);
}

}  // namespace

LaunchOwners::LaunchOwners(Trace& trace, CallsByCorrelation& calls) : trace_(trace), calls_(calls) {
    for (const Process& process : trace.processes) {
        owner_.push_back(process.owner);
        is_stated_.push_back(process.owner != kNoRow);
    }
    const GpuActivities& gpu = trace.gpu_activities;
    several_ = has_calls_of_several(trace);
    if (several_) {
        for (uint32_t i = 0; i < gpu.rows(); ++i)
            if (gpu.correlation[i] != kNoValue && !is_stated_[gpu_of(i)])
                vote(i, calls.find(gpu.correlation[i]));
        vote_by_order(calls);
        decide();
        decide_by_names();
    } else if (trace.runtime_calls.rows() > 0) {
        const uint32_t caller = trace.lanes[trace.runtime_calls.slice[0].lane].process;
        for (uint32_t& owner : owner_)
            if (owner == kNoRow) owner = caller;
    }
    for (uint32_t i = 0; i < owner_.size(); ++i)
        if (trace.processes[i].is_gpu) trace.processes[i].owner = owner_[i];
}

uint32_t LaunchOwners::only_process(uint32_t activity, CallsByCorrelation::Run run) const {
    const Column<int64_t>& ids = trace_.runtime_calls.external_id;
    const Column<int64_t>& own_ids = trace_.gpu_activities.external_id;
    const int64_t own = own_ids.empty() ? kNoValue : own_ids[activity];
    uint32_t only = kNoRow;
    for (const CallsByCorrelation::Call& call : run) {
        const int64_t id = ids.empty() ? kNoValue : ids[call.row];
        if (own != kNoValue && id != kNoValue && id != own) continue;
        const uint32_t process = calls_.process_of(call);
        if (only != kNoRow && only != process) return kNoRow;
        only = process;
    }
    return only;
}

void LaunchOwners::vote(uint32_t activity, CallsByCorrelation::Run run) {
    if (run.size() > kMostCalls) return;
    const uint32_t process = only_process(activity, run);
    if (process != kNoRow) ++votes_[gpu_of(activity)][process].sure;
}

// A call and its work are in the same place of the two orders, if each process launches one piece
// of work with the correlation, on another GPU.
void LaunchOwners::vote_by_order(CallsByCorrelation& calls) {
    const GpuActivities& gpu = trace_.gpu_activities;
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < gpu.slice.size(); ++i)
        if (gpu.correlation[i] != kNoValue && !is_stated_[gpu_of(i)]) rows.push_back(i);
    std::ranges::stable_sort(rows, {}, [&](uint32_t row) {
        return std::pair(gpu.correlation[row], trace_.start(gpu.slice[row]));
    });
    for (auto first = rows.begin(); first != rows.end();) {
        const int64_t correlation = gpu.correlation[*first];
        const auto last = std::find_if(
            first, rows.end(), [&](uint32_t row) { return gpu.correlation[row] != correlation; });
        const CallsByCorrelation::Run run = calls.find(correlation);
        std::vector<uint32_t> processes, gpus;
        for (const CallsByCorrelation::Call& call : run)
            processes.push_back(calls.process_of(call));
        for (auto row = first; row != last; ++row) gpus.push_back(gpu_of(*row));
        const auto all_differ = [](std::vector<uint32_t> numbers) {
            std::ranges::sort(numbers);
            return std::ranges::adjacent_find(numbers) == numbers.end();
        };
        if (processes.size() > 1 && processes.size() <= kMostCalls &&
            processes.size() == gpus.size() && all_differ(processes) && all_differ(gpus))
            for (std::size_t i = 0; i < gpus.size(); ++i) ++votes_[gpus[i]][processes[i]].likely;
        first = last;
    }
}

void LaunchOwners::decide() {
    for (const auto& [gpu, votes] : votes_) {
        Votes all;
        for (const auto& [process, own] : votes) {
            all.sure += own.sure;
            all.likely += own.likely;
        }
        for (const auto& [process, own] : votes) {
            const auto has = [](uint64_t part, uint64_t whole, double share) {
                return static_cast<double>(part) >= share * static_cast<double>(whole);
            };
            if (all.sure > 0 ? has(own.sure, all.sure, kSureShare)
                             : has(own.likely, all.likely, kLikelyShare))
                owner_[gpu] = process;
        }
    }
}

void LaunchOwners::decide_by_names() {
    for (uint32_t gpu = 0; gpu < trace_.processes.size(); ++gpu) {
        if (is_stated_[gpu]) continue;
        const std::string_view name =
            name_without_kind(trace_.strings[trace_.processes[gpu].name], "GPU");
        if (name.empty()) continue;
        uint32_t only = kNoRow;
        uint32_t count = 0;
        for (uint32_t process = 0; process < trace_.processes.size(); ++process)
            if (name_without_kind(trace_.strings[trace_.processes[process].name], "CPU") == name) {
                only = process;
                ++count;
            }
        if (count == 1) owner_[gpu] = only;
    }
}

uint32_t LaunchOwners::launch_of(uint32_t activity, CallsByCorrelation::Run run) const {
    const Nanos start = trace_.start(trace_.gpu_activities.slice[activity]);
    const uint32_t gpu = gpu_of(activity);
    if (run.size() > kMostCalls || (!several_ && !is_stated_[gpu])) {
        const uint32_t call = calls_.launching(run, start);
        return !is_stated_[gpu] || process_of(call) == owner_[gpu] ? call : kNoRow;
    }
    uint32_t process = owner_[gpu];
    if (process == kNoRow) process = only_process(activity, run);
    return process == kNoRow ? kNoRow : calls_.launching(run, process, start);
}

}  // namespace lanescope
