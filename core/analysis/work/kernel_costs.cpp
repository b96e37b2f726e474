// Distributes the work of modelled operators over their kernels, and adds kernels that have no
// operator, copies and collectives.
#include <algorithm>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/work/work_models_builder.h"

namespace lanescope {

namespace {

constexpr Nanos kShort = 5'000;  // shorter kernels are bound by latency
constexpr Nanos kTick = 1'000;   // clock resolution in older files

}  // namespace

void WorkModelsBuilder::set_bound(uint32_t row, KernelCost& cost, double compute_ns,
                                  double memory_ns) {
    if (std::isnan(cost.floor_ns)) return;
    const Occupancy* const footprint = footprints_.footprint_of(row);
    const bool part_of_wave = footprint && footprint->waves < 1;
    if (part_of_wave || trace_.duration(gpu_.slice[row]) < kShort)
        cost.bound = WorkBound::latency;
    else
        cost.bound = compute_ns > memory_ns ? WorkBound::compute : WorkBound::memory;
}

// Distributes an operator's work over its kernels in proportion to their time; the two gradients of
// a convolution get half each.
void WorkModelsBuilder::share_out(uint32_t instance) {
    const ModelledOperator& op = models_.instances[instance];
    const Work& work = calls_[op.call].modelled.work;
    const std::span rows = std::span(models_.kernels).subspan(op.first, op.count);
    if (calls_[op.call].modelled.cut) {
        for (const uint32_t row : rows) models_.costs[row].why = NoModel::cut;
        return;
    }
    std::vector<uint32_t> mains;
    for (const uint32_t row : rows)
        if (facts(row).role != KernelRole::helper) mains.push_back(row);
    if (mains.empty()) mains.assign(rows.begin(), rows.end());
    double time = 0;
    for (const uint32_t row : mains) time += static_cast<double>(trace_.duration(gpu_.slice[row]));
    const auto holds_half = [&](uint32_t row) {
        return !(op.floor_ns / 2 > static_cast<double>(trace_.duration(gpu_.slice[row])));
    };
    const bool halves = work.backward && mains.size() == 2 &&
                        facts(mains[0]).role != facts(mains[1]).role &&
                        std::ranges::all_of(mains, holds_half);
    for (const uint32_t row : rows) models_.costs[row].why = NoModel::helper;
    for (const uint32_t row : mains) {
        const auto duration = static_cast<double>(trace_.duration(gpu_.slice[row]));
        const double even = 1 / static_cast<double>(mains.size());
        const double part = halves || time <= 0 ? even : duration / time;
        KernelCost& cost = models_.costs[row];
        cost.why = NoModel::none;
        const auto share = [&](Count amount) {
            return mains.size() == 1 ? amount.n
                                     : std::llround(static_cast<double>(amount.n) * part);
        };
        if (work.flops.n != kNoValue) cost.flop = share(work.flops);
        cost.bytes = share(work.bytes_read + work.bytes_written);
        cost.floor_ns = op.floor_ns * part;
        cost.uncertain = op.uncertain;
        cost.below = cost.floor_ns > duration ? op.below : BelowFloor::no;
        const double compute = op.bound == WorkBound::compute ? 1 : 0;
        set_bound(row, cost, compute, 0.5);
    }
}

// Kernels without an operator (mostly of a CUDA graph) inherit the work of launches with the same
// name, grid and block, if all of those agree.
void WorkModelsBuilder::inherit() {
    struct Known {
        uint32_t call = kNoRow;
        uint32_t row = kNoRow;
        bool agree = true;
    };
    if (gpu_.config.empty()) return;
    FlatMap<Known> known;
    const auto key = [&](uint32_t row) {
        return uint64_t{trace_.name_id(gpu_.slice[row])} << 32U | gpu_.config[row];
    };
    std::vector<uint32_t> open;
    for (uint32_t row = 0; row < gpu_.slice.size(); ++row) {
        if (!is_kernel(row) || gpu_.config[row] == kNoRow) continue;
        if (!attribution_.op[row]) {
            open.push_back(row);
            continue;
        }
        const KernelCost& cost = models_.costs[row];
        const uint32_t call =
            cost.instance == kNoRow ? kNoRow : models_.instances[cost.instance].call;
        const auto [at, added] = known.try_emplace(key(row), {call, row, true});
        if (!added && at.call != call) at.agree = false;
    }
    for (const uint32_t row : open) {
        const Known* const found = known.find(key(row));
        if (!found || !found->agree || found->call == kNoRow) continue;
        KernelCost& cost = models_.costs[row];
        cost = models_.costs[found->row];
        cost.instance = kNoRow;
        cost.inherited = true;
        if (cost.why != NoModel::none || std::isnan(cost.floor_ns)) continue;
        const auto duration = static_cast<double>(trace_.duration(gpu_.slice[row]));
        const ModelledOperator& op = models_.instances[models_.costs[found->row].instance];
        cost.below = BelowFloor::no;
        if (cost.floor_ns <= duration) continue;
        const auto& peaks = models_.devices[static_cast<std::size_t>(op.device)].peaks;
        const bool by_cache =
            op.bound != WorkBound::compute && peaks &&
            duration >= ratio(std::max(0.0, static_cast<double>(cost.bytes) - peaks->cache_bytes),
                              peaks->memory_bytes_s);
        cost.below = by_cache ? BelowFloor::cache : BelowFloor::unexplained;
    }
}

// c10d::_allgather_base_(out, in) records what the collective below it does not.
bool WorkModelsBuilder::has_message(uint32_t row) const {
    const SliceRef op = attribution_.op[row];
    if (!op || trace_.name(op) != "c10d::_allgather_base_") return false;
    const Operators& ops = trace_.operators;
    const uint32_t at = op_row(op);
    if (at == kNoRow || ops.input_dims.empty()) return false;
    const auto shapes = parse_dims(trace_.strings[ops.input_dims[at]]);
    return shapes && shapes->size() > 1 && !(*shapes)[0].shape.empty() &&
           !(*shapes)[1].shape.empty();
}

// `cache`: bytes that the cache may save where the rate is measured.
BelowFloor WorkModelsBuilder::why_copied_faster(uint32_t row, const KernelCost& cost, double cache,
                                                double rate) const {
    const Nanos time = trace_.duration(gpu_.slice[row]);
    const auto floor = ratio(std::max(0.0, static_cast<double>(cost.bytes) - cache), rate);
    if (static_cast<double>(time) >= floor) return BelowFloor::cache;
    const bool a_tick = time == 0 || time == kTick;
    return a_tick && trace_.start(gpu_.slice[row]) % kTick == 0 ? BelowFloor::clock
                                                                : BelowFloor::unexplained;
}

void WorkModelsBuilder::add_copies_and_collectives() {
    for (const CollectiveRow& row : context_.get<AllCollectives>().rows)
        if (row.activity != kNoRow)
            models_.costs[row.activity].why =
                row.bytes == kNoValue ? NoModel::collective_unknown : NoModel::collective;
    for (uint32_t row = 0; row < gpu_.slice.size(); ++row) {
        const EventClass c = trace_.event_class(gpu_.slice[row]);
        KernelCost& cost = models_.costs[row];
        if (c == EventClass::communication && cost.why != NoModel::collective)
            cost.why = has_message(row) ? NoModel::collective : NoModel::collective_unknown;
        if (c != EventClass::memory || gpu_.bytes.empty() || gpu_.bytes[row] < 0) continue;
        cost.why = NoModel::none;
        const std::string_view name = trace_.name(gpu_.slice[row]);
        const bool set = name.find("emset") != std::string_view::npos;
        const bool on_device = name.find("DtoD") != std::string_view::npos;
        cost.flop = 0;
        cost.bytes = (Count(on_device ? 2 : 1) * Count(gpu_.bytes[row])).n;
        const auto& peaks = models_.devices[static_cast<std::size_t>(device_of(row))].peaks;
        if (!peaks) continue;
        const double rate = set || on_device ? peaks->memory_bytes_s : peaks->copy_bytes_s;
        cost.uncertain = set || on_device ? peaks->memory_uncertain : peaks->copy_uncertain;
        cost.floor_ns = ratio(static_cast<double>(cost.bytes), rate);
        const auto duration = static_cast<double>(trace_.duration(gpu_.slice[row]));
        if (cost.floor_ns > duration)
            cost.below =
                why_copied_faster(row, cost, set || on_device ? peaks->cache_bytes : 0, rate);
        set_bound(row, cost, 0, 1);
    }
}

std::string_view work_bound_name(WorkBound bound) {
    constexpr std::array<std::string_view, 4> names = {"unknown", "latency", "compute", "memory"};
    return names[static_cast<std::size_t>(bound)];
}

std::string_view below_floor_reason(BelowFloor why) {
    constexpr std::array<std::string_view, 4> reasons = {
        "", "served from cache", "not measured: a tick of the file's clock or none",
        "faster than its floor: the model or the peak is wrong"};
    return reasons[static_cast<std::size_t>(why)];
}

}  // namespace lanescope
