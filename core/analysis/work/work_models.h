// The work of each kernel, from its operator's arguments; its minimum time, and what bounds it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/operators/operator_calls.h"
#include "core/models/device_specs.h"
#include "core/models/kernel_name.h"

namespace lanescope {

enum class WorkBound : uint8_t { unknown, latency, compute, memory };
std::string_view work_bound_name(WorkBound bound);

// Why something took less time than its floor.
enum class BelowFloor : uint8_t {
    no,
    cache,        // its input was still in the last-level cache
    clock,        // the file's clock rounded the time to one tick, a whole microsecond, or zero
    unexplained,  // the model or the peak is wrong
};
std::string_view below_floor_reason(BelowFloor why);

inline constexpr double kNoFloor = std::numeric_limits<double>::quiet_NaN();

// The costs of one kernel, copy or set: its share of its operator's work.
struct KernelCost {
    uint32_t instance = kNoRow;  // index in WorkModels::instances; kNoRow: none, or inherited
    NoModel why = NoModel::no_operator;
    int64_t flop = kNoValue;
    int64_t bytes = kNoValue;
    double floor_ns = kNoFloor;
    WorkBound bound = WorkBound::unknown;
    BelowFloor below = BelowFloor::no;
    bool uncertain = false;  // the source of the floor's figure is not confirmed
    bool inherited = false;  // from launches of the same kernel that have an operator
};

// An operator with a model that launched kernels; in traces without a GPU, one that ran.
struct ModelledOperator {
    SliceRef slice;
    uint32_t call = 0;   // of WorkModels::calls
    uint32_t first = 0;  // of WorkModels::kernels
    uint32_t count = 0;
    int32_t device = -1;                // row of WorkModels::devices
    Nanos kernel_time = 0;              // of all its kernels
    DataType type = DataType::unknown;  // the actual type, if names of kernels contain it
    Pipe pipe = Pipe::vector;
    bool transformed = false;      // Winograd or FFT: the bound by operations does not apply
    double compute_ns = kNoFloor;  // operations at the peak
    double floor_ns = kNoFloor;
    WorkBound bound = WorkBound::unknown;
    BelowFloor below = BelowFloor::no;
    bool uncertain = false;  // see KernelCost
};

struct ModelDevice {
    int32_t id = -1;
    std::string name;
    std::optional<DevicePeaks> peaks;
};

struct WorkModels {
    std::vector<OperatorCall> calls;
    std::vector<ModelledOperator> instances;  // by slice
    std::vector<uint32_t> kernels;            // rows of Trace::gpu_activities, by instance
    std::vector<KernelCost> costs;            // by row of Trace::gpu_activities
    std::vector<ModelDevice> devices;

    const Work& work(const ModelledOperator& op) const { return calls[op.call].modelled.work; }

    static WorkModels compute(const TraceContext& context);
};

// Time beyond the floor; NaN: there is no floor.
inline double lost_ns(double time, double floor) {
    return std::isnan(floor) ? floor : std::max(0.0, time - floor);
}

}  // namespace lanescope
