// Measures the cost of recording NVTX ranges: a push and a pop in a recorded program, compared with
// the same program without recording.
// Usage: bench_record [ROUNDS] [PAIRS]
// Needs liblanescope_inject.so in the same folder; writes to the temporary folder.
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "core/capture/spool/spool_recording.h"
#include "core/ingest/load.h"

namespace {

using namespace lanescope;

// How ranges are named: by one string literal; by one of a thousand texts in turn; by a registered
// string in a domain; or by a registered string with category, colour and payload.
enum class Naming { literal, varying, registered, attributes };

// CPU time of this thread, since other programs may use the processor too.
double cpu_seconds_of(const auto& work) {
    const auto now = [] {
        struct timespec time = {};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    const double begin = now();
    work();
    return now() - begin;
}

double pair_ns(Naming naming, long pairs) {
    std::vector<std::string> texts;
    texts.reserve(1000);
    for (int i = 0; i < 1000; ++i) texts.push_back(fmt::format("step {} of the epoch", i));
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("bench");
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    if (naming == Naming::attributes) {
        attributes.category = 7;
        attributes.colorType = NVTX_COLOR_ARGB;
        attributes.color = 0xFF336699;
        attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    }
    const auto run = [&](long count) {
        for (long i = 0; i < count; ++i) {
            if (naming == Naming::registered || naming == Naming::attributes) {
                attributes.payload.llValue = i;
                nvtxDomainRangePushEx(domain, &attributes);
                nvtxDomainRangePop(domain);
                continue;
            }
            nvtxRangePushA(naming == Naming::varying
                               ? texts[static_cast<std::size_t>(i) % 1000].c_str()
                               : "forward");
            nvtxRangePop();
        }
    };
    run(2000);
    return cpu_seconds_of([&] { run(pairs); }) / static_cast<double>(pairs) * 1e9;
}

// Runs this program in a child, which writes its time per pair in ns to a file; -1 if it fails.
double measure_in_child(const std::string& self, const std::string& mode, long pairs, bool recorded,
                        const std::string& spool) {
    const std::string out = spool + ".ns";
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("NVTX_INJECTION64_PATH");
        if (recorded) {
            const auto library =
                std::filesystem::path(self).parent_path() / "liblanescope_inject.so";
            setenv("NVTX_INJECTION64_PATH", library.c_str(), 1);
            setenv("LANESCOPE_SPOOL", spool.c_str(), 1);
        }
        execl(self.c_str(), self.c_str(), "--child", mode.c_str(), std::to_string(pairs).c_str(),
              out.c_str(), nullptr);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    double ns = -1;
    std::ifstream(out) >> ns;
    std::filesystem::remove(out);
    return ns;
}

Naming parse_naming(const std::string& mode) {
    return mode == "varying"      ? Naming::varying
           : mode == "registered" ? Naming::registered
           : mode == "attributes" ? Naming::attributes
                                  : Naming::literal;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 5 && std::string(argv[1]) == "--child") {
        std::ofstream(argv[4]) << pair_ns(parse_naming(argv[2]), std::atol(argv[3]));
        return 0;
    }
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
    const long pairs = argc > 2 ? std::atol(argv[2]) : 1'000'000;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string spool =
        (std::filesystem::temp_directory_path() / fmt::format("lanescope-bench-{}.spool", getpid()))
            .string();
    fmt::print("{}, {} rounds of {} pushes and pops\n", bench::machine(), rounds, pairs);
    bool passed = true;
    for (const std::string mode : {"literal", "varying", "registered", "attributes"}) {
        std::vector<double> recorded;
        std::vector<double> plain;
        for (int round = 0; round < rounds; ++round) {
            plain.push_back(measure_in_child(self, mode, pairs, false, spool));
            auto recording = SpoolRecording::create(spool, {});
            if (!recording) return 1;
            (*recording)->record();
            recorded.push_back(measure_in_child(self, mode, pairs, true, spool));
            (*recording)->finish();
            const auto trace = load_trace(spool);
            passed &= trace && (*trace)->slice_count() == static_cast<uint64_t>(pairs) + 2000;
        }
        const double cost = bench::median(recorded) - bench::median(plain);
        const auto [lowest, highest] = std::minmax_element(recorded.begin(), recorded.end());
        fmt::print(
            "{:10}  recorded {:5.1f} ns ({:.1f} to {:.1f}), not recorded {:4.1f} ns, "
            "costs {:5.1f} ns, ratio {:.0f}\n",
            mode, bench::median(recorded), *lowest, *highest, bench::median(plain), cost,
            bench::median(recorded) / bench::median(plain));
        passed &= cost <= 50;
    }
    std::filesystem::remove(spool);
    fmt::print("{}\n", passed ? "every range is in the trace, and costs at most 50 ns"
                              : "FAILED: a range is missing, or costs more than 50 ns");
    return passed ? 0 : 1;
}
