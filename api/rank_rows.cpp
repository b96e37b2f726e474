#include "api/rank_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "api/arrow_reader.h"
#include "api/failure.h"
#include "api/options.h"

namespace lanescope {

namespace {

int64_t or_none(std::optional<int64_t> value) {
    return value.value_or(kNoValue);
}

// Inverse of collective_type_name().
CollectiveType type_named(std::string_view name) {
    for (auto type = CollectiveType::unknown; type <= CollectiveType::barrier;
         type = static_cast<CollectiveType>(static_cast<uint8_t>(type) + 1))
        if (collective_type_name(type) == name) return type;
    return CollectiveType::unknown;
}

class RankReader {
  public:
    explicit RankReader(RankData& data) : data_(data) {}

    Result<void> read_calls(ArrowArrayStream* stream) {
        enum Column : std::size_t {
            trace,
            rank,
            call,
            group,
            group_size,
            kind,
            sequence,
            step,
            peer,
            sends,
            bytes,
            begin,
            end,
            host
        };
        constexpr auto numbers = ArrowType::number;
        constexpr std::array<WantedColumn, 14> wanted = {{{"trace", numbers, false},
                                                          {"rank"},
                                                          {"call"},
                                                          {"group", ArrowType::text},
                                                          {"group_size", numbers, false},
                                                          {"kind", ArrowType::text},
                                                          {"sequence", numbers, false},
                                                          {"step", numbers, false},
                                                          {"peer", numbers, false},
                                                          {"sends", numbers, false},
                                                          {"bytes", numbers, false},
                                                          {"begin_ns"},
                                                          {"end_ns"},
                                                          {"host", numbers, false}}};
        return read_arrow(stream, "calls", wanted, [&](const ArrowRow& row) -> Result<void> {
            const Result<Place> place = place_of(row, "calls", trace, rank, call);
            if (!place) return place.error();
            const auto from = row.number(begin);
            const auto to = row.number(end);
            if (!from || !to || *to < *from || *from < -kMostTime || *to > kMostTime)
                return misuse("A row of calls has no begin_ns and end_ns, or they are no times");
            RankCall one;
            one.member = place->member;
            one.call = place->call;
            one.group = data_.texts.intern(row.text(group));
            one.kind = type_named(row.text(kind));
            one.group_size = or_none(row.number(group_size));
            one.sequence = or_none(row.number(sequence));
            one.step = or_none(row.number(step));
            one.peer = or_none(row.number(peer));
            one.sends = or_none(row.number(sends));
            one.bytes = or_none(row.number(bytes));
            one.time = {*from, *to};
            one.on_host = row.number(host).value_or(0) != 0;
            data_.calls.push_back(one);
            return {};
        });
    }

    Result<void> read_work(ArrowArrayStream* stream) {
        enum Column : std::size_t { trace, rank, call, what, name, grid, count, time };
        constexpr std::array<WantedColumn, 8> wanted = {{{"trace", ArrowType::number, false},
                                                         {"rank"},
                                                         {"call"},
                                                         {"what", ArrowType::text},
                                                         {"name", ArrowType::text},
                                                         {"grid", ArrowType::text, false},
                                                         {"count"},
                                                         {"time_ns"}}};
        return read_arrow(stream, "work", wanted, [&](const ArrowRow& row) -> Result<void> {
            const Result<Place> place = place_of(row, "work", trace, rank, call);
            if (!place) return place.error();
            const auto kind = rank_work_of(row.text(what));
            if (!kind)
                return misuse(fmt::format("There is no work of the kind {}", row.text(what)));
            RankWork one;
            one.member = place->member;
            one.call = place->call;
            one.what = *kind;
            one.name = data_.texts.intern(row.text(name));
            one.grid = data_.texts.intern(row.text(grid));
            one.count = row.number(count).value_or(0);
            one.time = row.number(time).value_or(0);
            data_.work.push_back(one);
            return {};
        });
    }

    Result<void> read_traces(ArrowArrayStream* stream) {
        enum Column : std::size_t { trace, rank, size, name, from };
        constexpr std::array<WantedColumn, 5> wanted = {{{"trace", ArrowType::number, false},
                                                         {"rank"},
                                                         {"world_size", ArrowType::number, false},
                                                         {"name", ArrowType::text, false},
                                                         {"rank_from", ArrowType::text, false}}};
        return read_arrow(stream, "traces", wanted, [&](const ArrowRow& row) -> Result<void> {
            const auto own = row.number(rank);
            if (!own) return misuse("A row of traces has no rank");
            RankMember& member = data_.members[member_of(row.number(trace).value_or(*own), *own)];
            member.world_size = or_none(row.number(size));
            member.name = std::string(row.text(name));
            const std::string_view source = row.text(from);
            const auto rank_from = source.empty() ? RankFrom::recorded : rank_from_of(source);
            if (!rank_from)
                return misuse(
                    fmt::format("{} in traces is no rank_from: recorded, name, order or "
                                "device",
                                source));
            member.rank_from = *rank_from;
            return {};
        });
    }

    // Several ranks of one trace are numbers of its devices.
    void number_devices() {
        std::map<int64_t, std::size_t> counts;
        for (const RankMember& member : data_.members) ++counts[member.trace];
        for (RankMember& member : data_.members)
            if (counts[member.trace] > 1) member.rank_from = RankFrom::device;
    }

  private:
    static constexpr Nanos kMostTime = 4'000'000'000'000'000'000;

    struct Place {
        uint32_t member = 0;
        uint32_t call = 0;
    };
    Result<Place> place_of(const ArrowRow& row, std::string_view what, std::size_t trace,
                           std::size_t rank, std::size_t call) {
        const auto own = row.number(rank);
        const auto number = row.number(call);
        if (!own) return misuse(fmt::format("A row of {} has no rank", what));
        if (!number || *number < 0 || *number > INT32_MAX)
            return misuse(fmt::format("A row of {} has no number of a call", what));
        return Place{member_of(row.number(trace).value_or(*own), *own),
                     static_cast<uint32_t>(*number)};
    }

    uint32_t member_of(int64_t trace, int64_t rank) {
        if (!data_.members.empty() && last_.first == std::pair(trace, rank)) return last_.second;
        const auto [found, added] = members_.try_emplace(
            std::pair(trace, rank), static_cast<uint32_t>(data_.members.size()));
        if (added) {
            RankMember& member = data_.members.emplace_back();
            member.trace = trace;
            member.rank = rank;
            member.rank_from = RankFrom::recorded;
        }
        last_ = {found->first, found->second};
        return found->second;
    }

    RankData& data_;
    std::map<std::pair<int64_t, int64_t>, uint32_t> members_;
    std::pair<std::pair<int64_t, int64_t>, uint32_t> last_;  // rows of one rank are adjacent
};

}  // namespace

Result<RankData> read_rank_rows(ArrowArrayStream* calls, ArrowArrayStream* work,
                                ArrowArrayStream* traces) {
    RankData data;
    RankReader reader(data);
    // Reads `traces` first: its order is the order of the ranks.
    if (traces)
        if (const auto read = reader.read_traces(traces); !read) return read.error();
    if (const auto read = reader.read_calls(calls); !read) return read.error();
    if (work)
        if (const auto read = reader.read_work(work); !read) return read.error();
    reader.number_devices();
    sort_rank_data(data);
    return data;
}

Result<RankLimits> rank_limits(const char* options) {
    RankLimits limits;
    double lateness = static_cast<double>(limits.min_lateness) / 1e3;
    const Result<void> read = read_options(options, "compare_ranks",
                                           {{"min-lateness-us", &lateness},
                                            {"noise-factor", &limits.noise_factor},
                                            {"uncertainty-factor", &limits.uncertainty_factor},
                                            {"min-cost-share", &limits.min_cost_share},
                                            {"cause-share", &limits.cause_share},
                                            {"slow-gpu-factor", &limits.slow_gpu_factor},
                                            {"slow-gpu-share", &limits.slow_gpu_share},
                                            {"slow-link-factor", &limits.slow_link_factor}});
    if (!read) return read.error();
    if (!(lateness >= 0 && lateness < 1e12))
        return misuse("Option min-lateness-us of compare_ranks takes microseconds from 0");
    limits.min_lateness = static_cast<Nanos>(lateness * 1e3);
    return limits;
}

}  // namespace lanescope
