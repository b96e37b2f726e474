#include "core/analysis/collectives/distributed_facts.h"

#include <doctest/doctest.h>

#include "core/analysis/collectives/message_shape.h"

using namespace lanescope;

namespace {

Trace trace_with(const std::string& info) {
    Trace trace;
    trace.metadata = {{"schemaVersion", "1"}, {"distributedInfo", info}};
    return trace;
}

}  // namespace

TEST_CASE("The facts of a job are those of the file") {
    const Trace trace = trace_with(R"({"backend": "nccl", "rank": 3, "world_size": 8,
        "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl",
                       "pg_size": 2, "ranks": [3, 7]}, {"pg_name": "1"}, 5]})");
    const auto facts = distributed_facts(trace);
    REQUIRE(facts);
    CHECK(facts->rank == 3);
    CHECK(facts->world_size == 8);
    CHECK(facts->backend == "nccl");
    REQUIRE(facts->groups.size() == 2);
    CHECK(facts->groups[0].description == "default_pg");
    CHECK(facts->groups[0].backend == "cuda:nccl");
    CHECK(facts->groups[0].size == 2);
    CHECK(facts->groups[0].ranks == std::vector<int64_t>{3, 7});
    CHECK(facts->groups[1].name == "1");
    CHECK_FALSE(facts->groups[1].size);
    CHECK(own_rank(trace) == 3);
    CHECK(world_size(trace) == 8);
}

TEST_CASE("What the file does not say of its job is not known") {
    CHECK_FALSE(distributed_facts(Trace()));
    CHECK_FALSE(distributed_facts(trace_with("null")));
    CHECK_FALSE(distributed_facts(trace_with("[")));
    const auto facts = distributed_facts(
        trace_with(R"({"rank": "3", "backend": 1, "pg_config": {"pg_name": "0"}})"));
    REQUIRE(facts);
    CHECK_FALSE(facts->rank);
    CHECK(facts->backend.empty());
    CHECK(facts->groups.empty());
    CHECK(own_rank(trace_with("{}")) == kNoValue);
}
