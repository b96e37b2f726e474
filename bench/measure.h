// Measurements and their summaries, for the benchmarks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lanescope::bench {

inline double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// "0.604 s (0.590 to 0.662)": median, minimum and maximum.
inline std::string spread(const std::vector<double>& seconds) {
    const auto [lowest, highest] = std::minmax_element(seconds.begin(), seconds.end());
    return fmt::format("{:.3f} s ({:.3f} to {:.3f})", median(seconds), *lowest, *highest);
}

inline std::string machine() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

// A field of this process's status in bytes. "RssAnon" is resident private memory, without files.
inline uint64_t status_bytes(std::string_view key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key))
            return std::strtoull(line.c_str() + key.size() + 1, nullptr, 10) * 1024;
    return 0;
}

// Reads an argument such as MEGABYTES or ROUNDS. Throws a message unless the text is a whole number
// above 0.
inline uint64_t positive_argument(std::string_view text) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
        throw std::runtime_error(fmt::format("{} is no whole number above 0", text));
    return number;
}

// The peak of private memory during its lifetime, sampled every 2 ms.
class MemoryPeak {
  public:
    MemoryPeak() {
        thread_ = std::thread([this] {
            while (!stop_) {
                peak_ = std::max<uint64_t>(peak_, status_bytes("RssAnon"));
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        });
    }
    ~MemoryPeak() {
        stop_ = true;
        thread_.join();
    }
    MemoryPeak(const MemoryPeak&) = delete;
    MemoryPeak& operator=(const MemoryPeak&) = delete;

    uint64_t bytes() const { return std::max<uint64_t>(peak_, status_bytes("RssAnon")); }
    void start_again() { peak_ = 0; }

  private:
    std::atomic<bool> stop_{false};
    std::atomic<uint64_t> peak_{0};
    std::thread thread_;
};

}  // namespace lanescope::bench
