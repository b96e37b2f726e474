#include "core/ingest/rocpd/rocpd_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope {

namespace {

// The columns that all event tables share, in this order; columns of the single tables follow.
enum Shared : int {
    kBegin,
    kEnd,
    kBeginId,
    kEndId,
    kTrack,
    kPid,
    kTid,
    kAgent,
    kQueue,
    kEvent,
    kOwn
};

std::vector<std::string_view> with_shared(std::initializer_list<std::string_view> own) {
    std::vector<std::string_view> columns = {"start", "end", "start_id", "end_id",   "track_id",
                                             "pid",   "tid", "agent_id", "queue_id", "event_id"};
    columns.insert(columns.end(), own);
    return columns;
}

// The domain of a call with an unknown category.
RocmDomain domain_of_call(std::string_view name) {
    if (name.starts_with("roctx")) return RocmDomain::marker;
    if (name.starts_with("hip") || name.starts_with("__hip")) return RocmDomain::hip;
    if (name.starts_with("hsa_")) return RocmDomain::hsa;
    return name.starts_with("nccl") ? RocmDomain::rccl : RocmDomain::other;
}

template <typename Map>
const typename Map::mapped_type* value_of(const Map& map, int64_t id) {
    const auto found = map.find(id);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace

Result<void> RocpdReader::run() {
    for (const RocpdRecording& recording : rocpd_recordings(file_)) {
        if (is_stopped()) break;
        read(recording);
    }
    if (is_stopped()) return why_stopped();
    events_.finish();
    sink_.flush();
    if (is_stopped()) return why_stopped();
    add_devices();
    warn_of_file();
    warn_of_unread();
    return {};
}

void RocpdReader::read(const RocpdRecording& recording) {
    now_ = {};
    of_ = recording;
    own_pids_.clear();
    read_facts();
    each("rocpd_region", with_shared({"name_id"}), &RocpdReader::take_region);
    each("rocpd_sample", with_shared({"name_id", "timestamp", "timestamp_id"}),
         &RocpdReader::take_sample);
    each("rocpd_kernel_dispatch",
         with_shared({"kernel_id", "group_segment_size", "workgroup_size_x", "workgroup_size_y",
                      "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z"}),
         &RocpdReader::take_kernel);
    each("rocpd_memory_copy", with_shared({"name_id", "src_agent_id", "dst_agent_id", "size"}),
         &RocpdReader::take_copy);
    each("rocpd_memory_allocate", with_shared({"type", "level", "address", "size"}),
         &RocpdReader::take_allocation);
    for (const auto& [id, agent] : now_.agents)
        for (const auto& [row, local] : now_.processes)
            if (agent.is_gpu) devices_.emplace_back(local, agent.device);
    pids_.insert(own_pids_.begin(), own_pids_.end());
}

void RocpdReader::each(std::string_view base, std::vector<std::string_view> columns, TakeRow take) {
    const std::string table = std::string(base) + of_.suffix;
    const int guid = static_cast<int>(columns.size());
    if (!of_.guid.empty()) columns.emplace_back("guid");
    each_row(table, columns, [&](const SqliteRows& rows) {
        if (of_.guid.empty() || rows.text(guid) == of_.guid) (this->*take)(rows);
    });
}

std::string_view RocpdReader::string(int64_t id) const {
    const std::string* const found = value_of(now_.strings, id);
    return found ? *found : std::string_view();
}

int64_t RocpdReader::time_of(int64_t id) const {
    const auto found =
        std::ranges::lower_bound(now_.timestamps, id, {}, &std::pair<int64_t, int64_t>::first);
    return found != now_.timestamps.end() && found->first == id ? found->second : kNoValue;
}

const RocpdReader::Event* RocpdReader::event_of(int64_t id) const {
    const auto found = std::ranges::lower_bound(now_.events, id, {}, &Event::id);
    return found != now_.events.end() && found->id == id ? &*found : nullptr;
}

const RocmAgent* RocpdReader::agent(int64_t id) const {
    return value_of(now_.agents, id);
}

LocalId RocpdReader::process(int64_t id) {
    const auto [found, is_new] = now_.processes.try_emplace(id, 0);
    if (is_new) found->second = sink_.process(id == kNoValue ? "" : std::to_string(id));
    return found->second;
}

RocpdReader::Place RocpdReader::place(const SqliteRows& rows) {
    Place at = {};
    at.begin = rows.is_null(kBegin) ? time_of(rows.number(kBeginId)) : rows.number(kBegin);
    at.end = rows.is_null(kEnd) ? time_of(rows.number(kEndId)) : rows.number(kEnd);
    if (const Track* const track = value_of(now_.tracks, rows.number(kTrack))) at.track = *track;
    const auto take = [&](int column, int64_t& value) {
        if (!rows.is_null(column)) value = rows.number(column);
    };
    take(kPid, at.track.pid);
    take(kTid, at.track.tid);
    take(kAgent, at.track.agent);
    take(kQueue, at.track.queue);
    at.process = process(at.track.pid);
    const Thread* const thread = value_of(now_.threads, at.track.tid);
    at.thread = thread ? thread->tid : at.track.tid == kNoValue ? 0 : at.track.tid;
    if (thread && !thread->name.empty()) events_.name_thread(at.process, at.thread, thread->name);
    at.event = event_of(rows.number(kEvent));
    return at;
}

void RocpdReader::add_call(const Place& at, std::string_view name, uint64_t where) {
    RocmCall call;
    call.begin = at.begin;
    call.end = at.end;
    call.process = at.process;
    call.thread = at.thread;
    call.source = where;
    call.word = table_->name;
    RocmDomain domain = RocmDomain::other;
    std::string_view text = name;
    if (at.event) {
        const std::string* category = value_of(now_.categories, at.event->category);
        if (!category) category = value_of(now_.strings, at.event->category);
        if (category) domain = rocm_domain(*category);
        call.correlation = at.event->stack;
    }
    if (domain == RocmDomain::other) domain = domain_of_call(name);
    bool is_of_process = name.find("ProcessRange") != std::string_view::npos;
    if (domain == RocmDomain::marker && at.event && at.event->message != 0) {
        const std::string_view message = sink_[at.event->message];
        // Older files store the call as the name, and the range's text as the message. Newer files
        // swap them.
        if (name.starts_with("roctx")) text = message;
        is_of_process |=
            message.find("ProcessRange") != std::string_view::npos && message.starts_with("roctx");
    }
    call.name = sink_.text(text.empty() ? "?" : std::string(text));
    if (domain == RocmDomain::marker) return events_.add_marker(call, is_of_process);
    events_.add(call, domain);
}

void RocpdReader::take_region(const SqliteRows& rows) {
    add_call(place(rows), string(rows.number(kOwn)), source(rows));
}

// A sample has a time, and values or a name.
void RocpdReader::take_sample(const SqliteRows& rows) {
    Place at = place(rows);
    at.begin = at.end =
        rows.is_null(kOwn + 1) ? time_of(rows.number(kOwn + 2)) : rows.number(kOwn + 1);
    const int64_t id = rows.number(kEvent);
    const auto measured = std::ranges::lower_bound(now_.measured, id, {}, &Measured::event);
    if (measured != now_.measured.end() && measured->event == id && at.event) {
        const Counter* const counter = value_of(now_.counters, measured->counter);
        const RocmAgent* const on = agent(
            at.track.agent != kNoValue ? at.track.agent : (counter ? counter->agent : kNoValue));
        add_values(at, on && on->is_gpu ? on->device.id : -1, true);
        return;
    }
    const int64_t name = rows.is_null(kOwn) ? at.track.name : rows.number(kOwn);
    add_call(at, string(name), source(rows));
}

// The values of a counter's instances are summed.
void RocpdReader::add_values(const Place& at, int32_t device, bool holds) {
    if (!at.event || now_.measured.empty()) return;
    const auto first = std::ranges::lower_bound(now_.measured, at.event->id, {}, &Measured::event);
    std::map<std::string, double> sums;
    for (auto one = first; one != now_.measured.end() && one->event == at.event->id; ++one) {
        const Counter* const counter = value_of(now_.counters, one->counter);
        sums[counter ? counter->name : fmt::format("counter {}", one->counter)] += one->value;
    }
    for (const auto& [name, sum] : sums)
        events_.add(RocmValue{at.begin, holds ? at.begin : at.end, at.process, device,
                              sink_.text(name), sum, first->source});
}

void RocpdReader::name_queue(const Place& at) {
    const std::string* const name = value_of(now_.queues, at.track.queue);
    if (name && !name->empty() && now_.named_queues.emplace(at.process, at.track.queue).second)
        events_.name_queue(at.process, at.track.queue, *name);
}

void RocpdReader::take_kernel(const SqliteRows& rows) {
    const Place at = place(rows);
    RocmWork work;
    work.begin = at.begin;
    work.end = at.end;
    work.process = at.process;
    const int64_t kernel = rows.number(kOwn);
    const RocmKernelSymbol* const symbol = value_of(now_.kernels, kernel);
    const auto [name, is_new] = now_.kernel_names.try_emplace(kernel, 0);
    if (is_new)
        name->second = sink_.text(
            symbol && !symbol->name.empty() ? symbol->name : fmt::format("kernel {}", kernel));
    work.name = name->second;
    work.queue = at.track.queue == kNoValue ? 0 : at.track.queue;
    name_queue(at);
    if (at.event) work.correlation = at.event->stack;
    work.source = source(rows);
    work.word = table_->name;
    const RocmAgent* const on = agent(at.track.agent);
    work.device = on ? on->device.id : 0;
    int64_t workgroup[3];
    int64_t grid[3];
    for (int i = 0; i < 3; ++i) {
        workgroup[i] = rows.number(kOwn + 2 + i, 0);
        grid[i] = rows.number(kOwn + 5 + i, 0);
    }
    work.config = rocm_config(grid, workgroup);
    work.config.shared_memory_bytes = std::max<int64_t>(rows.number(kOwn + 1), -1);
    if (symbol) {
        work.config.registers_per_thread =
            rocm_registers(symbol->vgprs, symbol->accumulation_vgprs, on ? &on->device : nullptr);
        if (symbol->static_lds_bytes <= work.config.shared_memory_bytes)
            work.config.static_shared_bytes = symbol->static_lds_bytes;
    }
    events_.add(work);
    add_values(at, work.device, false);
}

void RocpdReader::take_copy(const SqliteRows& rows) {
    const Place at = place(rows);
    RocmWork work;
    work.begin = at.begin;
    work.end = at.end;
    work.process = at.process;
    work.kind = RocmWorkKind::copy;
    work.name = sink_.text(rocm_copy_name(string(rows.number(kOwn))));
    if (at.event) work.correlation = at.event->stack;
    work.bytes = rows.number(kOwn + 3);
    work.source = source(rows);
    work.word = table_->name;
    const RocmAgent* const from = agent(rows.number(kOwn + 1));
    const RocmAgent* const to = agent(rows.number(kOwn + 2));
    const RocmAgent* const on = to && to->is_gpu ? to : from && from->is_gpu ? from : nullptr;
    work.device = on ? on->device.id : 0;
    events_.add(work);
}

void RocpdReader::take_allocation(const SqliteRows& rows) {
    const Place at = place(rows);
    const std::string_view type = rows.text(kOwn);
    if (rows.text(kOwn + 1) == "SCRATCH") {
        RocmCall call{at.begin, at.end,   at.process,   at.thread,
                      0,        kNoValue, source(rows), table_->name};
        call.name = sink_.text(fmt::format("SCRATCH {}", type));
        return events_.add(call, RocmDomain::scratch);
    }
    RocmAllocation allocation;
    allocation.time = at.begin;
    allocation.process = at.process;
    const RocmAgent* const on = agent(at.track.agent);
    allocation.device = on && on->is_gpu ? on->device.id : -1;
    allocation.is_free = type == "FREE";
    allocation.address = rows.number(kOwn + 2, 0);
    allocation.bytes = rows.number(kOwn + 3, 0);
    allocation.source = source(rows);
    allocation.word = table_->name;
    events_.add(allocation);
}

}  // namespace lanescope
