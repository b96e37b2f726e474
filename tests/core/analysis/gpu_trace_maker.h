// Makes small traces of calls and the GPU work that they launch, from single events. Times in whole
// microseconds.
#pragma once

#include <string>
#include <string_view>

#include "tests/core/ingest/loaded_text.h"

namespace lanescope::testing {

class GpuTraceMaker {
  public:
    // A call on thread `tid`; with `correlation` 0 it launches nothing.
    GpuTraceMaker& call(std::string_view name, int start, int duration, int correlation = 0,
                        int tid = 1, std::string_view category = "cuda_runtime") {
        return event(category, name, 100, tid, start, duration,
                     "\"correlation\":" + std::to_string(correlation));
    }

    GpuTraceMaker& work(std::string_view name, int start, int duration, int correlation,
                        int stream = 7, std::string_view category = "kernel") {
        return event(category, name, 0, stream, start, duration,
                     "\"device\":0,\"stream\":" + std::to_string(stream) +
                         ",\"correlation\":" + std::to_string(correlation));
    }

    TracePtr load() const { return loaded(text()); }
    std::string text() const { return "{\"traceEvents\":[" + events_ + "]}"; }

  private:
    GpuTraceMaker& event(std::string_view category, std::string_view name, int pid, int tid,
                         int start, int duration, const std::string& arguments) {
        if (!events_.empty()) events_ += ",\n";
        events_ += "{\"ph\":\"X\",\"cat\":\"" + std::string(category) + "\",\"name\":\"" +
                   std::string(name) + "\",\"pid\":" + std::to_string(pid) +
                   ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(start) +
                   ",\"dur\":" + std::to_string(duration) + ",\"args\":{" + arguments + "}}";
        return *this;
    }

    std::string events_;
};

}  // namespace lanescope::testing
