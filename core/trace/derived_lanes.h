// The kinds of lanes that are derived from lanes of the file, each declared once: what they are
// derived from, and the words that describe them.
#pragma once

#include <span>
#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

struct DerivedLane {
    std::string_view name;        // Lane::name, by which the lanes of this kind are recognised
    std::string_view kind;        // one word: "queue"
    LaneKind origin;              // of the lane with the same process and tid that it belongs to
    std::string_view detail;      // beside its head, followed by the title of its origin
    std::string_view derivation;  // "derived from the launches"
    std::string_view value;       // the quantity of a point of its curve …
    std::string_view most;        // … and the largest of them; empty: it has no curve
    // Adds the lanes of this kind, after all lanes of the file; null: the load adds them to every
    // trace (core/replays).
    void (*add)(Trace&);
};

std::span<const DerivedLane> derived_lanes();
// The declaration of a derived lane; null: the lane is one of the file.
const DerivedLane* declaration_of(const Trace& trace, const Lane& lane);
// The lane that a derived lane belongs to; null: the lane is one of the file, or there is none.
const Lane* origin_of(const Trace& trace, const Lane& lane);

}  // namespace lanescope
