#include "core/trace/stream_captures.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace lanescope {

namespace {

enum class Mark : uint8_t { unknown, other, begin, end };

Mark mark_of(std::string_view call) {
    if (call.find("StreamBeginCapture") != std::string_view::npos) return Mark::begin;
    if (call.find("StreamEndCapture") != std::string_view::npos) return Mark::end;
    return Mark::other;
}

}  // namespace

std::vector<StreamCapture> stream_captures(const Trace& trace) {
    std::vector<Mark> marks(trace.strings.size());  // by name
    std::vector<std::pair<StreamCapture, Mark>> calls;
    for (const SliceRef call : trace.runtime_calls.slice) {
        Mark& mark = marks[trace.name_id(call)];
        if (mark == Mark::unknown) mark = mark_of(trace.name(call));
        if (mark == Mark::other) continue;
        const uint32_t process = trace.lanes[call.lane].process;
        calls.push_back({{{trace.start(call), INT64_MAX}, process, call.lane}, mark});
    }
    std::ranges::stable_sort(calls, {}, [](const auto& call) { return call.first.range.begin; });
    std::vector<StreamCapture> captures;
    std::vector<std::size_t> open(trace.processes.size(), SIZE_MAX);  // of captures, by process
    for (const auto& [capture, mark] : calls) {
        std::size_t& last = open[capture.process];
        if (last != SIZE_MAX) captures[last].range.end = capture.range.begin;
        last = mark == Mark::begin ? captures.size() : SIZE_MAX;
        if (mark == Mark::begin) captures.push_back(capture);
    }
    return captures;
}

}  // namespace lanescope
