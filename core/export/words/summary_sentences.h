// The sentences of a summary, one function a topic. Texts are printable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/insight/findings/rule.h"
#include "core/insight/summary/summary.h"

namespace lanescope {

struct SummaryText {
    const TraceContext& context;
    const Trace& trace;
    const Summary& summary;
    const Findings* findings = nullptr;  // those that the story names
};

std::string file_sentence(const SummaryText& text);
std::string story_sentence(const SummaryText& text, const StoryPoint& point);
std::string steps_sentence(const SummaryText& text);
std::string device_sentence(const SummaryText& text, uint32_t device);
// The cause of most of the waiting time: "for copies in aten::to".
std::string waits_reason(const SummaryText& text);
// "3 ms of its 4 ms"; "all of its 4 ms" if both are printed alike. `owner`: "its".
std::string part_of(Nanos part, Nanos whole, std::string_view owner);
std::vector<std::string> waits_sentences(const SummaryText& text);
// About torch.compile; empty: it was not used.
std::vector<std::string> compiled_sentences(const SummaryText& text);
std::string collectives_sentence(const SummaryText& text, const SummaryCollectives& collectives);
std::string kernel_sentence(const SummaryText& text, const SummaryKernel& kernel);
std::string operator_sentence(const SummaryText& text, const SummaryOperator& op);
// "gemm (libblas.so)".
std::string sampled_function(const Trace& trace, const SampledFunction& function);
// The function's own time as a fraction of the time of all samples of the kind: "45 %".
std::string sampled_share(const SummarySamples& samples, const FunctionSamples& row);
std::string samples_sentence(const SummaryText& text, const SummarySamples& samples);
std::string memory_sentence(const SummaryText& text, const SummaryMemory& memory);
// "worker of python train.py · rank 1": recorded processes have their command lines as names.
std::string lane_in_sentence(const Trace& trace, LaneId lane);
std::string lane_sentence(const SummaryText& text, const SummaryLane& lane);

}  // namespace lanescope
