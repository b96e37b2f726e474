// Simulates the ranks of a job. In each step, every rank runs kernels, idles, and meets the others
// in collectives, which end on all ranks at once, some time after the last rank has started.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/ranks/compare_ranks.h"

namespace lanescope::testing {

// Pseudo-random numbers that are the same on every machine.
class Noise {
  public:
    explicit Noise(uint64_t seed) : state_(seed * 2862933555777941757ULL + 3037000493ULL) {}
    double uniform() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<double>(state_ >> 11) * 0x1.0p-53;
    }
    // Approximately normal, with a standard deviation of 1.
    double normal() {
        double sum = 0;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum - 6;
    }

  private:
    uint64_t state_;
};

struct SyntheticClock {
    Nanos offset = 0;
    double drift = 0;
    Nanos read(Nanos true_time) const {
        return true_time + offset + std::llround(drift * static_cast<double>(true_time));
    }
};

// The work of a rank before a collective.
struct SyntheticWork {
    double gemm = 600e3;  // ns
    double norm = 150e3;
    double copy = 20e3;
    double idle = 30e3;
    double loading = 0;
    int more_gemms = 0;
};

struct SyntheticJob {
    int ranks = 8;
    int steps = 20;
    int calls = 4;       // calls of all ranks per step
    int group_size = 0;  // size of the smaller groups that meet before each of these calls; 0: none
    double jitter = 0.01;  // relative noise of the work
    double end_noise = 0;  // standard deviation of the ends, ns
    Nanos transfer = 100'000;
    bool has_sequences = true;
    bool has_work = true;
    uint64_t seed = 1;
    std::vector<SyntheticClock> clocks;  // by rank; empty: all clocks agree
    // Changes a rank's work, and the transfer time of groups with this rank.
    std::function<void(int rank, int step, SyntheticWork&)> fault;
    std::function<double(int rank, int step)> link;  // factor of the transfer time

    RankData make() const;
};

inline RankData SyntheticJob::make() const {
    RankData data;
    Noise noise(seed);
    std::vector<double> now(static_cast<std::size_t>(ranks), 1e9);
    std::vector<uint32_t> next(static_cast<std::size_t>(ranks));
    std::vector<int64_t> sequences(static_cast<std::size_t>(ranks) + 1);
    for (int r = 0; r < ranks; ++r) {
        RankMember member;
        member.trace = r;
        member.rank = r;
        member.rank_from = RankFrom::recorded;
        member.world_size = ranks;
        data.members.push_back(member);
    }
    const StringId gemm = data.texts.intern("gemm");
    const StringId norm = data.texts.intern("norm");
    const StringId copy = data.texts.intern("Memcpy HtoD");
    const StringId host = data.texts.intern("host");
    const StringId loader = data.texts.intern(kDataLoaderGap);
    const auto work_before = [&](int r, int step) {
        SyntheticWork work;
        if (fault) fault(r, step, work);
        const auto member = static_cast<uint32_t>(r);
        const auto add = [&](RankWorkKind what, StringId name, int64_t count, double time) {
            if (time <= 0) return;
            time *= 1 + jitter * noise.normal();
            now[member] += time;
            if (has_work)
                data.work.push_back(
                    {member, next[member], what, name, 0, count, std::llround(time)});
        };
        add(RankWorkKind::gap, host, 3, work.idle);
        add(RankWorkKind::gap, loader, 1, work.loading);
        add(RankWorkKind::copy, copy, 1, work.copy);
        add(RankWorkKind::kernel, gemm, 3 + work.more_gemms, work.gemm * (3 + work.more_gemms) / 3);
        add(RankWorkKind::kernel, norm, 5, work.norm);
    };
    const auto meet = [&](const std::string& group, std::size_t number, int first, int count,
                          int step) {
        double last = 0;
        double slow = 1;
        for (int r = first; r < first + count; ++r) {
            last = std::max(last, now[static_cast<std::size_t>(r)]);
            if (link) slow = std::max(slow, link(r, step));
        }
        const int64_t sequence = ++sequences[number];
        for (int r = first; r < first + count; ++r) {
            const auto member = static_cast<std::size_t>(r);
            const SyntheticClock clock = clocks.empty() ? SyntheticClock() : clocks[member];
            const double end =
                last + slow * static_cast<double>(transfer) + end_noise * noise.normal();
            RankCall call;
            call.member = static_cast<uint32_t>(r);
            call.call = next[member]++;
            call.group = data.texts.intern(group);
            call.kind = CollectiveType::all_reduce;
            call.group_size = count;
            call.step = step;
            call.bytes = 1 << 20;
            if (has_sequences) call.sequence = sequence;
            call.time = {clock.read(std::llround(now[member])), clock.read(std::llround(end))};
            data.calls.push_back(call);
            now[member] = end;
        }
    };
    for (int step = 0; step < steps; ++step)
        for (int c = 0; c < calls; ++c) {
            for (int r = 0; r < ranks; ++r) work_before(r, step);
            if (group_size > 0) {
                for (int g = 0; g < ranks / group_size; ++g)
                    meet("tensor " + std::to_string(g), static_cast<std::size_t>(g) + 1,
                         g * group_size, group_size, step);
                for (int r = 0; r < ranks; ++r) work_before(r, step);
            }
            meet("0", 0, 0, ranks, step);
        }
    sort_rank_data(data);
    return data;
}

}  // namespace lanescope::testing
