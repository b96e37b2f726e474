// Siblings of a slice: everything of its kind and name, and how its duration stands among theirs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/histogram.h"

namespace lanescope {

// What siblings have in common.
struct SiblingKind {
    StringId name = StringPool::none;  // none: any ProfilerStep#N
    CategoryId category = 0;
    friend bool operator==(const SiblingKind&, const SiblingKind&) = default;
};
SiblingKind sibling_kind(const Trace& trace, SliceRef slice);

struct Siblings {
    SiblingKind kind;
    std::string name;  // all of ProfilerStep#N are ProfilerStep*
    DurationHistogram all;
    std::vector<SliceRef> by_duration;  // the shortest first
    std::vector<Nanos> durations;       // of those
    std::size_t warm_up = 0;  // leading instances longer than the outlier limit of those behind
    // What a picture shows: all of them, or, where the outliers would press the rest into a
    // corner, only those up to `cut`.
    Histogram shown;
    std::optional<double> cut;

    // Those of one bin of `shown`, or of the ones beyond the cut, the shortest first.
    std::span<const SliceRef> in_bin(std::size_t bin) const;
    std::span<const SliceRef> beyond_cut() const;
    // The bin of a duration; none: beyond the cut, or outside of all.
    std::optional<std::size_t> bin_of(Nanos duration) const;
    // The instance whose duration is closest to a quantile.
    SliceRef at_quantile(double q) const;
};

// Of what begins in the range; nothing when nothing of the kind does.
std::optional<Siblings> siblings_of(const Trace& trace, const TableQuery& query, SiblingKind kind);

}  // namespace lanescope
