// The GPU's side of the simulated machine: launches, copies, synchronisation, and the events at
// the end of a file.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assets/samples/synthetic_device.h"
#include "assets/samples/synthetic_machine.h"

namespace synthetic {

namespace {

constexpr Nanos kLaunchLatency =
    1'900;                          // from the end of a launch call to the start on an idle stream
constexpr Nanos kStreamStep = 850;  // between two activities that follow each other on a stream
constexpr Nanos kCounterPeriod = 100'000;
constexpr int kSyncTidOffset = 1'000'000;  // where Kineto puts the waits for a stream

std::string_view copy_name(Copy kind) {
    switch (kind) {
        case Copy::host_to_device_pageable:
            return "Memcpy HtoD (Pageable -> Device)";
        case Copy::host_to_device_pinned:
            return "Memcpy HtoD (Pinned -> Device)";
        case Copy::device_to_host_pageable:
            return "Memcpy DtoH (Device -> Pageable)";
        case Copy::device_to_device:
            return "Memcpy DtoD (Device -> Device)";
    }
    return "";
}

int64_t copy_bytes_per_nano(Copy kind) {
    switch (kind) {
        case Copy::host_to_device_pinned:
            return 24;
        case Copy::device_to_device:
            return 400;
        default:
            return 6;
    }
}

std::string join(const std::array<int, 3>& n) {
    return fmt::format("[{}, {}, {}]", n[0], n[1], n[2]);
}

std::string transfer_args(int stream, int64_t correlation, int64_t bytes, Nanos duration) {
    return fmt::format(R"args("device": 0, "context": 1, "stream": {}, "correlation": {}, )args"
                       R"args("bytes": {}, "memory bandwidth (GB/s)": {:.6f})args",
                       stream, correlation, bytes,
                       static_cast<double>(bytes) / static_cast<double>(duration));
}

}  // namespace

Machine::Call Machine::runtime(std::string_view name, Nanos duration) {
    const auto& stack = stack_[thread_];
    const auto innermost = std::find_if(stack.rbegin(), stack.rend(),
                                        [](const Open& o) { return o.external_id >= 0; });
    Call call;
    call.external_arg = innermost == stack.rend()
                            ? ""
                            : fmt::format(R"("External id": {}, )", innermost->external_id);
    call.correlation = next_correlation_++;
    spend(300);
    Event event;
    event.category =
        name.starts_with("cu") && !name.starts_with("cuda") ? "cuda_driver" : "cuda_runtime";
    event.name = name;
    event.pid = "4711";
    event.tid = thread_ == main_thread ? "4711" : "4788";
    event.start = call.begin = now();
    spend(duration);
    event.duration = now() - event.start;
    event.args = fmt::format(R"({}"cbid": {}, "correlation": {})", call.external_arg,
                             event.category == "cuda_driver" ? 307 : 211, call.correlation);
    call.end = now();
    events_[activities].push_back(std::move(event));
    return call;
}

Nanos Machine::place(Event event, const Call& call, int stream) {
    Nanos& available = stream_free(stream);
    const Nanos stream_ready = available + jitter(kStreamStep, 10);
    const Nanos launched = call.end + jitter(kLaunchLatency, 20);
    event.start = std::max(stream_ready, launched);
    available = event.start + event.duration;
    event.pid = "0";
    event.tid = fmt::format("{}", stream);
    cover_annotations(stream, event.start, available);
    busy_.push_back({event.start, available});

    Event from;
    from.phase = 's';
    from.category = from.name = "ac2g";
    from.pid = "4711";
    from.tid = thread_ == main_thread ? "4711" : "4788";
    from.start = call.begin;
    from.more = fmt::format(R"(, "id": {})", call.correlation);
    Event to = from;
    to.phase = 'f';
    to.pid = event.pid;
    to.tid = event.tid;
    to.start = event.start;
    to.more += R"(, "bp": "e")";
    auto& list = events_[activities];
    list.push_back(std::move(from));
    list.push_back(std::move(event));
    list.push_back(std::move(to));
    return available;
}

void Machine::cover_annotations(int stream, Nanos begin, Nanos end) {
    for (const auto& stack : stack_) {
        for (const Open& open : stack) {
            if (open.section != operators ||
                events_[operators][open.event].category != "user_annotation")
                continue;
            const auto known =
                std::find_if(device_spans_.begin(), device_spans_.end(), [&](const DeviceSpan& s) {
                    return s.external_id == open.external_id && s.stream == stream;
                });
            if (known == device_spans_.end())
                device_spans_.push_back({open.event, open.external_id, stream, begin, end});
            else
                known->end = end;
        }
    }
}

void Machine::launch(const Kernel& kernel, int stream) {
    const bool from_template = kernel.name.starts_with("triton_");
    const Call call = runtime(from_template ? "cuLaunchKernel" : "cudaLaunchKernel", 4'600);
    const float blocks = static_cast<float>(kernel.grid[0] * kernel.grid[1] * kernel.grid[2]) /
                         static_cast<float>(kSms);
    const float warps =
        blocks * static_cast<float>(kernel.block[0] * kernel.block[1] * kernel.block[2]) / 32.0F;
    Event event;
    event.category = "kernel";
    event.name = kernel.name;
    event.duration = jitter(kernel.duration, 6);
    event.args = fmt::format(
        R"({}"queued": 0, "device": 0, "context": 1, "stream": {}, "correlation": {}, "registers per thread": {}, )"
        R"("shared memory": {}, "blocks per SM": {:.6f}, "warps per SM": {:.6f}, "grid": {}, "block": {}, )"
        R"("est. achieved occupancy %": {}{})",
        call.external_arg, stream, call.correlation, kernel.registers, kernel.shared_bytes, blocks,
        warps, join(kernel.grid), join(kernel.block), kineto_occupancy_percent(kernel),
        kernel.more_args);
    place(std::move(event), call, stream);
}

void Machine::copy(Copy kind, int64_t bytes, int stream) {
    const Call call = runtime("cudaMemcpyAsync", 6'200);
    Event event;
    event.category = "gpu_memcpy";
    event.name = copy_name(kind);
    event.duration = jitter(900 + bytes / copy_bytes_per_nano(kind), 5);
    event.args = call.external_arg + transfer_args(stream, call.correlation, bytes, event.duration);
    const std::size_t runtime_call_index = events_[activities].size() - 1;
    const Nanos end = place(std::move(event), call, stream);
    if (kind == Copy::host_to_device_pinned || kind == Copy::device_to_device) return;
    // A pageable copy blocks the calling thread until it ends.
    clock_[thread_] = std::max(now(), end + jitter(1'100, 20));
    Event& runtime_call = events_[activities][runtime_call_index];
    runtime_call.duration = now() - runtime_call.start;
}

void Machine::set(int64_t bytes, int stream) {
    const Call call = runtime("cudaMemsetAsync", 3'900);
    Event event;
    event.category = "gpu_memset";
    event.name = "Memset (Device)";
    event.duration = jitter(1'000 + bytes / kBytesPerNano, 5);
    event.args = call.external_arg + transfer_args(stream, call.correlation, bytes, event.duration);
    place(std::move(event), call, stream);
}

void Machine::call(std::string_view name, Nanos duration) {
    runtime(name, duration);
}

void Machine::sync_activity(std::string_view kind, int stream, Nanos begin, Nanos end,
                            const std::string& more) {
    Event event;
    event.category = "cuda_sync";
    event.name = kind;
    event.pid = "0";
    event.tid = fmt::format("{}", stream < 0 ? -1 : stream + kSyncTidOffset);
    event.start = begin;
    event.duration = end - begin;
    event.args = fmt::format(
        R"("cuda_sync_kind": "{}"{}, "stream": {}, "correlation": {}, "device": 0, "context": 1)",
        kind, more, stream, next_correlation_ - 1);
    events_[activities].push_back(std::move(event));
}

void Machine::wait_for_stream(int waiting, int on) {
    const int64_t record = next_correlation_;
    runtime("cudaEventRecord", 1'300);
    const Call call = runtime("cudaStreamWaitEvent", 1'100);
    const Nanos begin = std::max(stream_free(waiting), call.end);
    const Nanos end = std::max(begin + 300, stream_free(on));
    sync_activity("Stream Wait Event", waiting, begin, end,
                  fmt::format(R"(, "wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {}, )"
                              R"("wait_on_cuda_event_id": {})",
                              on, record, on == kComputeStream ? 1 : 2));
    stream_free(waiting) = end;
}

void Machine::synchronise_stream(int stream) {
    const Call call = runtime("cudaStreamSynchronize", 2'400);
    const Nanos end = std::max(call.end, stream_free(stream) + jitter(1'500, 20));
    clock_[thread_] = end;
    Event& runtime_call = events_[activities].back();
    runtime_call.duration = end - runtime_call.start;
    sync_activity("Stream Sync", stream, call.begin, end, "");
}

void Machine::synchronise_device() {
    const Call call = runtime("cudaDeviceSynchronize", 2'600);
    const Nanos end = std::max({call.end, stream_free_[0] + 1'500, stream_free_[1] + 1'500});
    clock_[thread_] = end;
    Event& runtime_call = events_[activities].back();
    runtime_call.duration = end - runtime_call.start;
    sync_activity("Context Sync", -1, call.begin, end, "");
}

void Machine::overhead(std::string name, Nanos duration) {
    Event event;
    event.category = "overhead";
    event.name = std::move(name);
    event.pid = "-1";
    event.tid = "0";
    event.start = now();
    spend(duration);
    event.duration = now() - event.start;
    events_[activities].push_back(std::move(event));
}

void Machine::append_counters(std::string& out) const {
    if (busy_.empty()) return;
    Nanos end = 0;
    for (const Busy& b : busy_) end = std::max(end, b.end);
    for (Nanos t = busy_.front().begin; t < end; t += kCounterPeriod) {
        Nanos covered = 0;
        for (const Busy& b : busy_)
            covered +=
                std::max<Nanos>(0, std::min(b.end, t + kCounterPeriod) - std::max(b.begin, t));
        Event event;
        event.phase = 'C';
        event.category = "hardware_counters";
        event.name = "SM Active %";
        event.pid = R"("GPU 0 Counters")";
        event.tid = "0";
        event.start = t;
        event.args = fmt::format(R"("": {})", std::min<Nanos>(100, covered * 100 / kCounterPeriod));
        append(out, event);
    }
}

void Machine::append_device_annotations(std::string& out) const {
    for (const DeviceSpan& span : device_spans_) {
        Event event;
        event.category = "gpu_user_annotation";
        event.name = events_[operators][span.annotation].name;
        event.pid = "0";
        event.tid = fmt::format("{}", span.stream);
        event.start = span.begin - 1;  // padded as Kineto pads it
        event.duration = span.end - span.begin + 2;
        event.args = fmt::format(R"("External id": {})", span.external_id);
        append(out, event);
    }
}

}  // namespace synthetic
