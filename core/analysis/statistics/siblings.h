// Siblings of a slice: all slices of its kind and name, and its rank among their durations.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/statistics/histogram.h"

namespace lanescope {

// What siblings have in common.
struct SiblingKind {
    StringId name = StringPool::none;  // none: any ProfilerStep#N
    CategoryId category = 0;
    bool derived = false;  // of a derived lane
    friend bool operator==(const SiblingKind&, const SiblingKind&) = default;
};
SiblingKind sibling_kind(const Trace& trace, SliceRef slice);

struct Siblings {
    SiblingKind kind;
    std::string name;  // all ProfilerStep#N are ProfilerStep*
    std::string part;  // restriction within the name: "node 41 of graph 1"; empty: none
    DurationHistogram all;
    std::vector<SliceRef> by_duration;  // the shortest first
    std::vector<Nanos> durations;       // of those
    std::size_t warm_up = 0;  // leading instances above the outlier limit of those after them
    // The histogram for display: of all siblings or, if outliers would compress the rest, only of
    // those up to `cut`.
    Histogram shown;
    std::optional<double> cut;

    // The siblings in one bin of `shown`, or those beyond the cut; shortest first.
    std::span<const SliceRef> in_bin(std::size_t bin) const;
    std::span<const SliceRef> beyond_cut() const;
    // The bin of a duration; empty: beyond the cut or outside all bins.
    std::optional<std::size_t> bin_of(Nanos duration) const;
    // The instance whose duration is closest to a quantile.
    SliceRef at_quantile(double q) const;
};

// Siblings that begin in the range; empty if there are none.
std::optional<Siblings> siblings_of(const Trace& trace, const TableQuery& query, SiblingKind kind);
// Statistics over the chosen slices of one kind.
std::optional<Siblings> siblings_among(const Trace& trace, std::vector<SliceRef> slices,
                                       SiblingKind kind);

}  // namespace lanescope
