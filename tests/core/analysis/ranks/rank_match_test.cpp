// Tests which calls of several ranks match, and why others do not.
#include "core/analysis/ranks/rank_match.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/core/analysis/ranks/synthetic_ranks.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Ranks whose calls are added one by one, 100 µs apart.
class HandMade {
  public:
    explicit HandMade(int ranks, bool is_one_file = false) {
        for (int r = 0; r < ranks; ++r) {
            RankMember member;
            member.trace = is_one_file ? 0 : r;
            member.rank = r;
            member.rank_from = RankFrom::recorded;
            data.members.push_back(member);
        }
    }

    RankCall& call(uint32_t member, int64_t sequence = kNoValue, int64_t step = 0,
                   CollectiveType kind = CollectiveType::all_reduce,
                   const std::string& group = "0") {
        RankCall one;
        one.member = member;
        one.call = next_[member]++;
        one.group = group.empty() ? 0 : data.texts.intern(group);
        one.kind = kind;
        one.sequence = sequence;
        one.step = step;
        one.bytes = 1024;
        const Nanos begin = 100'000 * one.call + 1'000 * member;
        one.time = {begin, begin + 50'000};
        data.calls.push_back(one);
        return data.calls.back();
    }
    RankCall& transfer(uint32_t member, int64_t peer, int64_t sends) {
        RankCall& one = call(member, kNoValue, 0, CollectiveType::send_receive);
        one.peer = peer;
        one.sends = sends;
        return one;
    }
    MatchedRanks match() {
        sort_rank_data(data);
        return match_ranks(data, std::vector<bool>(data.members.size()));
    }

    RankData data;

  private:
    std::map<uint32_t, uint32_t> next_;
};

std::vector<UnmatchedReason> reasons_of(const MatchedRanks& matched) {
    std::vector<UnmatchedReason> reasons;
    for (const UnmatchedCall& one : matched.unmatched) reasons.push_back(one.reason);
    return reasons;
}
using Reasons = std::vector<UnmatchedReason>;

}  // namespace

TEST_CASE("calls match by group and sequence, wherever the recordings begin") {
    HandMade ranks(2);
    for (const int64_t sequence : {5, 6, 7}) ranks.call(0, sequence);
    for (const int64_t sequence : {6, 7, 8}) ranks.call(1, sequence);
    ranks.call(1, 6, 0, CollectiveType::all_reduce, "1");
    const MatchedRanks matched = ranks.match();
    REQUIRE(matched.calls.size() == 2);
    for (const MatchedCall& call : matched.calls) {
        const auto members = matched.members_of(call);
        REQUIRE(members.size() == 2);
        CHECK(ranks.data.calls[members[0]].sequence == call.number);
        CHECK(ranks.data.calls[members[1]].sequence == call.number);
    }
    CHECK(reasons_of(matched) == Reasons{UnmatchedReason::not_recorded,
                                         UnmatchedReason::not_recorded,
                                         UnmatchedReason::group_is_absent});
}

TEST_CASE("a call that a rank lacks between others is reported as missing") {
    HandMade ranks(2);
    for (const int64_t sequence : {1, 2, 3}) ranks.call(0, sequence);
    for (const int64_t sequence : {1, 3}) ranks.call(1, sequence);
    const MatchedRanks matched = ranks.match();
    CHECK(matched.calls.size() == 2);
    CHECK(reasons_of(matched) == Reasons{UnmatchedReason::missing});
}

TEST_CASE("kind and size are checked against most ranks") {
    HandMade ranks(4);
    for (uint32_t r = 0; r < 4; ++r) ranks.call(r, 1);
    ranks.call(0, 2);
    ranks.call(1, 2);
    ranks.call(2, 2, 0, CollectiveType::broadcast);
    ranks.call(3, 2).bytes = 4096;
    const MatchedRanks matched = ranks.match();
    REQUIRE(matched.calls.size() == 2);
    CHECK(matched.calls[1].count == 2);
    CHECK(reasons_of(matched) ==
          Reasons{UnmatchedReason::kind_differs, UnmatchedReason::bytes_differ});
}

TEST_CASE("the sizes of an all-to-all may differ, and a size may be unknown") {
    HandMade ranks(2);
    ranks.call(0, 1, 0, CollectiveType::all_to_all);
    ranks.call(1, 1, 0, CollectiveType::all_to_all).bytes = 7;
    ranks.call(0, 2);
    ranks.call(1, 2).bytes = kNoValue;
    CHECK(ranks.match().calls.size() == 2);
}

TEST_CASE("without sequences, calls match by their number in the step") {
    HandMade ranks(2);
    for (uint32_t r = 0; r < 2; ++r)
        for (const int64_t step : {3, 3, 4}) ranks.call(r, kNoValue, step);
    ranks.call(0, kNoValue, 5);
    ranks.call(1, kNoValue, 5);
    ranks.call(1, kNoValue, 5);
    const MatchedRanks matched = ranks.match();
    CHECK(matched.calls.size() == 3);
    CHECK(reasons_of(matched) == Reasons(3, UnmatchedReason::counts_differ));
}

TEST_CASE("without groups, each kind is numbered separately") {
    HandMade ranks(2);
    ranks.call(0, kNoValue, 1, CollectiveType::all_reduce, "");
    ranks.call(0, kNoValue, 1, CollectiveType::all_gather, "");
    ranks.call(1, kNoValue, 1, CollectiveType::all_gather, "");
    ranks.call(1, kNoValue, 1, CollectiveType::all_reduce, "");
    const MatchedRanks matched = ranks.match();
    REQUIRE(matched.calls.size() == 2);
    for (const MatchedCall& call : matched.calls) {
        const auto members = matched.members_of(call);
        CHECK(ranks.data.calls[members[0]].kind == ranks.data.calls[members[1]].kind);
    }
}

TEST_CASE("ranks of one file match by time if their counts differ") {
    HandMade ranks(2, true);
    for (int i = 0; i < 3; ++i) ranks.call(0);
    for (int i = 0; i < 2; ++i) ranks.call(1);
    const MatchedRanks matched = ranks.match();
    CHECK(matched.calls.size() == 2);
    CHECK(reasons_of(matched) == Reasons{UnmatchedReason::missing});
}

TEST_CASE("sends match receives by peer and number") {
    HandMade ranks(3);
    // 0 sends to 1 twice; 1 sends to 0 once, between its receives, and to 2 once.
    ranks.transfer(0, 1, 1);
    ranks.transfer(0, 1, 1);
    ranks.transfer(0, 1, 0);
    ranks.transfer(1, 0, 0);
    ranks.transfer(1, 0, 1);
    ranks.transfer(1, 0, 0);
    ranks.transfer(1, 2, 1);
    ranks.transfer(2, 1, 0);
    ranks.transfer(2, 9, 1);
    ranks.transfer(2, kNoValue, 1);
    const MatchedRanks matched = ranks.match();
    CHECK(matched.calls.size() == 4);
    for (const MatchedCall& call : matched.calls) {
        const auto members = matched.members_of(call);
        REQUIRE(members.size() == 2);
        const RankCall& a = ranks.data.calls[members[0]];
        const RankCall& b = ranks.data.calls[members[1]];
        CHECK(a.sends + b.sends == 1);
        CHECK(a.peer == b.member);
        CHECK(b.peer == a.member);
    }
    CHECK(reasons_of(matched) ==
          Reasons{UnmatchedReason::group_is_absent, UnmatchedReason::no_peer});
}

TEST_CASE("a rank's number within a file is not a peer") {
    HandMade ranks(2, true);
    for (RankMember& member : ranks.data.members) member.rank_from = RankFrom::device;
    ranks.transfer(0, 1, 1);
    ranks.transfer(1, 0, 0);
    const MatchedRanks matched = ranks.match();
    CHECK(matched.calls.empty());
    CHECK(reasons_of(matched) == Reasons(2, UnmatchedReason::no_peer));
}

TEST_CASE("each call is matched once or has a reason, whatever is missing") {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        Noise noise(seed);
        const auto below = [&](int limit) { return static_cast<int64_t>(noise.uniform() * limit); };
        HandMade ranks(2 + static_cast<int>(below(5)), below(2) == 1);
        const bool has_sequences = below(2) == 1;
        for (uint32_t r = 0; r < ranks.data.members.size(); ++r)
            for (int64_t i = 0; i < 30; ++i) {
                if (below(10) == 0) continue;
                if (below(4) == 0) {
                    ranks.transfer(r, below(6), below(3) == 2 ? kNoValue : below(2));
                    continue;
                }
                const auto kind = below(15) ? CollectiveType::all_reduce : CollectiveType::barrier;
                RankCall& call = ranks.call(r, has_sequences ? i : kNoValue, i / 6, kind,
                                            below(3)   ? "0"
                                            : below(2) ? "1"
                                                       : "");
                if (below(20) == 0) call.bytes = below(3) ? 99 : kNoValue;
            }
        const MatchedRanks matched = ranks.match();
        std::vector<int> seen(ranks.data.calls.size());
        for (const UnmatchedCall& one : matched.unmatched) ++seen[one.call];
        for (const MatchedCall& call : matched.calls) {
            const auto members = matched.members_of(call);
            REQUIRE(members.size() >= 2);
            for (std::size_t i = 0; i < members.size(); ++i) {
                const RankCall& one = ranks.data.calls[members[i]];
                ++seen[members[i]];
                CHECK(one.kind == ranks.data.calls[members[0]].kind);
                CHECK(one.group == ranks.data.calls[members[0]].group);
                if (i > 0) CHECK(ranks.data.calls[members[i - 1]].member < one.member);
            }
        }
        CAPTURE(seed);
        for (const int count : seen) CHECK(count == 1);
    }
}
