// Collects the facts on one slice without a window, and shows them in a panel.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics/siblings.h"
#include "core/base/result.h"
#include "core/export/words/explanation.h"
#include "core/trace/trace.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/compiled_section.h"
#include "ui/panels/footprint.h"
#include "ui/panels/model_section.h"

namespace lanescope {

// A launch and its activity (or the other way), with the time between them.
struct LaunchPeer {
    SliceRef slice;
    bool is_call = false;  // the peer is the launching call
    Nanos latency = 0;     // start of the activity minus end of the call; may be negative
};

// One rank's part in a collective.
struct RankPeer {
    SliceRef slice;
    std::string rank;
    Nanos late = 0;  // start relative to the first rank's, by corrected clocks
    Nanos duration = 0;
};

struct SliceFacts {
    SliceRef slice;
    std::string name;
    EventClass event_class = EventClass::other;
    std::string category;  // the category as written in the file
    std::string lane;
    std::string process;
    Nanos start = 0;  // from the trace's origin
    Nanos duration = 0;
    Nanos self = 0;
    uint32_t depth = 0;
    uint64_t source = 0;
    std::string step;      // name of the enclosing step; empty: none
    bool sampled = false;  // made from stack samples …
    int64_t samples = 0;   // … their number; 0: not known while recording
    Nanos cpu_time = 0;    // … their CPU time; kNoValue: not recorded
    int64_t gil_samples = kNoValue, running_samples = kNoValue;
    std::string_view module;  // the library or program that contains it; empty: unknown
    const Explanation* explanation = nullptr;
    std::vector<SliceRef> origin;   // outermost first
    std::string_view unattributed;  // for GPU work: why it has no operator; empty: it has one
    std::vector<LaunchPeer> launches;
    std::size_t other_launches = 0;            // number of launches that are not listed
    std::vector<RankPeer> ranks;               // for a collective of several traces, by rank
    std::optional<KernelFootprint> footprint;  // of a kernel
};
SliceFacts facts_of(const Trace& trace, SliceRef slice);

// Arguments of the selected slice: unknown until they have been read.
struct SelectionArguments {
    std::optional<Result<std::vector<Argument>>> read;
};

// The slice that the panel describes; in OpenTrace::state.
struct DescribedSlice {
    SliceRef slice;
    std::optional<SliceFacts> facts;
    SelectionArguments arguments;
};
// The facts on it, which must be known, as JSON for tests.
nlohmann::json state_of(const DescribedSlice& described, const Trace& trace);

// `siblings`, `model` and `compiled`: results for the slice; null until computed.
void draw_selection(const Trace* trace, const std::optional<SliceFacts>& facts,
                    const SelectionArguments& arguments, const Siblings* siblings,
                    const SliceModel* model, const CompiledSlice* compiled, const Look& look,
                    Requests& requests);

}  // namespace lanescope
