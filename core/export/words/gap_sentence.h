// Describes an idle gap in one sentence, for the summary and the window.
#pragma once

#include <string>
#include <string_view>

#include "core/insight/summary/gap_story.h"

namespace lanescope {

// A name, or a slice's short name, cut to 48 columns. Printable.
std::string name_in_sentence(std::string_view name);
std::string name_in_sentence(const Trace& trace, SliceRef slice);

// The cause in words: "host". If files do not record it, what is missing: "cause not recorded"
// before a node of a graph, since what it waits for is unknown, or "launch not recorded".
std::string_view gap_cause_words(GapCause cause);
// "cudaMemcpyAsync (aten::to), which outlasts it"; "nothing recorded".
std::string thread_text(const Trace& trace, const GapThread& thread);
// When the next activity was launched: "at 1.052 s, 64.87 ms before the gap".
std::string launch_text(const Trace& trace, const IdleGap& gap);
// "10.03 s at 31.37 s, host: in aten::cudnn_convolution, 3 × cudaFree 6.534 s (6.009 s, 525 ms, …),
// …, after Memset (Device) (aten::conv2d), before …." Printable.
std::string gap_sentence(const Trace& trace, const GapStory& story);

// "3 × cudaFree".
std::string calls_label(const Trace& trace, const GapCalls& calls);

// Durations of the single calls: "6.009 s, 525 ms, …"; empty if there is nothing to add.
std::string calls_detail(const GapCalls& calls);

}  // namespace lanescope
