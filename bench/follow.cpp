// Measures the cost of following a recording. A spool grows by a million ranges a second (each a
// push and a pop); every tenth of a second, its new part is read and a snapshot is created. The
// benchmark does not run in real time: the tenths follow each other without pause, and only the CPU
// time of reading and snapshots counts.
//
//     bench_follow [SECONDS] [THREADS]           30 seconds of recording, 4 threads
//     bench_follow --instructions [SECONDS]      counted by valgrind instead of timed
//
// Exits with 1 if an event costs more than 200 ns, the last third of the recording costs 30 % more
// than the first, memory exceeds the cap, or something is missing at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/callgrind.h"
#include "bench/measure.h"
#include "core/capture/spool/spool_recording.h"
#include "core/ingest/load.h"
#include "core/ingest/spool/spool_follower.h"

namespace {

using namespace lanescope;

constexpr int kRangesPerTenth = 100'000;
constexpr double kMaxNs = 200;

double cpu_seconds() {
    struct timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Writes the ranges of threads. Each thread has an open epoch, with steps of seven nested ranges.
class Programs {
  public:
    Programs(SpoolRecording& recording, int threads) : recording_(recording) {
        for (int i = 0; i < threads; ++i) {
            streams_.push_back(std::make_unique<SpoolStream>());
            begin_stream(*streams_.back(), kSpoolEvents, 1, 100, 100 + static_cast<uint32_t>(i));
            push(*streams_.back(), "epoch", now());
        }
        ticks_ = now();
        const double tick_ns = static_cast<double>(recording.header().tick_ns) /
                               static_cast<double>(uint64_t{1} << 32);
        ticks_between_events_ = static_cast<uint64_t>(1e8 / tick_ns / (2.0 * kRangesPerTenth));
    }

    void write_tenth() {
        const int per_thread = kRangesPerTenth / static_cast<int>(streams_.size());
        const uint64_t begin = ticks_;
        for (auto& stream : streams_) {
            ticks_ = begin;
            ticks_between_events_of_thread_ = ticks_between_events_ * streams_.size();
            for (int i = 0; i < per_thread; i += 8) write_step(*stream);
        }
    }

    uint64_t ranges() const { return ranges_; }

  private:
    uint64_t now() const { return spool_ticks(recording_.file().tick_kind); }
    uint64_t next() { return ticks_ += ticks_between_events_of_thread_; }
    void push(SpoolStream& stream, const char* name, uint64_t ticks) {
        const uint32_t text = spool_text(recording_.file(), stream, name);
        if (write_brief_push<8>(stream, {}, ticks, 0, text)) return;
        SpoolRange range = {};
        range.ticks = ticks;
        write_record(
            recording_.file(), stream, range, kSpoolPush, SpoolBytes<16>(),
            [&](SpoolRange& r) { r.record.text = spool_text(recording_.file(), stream, name); });
        stream.last_ticks = ticks;
    }
    void pop(SpoolStream& stream, uint64_t ticks) {
        ++ranges_;
        if (write_brief_pop(stream, ticks, 0)) return;
        SpoolPop pop = {};
        pop.ticks = ticks;
        write_record(recording_.file(), stream, pop, kSpoolPop);
        stream.last_ticks = ticks;
    }
    void write_step(SpoolStream& stream) {
        static constexpr const char* names[] = {"forward",  "attention", "linear", "loss",
                                                "backward", "optimizer", "logging"};
        push(stream, "step", next());
        for (const char* name : names) {
            push(stream, name, next());
            pop(stream, next());
        }
        pop(stream, next());
    }

    SpoolRecording& recording_;
    std::vector<std::unique_ptr<SpoolStream>> streams_;
    uint64_t ticks_ = 0;
    uint64_t ticks_between_events_ = 1;
    uint64_t ticks_between_events_of_thread_ = 1;
    uint64_t ranges_ = 0;
};

struct Followed {
    std::vector<double> seconds;  // CPU time of each tenth
    uint64_t ranges = 0;
    FollowStatus status;
    TracePtr last;
};

Followed follow(const std::string& path, int tenths, int threads) {
    Followed result;
    auto recording = SpoolRecording::create(path, {});
    if (!recording) return result;
    (*recording)->record();
    Programs programs(**recording, threads);
    auto follower = SpoolFollower::open(path, SpoolFollower::usual_memory_cap());
    if (!follower) return result;
    for (int i = 0; i < tenths; ++i) {
        programs.write_tenth();
        const bool counted = i >= tenths / 2;
        if (i == tenths / 2) {
            bench::callgrind_start();
            bench::callgrind_zero();
        }
        const double begin = cpu_seconds();
        const auto snapshot = (*follower)->step();
        result.seconds.push_back(cpu_seconds() - begin);
        if (counted) bench::callgrind_dump("tenth");
        if (!snapshot || !*snapshot) return result;
        result.last = *snapshot;
        if (counted) bench::callgrind_zero();
    }
    bench::callgrind_stop();
    result.ranges = programs.ranges();
    result.status = (*follower)->status();
    return result;
}

double ns_per_range(const std::vector<double>& seconds, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += seconds[i];
    return sum / static_cast<double>(end - begin) / kRangesPerTenth * 1e9;
}

// Runs this program under valgrind, and prints the mean over the second half.
int count_instructions(const std::string& seconds) {
    if (!bench::callgrind_is_built_in()) return 1;
    const std::string out = fmt::format("/tmp/lanescope-follow-{}.callgrind", getpid());
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = fmt::format(
        "valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file={} {} {} 4 >/dev/null "
        "2>&1",
        out, self, seconds);
    if (std::system(command.c_str()) < 0) return 1;
    double all = 0;
    int tenths = 0;
    for (int i = 1;; ++i) {
        const std::string part = fmt::format("{}.{}", out, i);
        std::ifstream in(part);
        if (!in) break;
        for (std::string line; std::getline(in, line);) {
            if (!line.starts_with("totals: ")) continue;
            const double count = std::strtod(line.c_str() + 8, nullptr);
            if (count > kRangesPerTenth) {
                all += count;
                ++tenths;
            }
        }
        in.close();
        std::filesystem::remove(part);
    }
    std::filesystem::remove(out);
    if (tenths == 0) {
        fmt::print("valgrind counted nothing; is it installed?\n");
        return 1;
    }
    fmt::print("{:.0f} instructions per range (push and pop), with snapshots\n",
               all / tenths / kRangesPerTenth);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "--instructions")
        return count_instructions(argc > 2 ? argv[2] : "4");
    const int seconds = argc > 1 ? std::atoi(argv[1]) : 30;
    const int threads = argc > 2 ? std::atoi(argv[2]) : 4;
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("lanescope-bench-{}.spool", getpid()))
            .string();
    const Followed followed = follow(path, seconds * 10, threads);
    const std::size_t tenths = followed.seconds.size();
    std::filesystem::remove(path);
    if (!followed.last || tenths < 3) return 1;
    const double all = ns_per_range(followed.seconds, 0, tenths);
    const double first = ns_per_range(followed.seconds, 0, tenths / 3);
    const double last = ns_per_range(followed.seconds, tenths - tenths / 3, tenths);
    fmt::print(
        "{}, {} s of a million ranges a second in {} threads, a snapshot every tenth of a second\n",
        bench::machine(), seconds, threads);
    fmt::print(
        "  range (push and pop)      {:6.1f} ns of CPU time, {:.1f} for each of its records\n", all,
        all / 2);
    fmt::print("  in first and last third   {:6.1f} and {:.1f} ns\n", first, last);
    fmt::print("  tenth, median and maximum {:6.2f} and {:.2f} ms\n",
               bench::median(followed.seconds) * 1e3,
               *std::max_element(followed.seconds.begin(), followed.seconds.end()) * 1e3);
    fmt::print("  memory                    {:6.1f} bytes per range, {:.0f} MB of at most {:.0f}\n",
               static_cast<double>(followed.status.memory_bytes) /
                   static_cast<double>(followed.last->slice_count()),
               static_cast<double>(followed.status.memory_bytes) / 1e6,
               static_cast<double>(followed.status.memory_cap) / 1e6);
    const bool complete =
        followed.status.memory_full ||
        followed.last->slice_count() == followed.ranges + static_cast<uint64_t>(threads);
    const bool good = all <= kMaxNs && last <= 1.3 * first && complete &&
                      followed.status.memory_bytes <= followed.status.memory_cap;
    fmt::print("{}\n",
               good ? "a range costs at most 200 ns, however long the recording is"
                    : "FAILED: too slow, slower as the recording grows, or ranges are missing");
    return good ? 0 : 1;
}
