#include "core/trace/derived_lanes.h"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

#include "core/ingest/load.h"

namespace lanescope {

TEST_CASE("each kind of derived lane has words of its own") {
    std::set<std::string_view> names;
    std::set<std::string_view> kinds;
    for (const DerivedLane& lane : derived_lanes()) {
        CHECK(names.insert(lane.name).second);
        CHECK(kinds.insert(lane.kind).second);
        for (const std::string_view words : {lane.name, lane.kind, lane.detail, lane.derivation})
            CHECK(!words.empty());
        const bool is_curve = lane.add != nullptr;
        for (const std::string_view words : {lane.value, lane.most})
            CHECK(!words.empty() == is_curve);
    }
    CHECK(!names.empty());
}

TEST_CASE("each derived lane has a declaration and an origin, and no lane of the file has one") {
    LoadOptions options;
    options.derived_lanes = true;
    const auto trace = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz", options);
    REQUIRE(trace);
    int derived = 0;
    for (const Lane& lane : (*trace)->lanes) {
        derived += lane.derived;
        CHECK((declaration_of(**trace, lane) != nullptr) == lane.derived);
        const Lane* const origin = origin_of(**trace, lane);
        REQUIRE((origin != nullptr) == lane.derived);
        if (!origin) continue;
        CHECK(origin->process == lane.process);
        CHECK(origin->tid == lane.tid);
        CHECK(!origin->derived);
    }
    CHECK(derived > 0);
}

}  // namespace lanescope
