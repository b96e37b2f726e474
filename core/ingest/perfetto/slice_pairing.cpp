#include <algorithm>
#include <tuple>

#include "core/ingest/perfetto/event_store.h"

namespace lanescope {

namespace {

class SlicePairing {
  public:
    SlicePairing(const EventStore& store, TrackTree& tracks)
        : events_(store.events), tracks_(tracks), is_paired_(store.events.size()) {}

    PairedEvents run() {
        pair_blocks();
        std::vector<uint32_t> rest;
        for (uint32_t i = 0; i < events_.size(); ++i)
            if (is_bracket(i) && !is_paired_[i]) rest.push_back(i);
        std::ranges::stable_sort(rest, {}, [&](uint32_t i) { return stack_of(i); });
        for (auto first = rest.begin(); first != rest.end();) {
            const uint32_t stack = stack_of(*first);
            const auto last =
                std::find_if(first, rest.end(), [&](uint32_t i) { return stack_of(i) != stack; });
            pair_track({first, last});
            first = last;
        }
        std::ranges::sort(result_.begin_of_end);
        return std::move(result_);
    }

  private:
    bool is_bracket(uint32_t i) const {
        return events_[i].kind == StoredKind::begin || events_[i].kind == StoredKind::end;
    }
    uint32_t stack_of(uint32_t i) const { return tracks_[events_[i].track].stack; }

    void pair(uint32_t begin, uint32_t end) {
        result_.slices.push_back({begin, std::max(events_[end].time, events_[begin].time)});
        result_.begin_of_end.emplace_back(end, begin);
    }

    // Some writers write all starts of a kind of events, then all ends in the same order.
    void pair_blocks() {
        for (uint32_t first = 0; first < events_.size();) {
            uint32_t middle = first;
            while (middle < events_.size() && events_[middle].kind == StoredKind::begin) ++middle;
            uint32_t last = middle;
            while (last < events_.size() && events_[last].kind == StoredKind::end) ++last;
            const uint32_t count = middle - first;
            if (count >= 2 && last - middle >= count && is_block(first, middle, count)) {
                for (uint32_t i = 0; i < count; ++i) {
                    pair(first + i, middle + i);
                    is_paired_[first + i] = is_paired_[middle + i] = true;
                }
                last = middle + count;
            }
            first = std::max(last, first + 1);
        }
    }

    // Whether each end matches the start at the same index, and the times rule out the order of a
    // stack.
    bool is_block(uint32_t first, uint32_t middle, uint32_t count) {
        bool goes_back = false;
        last_time_.resize(tracks_.size());
        for (uint32_t i = 0; i < count; ++i) {
            const StoredEvent& begin = events_[first + i];
            const StoredEvent& end = events_[middle + i];
            if (stack_of(first + i) != stack_of(middle + i) || end.time < begin.time) return false;
        }
        for (uint32_t i = 0; i < 2 * count; ++i) {
            const uint32_t at = i < count ? first + i : middle + i - count;
            auto& [block, time] = last_time_[stack_of(at)];
            goes_back |= block == first + 1 && events_[at].time < time;
            block = first + 1;
            time = events_[at].time;
        }
        return goes_back;
    }

    void pair_track(std::span<uint32_t> track) {
        if (pair_in_file_order(track)) return;
        const auto time_of = [&](uint32_t i) { return events_[i].time; };
        std::ranges::stable_sort(track, {}, time_of);
        pair_by_time(track);
    }

    // Pairs like a stack. False, with no change: a slice would end before it starts, or times
    // decrease and some event has no partner.
    bool pair_in_file_order(std::span<const uint32_t> track) {
        open_.clear();
        found_.clear();
        std::vector<uint32_t> unopened;
        bool is_sorted = true;
        Nanos before = INT64_MIN;
        for (const uint32_t i : track) {
            is_sorted &= events_[i].time >= before;
            before = events_[i].time;
            if (events_[i].kind == StoredKind::begin) {
                open_.push_back(i);
            } else if (open_.empty()) {
                unopened.push_back(i);
            } else {
                if (events_[i].time < events_[open_.back()].time) return false;
                found_.emplace_back(open_.back(), i);
                open_.pop_back();
            }
        }
        if (!is_sorted && (!unopened.empty() || !open_.empty())) return false;
        if (!is_sorted && overlaps()) return false;
        for (const auto& [begin, end] : found_) pair(begin, end);
        result_.unopened_ends.insert(result_.unopened_ends.end(), unopened.begin(), unopened.end());
        result_.unclosed.insert(result_.unclosed.end(), open_.begin(), open_.end());
        return true;
    }

    // Whether any of the found slices partially overlaps another slice.
    bool overlaps() {
        std::ranges::sort(found_, [&](const auto& a, const auto& b) {
            const Nanos a_begin = events_[a.first].time, b_begin = events_[b.first].time;
            return a_begin != b_begin ? a_begin < b_begin
                                      : events_[a.second].time > events_[b.second].time;
        });
        std::vector<Nanos> ends;
        for (const auto& [begin, end] : found_) {
            while (!ends.empty() && ends.back() <= events_[begin].time) ends.pop_back();
            if (!ends.empty() && events_[end].time > ends.back()) return true;
            ends.push_back(events_[end].time);
        }
        return false;
    }

    // At equal times, ends of earlier slices come before starts.
    void pair_by_time(std::span<const uint32_t> track) {
        open_.clear();
        for (std::size_t first = 0; first < track.size();) {
            const Nanos time = events_[track[first]].time;
            std::size_t last = first;
            while (last < track.size() && events_[track[last]].time == time) ++last;
            std::size_t earlier = open_.size();
            std::vector<uint32_t> later;
            for (const uint32_t i : track.subspan(first, last - first)) {
                if (events_[i].kind == StoredKind::end && earlier > 0) {
                    pair(open_.back(), i);
                    open_.pop_back();
                    --earlier;
                } else {
                    later.push_back(i);
                }
            }
            for (const uint32_t i : later) {
                if (events_[i].kind == StoredKind::begin) {
                    open_.push_back(i);
                } else if (open_.empty()) {
                    result_.unopened_ends.push_back(i);
                } else {
                    pair(open_.back(), i);
                    open_.pop_back();
                }
            }
            first = last;
        }
        result_.unclosed.insert(result_.unclosed.end(), open_.begin(), open_.end());
    }

    const std::vector<StoredEvent>& events_;
    TrackTree& tracks_;
    std::vector<bool> is_paired_;
    // For each stack: number of the last block that used it, from 1, and the time of that use.
    std::vector<std::pair<uint32_t, Nanos>> last_time_;
    std::vector<uint32_t> open_;
    std::vector<std::pair<uint32_t, uint32_t>> found_;
    PairedEvents result_;
};

}  // namespace

PairedEvents pair_stored_events(const EventStore& store, TrackTree& tracks) {
    return SlicePairing(store, tracks).run();
}

}  // namespace lanescope
