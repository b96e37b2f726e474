#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// Divides slices that may overlap among tracks in each of which they nest. Slices arrive in the
// order of their begins, outer ones before inner ones. Each takes O(log n) time for n tracks.
class NestedTracks {
  public:
    // Ends the slices whose end is at most `time`, the earliest first. Calls ended(track, end) for
    // each.
    template <typename Ended>
    void end_until(Nanos time, const Ended& ended) {
        while (!open_.empty() && open_.begin()->first <= time) {
            const auto [end, track] = *open_.begin();
            open_.erase(open_.begin());
            ended(track, end);
            ends_[track].pop_back();
            if (ends_[track].empty())
                idle_.insert(track);
            else
                open_.emplace(ends_[track].back(), track);
        }
    }

    // The track of a slice that ends at `end`, after end_until() of its begin: the one whose
    // innermost open slice contains it most closely, else the first one without an open slice, else
    // a new one, whose number is the former count().
    std::size_t place(Nanos end) {
        std::size_t track = ends_.size();
        if (const auto around = open_.lower_bound({end, 0}); around != open_.end()) {
            track = around->second;
            open_.erase(around);
        } else if (!idle_.empty()) {
            track = *idle_.begin();
            idle_.erase(idle_.begin());
        } else {
            ends_.emplace_back();
        }
        ends_[track].push_back(end);
        open_.emplace(end, track);
        return track;
    }

    std::size_t count() const { return ends_.size(); }

  private:
    std::vector<std::vector<Nanos>> ends_;          // of the open slices of each track
    std::set<std::pair<Nanos, std::size_t>> open_;  // end of the innermost open slice, track
    std::set<std::size_t> idle_;                    // tracks without an open slice
};

}  // namespace lanescope
