#include "core/analysis/work/work_models.h"

#include <algorithm>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/operator_index.h"
#include "core/analysis/work/footprints.h"
#include "core/base/flat_map.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr Nanos kShort = 5'000;  // shorter kernels are bound by latency
constexpr Nanos kTick = 1'000;   // clock resolution in older files
constexpr double kSecond = 1e9;
// What is inside an operator.
constexpr uint8_t kModelled = 1;
constexpr uint8_t kProduct = 2;

uint64_t key_of(SliceRef slice) {
    return uint64_t{slice.lane} << 32U | slice.index;
}

double ratio(double amount, double rate) {
    return rate > 0 ? amount / rate * kSecond : kNoFloor;
}

// The larger value; an unknown one is ignored.
double larger(double a, double b) {
    return std::fmax(a, b);
}

class Builder {
  public:
    explicit Builder(const TraceContext& context)
        : context_(context),
          trace_(context.trace()),
          gpu_(trace_.gpu_activities),
          attribution_(context.get<Attribution>()),
          trees_(context.get<CallTrees>().by_lane),
          index_(context.get<OperatorIndex>()),
          calls_(trace_, trees_),
          footprints_(trace_) {}

    WorkModels build() {
        models_.costs.resize(gpu_.slice.size());
        find_devices();
        if (gpu_.slice.empty())
            add_cpu_operators();
        else
            add_gpu_operators();
        models_.calls = std::move(calls_).take();
        return std::move(models_);
    }

  private:
    void find_devices();
    int32_t device_of(uint32_t row);
    const KernelFacts& facts(uint32_t row);
    bool is_kernel(uint32_t row) const {
        const EventClass c = trace_.event_class(gpu_.slice[row]);
        return c != EventClass::memory && c != EventClass::communication;
    }

    uint32_t op_row(SliceRef op) const { return index_.row(op); }
    uint32_t call_of(SliceRef op, uint32_t gpu_row);
    void mark_around(SliceRef op, uint8_t mark);
    void claim_from_around(std::vector<uint32_t>& open);
    void add_claim(SliceRef op, uint32_t call, uint32_t row);

    void add_gpu_operators();
    void add_cpu_operators();
    void make_instances();
    void set_type(ModelledOperator& op, const Work& work) const;
    void set_floor(ModelledOperator& op);
    void share_out(uint32_t instance);
    void set_bound(uint32_t row, KernelCost& cost, double compute_ns, double memory_ns);
    bool has_message(uint32_t row) const;
    BelowFloor why_copied_faster(uint32_t row, const KernelCost& cost, double cache,
                                 double rate) const;
    void add_copies_and_collectives();
    void inherit();

    const TraceContext& context_;
    const Trace& trace_;
    const GpuActivities& gpu_;
    const Attribution& attribution_;
    std::span<const CallTree> trees_;
    const OperatorIndex& index_;
    OperatorCalls calls_;
    Footprints footprints_;
    WorkModels models_;
    std::vector<uint32_t> facts_of_name_;  // by StringId: row of facts_, kNoRow: not yet looked up
    std::vector<KernelFacts> facts_;
    std::vector<int32_t> device_rows_;  // by ordinal + 1
    FlatMap<uint8_t> modelled_inside_;  // by slice: kModelled or kProduct
    struct Claim {
        uint64_t op;
        uint32_t call;
        uint32_t row;
    };
    std::vector<Claim> claims_;
};

void Builder::find_devices() {
    for (uint32_t row = 0; row < gpu_.slice.size(); ++row) (void)device_of(row);
}

int32_t Builder::device_of(uint32_t row) {
    int32_t id = gpu_.device.empty() ? -1 : gpu_.device[row];
    if (id < 0) id = trace_.processes[trace_.lanes[gpu_.slice[row].lane].process].device;
    id = std::clamp(id, -1, 4095);
    const std::size_t place = static_cast<uint32_t>(id + 1);
    if (place >= device_rows_.size()) device_rows_.resize(place + 1, -1);
    if (device_rows_[place] >= 0) return device_rows_[place];
    const auto& all = trace_.devices;
    auto found = std::ranges::find(all, id, &Device::id);
    // A process's device 0 may have another number in the machine: an identical device is
    // sufficient.
    const bool alike = !all.empty() && std::ranges::all_of(all, [&](const Device& d) {
        return d.name == all.front().name;
    });
    if (found == all.end() && alike) found = all.begin();
    Device device;
    if (found != all.end()) device = *found;
    device.id = id;
    models_.devices.push_back({id, device.name, find_peaks(context_.specs(), device)});
    return device_rows_[place] = static_cast<int32_t>(models_.devices.size() - 1);
}

const KernelFacts& Builder::facts(uint32_t row) {
    const StringId name = trace_.name_id(gpu_.slice[row]);
    if (facts_of_name_.empty()) facts_of_name_.resize(trace_.strings.size(), kNoRow);
    if (facts_of_name_[name] == kNoRow) {
        facts_of_name_[name] = static_cast<uint32_t>(facts_.size());
        facts_.push_back(facts_of_kernel(trace_.strings[name]));
    }
    return facts_[facts_of_name_[name]];
}

uint32_t Builder::call_of(SliceRef op, uint32_t gpu_row) {
    const uint32_t row = op_row(op);
    if (row == kNoRow) return kNoRow;
    const uint32_t call = calls_.of_row(row);
    return calls_.with_hint(call, facts(gpu_row).element);
}

// An operator around a modelled operator no longer models the kernels of the inner one.
void Builder::mark_around(SliceRef op, uint8_t mark) {
    const auto& parents = trees_[op.lane].parent;
    for (uint32_t i = parents[op.index]; i != CallTree::none; i = parents[i]) {
        const auto [known, added] = modelled_inside_.try_emplace(key_of({op.lane, i}), mark);
        if (!added && known >= mark) return;
        known = mark;
    }
}

void Builder::add_claim(SliceRef op, uint32_t call, uint32_t row) {
    claims_.push_back({key_of(op), call, row});
    models_.costs[row].why = NoModel::none;
}

// Kernels of an operator without a model: assigns them to the innermost enclosing operator that has
// one.
void Builder::claim_from_around(std::vector<uint32_t>& open) {
    if (trace_.operators.input_dims.empty()) return;  // no model without shapes
    for (const uint32_t row : open) {
        const SliceRef op = attribution_.op[row];
        const auto& parents = trees_[op.lane].parent;
        for (uint32_t i = parents[op.index]; i != CallTree::none; i = parents[i]) {
            const SliceRef around{op.lane, i};
            const uint32_t call = call_of(around, row);
            if (call == kNoRow || !calls_[call].modelled) continue;
            if (!modelled_inside_.find(key_of(around))) add_claim(around, call, row);
            break;
        }
    }
}

void Builder::add_gpu_operators() {
    std::vector<uint32_t> open;
    for (uint32_t row = 0; row < gpu_.slice.size(); ++row) {
        const SliceRef op = attribution_.op[row];
        if (!op || !is_kernel(row)) continue;
        const uint32_t call = call_of(op, row);
        if (call != kNoRow && calls_[call].modelled) {
            add_claim(op, call, row);
            mark_around(op, kModelled);
        } else {
            models_.costs[row].why = call == kNoRow ? NoModel::no_rule : calls_[call].modelled.why;
            if (!trees_[op.lane].parent.empty()) open.push_back(row);
        }
    }
    claim_from_around(open);
    make_instances();
    for (uint32_t i = 0; i < models_.instances.size(); ++i) share_out(i);
    inherit();
    add_copies_and_collectives();
}

void Builder::make_instances() {
    radix_sort(claims_, [](const Claim& claim) { return claim.op; });
    models_.kernels.reserve(claims_.size());
    for (const Claim& claim : claims_) {
        const SliceRef slice{static_cast<LaneId>(claim.op >> 32U), static_cast<uint32_t>(claim.op)};
        if (models_.instances.empty() || models_.instances.back().slice != slice) {
            ModelledOperator& made = models_.instances.emplace_back();
            made.slice = slice;
            made.call = claim.call;
            made.first = static_cast<uint32_t>(models_.kernels.size());
            made.device = device_of(claim.row);
        }
        ModelledOperator& op = models_.instances.back();
        op.count += 1;
        op.kernel_time += trace_.duration(gpu_.slice[claim.row]);
        const KernelFacts& name = facts(claim.row);
        op.transformed = op.transformed || name.transformed;
        if (name.is_matrix && name.role != KernelRole::helper && op.type == DataType::unknown) {
            op.type = name.type;
            op.pipe = name.pipe;
        }
        models_.kernels.push_back(claim.row);
        models_.costs[claim.row].instance = static_cast<uint32_t>(models_.instances.size() - 1);
    }
    for (ModelledOperator& op : models_.instances) {
        set_type(op, calls_[op.call].modelled.work);
        set_floor(op);
    }
}

// Arguments determine the type. For fp32, only a kernel's name tells whether it ran as TF32; if it
// does not tell, TF32 is assumed, because its floor is the lower one.
void Builder::set_type(ModelledOperator& op, const Work& work) const {
    const DataType by_name = op.type;
    const Pipe pipe_by_name = op.pipe;
    op.type = work.type;
    op.pipe = work.pipe;
    if (work.pipe != Pipe::tensor || work.type != DataType::fp32) return;
    const auto& peaks = models_.devices[static_cast<std::size_t>(op.device)].peaks;
    if (by_name == DataType::fp32) {
        op.pipe = pipe_by_name;
        return;
    }
    const bool amd = peaks && peaks->specs.vendor == "AMD";
    if (by_name == DataType::tf32 || (by_name == DataType::unknown && !amd))
        op.type = DataType::tf32;
}

void Builder::set_floor(ModelledOperator& op) {
    const auto& peaks = models_.devices[static_cast<std::size_t>(op.device)].peaks;
    const Work& work = calls_[op.call].modelled.work;
    if (!peaks) return;
    const auto rate = peaks->rate(op.type, op.pipe);
    if (rate && work.flops.n != kNoValue)
        op.compute_ns = ratio(static_cast<double>(work.flops.n), rate->per_second);
    const double compute = op.transformed ? kNoFloor : op.compute_ns;
    const double bytes = static_cast<double>((work.bytes_read + work.bytes_written).n);
    const double memory = ratio(bytes, peaks->memory_bytes_s);
    if (!work.has_floor || work.quality == Quality::at_most) return;
    op.floor_ns = larger(compute, memory);
    op.bound = compute > memory ? WorkBound::compute : WorkBound::memory;
    op.uncertain = op.bound == WorkBound::compute || std::isnan(memory) ? rate && rate->uncertain
                                                                        : peaks->memory_uncertain;
    const auto time = static_cast<double>(op.kernel_time);
    if (std::isnan(op.floor_ns) || op.floor_ns <= time) return;
    const bool by_cache =
        !(compute > time) &&
        time >= ratio(std::max(0.0, bytes - peaks->cache_bytes), peaks->memory_bytes_s);
    op.below = by_cache ? BelowFloor::cache : BelowFloor::unexplained;
}

void Builder::set_bound(uint32_t row, KernelCost& cost, double compute_ns, double memory_ns) {
    if (std::isnan(cost.floor_ns)) return;
    const Occupancy* const footprint = footprints_.of(row);
    const bool part_of_wave = footprint && footprint->waves < 1;
    if (part_of_wave || trace_.duration(gpu_.slice[row]) < kShort)
        cost.bound = WorkBound::latency;
    else
        cost.bound = compute_ns > memory_ns ? WorkBound::compute : WorkBound::memory;
}

// Distributes an operator's work over its kernels in proportion to their time; the two gradients of
// a convolution get half each.
void Builder::share_out(uint32_t instance) {
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
void Builder::inherit() {
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
bool Builder::has_message(uint32_t row) const {
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
BelowFloor Builder::why_copied_faster(uint32_t row, const KernelCost& cost, double cache,
                                      double rate) const {
    const Nanos time = trace_.duration(gpu_.slice[row]);
    const auto least = ratio(std::max(0.0, static_cast<double>(cost.bytes) - cache), rate);
    if (static_cast<double>(time) >= least) return BelowFloor::cache;
    const bool a_tick = time == 0 || time == kTick;
    return a_tick && trace_.start(gpu_.slice[row]) % kTick == 0 ? BelowFloor::clock
                                                                : BelowFloor::unexplained;
}

void Builder::add_copies_and_collectives() {
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

// Without a GPU: the innermost operators that have a model. A product that copies its bias still
// counts as a product.
void Builder::add_cpu_operators() {
    const Operators& ops = trace_.operators;
    std::vector<uint32_t> modelled;
    for (uint32_t row = 0; row < ops.slice.size(); ++row) {
        if (trace_.event_class(ops.slice[row]) != EventClass::op) continue;
        if (!calls_[calls_.of_row(row)].modelled) continue;
        modelled.push_back(row);
        const bool product = calls_[calls_.of_row(row)].modelled.work.product;
        if (!trees_[ops.slice[row].lane].parent.empty())
            mark_around(ops.slice[row], product ? kProduct : kModelled);
    }
    for (const uint32_t row : modelled) {
        const uint8_t* const inside = modelled_inside_.find(key_of(ops.slice[row]));
        const bool product = calls_[calls_.of_row(row)].modelled.work.product;
        if (inside && (*inside == kProduct || !product)) continue;
        ModelledOperator& op = models_.instances.emplace_back();
        op.slice = ops.slice[row];
        op.call = calls_.of_row(row);
        op.type = calls_[op.call].modelled.work.type;
        op.pipe = calls_[op.call].modelled.work.pipe;
    }
}

}  // namespace

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

WorkModels WorkModels::compute(const TraceContext& context) {
    return Builder(context).build();
}

}  // namespace lanescope
