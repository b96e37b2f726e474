// What is said about one slice, gathered without a window; and the panel that shows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/siblings.h"
#include "core/base/result.h"
#include "core/trace/trace.h"
#include "core/view/explanation.h"
#include "ui/panels/footprint.h"
#include "ui/panels/model_section.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"

namespace lanescope {

// A launch and what it started (or what it was started by), with the time between them.
struct LaunchPeer {
    SliceRef slice;
    bool is_call = false;  // the peer is the launching call
    Nanos latency = 0;  // start of the activity less the end of the call; negative values are kept
};

// One rank's part in a collective.
struct RankPeer {
    SliceRef slice;
    std::string rank;
    Nanos late = 0;  // start less that of the first rank
    Nanos duration = 0;
};

struct SliceFacts {
    SliceRef slice;
    std::string name;
    EventClass event_class = EventClass::other;
    std::string category;  // the file's own word
    std::string lane;
    std::string process;
    Nanos start = 0;  // from the trace's origin
    Nanos duration = 0;
    Nanos self = 0;
    uint32_t depth = 0;
    uint64_t source = 0;
    std::string step;         // name of the enclosing step; empty: none
    bool sampled = false;     // made of samples of a stack …
    int64_t samples = 0;      // … of so many; 0: not known while it is followed
    Nanos cpu_time = 0;       // … that stand for so much; kNoValue: not recorded
    std::string_view module;  // the library or program that it is in; empty: not known
    const Explanation* explanation = nullptr;
    std::vector<SliceRef> origin;   // outermost first
    std::string_view unattributed;  // of GPU work: why no operator is in it; empty: one is
    std::vector<LaunchPeer> launches;
    std::size_t other_launches = 0;            // that are not listed
    std::vector<RankPeer> ranks;               // of a collective of several traces, by rank
    std::optional<KernelFootprint> footprint;  // of a kernel
};
SliceFacts facts_of(const Trace& trace, SliceRef slice);

// Arguments of the selected slice: unknown until they have been read.
struct SelectionArguments {
    std::optional<Result<std::vector<Argument>>> read;
};

// `siblings` and `model`: of the slice; null while they are not known.
void draw_selection(const Trace* trace, const std::optional<SliceFacts>& facts,
                    const SelectionArguments& arguments, const Siblings* siblings,
                    const SliceModel* model, const Look& look, Requests& requests);

}  // namespace lanescope
