#include "core/analysis/ranks/rank_match.h"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <tuple>
#include <utility>

namespace lanescope {

namespace {

struct CallClass {
    StringId group = 0;
    CollectiveType kind = CollectiveType::unknown;  // of transfers, and calls without a group
    int64_t from = kNoValue;  // sends and receives only: the sender, or the lower rank
    int64_t to = kNoValue;    // the receiver, or the higher rank if the direction is unknown
    bool is_directed = false;
    bool on_host = false;  // only of calls without a group

    friend auto operator<=>(const CallClass&, const CallClass&) = default;
};

CallClass class_of(const RankData& data, const RankCall& call) {
    CallClass result;
    result.group = call.group;
    if (call.kind == CollectiveType::send_receive) {
        // A peer is a rank of the job, so it cannot be compared with a number within the file.
        const RankMember& member = data.members[call.member];
        const int64_t own = member.rank;
        const int64_t peer = member.is_rank_known() ? call.peer : kNoValue;
        result.kind = call.kind;
        result.is_directed = call.sends != kNoValue;
        const bool own_first = result.is_directed ? call.sends == 1 : own < peer;
        result.from = own_first ? own : peer;
        result.to = own_first ? peer : own;
    } else if (call.group == 0) {
        result.kind = call.kind;
        result.on_host = call.on_host;
    }
    return result;
}

struct NumberedCallOfRank {
    uint32_t call = 0;  // index in RankData::calls
    uint32_t member = 0;
    int64_t step = kNoValue;  // kNoValue: unknown, or `number` is a sequence
    int64_t number = 0;

    auto place() const { return std::pair(step, number); }
};
using CallsOfClass = std::vector<NumberedCallOfRank>;

// Numbers the calls by their sequence if all calls have one, otherwise within the step. Returns
// true if they are numbered within the step.
bool count_calls(const RankData& data, CallsOfClass& calls) {
    const bool is_transfer = data.calls[calls.front().call].kind == CollectiveType::send_receive;
    // The two sides of a transfer record different sequences.
    const bool recorded = !is_transfer && std::ranges::all_of(calls, [&](const auto& one) {
        return data.calls[one.call].sequence != kNoValue;
    });
    std::map<std::pair<uint32_t, int64_t>, int64_t> next;
    for (NumberedCallOfRank& one : calls) {
        const RankCall& call = data.calls[one.call];
        if (recorded) {
            one.number = call.sequence;
        } else {
            one.step = call.step;
            one.number = next[{one.member, call.step}]++;
        }
    }
    return !recorded;
}

// The most frequent value; on a tie, the value that occurs first.
template <typename Value, typename Of>
Value most_frequent(std::span<const NumberedCallOfRank> calls, const Of& of) {
    std::map<Value, std::size_t> counts;
    for (const NumberedCallOfRank& one : calls) ++counts[of(one)];
    Value best = of(calls.front());
    for (const NumberedCallOfRank& one : calls)
        if (counts[of(one)] > counts[best]) best = of(one);
    return best;
}

class Matcher {
  public:
    // `offsets`: null: calls without a sequence match by their number.
    Matcher(const RankData& data, const ClockOffsets* offsets) : data_(data), offsets_(offsets) {}

    void match_class(CallsOfClass& calls) {
        const bool counted = count_calls(data_, calls);
        std::ranges::sort(calls, {}, [](const NumberedCallOfRank& one) {
            return std::tuple(one.step, one.number, one.member, one.call);
        });
        note_ranges(calls);
        if (ranges_.size() < 2) {
            const auto reason = reason_of_absence(data_.calls[calls.front().call]);
            for (const NumberedCallOfRank& one : calls) leave(one, reason);
            return;
        }
        if (counted && offsets_) {
            match_by_ends(calls);
            ++class_;
            return;
        }
        for (std::size_t begin = 0; begin < calls.size();) {
            std::size_t end = begin;
            while (end < calls.size() && calls[end].step == calls[begin].step) ++end;
            const std::span step = std::span(calls).subspan(begin, end - begin);
            if (counted && !have_equal_counts(step))
                match_by_time(step);
            else
                match_by_number(step);
            begin = end;
        }
        ++class_;
    }

    MatchedRanks take() {
        std::ranges::sort(result_.unmatched, {}, &UnmatchedCall::call);
        return std::move(result_);
    }
    void leave(const NumberedCallOfRank& one, UnmatchedReason reason) {
        result_.unmatched.push_back({one.call, reason});
    }

  private:
    UnmatchedReason reason_of_absence(const RankCall& call) const {
        const bool has_peer = call.peer != kNoValue && data_.members[call.member].is_rank_known();
        return call.kind == CollectiveType::send_receive && !has_peer
                   ? UnmatchedReason::no_peer
                   : UnmatchedReason::group_is_absent;
    }

    // Notes the first and last call of each member.
    void note_ranges(const CallsOfClass& calls) {
        ranges_.clear();
        for (const NumberedCallOfRank& one : calls) {
            const auto [found, added] =
                ranges_.try_emplace(one.member, std::pair(one.place(), one.place()));
            if (!added) found->second.second = one.place();
        }
    }

    bool have_equal_counts(std::span<const NumberedCallOfRank> step) const {
        std::map<uint32_t, std::size_t> counts;
        for (const NumberedCallOfRank& one : step) ++counts[one.member];
        const std::size_t first = counts.begin()->second;
        return std::ranges::all_of(counts, [&](const auto& c) { return c.second == first; });
    }

    void match_by_number(std::span<const NumberedCallOfRank> calls) {
        for (std::size_t begin = 0; begin < calls.size();) {
            std::size_t end = begin;
            while (end < calls.size() && calls[end].number == calls[begin].number) ++end;
            add(calls.subspan(begin, end - begin));
            begin = end;
        }
    }

    // Matches only calls of a single file: clocks of several files may disagree.
    void match_by_time(std::span<NumberedCallOfRank> calls) {
        const auto trace = [&](const auto& one) { return data_.members[one.member].trace; };
        if (std::ranges::all_of(
                calls, [&](const auto& one) { return trace(one) == trace(calls.front()); }))
            match_together(calls, [](uint32_t) { return Nanos{0}; });
        else
            for (const NumberedCallOfRank& one : calls) leave(one, UnmatchedReason::counts_differ);
    }

    void match_by_ends(std::span<const NumberedCallOfRank> calls) {
        CallsOfClass known;
        for (const NumberedCallOfRank& one : calls) {
            if ((*offsets_)[one.member])
                known.push_back(one);
            else
                leave(one, UnmatchedReason::ends_differ);
        }
        match_together(known, [&](uint32_t member) { return *(*offsets_)[member]; });
    }

    // A collective ends on all ranks at nearly the same time, after all ranks have started it.
    // Sorted by end, the calls of the ranks are therefore adjacent.
    template <typename OffsetOf>
    void match_together(std::span<NumberedCallOfRank> calls, const OffsetOf& offset_of) {
        by_time_ = true;
        const auto time = [&](const auto& one) {
            const TimeRange shown = data_.calls[one.call].time;
            const Nanos offset = offset_of(one.member);
            return TimeRange{shown.begin - offset, shown.end - offset};
        };
        std::ranges::sort(calls, {}, [&](const auto& one) { return time(one).end; });
        CallsOfClass together;
        Nanos latest = 0;
        int64_t number = 0;
        const auto close = [&] {
            for (NumberedCallOfRank& one : together) one.number = number;
            std::ranges::sort(together, {}, &NumberedCallOfRank::member);
            if (!together.empty()) add(together);
            together.clear();
            ++number;
        };
        for (const NumberedCallOfRank& one : calls) {
            const TimeRange own = time(one);
            const bool joins =
                !together.empty() && own.begin < time(together.front()).end && latest < own.end &&
                (!offsets_ || own.end - time(together.front()).end <= kSameEnd) &&
                std::ranges::find(together, one.member, &NumberedCallOfRank::member) ==
                    together.end();
            if (!joins) close();
            latest = together.empty() ? own.begin : std::max(latest, own.begin);
            together.push_back(one);
        }
        close();
        by_time_ = false;
    }

    // Matches calls that have the same number. `calls`: sorted by member.
    void add(std::span<const NumberedCallOfRank> calls) {
        const auto kind = most_frequent<CollectiveType>(
            calls, [&](const auto& one) { return data_.calls[one.call].kind; });
        CallsOfClass same;
        for (const NumberedCallOfRank& one : calls) {
            if (!same.empty() && same.back().member == one.member)
                leave(one, UnmatchedReason::repeated);
            else if (data_.calls[one.call].kind != kind)
                leave(one, UnmatchedReason::kind_differs);
            else
                same.push_back(one);
        }
        if (sends_one_size(kind)) remove_other_sizes(same);
        if (same.size() == 1) leave(same.front(), reason_of_missing(same.front()));
        if (same.size() < 2) return;
        MatchedCall call;
        call.first = static_cast<uint32_t>(result_.arrivals.size());
        call.count = static_cast<uint32_t>(same.size());
        call.row = same.front().call;
        call.call_class = class_;
        call.number = same.front().number;
        for (const NumberedCallOfRank& one : same) result_.arrivals.push_back(one.call);
        result_.calls.push_back(call);
    }

    void remove_other_sizes(CallsOfClass& calls) {
        const auto bytes_of = [&](const auto& one) { return data_.calls[one.call].bytes; };
        CallsOfClass sized;
        std::ranges::copy_if(calls, std::back_inserter(sized),
                             [&](const auto& one) { return bytes_of(one) != kNoValue; });
        if (sized.empty()) return;
        const auto bytes = most_frequent<int64_t>(sized, bytes_of);
        std::erase_if(calls, [&](const NumberedCallOfRank& one) {
            const bool differs = bytes_of(one) != kNoValue && bytes_of(one) != bytes;
            if (differs) leave(one, UnmatchedReason::bytes_differ);
            return differs;
        });
    }

    UnmatchedReason reason_of_missing(const NumberedCallOfRank& one) const {
        if (by_time_) return UnmatchedReason::missing;
        for (const auto& [member, range] : ranges_)
            if (member != one.member && range.first <= one.place() && one.place() <= range.second)
                return UnmatchedReason::missing;
        return UnmatchedReason::not_recorded;
    }

    const RankData& data_;
    const ClockOffsets* offsets_;
    MatchedRanks result_;
    uint32_t class_ = 0;
    bool by_time_ = false;  // the numbers do not show which calls a rank lacks
    // By member: positions of its first and last call of the class.
    using Place = std::pair<int64_t, int64_t>;
    std::map<uint32_t, std::pair<Place, Place>> ranges_;
};

MatchedRanks match_classes(const RankData& data, const std::vector<bool>& is_left_out,
                           const ClockOffsets* offsets) {
    std::map<CallClass, CallsOfClass> classes;
    Matcher matcher(data, offsets);
    for (uint32_t i = 0; i < data.calls.size(); ++i) {
        const RankCall& call = data.calls[i];
        const NumberedCallOfRank one{i, call.member};
        if (is_left_out[call.member])
            matcher.leave(one, UnmatchedReason::rank_is_left_out);
        else
            classes[class_of(data, call)].push_back(one);
    }
    for (auto& [key, calls] : classes) matcher.match_class(calls);
    return matcher.take();
}

}  // namespace

std::string_view unmatched_reason_name(UnmatchedReason reason) {
    constexpr std::array<std::string_view, 10> names = {
        "no peer recorded",
        "no other rank of the group is here",
        "outside the recordings of the other ranks",
        "missing on the other ranks",
        "the ranks made different numbers of calls in the step",
        "kind differs",
        "bytes differ",
        "no sequence, and it ends with no call of another rank",
        "second call of this number",
        "the rank is left out"};
    return names[static_cast<std::size_t>(reason)];
}

bool sends_one_size(CollectiveType kind) {
    switch (kind) {
        case CollectiveType::all_reduce:
        case CollectiveType::all_gather:
        case CollectiveType::reduce_scatter:
        case CollectiveType::broadcast:
        case CollectiveType::reduce:
        case CollectiveType::send_receive:
            return true;
        default:
            return false;
    }
}

bool waits_for_all(CollectiveType kind) {
    switch (kind) {
        case CollectiveType::all_reduce:
        case CollectiveType::all_gather:
        case CollectiveType::reduce_scatter:
        case CollectiveType::all_to_all:
        case CollectiveType::barrier:
            return true;
        default:
            return false;
    }
}

MatchedRanks match_ranks(const RankData& data, const std::vector<bool>& is_left_out) {
    return match_classes(data, is_left_out, nullptr);
}

MatchedRanks match_ranks_by_ends(const RankData& data, const std::vector<bool>& is_left_out,
                                 const ClockOffsets& offsets) {
    return match_classes(data, is_left_out, &offsets);
}

}  // namespace lanescope
