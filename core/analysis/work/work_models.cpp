// Finds the operators that have a model, and the kernels and floor of each.
#include "core/analysis/work/work_models.h"

#include <algorithm>

#include "core/analysis/work/work_models_builder.h"
#include "core/base/radix_sort.h"
#include "core/trace/devices.h"
#include "core/trace/join.h"

namespace lanescope {

namespace {

// Flags: the kinds of operators nested in an operator.
constexpr uint8_t kModelled = 1;
constexpr uint8_t kProduct = 2;

uint64_t key_of(SliceRef slice) {
    return uint64_t{slice.lane} << 32U | slice.index;
}

// The larger value; an unknown one is ignored.
double larger(double a, double b) {
    return std::fmax(a, b);
}

}  // namespace

void WorkModelsBuilder::find_devices() {
    for (uint32_t row = 0; row < gpu_.slice.size(); ++row) (void)device_of(row);
}

int32_t WorkModelsBuilder::device_of(uint32_t row) {
    int32_t id = gpu_.device.empty() ? -1 : gpu_.device[row];
    if (id < 0) id = trace_.processes[trace_.lanes[gpu_.slice[row].lane].process].device;
    id = std::clamp(id, -1, 4095);
    // Several files have a GPU 0 each.
    const uint32_t part = part_of(trace_, gpu_.slice[row].lane);
    const uint64_t key = uint64_t{part} << 32U | static_cast<uint32_t>(id + 1);
    const auto [place, added] =
        device_rows_.try_emplace(key, static_cast<int32_t>(models_.devices.size()));
    if (!added) return place;
    Device device;
    if (const Device* const described = device_like(trace_, part, id)) device = *described;
    device.id = id;
    models_.devices.push_back(
        {id, device.name, find_peaks(context_.evidence().get<SpecsBook>(), device)});
    return place;
}

const KernelFacts& WorkModelsBuilder::facts(uint32_t row) {
    const StringId name = trace_.name_id(gpu_.slice[row]);
    if (facts_of_name_.empty()) facts_of_name_.resize(trace_.strings.size(), kNoRow);
    if (facts_of_name_[name] == kNoRow) {
        facts_of_name_[name] = static_cast<uint32_t>(facts_.size());
        facts_.push_back(facts_of_kernel(trace_.strings[name]));
    }
    return facts_[facts_of_name_[name]];
}

uint32_t WorkModelsBuilder::call_of(SliceRef op, uint32_t gpu_row) {
    const uint32_t row = op_row(op);
    if (row == kNoRow) return kNoRow;
    const uint32_t call = calls_.of_row(row, attribution_.launch[gpu_row]);
    return calls_.with_hint(call, facts(gpu_row).element);
}

// If an operator inside has a model, the kernels of that operator do not count for this one.
void WorkModelsBuilder::mark_around(SliceRef op, uint8_t mark) {
    const auto& parents = trees_[op.lane].parent;
    for (uint32_t i = parents[op.index]; i != CallTree::none; i = parents[i]) {
        const auto [known, added] = modelled_inside_.try_emplace(key_of({op.lane, i}), mark);
        if (!added && known >= mark) return;
        known = mark;
    }
}

void WorkModelsBuilder::add_claim(SliceRef op, uint32_t call, uint32_t row) {
    claims_.push_back({key_of(op), call, row});
    models_.costs[row].why = NoModel::none;
}

// Kernels of an operator without a model: assigns them to the innermost enclosing operator that has
// one.
void WorkModelsBuilder::claim_from_around(std::vector<uint32_t>& open) {
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

void WorkModelsBuilder::add_gpu_operators() {
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

void WorkModelsBuilder::make_instances() {
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

// Arguments determine the type. For fp32, only a kernel's name says whether it ran as TF32; without
// such a name, TF32 is assumed, because its floor is the lower one.
void WorkModelsBuilder::set_type(ModelledOperator& op, const Work& work) const {
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

void WorkModelsBuilder::set_floor(ModelledOperator& op) {
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

// Without a GPU: the innermost operators that have a model. A product that copies its bias still
// counts as a product.
void WorkModelsBuilder::add_cpu_operators() {
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

WorkModels WorkModels::compute(const TraceContext& context) {
    return WorkModelsBuilder(context).build();
}

}  // namespace lanescope
