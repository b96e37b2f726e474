// WorkModelsBuilder: finds the operators that have a model, with their floors (work_models.cpp),
// and distributes their work over the kernels (kernel_costs.cpp).
#pragma once

#include <span>
#include <vector>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/operator_index.h"
#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/base/flat_map.h"

namespace lanescope {

class WorkModelsBuilder {
  public:
    explicit WorkModelsBuilder(const TraceContext& context)
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
    static constexpr double kSecond = 1e9;  // ns

    // The ns that an amount takes at a rate per second; kNoFloor if the rate is unknown.
    static double ratio(double amount, double rate) {
        return rate > 0 ? amount / rate * kSecond : kNoFloor;
    }

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
    FlatMap<int32_t> device_rows_;      // of models_.devices, by part and ordinal + 1
    FlatMap<uint8_t> modelled_inside_;  // by slice: kModelled or kProduct
    struct Claim {
        uint64_t op;
        uint32_t call;
        uint32_t row;
    };
    std::vector<Claim> claims_;
};

}  // namespace lanescope
