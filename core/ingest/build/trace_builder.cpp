// Takes batches: translates a worker's ids, and sorts slices by lane and everything else by kind.
#include "core/ingest/build/trace_builder.h"

#include <algorithm>

#include "core/ingest/build/builder_state.h"
#include "core/ingest/build/finish_trace.h"
#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxCategories = 65535;
constexpr std::size_t kStoredOffsets = 20;

bool is_launch_category(std::string_view name) {
    return name == "cuda_runtime" || name == "cuda_driver" || name == "Runtime";
}

bool repeats_launch(std::string_view flow_category) {
    return flow_category == "ac2g" || flow_category == "async" || flow_category == "async_gpu" ||
           flow_category == "async_cpu_to_gpu";
}

CategoryId add_category(BuilderState& state, StringId text) {
    const std::string_view s = state.strings[text];
    state.categories.push_back({text, classify_category(s), is_gpu_activity_category(s),
                                repeats_launch(s), s == kSampleCategory, is_launch_category(s), 0,
                                0});
    const auto id = static_cast<CategoryId>(state.categories.size() - 1);
    state.category_of.emplace(text, id);
    return id;
}

// Appends to a column that stays empty until a row has a value.
template <typename T>
void push_sparse(Column<T>& column, std::size_t row, T value, T none) {
    if (value == none && column.empty()) return;
    while (column.size() < row) column.push_back(none);
    column.push_back(value);
}

// Adds one batch to the state.
class Appender {
  public:
    Appender(BuilderState& state, const Batch& batch)
        : state_(state), batch_(batch), names_(state.workers[batch.worker]) {}

    void run() {
        slice_of_.resize(batch_.events.size());
        for (std::size_t i = 0; i < batch_.events.size(); ++i)
            slice_of_[i] = add_event(batch_.events[i]);
        for (const auto& [code, offset] : batch_.warnings)
            add_warning(code, batch_.text_offset + offset);
        add_side_rows();
    }

  private:
    // The meaning of an id is looked up once; further lookups read a table.
    StringId plain(LocalId id) {
        const StringId known = names_.plain[id];
        return known != WorkerNames::unknown ? known : find_plain(id);
    }

    StringId name(LocalId id) {
        const StringId known = plain(id);
        if (known >= state_.name_traits.size()) [[unlikely]]
            find_traits();
        return known;
    }

    StringId raw(LocalId id) {
        StringId& known = names_.raw[id];
        if (known == WorkerNames::unknown) known = state_.strings.intern(names_.texts[id]);
        return known;
    }

    CategoryId category(LocalId id) {
        uint32_t& known = names_.category[id];
        if (known == WorkerNames::unknown) known = find_category(plain(id));
        return static_cast<CategoryId>(known);
    }

    uint32_t lane(LocalId id) {
        const uint32_t known = names_.lane[id];
        return known != WorkerNames::unknown ? known : find_lane(id);
    }

    [[gnu::noinline]] StringId find_plain(LocalId id) {
        const std::string_view text = names_.texts[id];
        return names_.plain[id] = is_clean_text(text) ? state_.strings.intern(text)
                                                      : state_.strings.intern(repair_text(text));
    }

    [[gnu::noinline]] void find_traits() {
        const std::size_t before = state_.name_traits.size();
        state_.name_traits.resize(state_.strings.size());
        for (std::size_t s = before; s < state_.name_traits.size(); ++s)
            state_.name_traits[s] = traits_of_name(state_.strings[static_cast<StringId>(s)]);
    }

    [[gnu::noinline]] uint32_t find_lane(LocalId id) {
        const auto [pid, tid] = names_.lane_keys[id];
        const StringId pid_text = plain(pid);
        const StringId tid_text = plain(tid);
        const auto [found, is_new] = state_.lane_of.try_emplace(
            uint64_t{pid_text} << 32 | tid_text, static_cast<uint32_t>(state_.lanes.size()));
        if (is_new) {
            LaneBuild& made = state_.lanes.emplace_back();
            made.pid = pid_text;
            made.tid = tid_text;
        }
        return names_.lane[id] = found->second;
    }

    CategoryId find_category(StringId text) {
        const auto found = state_.category_of.find(text);
        if (found != state_.category_of.end()) return found->second;
        if (state_.categories.size() == kMaxCategories) {
            state_.warn("too_many_categories", Error::no_offset,
                        "more than 65,534 categories; the rest are shown as the last one");
            return static_cast<CategoryId>(kMaxCategories - 1);
        }
        return add_category(state_, text);
    }

    uint64_t source(const RawEvent& event) const { return batch_.text_offset + event.offset; }

    SliceRef add_event(const RawEvent& event) {
        ++state_.events;
        ++state_.phase_count[static_cast<unsigned char>(event.phase)];
        const bool has_time = event.flags & kHasTime;
        if (has_time && event.phase != 'M') {
            state_.first_time = std::min(state_.first_time, event.time);
            state_.last_time =
                std::max(state_.last_time, event.time + std::max<Nanos>(event.duration, 0));
        }
        if (event.phase == 'X') return add_complete(event);
        if (event.phase == 'M') return {};
        if (event.phase == 0 && !has_time && event.name == 0) {
            state_.warn("no_phase", source(event), "an event without a phase (\"ph\")");
            return {};
        }
        if (!has_time) {
            state_.warn("no_time", source(event), "an event without a readable time (\"ts\")");
            return {};
        }
        add_timed(event);
        return {};
    }

    SliceRef add_complete(const RawEvent& event) {
        const uint32_t row = lane(event.lane);
        const CategoryId kind = category(event.category);
        const bool whole = (event.flags & (kHasTime | kHasDuration)) == (kHasTime | kHasDuration);
        if (!whole || (event.flags & kUnreadable)) [[unlikely]] {
            add_incomplete(event, row, kind);
            return {};
        }
        CategoryBuild& build = state_.categories[kind];
        ++build.complete_events;
        if (__builtin_add_overflow(build.duration, event.duration, &build.duration))
            build.duration = INT64_MAX;
        state_.zero_duration += event.duration == 0;
        LaneBuild& l = state_.lanes[row];
        ++l.complete_events;
        l.has_gpu_activity |= build.is_gpu_activity;
        l.has_samples |= build.is_sample;
        l.has_calls |= !build.is_sample;
        Nanos duration = event.duration;
        if (duration < 0) [[unlikely]] {
            state_.warn("negative_duration", source(event), "a negative duration; shown as 0");
            duration = 0;
        }
        const auto index = static_cast<uint32_t>(l.slices.start.size());
        l.slices.start.push_back(event.time);
        l.slices.duration.push_back(duration);
        l.slices.name.push_back(name(event.name));
        l.slices.category.push_back(kind);
        l.slices.source.push_back(source(event));
        return {row, index};
    }

    void add_incomplete(const RawEvent& event, uint32_t row, CategoryId kind) {
        if (event.flags & kUnreadable) {
            ++state_.unreadable;
            state_.warn("unreadable_time", source(event),
                        "a complete event whose time or duration is not a number in range");
        } else {
            state_.warn("no_duration", source(event),
                        "a complete event without a time or duration");
        }
        if (event.flags & kHasTime)
            state_.lanes[row].add_instant(event.time, name(event.name), kind, source(event));
    }

    void add_timed(const RawEvent& event) {
        const uint32_t row = lane(event.lane);
        const CategoryId kind = category(event.category);
        const int64_t id =
            event.flags & kIdIsText ? int64_t{plain(static_cast<LocalId>(event.id))} : event.id;
        switch (event.phase) {
            case 's':
            case 't':
            case 'f':
                if ((event.flags & kRepeatsCorrelation) && state_.categories[kind].repeats_launch)
                    return;
                state_.flows.push_back(
                    {event.time, id, source(event), row, kind, event.phase, event.flags});
                return;
            case 'B':
            case 'E':
                state_.pairs.push_back(
                    {event.time, source(event), row, name(event.name), kind, event.phase});
                return;
            case 'b':
            case 'e':
            case 'n':
            case 'S':
            case 'F':
            case 'T':
            case 'p':
                // In old files, `T` and `p` events without an id are instants.
                if (!(event.flags & kHasId) && (event.phase == 'T' || event.phase == 'p')) break;
                state_.asyncs.push_back({event.time, source(event), id, row, name(event.name), kind,
                                         event.phase, event.flags});
                return;
            case 'C':
                return;  // by their rows
            case 'i':
            case 'I':
            case 'R':
            case 'P':
            case 'N':
            case 'O':
            case 'D':
            case 'c':
            case 'v':
            case 'V':
                break;
            default:
                state_.warn("unknown_phase", source(event),
                            "a phase that is not known; shown as an instant");
                break;
        }
        state_.lanes[row].add_instant(event.time, name(event.name), kind, source(event));
    }

    void add_warning(BatchWarning code, uint64_t offset) {
        switch (code) {
            case BatchWarning::bad_event:
                state_.warn("bad_event", offset,
                            "text that is not a whole event; skipped to the next one");
                break;
            case BatchWarning::not_an_object:
                ++state_.not_objects;
                ++state_.events;
                state_.warn("not_an_object", offset,
                            "an element of the event list that is not an object");
                break;
            case BatchWarning::stray_comma:
                state_.warn("stray_comma", offset, "a comma with no element around it");
                break;
            case BatchWarning::missing_comma:
                state_.warn("missing_comma", offset, "no comma between two elements");
                break;
            case BatchWarning::no_counter_value:
                state_.warn("no_counter_value", offset, "a counter event without any number");
                break;
        }
    }

    void add_side_rows() {
        for (const auto& [event, phase] : batch_.odd_phases)
            ++state_.odd_phases[std::string(state_.strings[plain(phase)])];
        for (const GpuRow& row : batch_.gpu) add_gpu(row);
        for (const RuntimeRow& row : batch_.runtime) {
            const SliceRef slice = slice_of_[row.event];
            if (!slice) continue;
            const std::size_t n = state_.runtime.slice.size();
            state_.runtime.slice.push_back(slice);
            state_.runtime.correlation.push_back(row.correlation);
            push_sparse(state_.runtime.external_id, n, row.external_id, kNoValue);
        }
        for (const RawOperatorRow& row : batch_.operators) add_operator(row);
        for (const PythonRow& row : batch_.python) {
            const SliceRef slice = slice_of_[row.event];
            if (!slice) continue;
            const std::size_t n = state_.python.slice.size();
            state_.python.slice.push_back(slice);
            push_sparse(state_.python.python_id, n, row.python_id, kNoValue);
            push_sparse(state_.python.parent_id, n, row.parent_id, kNoValue);
            push_sparse(state_.python.module_id, n, row.module_id, kNoValue);
        }
        for (const MemoryRow& row : batch_.memory) add_memory(row);
        for (const RawCollectiveRow& row : batch_.collectives) add_collective(row);
        for (const SyncRow& row : batch_.syncs) add_sync(row);
        for (const SampleRow& row : batch_.samples) {
            const SliceRef slice = slice_of_[row.event];
            if (!slice) continue;
            state_.samples.slice.push_back(slice);
            state_.samples.samples.push_back(row.samples);
            state_.samples.cpu_time.push_back(row.cpu_time);
            state_.samples.module.push_back(plain(row.module));
        }
        for (const CounterRow& row : batch_.counters) {
            const RawEvent& event = batch_.events[row.event];
            if (event.flags & kHasTime)
                state_.counters.push_back(
                    {event.time, row.value, lane(event.lane), name(event.name), plain(row.series)});
        }
        for (const MetadataRow& row : batch_.metadata) add_metadata(row);
    }

    void add_gpu(const GpuRow& row) {
        const SliceRef slice = slice_of_[row.event];
        if (!slice) return;
        GpuActivities& gpu = state_.gpu;
        const std::size_t n = gpu.slice.size();
        gpu.slice.push_back(slice);
        gpu.correlation.push_back(row.correlation);
        push_sparse(gpu.external_id, n, row.external_id, kNoValue);
        gpu.device.push_back(row.device);
        gpu.stream.push_back(row.stream);
        gpu.config.push_back(row.config.grid[0] == 0 ? kNoRow : find_config(row.config));
        push_sparse(gpu.bytes, n, row.bytes, kNoValue);
        push_sparse(gpu.graph_node, n, row.graph_node, kNoValue);
        LaneBuild& l = state_.lanes[slice.lane];
        if (l.device < 0) l.device = row.device;
    }

    uint32_t find_config(const LaunchConfig& config) {
        uint64_t hash = 0;
        const auto add = [&hash](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
        for (const uint32_t v : config.grid) add(v);
        for (const uint32_t v : config.block) add(v);
        add(static_cast<uint64_t>(config.registers_per_thread));
        add(static_cast<uint64_t>(config.shared_memory_bytes));
        add(static_cast<uint64_t>(config.static_shared_bytes));
        add(static_cast<uint64_t>(config.kineto_occupancy_percent));
        std::vector<uint32_t>& rows = state_.config_of[hash];
        for (const uint32_t row : rows)
            if (state_.launch_configs[row] == config) return row;
        rows.push_back(static_cast<uint32_t>(state_.launch_configs.size()));
        state_.launch_configs.push_back(config);
        return rows.back();
    }

    void add_operator(const RawOperatorRow& row) {
        const SliceRef slice = slice_of_[row.event];
        if (!slice) return;
        Operators& ops = state_.operators;
        const std::size_t n = ops.slice.size();
        ops.slice.push_back(slice);
        push_sparse(ops.external_id, n, row.external_id, kNoValue);
        push_sparse(ops.sequence, n, row.sequence, kNoValue);
        push_sparse(ops.forward_thread, n, row.forward_thread, kNoValue);
        const auto push_raw = [&](Column<StringId>& column, LocalId id) {
            if (id != 0 || !column.empty()) push_sparse(column, n, raw(id), StringId{0});
        };
        const auto push_plain = [&](Column<StringId>& column, LocalId id) {
            if (id != 0 || !column.empty()) push_sparse(column, n, plain(id), StringId{0});
        };
        push_raw(ops.input_dims, row.input_dims);
        push_raw(ops.input_types, row.input_types);
        push_raw(ops.input_strides, row.input_strides);
        push_raw(ops.concrete_inputs, row.concrete_inputs);
        push_plain(ops.call_stack, row.call_stack);
        push_plain(ops.module_hierarchy, row.module_hierarchy);
        push_plain(ops.kernel_gigabytes, row.kernel_gigabytes);
        push_plain(ops.kernel_flop, row.kernel_flop);
    }

    void add_memory(const MemoryRow& row) {
        const RawEvent& event = batch_.events[row.event];
        if (!(event.flags & kHasTime)) return;
        MemoryEvents& memory = state_.memory;
        memory.time.push_back(event.time);
        memory.lane.push_back(lane(event.lane));
        memory.address.push_back(row.address);
        memory.bytes.push_back(row.bytes);
        memory.total_allocated.push_back(row.total_allocated);
        memory.total_reserved.push_back(row.total_reserved);
        memory.device_type.push_back(row.device_type);
        memory.device_id.push_back(row.device_id);
    }

    void add_collective(const RawCollectiveRow& row) {
        const SliceRef slice = slice_of_[row.event];
        if (!slice) return;
        Collectives& c = state_.collectives;
        c.slice.push_back(slice);
        c.name.push_back(plain(row.name));
        c.dtype.push_back(plain(row.dtype));
        c.group_name.push_back(plain(row.group_name));
        c.group_ranks.push_back(plain(row.group_ranks));
        c.group_description.push_back(plain(row.group_description));
        c.in_split.push_back(plain(row.in_split));
        c.out_split.push_back(plain(row.out_split));
        c.in_elements.push_back(row.in_elements);
        c.out_elements.push_back(row.out_elements);
        c.group_size.push_back(row.group_size);
    }

    void add_sync(const SyncRow& row) {
        const SliceRef slice = slice_of_[row.event];
        if (!slice) return;
        Synchronisations& syncs = state_.syncs;
        syncs.slice.push_back(slice);
        syncs.kind.push_back(plain(row.kind));
        syncs.correlation.push_back(row.correlation);
        syncs.stream.push_back(row.stream);
        syncs.wait_on_stream.push_back(row.wait_on_stream);
        syncs.wait_on_event_correlation.push_back(row.wait_on_event_correlation);
        syncs.wait_on_event.push_back(row.wait_on_event);
    }

    void add_metadata(const MetadataRow& row) {
        const RawEvent& event = batch_.events[row.event];
        const std::string_view what = state_.strings[plain(event.name)];
        LaneBuild& l = state_.lanes[lane(event.lane)];
        ProcessBuild& process = state_.processes[l.pid];
        if (what == "process_name") process.name = plain(row.text);
        if (what == "process_labels") process.labels = plain(row.text);
        if (what == "thread_name") l.name = plain(row.text);
        if (what == "process_sort_index") {
            process.sort_index = row.number;
            process.has_sort_index = true;
        }
        if (what == "thread_sort_index") {
            l.sort_index = row.number;
            l.has_sort_index = true;
        }
    }

    BuilderState& state_;
    const Batch& batch_;
    WorkerNames& names_;
    std::vector<SliceRef> slice_of_;
};

}  // namespace

void BuilderState::warn(const std::string& code, uint64_t offset, std::string_view text) {
    WarningCount& warning = warnings[code];
    if (warning.count++ == 0) warning.text = text;
    if (warning.offsets.size() < kStoredOffsets && offset != Error::no_offset)
        warning.offsets.push_back(offset);
}

TraceBuilder::TraceBuilder(const Trace* vocabulary) : state_(std::make_unique<BuilderState>()) {
    if (!vocabulary) return;
    state_->strings = vocabulary->strings.clone();
    state_->name_traits = vocabulary->name_traits;
    for (const Category& category : vocabulary->categories) add_category(*state_, category.name);
}
TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::learn_names(const Batch& batch) {
    if (batch.worker >= state_->workers.size()) state_->workers.resize(batch.worker + 1);
    WorkerNames& names = state_->workers[batch.worker];
    names.texts.insert(names.texts.end(), batch.texts.begin(), batch.texts.end());
    names.lane_keys.insert(names.lane_keys.end(), batch.lanes.begin(), batch.lanes.end());
    names.plain.resize(names.texts.size(), WorkerNames::unknown);
    names.raw.resize(names.texts.size(), WorkerNames::unknown);
    names.category.resize(names.texts.size(), WorkerNames::unknown);
    names.lane.resize(names.lane_keys.size(), WorkerNames::unknown);
}

void TraceBuilder::append(const Batch& batch) {
    learn_names(batch);
    Appender(*state_, batch).run();
}

void TraceBuilder::add_metadata(std::string name, std::string value) {
    state_->metadata.emplace_back(std::move(name), std::move(value));
}

void TraceBuilder::warn(const std::string& code, uint64_t byte_offset, std::string_view text) {
    state_->warn(code, byte_offset, text);
}

uint64_t TraceBuilder::event_count() const {
    return state_->events;
}

Trace TraceBuilder::snapshot(unsigned workers) const {
    return finish_trace(state_->clone(), workers);
}

Trace TraceBuilder::finish(unsigned workers) {
    Trace trace = finish_trace(std::move(*state_), workers);
    state_ = std::make_unique<BuilderState>();
    return trace;
}

}  // namespace lanescope
