#include "core/export/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/export/written_by.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr Nanos kSecond = 1'000'000'000;
// Times beyond this one are Unix times: from 1973 on.
constexpr Nanos kUnixTimes = 100'000'000 * kSecond;
constexpr std::string_view kBase = "baseTimeNanoseconds";
constexpr std::string_view kLaunch = "ac2g";  // Kineto's category of launch flows

std::string as_json(std::string_view text) {
    return nlohmann::json(std::string(text))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Writes pids and tids as numbers if they are written like numbers.
std::string number_or_text(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    const bool is_number =
        !digits.empty() && digits.size() < 19 &&
        std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) &&
        (digits.front() != '0' || (digits.size() == 1 && text.size() == 1));
    return is_number ? std::string(text) : as_json(text);
}

struct Event {
    uint64_t source;
    LaneId lane;
    uint32_t index;
    bool is_instant;
};

// Rows of the allocator's "[memory]" events, by the lane and the instant.
using MemoryRows = std::map<std::pair<LaneId, uint32_t>, uint32_t>;

MemoryRows memory_rows(const Trace& trace) {
    const MemoryEvents& memory = trace.memory_events;
    std::map<LaneId, std::vector<uint32_t>> by_lane;
    for (uint32_t row = 0; row < memory.time.size(); ++row)
        by_lane[memory.lane[row]].push_back(row);
    MemoryRows rows;
    for (const auto& [lane, of_lane] : by_lane) {
        const Instants* instants = trace.lanes[lane].instants.get();
        std::size_t next = 0;
        for (uint32_t i = 0; instants && i < instants->time.size(); ++i) {
            if (trace.strings[instants->name[i]] != "[memory]") continue;
            if (next < of_lane.size()) rows[{lane, i}] = of_lane[next++];
        }
    }
    return rows;
}

class Writer {
  public:
    Writer(const Trace& trace, const ReadArguments& read_arguments, const TakeText& take)
        : trace_(trace),
          read_arguments_(read_arguments),
          take_(take),
          shift_(shift_of(trace)),
          memory_rows_(memory_rows(trace)) {
        const auto keep = [&](const auto& table) {
            for (uint32_t row = 0; row < table.slice.size(); ++row)
                if (table.correlation[row] != kNoValue)
                    correlations_[key_of(table.slice[row])] = table.correlation[row];
        };
        keep(trace.gpu_activities);
        keep(trace.runtime_calls);
        keep(trace.synchronisations);
        for (uint32_t row = 0; row < trace.sampled_calls.slice.size(); ++row)
            sampled_rows_[key_of(trace.sampled_calls.slice[row])] = row;
    }

    Result<void> write() {
        begin_file();
        write_names();
        for (const Event& event : events_in_order()) {
            const Result<void> written =
                event.is_instant ? write_instant(event) : write_slice(event);
            if (!written) return written.error();
            if (const Result<void> taken = hand_over(kPiece); !taken) return taken.error();
        }
        for (const Lane& lane : trace_.lanes) {
            if (lane.kind == LaneKind::counter) write_curve(lane);
            if (const Result<void> taken = hand_over(kPiece); !taken) return taken.error();
        }
        for (const Link& link : trace_.links) {
            write_link(link);
            if (const Result<void> taken = hand_over(kPiece); !taken) return taken.error();
        }
        text_ += "\n]}\n";
        return hand_over(0);
    }

  private:
    // Unix times are written relative to a whole second, so that doubles hold them exactly.
    static Nanos shift_of(const Trace& trace) {
        return trace.base_unix_nanos == 0 && trace.origin > kUnixTimes
                   ? trace.origin - trace.origin % kSecond
                   : 0;
    }
    static uint64_t key_of(SliceRef slice) { return uint64_t{slice.lane} << 32 | slice.index; }

    std::string time(Nanos nanos) const { return microseconds(nanos - shift_); }
    static std::string microseconds(Nanos nanos) {
        const bool negative = nanos < 0;
        const uint64_t size =
            negative ? 0 - static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
        return fmt::format("{}{}.{:03}", negative ? "-" : "", size / 1000, size % 1000);
    }

    Result<void> hand_over(std::size_t from) {
        if (text_.size() < from || text_.empty()) return {};
        Result<void> taken = take_(text_);
        text_.clear();
        return taken;
    }

    void begin_file() {
        text_ = fmt::format("{{\n\"{}\": \"{}\",\n", kWrittenByKey, kWrittenBy);
        bool has_schema = false;
        for (const auto& [name, value] : trace_.metadata) {
            if (name == kBase || name == kWrittenByKey || name == "traceEvents") continue;
            has_schema |= name == "schemaVersion";
            text_ += fmt::format("{}: {},\n", as_json(name), value);
        }
        if (!has_schema) text_ += "\"schemaVersion\": 1,\n";
        text_ +=
            fmt::format("\"{}\": {},\n\"traceEvents\": [", kBase, trace_.base_unix_nanos + shift_);
    }

    // Writes the members that all events share; the closing `}` follows later.
    void begin_event(char phase, std::string_view name, std::string_view category,
                     const Process& process, std::string_view tid, Nanos at) {
        text_ += is_first_ ? "\n" : ",\n";
        is_first_ = false;
        text_ +=
            fmt::format(R"({{"ph":"{}","name":{},"pid":{},"tid":{},"ts":{})", phase, as_json(name),
                        number_or_text(trace_.strings[process.pid]), number_or_text(tid), time(at));
        if (!category.empty()) text_ += fmt::format(R"(,"cat":{})", as_json(category));
    }
    void begin_event(char phase, std::string_view name, std::string_view category, const Lane& lane,
                     Nanos at) {
        begin_event(phase, name, category, trace_.processes[lane.process],
                    lane.kind == LaneKind::async ? "0" : trace_.strings[lane.tid], at);
    }

    void name(const char* event_name, const Process& process, std::string_view tid, const char* key,
              const std::string& json) {
        begin_event('M', event_name, "", process, tid, shift_);
        text_ += fmt::format(R"(,"args":{{"{}":{}}}}})", key, json);
    }
    void write_names() {
        for (const Process& process : trace_.processes) {
            if (process.name != 0)
                name("process_name", process, "0", "name", as_json(trace_.strings[process.name]));
            if (process.labels != 0)
                name("process_labels", process, "0", "labels",
                     as_json(trace_.strings[process.labels]));
            name("process_sort_index", process, "0", "sort_index",
                 std::to_string(process.sort_index));
        }
        for (const Lane& lane : trace_.lanes) {
            if (lane.derived || lane.kind == LaneKind::async || lane.kind == LaneKind::counter)
                continue;
            const Process& process = trace_.processes[lane.process];
            const std::string_view tid = trace_.strings[lane.tid];
            name("thread_name", process, tid, "name", as_json(trace_.strings[lane.name]));
            name("thread_sort_index", process, tid, "sort_index", std::to_string(lane.sort_index));
        }
    }

    // In file order, because their arguments are read again from the file.
    std::vector<Event> events_in_order() const {
        std::vector<Event> events;
        for (LaneId id = 0; id < trace_.lanes.size(); ++id) {
            const Lane& lane = trace_.lanes[id];
            if (lane.derived) continue;
            for (const auto& chunk : lane.chunks)
                for (uint32_t i = 0; i < chunk->size(); ++i)
                    events.push_back({chunk->source[i], id, chunk->first + i, false});
            for (uint32_t i = 0; lane.instants && i < lane.instants->time.size(); ++i)
                events.push_back({lane.instants->source[i], id, i, true});
        }
        std::ranges::stable_sort(events, {}, &Event::source);
        return events;
    }

    // Writes the arguments and the end of the event. `correlation`: the trace's correlation, if
    // several processes of a recording use the same ones; kNoValue: the file's own. `more`: facts
    // that a recording has no argument for; a file that was converted before has them already.
    Result<void> end_event(uint64_t source, int64_t correlation, const std::string& more = {}) {
        const Result<std::vector<Argument>> arguments = read_arguments_(source);
        if (!arguments) return arguments.error();
        text_ += R"(,"args":{)";
        const char* between = "";
        for (const Argument& argument : *arguments) {
            const bool is_moved = correlation != kNoValue && argument.name == "correlation";
            const bool is_json = !argument.is_string && nlohmann::json::accept(argument.value);
            text_ += fmt::format("{}{}:{}", between, as_json(argument.name),
                                 is_moved  ? std::to_string(correlation)
                                 : is_json ? argument.value
                                           : as_json(argument.value));
            between = ",";
        }
        const bool has_more = std::ranges::any_of(*arguments, [&](const Argument& argument) {
            return more.starts_with(as_json(argument.name));
        });
        if (!more.empty() && !has_more) text_ += between + more;
        text_ += "}}";
        return {};
    }

    Result<void> write_slice(const Event& event) {
        const Lane& lane = trace_.lanes[event.lane];
        const auto [chunk, i] = lane.locate(event.index);
        const std::string_view name = trace_.strings[chunk->name[i]];
        const std::string_view category =
            trace_.strings[trace_.categories[chunk->category[i]].name];
        const Nanos start = chunk->start[i];
        const bool is_async = lane.kind == LaneKind::async;
        begin_event(is_async ? 'b' : 'X', name, category, lane, start);
        if (is_async)
            text_ += fmt::format(R"(,"id":{})", track_of({event.lane, event.index}));
        else
            text_ += fmt::format(R"(,"dur":{})", microseconds(chunk->duration[i]));
        const SliceRef slice = {event.lane, event.index};
        const int64_t correlation = correlation_of(slice);
        Result<void> written = end_event(event.source, correlation, sample_arguments(slice));
        if (!written) return written;
        if (!is_async) {
            write_launch(slice, correlation);
            return {};
        }
        begin_event('e', name, category, lane, chunk->end(i));
        text_ += fmt::format(R"(,"id":{}}})", track_of(slice));
        return {};
    }

    // Async ranges inside another one have the id of the outermost range.
    uint64_t track_of(SliceRef slice) {
        for (SliceRef outer = parent_of(trace_, slice);
             outer && trace_.slice_end(slice) <= trace_.slice_end(outer);
             outer = parent_of(trace_, slice))
            slice = outer;
        const auto [track, is_new] = tracks_.try_emplace(key_of(slice), last_id_ + 1);
        if (is_new) ++last_id_;
        return track->second;
    }

    int64_t correlation_of(SliceRef slice) const {
        const auto known = correlations_.find(key_of(slice));
        return known == correlations_.end() ? kNoValue : known->second;
    }

    // Like Kineto, writes a flow with the correlation as its id, each end right after its event.
    // Readers then know that the flow repeats the correlation.
    void write_launch(SliceRef slice, int64_t correlation) {
        if (correlation == kNoValue) return;
        const Lane& lane = trace_.lanes[slice.lane];
        const auto is_launch = [](const Link& link) { return link.kind == LinkKind::launch; };
        if (std::ranges::any_of(links_from(trace_, slice), is_launch)) {
            begin_event('s', kLaunch, kLaunch, lane, trace_.start(slice));
            text_ += fmt::format(R"(,"id":{}}})", correlation);
        }
        if (std::ranges::any_of(links_to(trace_, slice),
                                [&](uint32_t row) { return is_launch(trace_.links[row]); })) {
            begin_event('f', kLaunch, kLaunch, lane, trace_.start(slice));
            text_ += fmt::format(R"(,"id":{},"bp":"e"}})", correlation);
        }
    }

    std::string sample_arguments(SliceRef slice) const {
        const auto row = sampled_rows_.find(key_of(slice));
        if (row == sampled_rows_.end()) return {};
        const SampledCalls& calls = trace_.sampled_calls;
        const auto known = [&](std::string_view key, const Column<int64_t>& values) {
            const int64_t value = values.size() == 0 ? kNoValue : values[row->second];
            return value == kNoValue ? std::string() : fmt::format(R"("{}":{},)", key, value);
        };
        return fmt::format(R"("samples":{},{}{}{}"module":{})", calls.samples[row->second],
                           known("cpu_ns", calls.cpu_time), known("gil_samples", calls.gil_samples),
                           known("running_samples", calls.running_samples),
                           as_json(trace_.strings[calls.module[row->second]]));
    }

    std::string memory_arguments(uint32_t row) const {
        const MemoryEvents& m = trace_.memory_events;
        std::string text =
            fmt::format(R"("Addr":{},"Bytes":{},"Device Type":{},"Device Id":{})", m.address[row],
                        m.bytes[row], m.device_type[row], m.device_id[row]);
        if (m.total_allocated[row] != kNoValue)
            text += fmt::format(R"(,"Total Allocated":{})", m.total_allocated[row]);
        if (m.total_reserved[row] != kNoValue)
            text += fmt::format(R"(,"Total Reserved":{})", m.total_reserved[row]);
        return text;
    }

    Result<void> write_instant(const Event& event) {
        const Lane& lane = trace_.lanes[event.lane];
        const Instants& instants = *lane.instants;
        const bool is_async = lane.kind == LaneKind::async;
        begin_event(is_async ? 'n' : 'i', trace_.strings[instants.name[event.index]],
                    trace_.strings[trace_.categories[instants.category[event.index]].name], lane,
                    instants.time[event.index]);
        text_ += is_async ? fmt::format(R"(,"id":{})", ++last_id_) : R"(,"s":"t")";
        const auto memory = memory_rows_.find({event.lane, event.index});
        return end_event(event.source, kNoValue,
                         memory == memory_rows_.end() ? "" : memory_arguments(memory->second));
    }

    // Curves made from "[memory]" events are written as such events.
    void write_curve(const Lane& lane) {
        const std::string_view title = trace_.strings[lane.name];
        constexpr std::string_view between = " · ";
        const bool is_memory =
            title.starts_with("memory allocated · ") || title.starts_with("memory reserved · ");
        if (!lane.counter || (is_memory && !trace_.memory_events.time.empty())) return;
        const std::size_t cut = title.rfind(between);
        const bool named = cut != std::string_view::npos;
        const std::string series =
            named ? as_json(title.substr(cut + between.size())) : "\"value\"";
        for (std::size_t i = 0; i < lane.counter->time.size(); ++i) {
            begin_event('C', named ? title.substr(0, cut) : title, "",
                        trace_.processes[lane.process], "0", lane.counter->time[i]);
            text_ += fmt::format(R"(,"args":{{{}:{}}}}})", series,
                                 nlohmann::json(lane.counter->value[i]).dump());
        }
    }

    // Writes links that do not come from correlations.
    void write_link(const Link& link) {
        if (link.kind == LinkKind::launch && correlation_of(link.from) != kNoValue) return;
        const std::string_view name = link.kind == LinkKind::launch             ? kLaunch
                                      : link.kind == LinkKind::forward_backward ? "fwdbwd"
                                                                                : "flow";
        const Lane& from = trace_.lanes[link.from.lane];
        const Lane& to = trace_.lanes[link.to.lane];
        if (from.derived || to.derived) return;
        begin_event('s', name, name, from, trace_.start(link.from));
        text_ += fmt::format(R"(,"id":{}}})", ++last_id_);
        begin_event('f', name, name, to, trace_.start(link.to));
        text_ += fmt::format(R"(,"id":{},"bp":"e"}})", last_id_);
    }

    const Trace& trace_;
    const ReadArguments& read_arguments_;
    const TakeText& take_;
    Nanos shift_;
    MemoryRows memory_rows_;
    std::unordered_map<uint64_t, int64_t> correlations_;
    std::unordered_map<uint64_t, uint32_t> sampled_rows_;
    std::unordered_map<uint64_t, uint64_t> tracks_;  // ids by the outermost range
    std::string text_;
    uint64_t last_id_ = 0;
    bool is_first_ = true;
};

}  // namespace

Result<void> write_trace_json(const Trace& trace, const ReadArguments& read_arguments,
                              const TakeText& take) {
    return Writer(trace, read_arguments, take).write();
}

}  // namespace lanescope
