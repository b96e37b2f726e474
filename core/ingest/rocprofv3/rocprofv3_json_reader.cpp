#include "core/ingest/rocprofv3/rocprofv3_json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/ingest/json/json_cursor.h"

namespace lanescope {

namespace {

// The upper bits of a source hold the index of the process.
constexpr uint64_t kMostProcesses = uint64_t{1} << 14;

std::string_view word_of_json(EventKind kind) {
    return kind == EventKind::counter ? "counter_collection" : "name";
}

std::string json_text(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

bool walk_rocm_processes(JsonWalk& text, const std::function<void()>& new_process,
                         const std::function<bool(std::string_view)>& visit) {
    const auto process = [&] {
        new_process();
        return text.peek() == '{' ? text.members(visit) : text.skip();
    };
    return text.members([&](std::string_view name) {
        if (name != "rocprofiler-sdk-tool") return text.skip();
        return text.peek() == '[' ? text.elements(process) : process();
    });
}

Rocprofv3JsonReader::Rocprofv3JsonReader(const ReadJob& job, TraceBuilder& builder)
    : job_(job), builder_(builder), sink_(word_of_json), events_(sink_) {
    sink_.send_to([this](const Batch& batch) { take_batch(batch); });
}

void Rocprofv3JsonReader::take_batch(const Batch& batch) {
    if (job_.options.progress && text_)
        job_.options.progress->bytes_done.store(text_->file_bytes_done());
    stopped_ = lanescope::take_batch(job_, builder_, batch);
}

Result<void> Rocprofv3JsonReader::run() {
    Result<void> first = pass(false);
    if (!first) return first;
    if (needs_second_) {
        Result<void> second = pass(true);
        if (!second) return second;
    }
    for (ProcessState& state : processes_) take_counters(state);
    finish();
    if (damaged_ && builder_.event_count() == 0) return *damaged_;
    return stopped_;
}

// Records refer to calls and kernels by number. If the names come later in the file, the records
// are read in a second pass.
Result<void> Rocprofv3JsonReader::pass(bool is_second) {
    JsonWalk text(job_.input.file, job_.input.compression,
                  is_second ? nullptr : job_.input.gzip_index);
    text_ = &text;
    std::size_t count = 0;
    const auto visit = [&](std::string_view member) {
        ProcessState& state = processes_[count - 1];
        if (is_second) {
            const bool is_wanted = member == "buffer_records" && state.has_unread;
            return is_wanted ? read_records(text, state) : text.skip();
        }
        bool is_known = false;
        if (!read_rocm_facts(text, member, state.facts, is_known)) return false;
        if (is_known) return !is_stopped();
        if (member != "buffer_records") return text.skip();
        if (state.facts.is_complete()) return read_records(text, state);
        state.has_unread = needs_second_ = true;
        return text.skip();
    };
    const auto new_process = [&] {
        ++count;
        if (count > processes_.size())
            processes_.emplace_back().first_source = (count - 1) % kMostProcesses * kRocmOffsets;
    };
    const bool is_whole = walk_rocm_processes(text, new_process, visit);
    text_ = nullptr;
    if (!text.outcome()) return text.outcome().error();
    if (!stopped_) return stopped_.error();
    if (job_.is_cancelled()) return cancelled(job_.input);
    if (is_whole || damaged_) return {};
    const uint64_t at = text.position();
    const bool is_cut = text.is_at_end();
    const std::string why =
        is_cut
            ? "the file ends within a record; everything before it was read"
            : "text that is not JSON, or a value of more than 64 MiB; nothing behind it was read";
    builder_.warn(is_cut ? "truncated_file" : "damaged_file", at, why);
    damaged_ = Error{ErrorCode::damaged, at,
                     fmt::format("{}: {}, but there is no event", job_.input.file->path(), why)};
    return {};
}

bool Rocprofv3JsonReader::read_records(JsonWalk& text, ProcessState& state) {
    know(state);
    if (text.peek() != '{') return text.skip();
    return text.members([&](std::string_view list) {
        return text.peek() == '[' ? read_list(text, list, state) : text.skip();
    });
}

bool Rocprofv3JsonReader::read_list(JsonWalk& text, std::string_view list, ProcessState& state) {
    const std::string& word = *words_.emplace(repair_bytes(list)).first;
    std::string_view raw;
    return text.elements([&] {
        text.peek();
        const uint64_t source = text.position() + state.first_source;
        if (!text.value(raw)) return false;
        const RocmRecord record = read_rocm_record(raw);
        const bool has_times = record.begin != kNoValue && record.end != kNoValue;
        if (!has_times || list.starts_with("pc_sample")) {
            ++unread_[word];
        } else if (list == "kernel_dispatch") {
            add_kernel(record, source, state, word);
            if (!state.facts.counted.empty()) state.dispatches.insert(record.dispatch);
        } else if (list == "memory_copy") {
            take_copy(record, source, state);
        } else if (list == "memory_allocation") {
            take_allocation(record, source, state);
        } else {
            take_call(record, source, state, word);
        }
        return !is_stopped();
    });
}

void Rocprofv3JsonReader::know(ProcessState& state) {
    if (state.is_known) return;
    state.is_known = true;
    const int64_t pid = state.facts.pid;
    state.process = sink_.process(pid == kNoValue ? "" : std::to_string(pid));
    const std::string name = rocm_process_name(state.facts.command);
    if (!name.empty()) sink_.name_process(state.process, sink_.text(name), 0);
}

LocalId Rocprofv3JsonReader::kernel_name(int64_t kernel, ProcessState& state) {
    const auto [found, is_new] = state.kernel_names.try_emplace(kernel, 0);
    if (is_new) {
        const auto symbol = state.facts.kernels.find(kernel);
        const bool is_named = symbol != state.facts.kernels.end() && !symbol->second.name.empty();
        found->second =
            sink_.text(is_named ? symbol->second.name : fmt::format("kernel {}", kernel));
    }
    return found->second;
}

void Rocprofv3JsonReader::add_kernel(const RocmRecord& record, uint64_t source, ProcessState& state,
                                     std::string_view word) {
    RocmWork work;
    work.begin = record.begin;
    work.end = record.end;
    work.process = state.process;
    work.name = kernel_name(record.kernel, state);
    work.queue = record.queue == kNoValue ? 0 : record.queue;
    work.correlation = record.correlation;
    work.source = source;
    work.word = word;
    const RocmAgent* const agent = state.facts.agent(record.agent);
    work.device = agent ? agent->device.id : 0;
    work.config = rocm_config(record.grid.value, record.workgroup.value);
    if (const auto symbol = state.facts.kernels.find(record.kernel);
        symbol != state.facts.kernels.end()) {
        const RocmKernelSymbol& known = symbol->second;
        work.config.registers_per_thread =
            rocm_registers(known.vgprs, known.accumulation_vgprs, agent ? &agent->device : nullptr);
        if (known.static_lds_bytes >= 0 && known.static_lds_bytes <= record.lds_bytes)
            work.config.static_shared_bytes = known.static_lds_bytes;
    }
    if (record.lds_bytes >= 0) work.config.shared_memory_bytes = record.lds_bytes;
    events_.add(work);
}

void Rocprofv3JsonReader::take_copy(const RocmRecord& record, uint64_t source,
                                    ProcessState& state) {
    RocmWork work;
    work.begin = record.begin;
    work.end = record.end;
    work.process = state.process;
    work.kind = RocmWorkKind::copy;
    work.name = sink_.text(rocm_copy_name(state.facts.operation(record)));
    work.correlation = record.correlation;
    work.bytes = record.bytes;
    work.source = source;
    work.word = "memory_copy";
    const RocmAgent* const to = state.facts.agent(record.to_agent);
    const RocmAgent* const from = state.facts.agent(record.from_agent);
    const RocmAgent* const on = to && to->is_gpu ? to : from && from->is_gpu ? from : nullptr;
    work.device = on ? on->device.id : 0;
    events_.add(work);
}

void Rocprofv3JsonReader::take_allocation(const RocmRecord& record, uint64_t source,
                                          ProcessState& state) {
    RocmAllocation allocation;
    allocation.time = record.begin;
    allocation.process = state.process;
    const RocmAgent* const agent = state.facts.agent(record.agent);
    allocation.device = agent && agent->is_gpu ? agent->device.id : -1;
    allocation.is_free = state.facts.operation(record).find("FREE") != std::string_view::npos;
    allocation.address = record.address == kNoValue ? 0 : record.address;
    allocation.bytes = record.bytes;
    allocation.source = source;
    allocation.word = "memory_allocation";
    events_.add(allocation);
}

void Rocprofv3JsonReader::take_call(const RocmRecord& record, uint64_t source, ProcessState& state,
                                    std::string_view list) {
    const std::string_view kind = state.facts.kind(record);
    RocmDomain domain = rocm_domain(kind);
    if (list == "marker_api") domain = RocmDomain::marker;
    if (list == "scratch_memory") domain = RocmDomain::scratch;
    std::string_view name = state.facts.operation(record);
    const bool is_of_process =
        name.find("ProcessRange") != std::string_view::npos || name == "roctxRangeStartA";
    if (domain == RocmDomain::marker)
        if (const auto message = state.facts.messages.find(record.correlation);
            message != state.facts.messages.end())
            name = message->second;
    RocmCall call{record.begin,       record.end, state.process, record.thread, 0,
                  record.correlation, source,     list};
    if (call.thread == kNoValue) call.thread = 0;
    call.name = sink_.text(!name.empty() ? name : !kind.empty() ? kind : list);
    if (domain == RocmDomain::marker) return events_.add_marker(call, is_of_process);
    events_.add(call, domain);
}

// A kernel with measured counters may have no other record.
void Rocprofv3JsonReader::take_counters(ProcessState& state) {
    if (!state.facts.counted.empty()) know(state);
    std::set<std::pair<int64_t, int64_t>> added;
    for (const RocmCounted& counted : state.facts.counted) {
        const RocmRecord& kernel = counted.kernel;
        if (kernel.begin == kNoValue || kernel.end == kNoValue) {
            ++unread_["counter_collection"];
            continue;
        }
        if (!state.dispatches.contains(kernel.dispatch) &&
            added.insert({kernel.dispatch, kernel.begin}).second)
            add_kernel(kernel, counted.source + state.first_source, state, "counter_collection");
        for (const auto& [handle, value] : counted.values) {
            const RocmAgent* const agent = state.facts.agent(kernel.agent);
            events_.add(RocmValue{kernel.begin, kernel.end, state.process,
                                  agent ? agent->device.id : 0,
                                  sink_.text(state.facts.counter(handle)), value,
                                  counted.source + state.first_source});
        }
    }
}

void Rocprofv3JsonReader::finish() {
    events_.finish();
    sink_.flush();
    for (const ProcessState& state : processes_) {
        std::map<int32_t, const Device*> used;
        for (const auto& [handle, agent] : state.facts.agents)
            if (agent.is_gpu && events_.devices().contains({state.process, agent.device.id}))
                used[agent.device.id] = &agent.device;
        for (const auto& [id, device] : used) builder_.add_device(*device);
    }
    if (processes_.empty()) return;
    const RocmProcessFacts& facts = processes_.front().facts;
    if (!facts.command.empty())
        builder_.add_metadata("command",
                              json_text(fmt::format("{}", fmt::join(facts.command, " "))));
    if (!facts.host.empty()) builder_.add_metadata("hostname", json_text(facts.host));
    std::vector<std::string> lists;
    for (const auto& [list, count] : unread_) lists.push_back(fmt::format("{} {}", count, list));
    if (!lists.empty())
        builder_.warn(
            "unread_records", Error::no_offset,
            fmt::format("records of these lists are not shown: {}", fmt::join(lists, ", ")));
}

}  // namespace lanescope
