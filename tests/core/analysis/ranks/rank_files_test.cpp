// Tests where the rank of a file comes from.
#include <doctest/doctest.h>

#include "core/analysis/ranks/rank_data.h"

using namespace lanescope;

namespace {

RankData file_of(RankFrom from, int64_t rank, std::size_t members = 1) {
    RankData file;
    for (std::size_t i = 0; i < members; ++i) {
        RankMember member;
        member.rank = rank + static_cast<int64_t>(i);
        member.rank_from = from;
        file.members.push_back(member);
    }
    return file;
}

}  // namespace

TEST_CASE("the rank in a file's name is the last number after the word") {
    CHECK(rank_in_name("rank12.json.gz") == 12);
    CHECK(rank_in_name("Rank-3.json") == 3);
    CHECK(rank_in_name("run_RANK_007.json") == 7);
    CHECK(rank_in_name("rank0_of_rank.1.json") == 1);
    CHECK(rank_in_name("rank") == kNoValue);
    CHECK(rank_in_name("ranks.json") == kNoValue);
    CHECK(rank_in_name("rank--4.json") == kNoValue);
    CHECK(rank_in_name("rank99999999999999999999.json") == kNoValue);
    CHECK(rank_in_name("") == kNoValue);
}

TEST_CASE("a file's rank is recorded, in its name, or by the order of the files") {
    RankData all;
    append_ranks(file_of(RankFrom::device, 0), {0, "a", "a.json"}, all);
    append_ranks(file_of(RankFrom::recorded, 1), {1, "rank 1", "rank9.json"}, all);
    append_ranks(file_of(RankFrom::device, 0), {2, "b", "b_rank0.json"}, all);
    append_ranks(file_of(RankFrom::device, 0, 2), {3, "node", "rank5.json"}, all);
    number_ranks_by_order(all);
    REQUIRE(all.members.size() == 5);
    CHECK(all.members[0].rank_from == RankFrom::order);
    CHECK(all.members[0].rank == 2);  // 0 and 1 are taken
    CHECK(all.members[1].rank_from == RankFrom::recorded);
    CHECK(all.members[1].rank == 1);
    CHECK(all.members[2].rank_from == RankFrom::name);
    CHECK(all.members[2].rank == 0);
    CHECK(all.members[3].rank_from == RankFrom::device);
    CHECK(all.members[4].rank == 1);
    CHECK(member_name(all.members[4]) == "node 1");
}

TEST_CASE("each source of a rank has a name") {
    for (const RankFrom from :
         {RankFrom::recorded, RankFrom::name, RankFrom::order, RankFrom::device})
        CHECK(rank_from_of(rank_from_name(from)) == from);
    CHECK(!rank_from_of("elsewhere"));
}
