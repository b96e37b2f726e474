// Small Kineto traces, written event by event.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/ingest/load.h"
#include "tests/core/memory_file.h"

namespace lanescope::testing {

// A trace of one process and one GPU, in microseconds.
class Events {
  public:
    Events& step(int number, double begin, double end) {
        return add("user_annotation", fmt::format("ProfilerStep#{}", number), 1, begin, end);
    }
    Events& call(std::string_view category, const std::string& name, double begin, double end) {
        return add(
            category, name, 1, begin, end,
            category == "cuda_runtime" ? fmt::format(R"("correlation":{})", ++correlation_) : "");
    }
    Events& on_thread(int tid, std::string_view category, const std::string& name, double begin,
                      double end) {
        return add(category, name, tid, begin, end);
    }
    // A value of a counter from a time on.
    Events& counter(const std::string& name, double at, double value) {
        text_ +=
            fmt::format(R"({}{{"ph":"C","name":"{}","pid":100,"ts":{},"args":{{"value":{}}}}})",
                        text_.empty() ? "" : ",", name, at, value);
        return *this;
    }
    // Launched at `launch` for 5 µs; runs on a GPU.
    Events& kernel(const std::string& name, double launch, double begin, double end,
                   std::string_view category = "kernel", int device = 0) {
        const int id = ++correlation_;
        add("cuda_runtime", category == "kernel" ? "cudaLaunchKernel" : "cudaMemcpyAsync", 1,
            launch, launch + 5, fmt::format(R"("correlation":{})", id));
        return add(category, name, 7, begin, end,
                   fmt::format(R"("correlation":{},"device":{},"stream":7)", id, device), device);
    }
    // Runs on GPU 0. Its launch is not in the file.
    Events& kernel_without_launch(const std::string& name, double begin, double end) {
        return add("kernel", name, 7, begin, end,
                   fmt::format(R"("correlation":{},"device":0,"stream":7)", ++correlation_), 0);
    }
    // Launched by another thread.
    Events& kernel_of(int tid, const std::string& name, double launch, double begin, double end) {
        const int id = ++correlation_;
        add("cuda_runtime", "cudaLaunchKernel", tid, launch, launch + 5,
            fmt::format(R"("correlation":{})", id));
        return add("kernel", name, 7, begin, end,
                   fmt::format(R"("correlation":{},"device":0,"stream":7)", id), 0);
    }
    // The properties of GPU 0, as Kineto writes them: {"name":"…","numSms":…}.
    Events& device(const std::string& properties) {
        head_ = fmt::format(R"("deviceProperties":[{{"id":0,{}}}],)", properties);
        return *this;
    }
    // An operator with arguments, on the same thread as all calls.
    Events& op(const std::string& name, double begin, double end, const std::string& arguments) {
        return add("cpu_op", name, 1, begin, end, arguments);
    }
    // A kernel with more arguments: its grid, for example.
    Events& launch(const std::string& name, double at, double begin, double end,
                   const std::string& arguments) {
        const int id = ++correlation_;
        add("cuda_runtime", "cudaLaunchKernel", 1, at, at + 1,
            fmt::format(R"("correlation":{})", id));
        return add("kernel", name, 7, begin, end,
                   fmt::format(R"("correlation":{},"device":0,"stream":7,{})", id, arguments), 0);
    }
    // Sets the memory that GPU 0's allocator has allocated and reserved from a time on, in MiB.
    Events& memory(double at, int allocated, int reserved) {
        constexpr int64_t mib = 1 << 20;
        text_ += fmt::format(
            R"({}{{"ph":"i","cat":"cpu_instant_event","name":"[memory]","s":"t","pid":100,"tid":1,)"
            R"("ts":{},"args":{{"Device Type":1,"Device Id":0,"Addr":{},"Bytes":{},)"
            R"("Total Allocated":{},"Total Reserved":{}}}}})",
            text_.empty() ? "" : ",", at, static_cast<int64_t>(at) + 1, mib, allocated * mib,
            reserved * mib);
        return *this;
    }
    // Traces that are joined share a vocabulary: that of the one before.
    TracePtr load(const TracePtr& vocabulary = nullptr) const {
        const MemoryFile file("{" + head_ + "\"traceEvents\":[" + text_ + "]}");
        LoadOptions options;
        options.vocabulary = vocabulary;
        const auto trace = load_trace(file.path(), options);
        REQUIRE(trace);
        return *trace;
    }

  private:
    Events& add(std::string_view category, const std::string& name, int tid, double begin,
                double end, const std::string& arguments = "", int pid = 100) {
        text_ += fmt::format(
            R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
            text_.empty() ? "" : ",", category, name, pid, tid, begin, end - begin, arguments);
        return *this;
    }

    std::string head_;
    std::string text_;
    int correlation_ = 0;
};

}  // namespace lanescope::testing
