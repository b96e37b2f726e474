#include "assets/samples/synthetic_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assets/samples/synthetic_device.h"

namespace synthetic {

namespace {

constexpr Nanos kBegin = 5'184'000'000'000'000;  // of the run, after baseTimeNanoseconds
constexpr std::array<int, 2> kTid = {4711, 4788};
constexpr std::string_view kPid = "4711";

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

template <typename List, typename Print>
std::string list_of(const List& list, Print print) {
    std::string out = "[";
    for (const auto& item : list) {
        if (out.size() > 1) out += ", ";
        out += print(item);
    }
    return out + "]";
}

std::string integers(const Dims& dims) {
    return list_of(dims, [](int64_t n) { return fmt::format("{}", n); });
}

std::string strides(const Dims& dims) {
    Dims result(dims.size());
    int64_t stride = 1;
    for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) result[i] = stride;
    return integers(result);
}

std::string operator_args(const std::vector<Input>& inputs, const OperatorInfo& info) {
    std::string args;
    if (info.sequence >= 0)
        args += fmt::format(R"(, "Sequence number": {}, "Fwd thread id": {})", info.sequence,
                            info.forward_thread + 1);
    if (!inputs.empty()) {
        args += R"(, "Concrete Inputs": )" +
                list_of(inputs, [](const Input& i) { return quoted(i.concrete); });
        args +=
            R"(, "Input type": )" + list_of(inputs, [](const Input& i) { return quoted(i.type); });
        args += R"(, "Input Strides": )" +
                list_of(inputs, [](const Input& i) { return strides(i.dims); });
        args += R"(, "Input Dims": )" +
                list_of(inputs, [](const Input& i) { return integers(i.dims); });
    }
    return args + info.more_args;
}

std::string micros(Nanos t) {
    return fmt::format("{}.{:03}", t / 1000, t % 1000);
}

}  // namespace

Input tensor(Dims dims, std::string type) {
    return {std::move(dims), std::move(type), ""};
}
Input scalar(std::string text) {
    return {{}, "Scalar", std::move(text)};
}

Scope::~Scope() {
    machine_.end_scope();
}

Machine::Machine() : clock_{kBegin, kBegin}, stream_free_{kBegin, kBegin} {}

void Machine::switch_to(Thread thread) {
    clock_[thread] = std::max(clock_[thread], clock_[thread_]);
    thread_ = thread;
}

Nanos Machine::jitter(Nanos mean, int percent) {
    // xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators,
    // scrambled".
    random_state_ ^= random_state_ >> 12;
    random_state_ ^= random_state_ << 25;
    random_state_ ^= random_state_ >> 27;
    const uint64_t random = random_state_ * 2685821657736338717ULL;
    const Nanos width = mean * percent / 100;
    return mean - width + static_cast<Nanos>((random >> 33) % static_cast<uint64_t>(2 * width + 1));
}

void Machine::spend(Nanos mean) {
    clock_[thread_] += jitter(mean, 25);
}

void Machine::open(Section section, Event event, int64_t external_id) {
    event.pid = kPid;
    event.tid = fmt::format("{}", kTid[static_cast<std::size_t>(thread_)]);
    event.start = now();
    stack_[thread_].push_back({section, events_[section].size(), external_id});
    events_[section].push_back(std::move(event));
    ++next_index_;
}

Scope Machine::op(std::string name, const std::vector<Input>& inputs, const OperatorInfo& info) {
    spend(350);
    const int64_t id = next_external_++;
    Event event;
    event.category = "cpu_op";
    event.name = std::move(name);
    event.args = fmt::format(R"("External id": {}, "Record function id": {}{}, "Ev Idx": {})", id,
                             next_record_, operator_args(inputs, info), next_index_);
    open(operators, std::move(event), id);
    spend(1'700);
    return Scope(*this);
}

Scope Machine::annotation(std::string name) {
    const int64_t id = next_external_++;
    Event event;
    event.category = "user_annotation";
    event.name = std::move(name);
    event.args = fmt::format(R"("External id": {}, "Record function id": {}, "Ev Idx": {})", id,
                             next_record_++, next_index_);
    open(operators, std::move(event), id);
    spend(600);
    return Scope(*this);
}

void Machine::open_frame(std::string name, std::string_view more_args) {
    auto& parents = python_stack_[thread_];
    const std::string parent = parents.empty() ? "null" : fmt::format("{}", parents.back());
    parents.push_back(next_python_++);
    Event event;
    event.category = "python_function";
    event.name = std::move(name);
    event.args = fmt::format(R"("Python parent id": {}, "Python id": {}{}, "Ev Idx": {})", parent,
                             parents.back(), more_args, next_index_);
    open(python, std::move(event), -1);
    spend(1'900);
}

Scope Machine::frame(std::string name) {
    open_frame(std::move(name), "");
    return Scope(*this);
}

Scope Machine::module(std::string name, int module_id) {
    open_frame("nn.Module: " + std::move(name),
               fmt::format(R"(, "Python module id": {})", module_id));
    return Scope(*this);
}

void Machine::end_scope() {
    spend(400);
    const Open top = stack_[thread_].back();
    stack_[thread_].pop_back();
    if (top.external_id < 0) python_stack_[thread_].pop_back();
    Event& event = events_[top.section][top.event];
    event.duration = now() - event.start;
}

void Machine::flow(std::string_view category, char phase, int64_t id) {
    Event event;
    event.phase = phase;
    event.category = event.name = category;
    event.pid = kPid;
    event.tid = fmt::format("{}", kTid[static_cast<std::size_t>(thread_)]);
    // On the start of the innermost open event, as the profiler writes it.
    const Open& top = stack_[thread_].back();
    event.start = events_[top.section][top.event].start;
    event.more = fmt::format(R"(, "id": {}{})", id, phase == 'f' ? R"(, "bp": "e")" : "");
    events_[operators].push_back(std::move(event));
}

Allocation Machine::allocate(int64_t bytes, bool on_gpu) {
    const Allocation allocation{next_address_, (bytes + 511) / 512 * 512, on_gpu};
    next_address_ += allocation.bytes;
    if (on_gpu && allocated_[1] + allocation.bytes > reserved_) {
        constexpr int64_t segment = int64_t{64} << 20;
        reserved_ += (allocation.bytes + segment - 1) / segment * segment;
        call("cudaMalloc", 210'000);
    }
    memory_event(allocation, 1);
    return allocation;
}

void Machine::release(const Allocation& allocation) {
    memory_event(allocation, -1);
}

void Machine::memory_event(const Allocation& allocation, int64_t sign) {
    int64_t& total = allocated_[allocation.on_gpu ? 1 : 0];
    total += sign * allocation.bytes;
    spend(120);
    Event event;
    event.phase = 'i';
    event.category = "cpu_instant_event";
    event.name = "[memory]";
    event.pid = kPid;
    event.tid = fmt::format("{}", kTid[static_cast<std::size_t>(thread_)]);
    event.start = now();
    event.more = R"(, "s": "t")";
    event.args = fmt::format(
        R"("Total Reserved": {}, "Total Allocated": {}, "Bytes": {}, "Addr": {}, "Device Id": {}, "Device Type": {}, "Ev Idx": {})",
        allocation.on_gpu ? reserved_ : 0, total, sign * allocation.bytes, allocation.address,
        allocation.on_gpu ? 0 : -1, allocation.on_gpu ? 1 : 0, next_index_++);
    events_[memory].push_back(std::move(event));
}

std::string Machine::json() const {
    std::string out = std::string(kDocumentHead);
    for (const auto& section : events_)
        for (const Event& event : section) append(out, event);
    append_counters(out);
    append_device_annotations(out);
    out += kNamesOfRows;
    append_window_marks(out);
    out.resize(out.size() - 2);  // the last event's comma and line end
    return out + "\n  ],\n  \"traceName\": \"synthetic_step.json\"\n}\n";
}

void Machine::append_window_marks(std::string& out) const {
    const Nanos begin = kBegin - 150'000;
    Event span;
    span.category = "Trace";
    span.name = "PyTorch Profiler (0)";
    span.pid = R"("Spans")";
    span.tid = R"("PyTorch Profiler")";
    span.start = begin;
    span.duration = std::max(clock_[0], clock_[1]) + 90'000 - begin;
    span.args = R"("Op count": 0)";
    append(out, span);
    out += fmt::format(
        R"(  {{"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", )"
        R"("tid": "Trace PyTorch Profiler", "ts": {}}},)"
        "\n",
        micros(begin));
    out += fmt::format(
        R"(  {{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": {}}},)"
        "\n",
        micros(span.start + span.duration));
}

void Machine::append(std::string& out, const Event& event) {
    out += fmt::format(R"(  {{"ph": "{}", "cat": "{}", "name": {}, "pid": {}, "tid": {}, "ts": {})",
                       event.phase, event.category, quoted(event.name), event.pid, event.tid,
                       micros(event.start));
    if (event.phase == 'X') out += fmt::format(R"(, "dur": {})", micros(event.duration));
    out += event.more;
    if (!event.args.empty()) out += fmt::format(R"(, "args": {{{}}})", event.args);
    out += "},\n";
}

}  // namespace synthetic
