// Decode steps of a server take longer than the memory needs to deliver weights and cache.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/step_batches.h"
#include "core/analysis/work/work_models.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct DecodeBelowBandwidthRule : RuleBase {
    static constexpr RuleText kText = {
        "decode-below-bandwidth", "Decode steps do not use the memory's bandwidth",
        "steps whose annotation says decode, input shapes of matrix products and attention, a "
        "device of the data sheet"};
    double max_use = ratio("max_use", 0.60,
                           "bandwidth use, with unknown kernels at the full rate, from which "
                           "on nothing is reported");
    double min_known = ratio("min_known", 0.80,
                             "time of kernels whose bytes are known, as a share of kernel time");
    double min_share = ratio("min_share", 0.05, "time beyond the bytes, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<DecodeBelowBandwidthRule>();

namespace {

// A device's work in its decode steps. Times in ns.
struct DecodeWork {
    std::vector<bool> is_decode;  // parallel to Steps::all
    Intervals times;              // windows of these steps
    uint64_t steps = 0;
    std::vector<double> requests;
    std::vector<GpuWork> kernels;

    double products = 0;   // matrix products whose bytes are known
    double attention = 0;  // over a cache
    double others = 0;     // other kernels, copies and sets whose bytes are known
    double communication = 0;
    double unknown = 0;
    double known_share() const {
        const double known = products + attention + others;
        return known + unknown > 0 ? known / (known + unknown) : 0;
    }

    double product_bytes = 0;    // bytes read by matrix products: weights and their small inputs
    double attention_bytes = 0;  // bytes read by attention: cache and queries
    double compute_ns = 0;       // operations of products and attention at the peak rate
    bool at_most = false;        // some byte counts are upper bounds
    double peak = 0;             // bytes per second
    bool uncertain = false;      // no source confirms the peak

    double bytes() const { return product_bytes + attention_bytes; }
    double ns_of(double bytes_read) const { return bytes_read / peak * 1e9; }
};

DecodeWork decode_steps_of(const RuleInput& input, const DeviceWindow& device) {
    const std::vector<BatchLabel>& batches = input.context.get<StepBatches>().all;
    const std::vector<DeviceStep>& on_device = input.context.get<DeviceSteps>().all;
    DecodeWork work;
    work.is_decode.resize(batches.size());
    std::vector<TimeRange> windows;
    for (std::size_t i = 0; i < device.counted.size(); ++i) {
        if (!device.counted[i] || batches[i].phase != BatchPhase::decode) continue;
        work.is_decode[i] = true;
        ++work.steps;
        windows.push_back(on_device[i].window);
        if (batches[i].all.requests != kNoValue)
            work.requests.push_back(static_cast<double>(batches[i].all.requests));
    }
    work.times = intersect(merged(std::move(windows)), device.times);
    return work;
}

// Adds the bytes read by an operator whose first kernel belongs to the steps.
void add_reads(const WorkModels& models, const ModelledOperator& op, DecodeWork& work) {
    const Work& model = models.work(op);
    const bool cached = models.calls[op.call].batch != 0;
    (cached ? work.attention_bytes : work.product_bytes) += static_cast<double>(model.bytes_read.n);
    work.at_most = work.at_most || model.quality == Quality::at_most;
    if (!std::isnan(op.compute_ns)) work.compute_ns += op.compute_ns;
    const auto& peaks = models.devices[static_cast<std::size_t>(op.device)].peaks;
    if (!peaks) return;
    work.peak = peaks->memory_bytes_s;
    work.uncertain = work.uncertain || peaks->memory_uncertain;
}

// Whether the model's bytes are not only a lower bound: with more bytes, the used bandwidth would
// be higher.
bool has_whole_bytes(const Work& model) {
    return model.quality == Quality::exact || model.quality == Quality::at_most;
}

void add_kernel(const WorkModels& models, const GpuWork& piece, DecodeWork& work) {
    const KernelCost& cost = models.costs[piece.row];
    const auto time = static_cast<double>(piece.range.length());
    if (piece.kind == WorkKind::communication) {
        work.communication += time;
    } else if (cost.instance != kNoRow && (cost.bytes != kNoValue || cost.why == NoModel::helper)) {
        const ModelledOperator& op = models.instances[cost.instance];
        const bool product = models.work(op).product;
        if (product && !has_whole_bytes(models.work(op))) {
            work.unknown += time;
            return;
        }
        const bool cached = models.calls[op.call].batch != 0;
        (!product ? work.others : cached ? work.attention : work.products) += time;
        if (product && models.kernels[op.first] == piece.row) add_reads(models, op, work);
    } else {
        const bool copy = piece.kind != WorkKind::compute && cost.bytes != kNoValue;
        (copy ? work.others : work.unknown) += time;
    }
}

DecodeWork decode_work_of(const RuleInput& input, const DeviceWindow& device) {
    DecodeWork work = decode_steps_of(input, device);
    if (work.steps == 0) return work;
    const WorkModels& models = input.context.get<WorkModels>();
    std::vector<TimeRange> spans(work.is_decode.size());  // span of each step's work
    for (const GpuWork& piece : device.work->work) {
        const uint32_t step = (*device.step_of_work)[piece.row];
        if (step == kNoRow || !work.is_decode[step]) continue;
        TimeRange& span = spans[step];
        if (span.begin == span.end) span = piece.range;
        span = {std::min(span.begin, piece.range.begin), std::max(span.end, piece.range.end)};
        work.kernels.push_back(piece);
        add_kernel(models, piece, work);
    }
    // A step's work may end after the recorded window of the step.
    std::erase_if(spans, [](TimeRange span) { return span.begin == span.end; });
    work.times = intersect(unite(work.times, merged(std::move(spans))), device.times);
    return work;
}

// A part of the difference between the time for reading the bytes and the time of the steps.
struct BetweenPart {
    std::string_view name;
    double ns = 0;
    std::string_view column;
    std::string_view advice;
};

std::array<BetweenPart, 6> parts_between(const DeviceWindow& device, const DecodeWork& work) {
    const auto idle = static_cast<double>(total_length(subtract(work.times, device.busy)));
    return {{
        {"GPU idle", idle, "breakdown.idle_ns",
         "The host is the limit: replay the whole step as one CUDA or HIP graph, prepare the next "
         "batch while the GPU works, and avoid synchronisation between steps."},
        {"matrix products beyond the time of their weights",
         work.products - work.ns_of(work.product_bytes), "models.lost_ns",
         "Kernels of the products are slower than memory: try other libraries or tuned "
         "configurations for this number of rows (split-K, GEMV kernels), and fuse products that "
         "share an input."},
        {"attention beyond the time of its cache",
         work.attention - work.ns_of(work.attention_bytes), "models.lost_ns",
         "Attention is slower than reading its cache: use a kernel that splits long sequences "
         "over multiprocessors (split-KV, FlashDecoding), or another backend."},
        {"other kernels, copies and sets", work.others, "kernels.total_ns",
         "Fuse norms, activations, rotary embeddings and writes of the cache with each other or "
         "with products, since their data fit the cache."},
        {"communication", work.communication, "breakdown.communication_ns",
         "Use kernels that fuse the reduction with the next norm, custom all-reduce for small "
         "messages, or fewer GPUs for this model."},
        {"kernels whose bytes are not known", work.unknown, "kernels.total_ns",
         "Record input shapes (record_shapes=True), and the capture of graphs (--graph-capture), "
         "so that more kernels have models."},
    }};
}

void add_between(const DeviceWindow& device, const DecodeWork& work, Finding& finding) {
    auto parts = parts_between(device, work);
    std::ranges::stable_sort(parts, std::greater(), &BetweenPart::ns);
    for (const BetweenPart& part : parts)
        if (part.ns > 0)
            finding.evidence.push_back({std::string(part.name), part.ns, "ns", part.column});
    finding.advice = parts.front().advice;
}

void add_bytes(const DeviceWindow& device, const DecodeWork& work, Finding& finding) {
    const auto steps = static_cast<double>(work.steps);
    const double needed = work.ns_of(work.bytes());
    const auto busy = static_cast<double>(total_length(intersect(work.times, device.busy)));
    finding.evidence = {
        {"bandwidth use", needed / static_cast<double>(total_length(work.times)), "ratio", ""},
        {"bandwidth use while the GPU works", needed / busy, "ratio", ""},
        {"bytes that a step's matrix products read", work.product_bytes / steps, "bytes",
         "models.bytes_read"},
        {"bytes that a step's attention reads from the cache", work.attention_bytes / steps,
         "bytes", "models.bytes_read"},
        {"bytes that memory delivers in a second, at the peak", work.peak, "bytes", ""}};
    if (!work.requests.empty())
        finding.evidence.push_back(
            {"requests in a step, on average",
             std::accumulate(work.requests.begin(), work.requests.end(), 0.0) /
                 static_cast<double>(work.requests.size()),
             "count", "steps.requests"});
}

}  // namespace

std::optional<Finding> DecodeBelowBandwidthRule::on_device(const RuleInput& input,
                                                           const DeviceWindow& device) const {
    if (device.steps == 0 || !device.step_of_work) return {};
    DecodeWork work = decode_work_of(input, device);
    const auto time = static_cast<double>(total_length(work.times));
    if (time <= 0 || !(work.peak > 0) || !(work.product_bytes > 0)) return {};
    if (work.known_share() < min_known) return {};
    const double needed = work.ns_of(work.bytes());
    // With many requests, operations limit the steps.
    if (work.compute_ns > needed) return {};
    const double use = needed / time;
    const double most = use + work.unknown / time;
    if (most >= max_use) return {};
    auto finding = finding_for(device, min_share, first_share(work.times, 1 - most));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title = fmt::format("{} {} of the memory's bandwidth",
                                 format_count(work.steps, "decode step uses", "decode steps use"),
                                 format_percent(use));
    add_bytes(device, work, *finding);
    add_between(device, work, *finding);
    finding->evidence.push_back(remark(
        "assumes that weights and cache are read from memory once in a step, and that the cost is "
        "the time beyond this"));
    if (work.at_most)
        finding->evidence.push_back(
            remark("layers with a sliding window read less of the cache than assumed"));
    if (work.uncertain)
        finding->evidence.push_back(
            remark("no source confirms the peak of the memory's bandwidth"));
    finding->places = places_of(input.trace(), work.kernels);
    return finding;
}

}  // namespace lanescope
