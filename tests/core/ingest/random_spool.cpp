#include "tests/core/ingest/random_spool.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

namespace lanescope::testing {

std::multiset<RecordedSlice> recorded_slices(const Trace& trace) {
    std::multiset<RecordedSlice> all;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        const std::string where = std::string(trace.strings[trace.processes[lane.process].pid]) +
                                  "/" + std::string(trace.strings[lane.tid]);
        for (uint32_t i = 0; i < lane.slice_count; ++i)
            all.insert({where, std::string(trace.name({id, i})), trace.start({id, i}),
                        trace.duration({id, i})});
    }
    return all;
}

const Warning* warning(const Trace& trace, std::string_view code) {
    for (const Warning& w : trace.warnings)
        if (w.code == code) return &w;
    return nullptr;
}

Nanos time_of(const SpoolHeader& header, uint64_t ticks) {
    __extension__ typedef __int128 Wide;
    const Wide elapsed = static_cast<Wide>(ticks) - static_cast<Wide>(header.ticks);
    return header.unix_ns + static_cast<Nanos>((elapsed * header.tick_ns) >> 32);
}

std::multiset<RecordedSlice> write_random(SpoolMaker& maker, unsigned seed, int events) {
    std::mt19937 random(seed);
    std::multiset<RecordedSlice> expected;
    const SpoolHeader& header = maker.recording->header();
    for (uint32_t tid = 70; tid < 73; ++tid) {
        SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, tid);
        uint64_t ticks = maker.now();
        std::map<std::string, std::vector<std::pair<std::string, uint64_t>>> open;
        const auto pop = [&](const std::string& domain) {
            ticks += 1 + random() % 1000;
            REQUIRE(maker.pop(stream, ticks, domain));
            const auto [name, begin] = open[domain].back();
            open[domain].pop_back();
            const Nanos start = time_of(header, begin);
            expected.insert(
                {"70/" + std::to_string(tid), name, start, time_of(header, ticks) - start});
        };
        for (int i = 0; i < events; ++i) {
            const std::string domain = random() % 3 == 0 ? "other" : "";
            if (random() % 2 == 0 && !open[domain].empty()) {
                pop(domain);
                continue;
            }
            ticks += 1 + random() % 1000;
            std::string name = "range " + std::to_string(random() % 700);
            if (random() % 50 == 0) name += std::string(random() % 3000, 'x') + "\\n\"";
            REQUIRE(maker.range(stream, kSpoolPush, name, ticks, domain));
            open[domain].emplace_back(name, ticks);
        }
        for (auto& [domain, stack] : open)
            while (!stack.empty()) pop(domain);
        if (tid != 71) maker.seal(stream);
    }
    return expected;
}

}  // namespace lanescope::testing
