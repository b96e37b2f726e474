// Elementwise kernels that follow each other on tensors of one size: each writes what the next
// reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/structure/operator_index.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/models/arguments.h"
#include "core/models/count.h"

namespace lanescope {

struct ElementwiseChainsRule : RuleBase {
    static constexpr RuleText kText = {"elementwise-chains",
                                       "Elementwise kernels follow each other",
                                       "kernels, and shapes (record_shapes=True)"};
    double min_share =
        ratio("min_share", 0.02, "the time that fusion would save, as a share of the steps");
    Nanos min_duration =
        duration("min_duration", 5'000, "shorter kernels are bound by their launch, not by memory");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<ElementwiseChainsRule>();

namespace {

// PyTorch's kernels for one elementwise operator. Triton's are fused already.
bool is_elementwise_kernel(std::string_view name) {
    return name.find("elementwise_kernel") != std::string_view::npos;
}

// The largest number of elements of an operator's inputs; 0: not recorded.
class InputSizes {
  public:
    explicit InputSizes(const RuleInput& input)
        : trace_(input.trace()),
          attribution_(input.attribution),
          operators_(input.context.get<OperatorIndex>()),
          known_(trace_.strings.size(), -1) {}

    int64_t of(const GpuWork& work) {
        const SliceRef op = attribution_.op[work.row];
        const uint32_t row = op ? operators_.row(op) : kNoRow;
        if (row == kNoRow || trace_.operators.input_dims.empty()) return 0;
        const StringId dims = trace_.operators.input_dims[row];
        if (dims == StringPool::none) return 0;
        int64_t& size = known_[dims];
        if (size < 0) size = largest(trace_.strings[dims]);
        return size;
    }

  private:
    static int64_t largest(std::string_view dims) {
        int64_t most = 0;
        const auto shapes = parse_dims(dims);
        if (!shapes) return 0;
        for (const InputShape& shape : *shapes)
            if (!shape.shape.empty()) most = std::max(most, product_of(shape.shape).n);
        return most;
    }

    const Trace& trace_;
    const Attribution& attribution_;
    const OperatorIndex& operators_;
    std::vector<int64_t> known_;  // by text; -1: not computed yet
};

struct Chains {
    std::vector<GpuWork> kernels;
    uint64_t count = 0;
    std::vector<TimeRange> saved;
    Nanos time = 0;  // of all kernels
    std::vector<FindingPlace> places;

    void add(const Trace& trace, const std::vector<GpuWork>& chain) {
        if (chain.size() < 2) return;
        ++count;
        for (std::size_t i = 0; i < chain.size(); ++i) {
            // A kernel reads and writes two or three tensors. After fusion, a tensor that it shares
            // with a neighbour stays in registers: this saves a third of the kernel's time for
            // each neighbour.
            const int joints = i == 0 || i + 1 == chain.size() ? 1 : 2;
            const TimeRange range = chain[i].range;
            saved.push_back({range.begin, range.begin + range.length() * joints / 3});
            time += range.length();
        }
        const SliceRef first = trace.gpu_activities.slice[chain.front().row];
        places.push_back(
            {{},
             {chain.front().range.begin, chain.back().range.end},
             first.lane,
             fmt::format("{} elementwise kernels from {}", chain.size(), trace.name(first))});
        kernels.insert(kernels.end(), chain.begin(), chain.end());
    }
};

Chains chains_in(const RuleInput& input, const DeviceWindow& device, Nanos shortest) {
    const Trace& trace = input.trace();
    const NameTest elementwise(trace.strings, is_elementwise_kernel);
    InputSizes sizes(input);
    Chains chains;
    for (const GpuStream& stream : device.work->streams) {
        std::vector<GpuWork> chain;
        int64_t size = 0;
        for (const GpuWork& work : stream.work) {
            const StringId name = trace.name_id(trace.gpu_activities.slice[work.row]);
            const bool fits = work.kind == WorkKind::compute && elementwise(name) &&
                              work.range.length() >= shortest && device.counts(work);
            const int64_t next = fits ? sizes.of(work) : 0;
            if (next == 0 || next != size) {
                chains.add(trace, chain);
                chain.clear();
            }
            size = next;
            if (next > 0) chain.push_back(work);
        }
        chains.add(trace, chain);
    }
    return chains;
}

}  // namespace

std::optional<Finding> ElementwiseChainsRule::on_device(const RuleInput& input,
                                                        const DeviceWindow& device) const {
    Chains chains = chains_in(input, device, min_duration);
    auto finding =
        finding_for(device, min_share, intersect(merged(std::move(chains.saved)), device.times));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title =
        fmt::format("{} of elementwise kernels on tensors of one size {} {}",
                    format_count(chains.count, "chain", "chains"),
                    chains.count == 1 ? "takes" : "take", format_duration(chains.time));
    finding->evidence = {
        {"kernels in them", static_cast<double>(chains.kernels.size()), "count", "kernels.calls"},
        remark("the cost is a third of a kernel's time for each neighbour in its chain: the "
               "tensor between them need not be written and read"),
        remark("that each kernel reads the output of the previous one is inferred from their "
               "order and sizes"),
    };
    finding->advice =
        "Fuse them: torch.compile the module around them, or use a fused kernel (RMSNorm, "
        "SwiGLU and rotary embeddings exist in Liger, Apex and flash-attn; "
        "torch.nn.functional.rms_norm under torch.compile).";
    keep_largest(chains.places);
    finding->places = std::move(chains.places);
    return finding;
}

}  // namespace lanescope
