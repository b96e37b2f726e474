// Joined traces contain everything of each part at its shifted time, and nothing else.
#include "core/trace/join.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "core/ingest/load.h"
#include "core/trace/query.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/memory_file.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

TracePtr load_with(const std::string& path, const TracePtr& vocabulary) {
    LoadOptions options;
    options.workers = 2;
    options.vocabulary = vocabulary;
    const Result<TracePtr> trace = load_trace(path, options);
    if (!trace) FAIL(trace.error().text);
    return *trace;
}

// Everything except the list of categories, which is that of all traces; and the positions of
// warnings only if requested: which are the first depends on the order of ids.
std::string described(const Trace& trace, bool places = true) {
    std::istringstream lines(describe(trace));
    std::string text;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("category '") && (places || !line.starts_with("  first ")))
            text += line + "\n";
    return text;
}

// The extracted part, as it was loaded.
std::string taken_out(const TracePtr& part) {
    const auto alone = join_traces({{part, 0, "alone"}});
    REQUIRE(alone);
    Trace& trace = *std::const_pointer_cast<Trace>(alone->parts[0]);
    trace.end = trace.parts[0].span.end;
    return described(trace);
}

void check_levels(const Trace& trace) {
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (const DepthRow& row : chunk->rows) {
                const auto cut = [&](const auto& column) {
                    return column.span().subspan(row.begin, row.size());
                };
                const LevelsOfDetail fresh = build_levels(cut(chunk->start), cut(chunk->duration),
                                                          cut(chunk->name), cut(chunk->category));
                REQUIRE(fresh.entries.size() == row.levels.entries.size());
                REQUIRE(fresh.sections.size() == row.levels.sections.size());
                for (std::size_t s = 0; s < fresh.sections.size(); ++s) {
                    REQUIRE(fresh.sections[s].start == row.levels.sections[s].start);
                    REQUIRE(fresh.sections[s].stop == row.levels.sections[s].stop);
                }
                for (std::size_t e = 0; e < fresh.entries.size(); ++e) {
                    REQUIRE(fresh.entries[e].cell == row.levels.entries[e].cell);
                    REQUIRE(fresh.entries[e].name == row.levels.entries[e].name);
                }
            }
}

// The whole's side tables and links are the concatenation of the parts'.
void check_whole(const JoinedTrace& joined) {
    const Trace& whole = *joined.whole;
    std::size_t kernels = 0;
    std::size_t operators = 0;
    std::size_t links = 0;
    uint64_t slices = 0;
    for (uint32_t p = 0; p < joined.parts.size(); ++p) {
        const Trace& part = *joined.parts[p];
        slices += part.slice_count();
        for (LaneId lane = 0; lane < whole.lanes.size(); ++lane) {
            const bool own = part_of(whole, lane) == p;
            REQUIRE(part.lanes[lane].chunks ==
                    (own ? whole.lanes[lane].chunks : decltype(Lane::chunks)()));
        }
        const GpuActivities& gpu = part.gpu_activities;
        for (std::size_t i = 0; i < gpu.slice.size(); ++i, ++kernels) {
            REQUIRE(whole.gpu_activities.slice[kernels] == gpu.slice[i]);
            REQUIRE(part_of(whole, gpu.slice[i].lane) == p);
            if (!gpu.config.empty()) REQUIRE(whole.gpu_activities.config[kernels] == gpu.config[i]);
            if (!gpu.correlation.empty())
                REQUIRE(whole.gpu_activities.correlation[kernels] == gpu.correlation[i]);
        }
        for (std::size_t i = 0; i < part.operators.slice.size(); ++i, ++operators) {
            REQUIRE(whole.operators.slice[operators] == part.operators.slice[i]);
            if (!part.operators.input_dims.empty())
                REQUIRE(whole.operators.input_dims[operators] == part.operators.input_dims[i]);
        }
        for (const Link& link : part.links) {
            REQUIRE(whole.links[links].from == link.from);
            REQUIRE(whole.links[links++].to == link.to);
            REQUIRE(part_of(whole, link.from.lane) == p);
            REQUIRE(part_of(whole, link.to.lane) == p);
            REQUIRE(links_to(whole, link.to).size() == links_to(part, link.to).size());
        }
    }
    CHECK(whole.slice_count() == slices);
    CHECK(whole.gpu_activities.slice.size() == kernels);
    CHECK(whole.operators.slice.size() == operators);
    CHECK(whole.links.size() == links);
    CHECK(std::ranges::is_sorted(whole.gpu_activities.slice));
    CHECK(std::ranges::is_sorted(whole.links, {}, &Link::from));
    const auto target = [&](uint32_t link) { return whole.links[link].to; };
    CHECK(std::ranges::is_sorted(whole.links_by_target, {}, target));
}

void check_join(const std::vector<std::string>& paths, const std::vector<Nanos>& offsets) {
    std::vector<JoinPart> parts;
    std::vector<std::string> before;
    TracePtr last;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const TracePtr plain = load_with(paths[i], nullptr);
        last = load_with(paths[i], last);
        REQUIRE(first_difference(described(*plain, false), described(*last, false)) == "");
        before.push_back(described(*last));
        parts.push_back({last, offsets[i], "part " + std::to_string(i)});
    }
    auto joined = join_traces(parts);
    REQUIRE(joined);
    check_whole(*joined);
    check_levels(*joined->whole);
    // Other offsets, then reversed order, from the parts of the first join.
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = {joined->parts[i], offsets[i] + 12345, parts[i].name};
    std::ranges::reverse(parts);
    joined = join_traces(parts);
    REQUIRE(joined);
    check_whole(*joined);
    check_levels(*joined->whole);
    for (std::size_t i = 0; i < parts.size(); ++i)
        CHECK(first_difference(before[parts.size() - 1 - i], taken_out(joined->parts[i])) == "");
}

std::string random_text(uint64_t seed, std::size_t events) {
    Random random(seed);
    return trace_text(random_events(random, events), Dialect::object);
}

}  // namespace

TEST_CASE("A joined trace holds its random parts completely") {
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const MemoryFile a(random_text(seed, 300));
        const MemoryFile b(random_text(seed + 100, 3000));
        const MemoryFile c(random_text(seed + 200, 20));
        check_join({a.path(), b.path(), c.path()},
                   {0, static_cast<Nanos>(seed) * 777 - 4000, 1'000'000'000'000});
    }
}

TEST_CASE("A joined trace holds its real parts completely") {
    const std::string other = LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz";
    check_join({other, other}, {0, -250});
    if (!has_real_traces()) return;
    const std::string a = real_trace("torch/two_ranks/rank-0.json.gz");
    const std::string b = real_trace("torch/two_ranks/rank-1.json.gz");
    const std::string c = real_trace("torch/a100_nccl_groups.json.gz");
    const std::string d = real_trace("torch/h100_owlv2_shapes_stack_memory.json.gz");
    check_join({a, b, c, d}, {0, 35'000, -1'682'725'897'226'747'000, 5});
}

TEST_CASE("Parts know their offset and their own span") {
    const MemoryFile a(random_text(1, 100));
    const MemoryFile b(random_text(2, 100));
    const TracePtr first = load_with(a.path(), nullptr);
    const TracePtr second = load_with(b.path(), first);
    const auto joined = join_traces({{first, 0, "a"}, {second, 500, "b"}});
    REQUIRE(joined);
    CHECK(shift_of(*joined->parts[0]) == 0);
    CHECK(shift_of(*joined->parts[1]) == 500);
    CHECK(file_span(*joined->parts[1]).begin == second->origin + 500);
    CHECK(file_span(*joined->parts[1]).end == second->end + 500);
    CHECK(joined->whole->origin == std::min(first->origin, second->origin + 500));
    CHECK(joined->parts[1]->origin == joined->whole->origin);
    CHECK(joined->whole->facts.events == first->facts.events + second->facts.events);
}

TEST_CASE("A second join does not depend on the first") {
    const MemoryFile a(random_text(1, 2000));
    const TracePtr first = load_with(a.path(), nullptr);
    auto joined = join_traces({{first, 10, "a"}});
    REQUIRE(joined);
    const std::weak_ptr<const Trace> whole = joined->whole;
    const std::weak_ptr<const Chunk> chunk = joined->whole->lanes[0].chunks.at(0);
    joined = join_traces({{joined->parts[0], 20, "a"}});
    REQUIRE(joined);
    CHECK(whole.expired());
    CHECK(chunk.expired());
    CHECK(joined->whole->launch_configs.size() == first->launch_configs.size());
}

TEST_CASE("Traces loaded without the option to join are refused") {
    const MemoryFile a(random_text(1, 100));
    const MemoryFile b(random_text(2, 100));
    const auto joined = join_traces(
        {{load_with(a.path(), nullptr), 0, "a"}, {load_with(b.path(), nullptr), 0, "b"}});
    REQUIRE(!joined);
    CHECK(joined.error().code == ErrorCode::usage);
    CHECK(!join_traces({}));
}
