#include "core/export/traces/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/export/words/written_by.h"
#include "core/trace/devices.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr Nanos kSecond = 1'000'000'000;
// Times beyond this one are Unix times: from 1973 on.
constexpr Nanos kUnixTimes = 100'000'000 * kSecond;
constexpr std::string_view kBase = "baseTimeNanoseconds";
constexpr std::string_view kDevices = "deviceProperties";
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

class Writer {
  public:
    Writer(const TraceExport& what, const TakeText& take)
        : what_(what),
          trace_(what.trace),
          take_(take),
          events_(what),
          shift_(shift_of(what.trace)) {}

    Result<void> write() {
        begin_file();
        write_names();
        for (const ExportedEvent& event : events_.in_file_order()) {
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
            if (events_.holds(link)) write_link(link);
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
            const auto kept = what_.scrubber ? what_.scrubber->metadata(name, value) : value;
            if (!kept.empty()) text_ += fmt::format("{}: {},\n", as_json(name), kept);
        }
        if (!has_schema) text_ += "\"schemaVersion\": 1,\n";
        write_devices();
        text_ +=
            fmt::format("\"{}\": {},\n\"traceEvents\": [", kBase, trace_.base_unix_nanos + shift_);
    }

    // For formats that state devices otherwise than in a member of the file.
    void write_devices() {
        const auto has_member = [&](const auto& member) { return member.first == kDevices; };
        if (trace_.devices.empty() || std::ranges::any_of(trace_.metadata, has_member)) return;
        auto list = nlohmann::ordered_json::array();
        for (const Device& device : trace_.devices) {
            nlohmann::ordered_json object = {{"id", device.id}, {"name", device.name}};
            for (const auto& [name, value] : named_facts(device)) object[name] = value;
            list.push_back(std::move(object));
        }
        std::string value =
            list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        if (what_.scrubber) value = what_.scrubber->metadata(std::string(kDevices), value);
        if (!value.empty()) text_ += fmt::format("{}: {},\n", as_json(kDevices), value);
    }

    // Writes the members that all events share; the closing `}` follows later.
    void begin_event(char phase, std::string_view name, std::string_view category,
                     const Process& process, std::string_view tid, Nanos at) {
        text_ += is_first_ ? "\n" : ",\n";
        is_first_ = false;
        text_ +=
            fmt::format(R"({{"ph":"{}","name":{},"pid":{},"tid":{},"ts":{})", phase, as_json(name),
                        number_or_text(events_.pid_of(process)), number_or_text(tid), time(at));
        if (!category.empty()) text_ += fmt::format(R"(,"cat":{})", as_json(category));
    }
    void begin_event(char phase, std::string_view name, std::string_view category, const Lane& lane,
                     Nanos at) {
        begin_event(phase, name, category, trace_.processes[lane.process],
                    lane.kind == LaneKind::async ? "0" : events_.tid_of(lane), at);
    }
    void name(const char* event_name, const Process& process, std::string_view tid, const char* key,
              const std::string& json) {
        begin_event('M', event_name, "", process, tid, shift_);
        text_ += fmt::format(R"(,"args":{{"{}":{}}}}})", key, json);
    }
    void write_names() {
        for (const Process& process : trace_.processes) {
            if (process.name != 0)
                name("process_name", process, "0", "name",
                     as_json(events_.process_name(process.name)));
            if (process.labels != 0)
                name("process_labels", process, "0", "labels",
                     as_json(events_.text(process.labels)));
            name("process_sort_index", process, "0", "sort_index",
                 std::to_string(process.sort_index));
        }
        for (const Lane& lane : trace_.lanes) {
            if (lane.derived || lane.kind == LaneKind::async || lane.kind == LaneKind::counter)
                continue;
            const Process& process = trace_.processes[lane.process];
            const std::string tid = events_.tid_of(lane);
            name("thread_name", process, tid, "name", as_json(events_.text(lane.name)));
            name("thread_sort_index", process, tid, "sort_index", std::to_string(lane.sort_index));
        }
    }

    // Writes the arguments and the end of the event.
    Result<void> end_event(const ExportedEvent& event) {
        const Result<std::vector<Argument>> arguments = events_.arguments(event);
        if (!arguments) return arguments.error();
        text_ += R"(,"args":{)";
        const char* between = "";
        for (const Argument& argument : *arguments) {
            const bool is_json = !argument.is_string && nlohmann::json::accept(argument.value);
            text_ += fmt::format("{}{}:{}", between, as_json(argument.name),
                                 is_json ? argument.value : as_json(argument.value));
            between = ",";
        }
        text_ += "}}";
        return {};
    }

    Result<void> write_slice(const ExportedEvent& event) {
        const Lane& lane = trace_.lanes[event.lane];
        const auto [chunk, i] = lane.locate(event.index);
        const std::string_view name = events_.text(chunk->name[i]);
        const std::string_view category = events_.text(trace_.categories[chunk->category[i]].name);
        const Nanos start = chunk->start[i];
        const bool is_async = lane.kind == LaneKind::async;
        begin_event(is_async ? 'b' : 'X', name, category, lane, start);
        if (is_async)
            text_ += fmt::format(R"(,"id":{})", track_of(event.slice()));
        else
            text_ += fmt::format(R"(,"dur":{})", microseconds(chunk->duration[i]));
        const SliceRef slice = event.slice();
        Result<void> written = end_event(event);
        if (!written) return written;
        if (!is_async) {
            write_launch(slice, events_.correlation_of(slice));
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
        const uint64_t key = uint64_t{slice.lane} << 32 | slice.index;
        const auto [track, is_new] = tracks_.try_emplace(key, last_id_ + 1);
        if (is_new) ++last_id_;
        return track->second;
    }

    // Like Kineto, writes a flow with the correlation as its id, each end right after its event.
    // Readers then know that the flow repeats the correlation.
    void write_launch(SliceRef slice, int64_t correlation) {
        if (correlation == kNoValue) return;
        const Lane& lane = trace_.lanes[slice.lane];
        const auto is_launch = [&](const Link& link) {
            return link.kind == LinkKind::launch && events_.holds(link);
        };
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

    Result<void> write_instant(const ExportedEvent& event) {
        const Lane& lane = trace_.lanes[event.lane];
        const Instants& instants = *lane.instants;
        const bool is_async = lane.kind == LaneKind::async;
        begin_event(is_async ? 'n' : 'i', events_.text(instants.name[event.index]),
                    events_.text(trace_.categories[instants.category[event.index]].name), lane,
                    instants.time[event.index]);
        text_ += is_async ? fmt::format(R"(,"id":{})", ++last_id_) : R"(,"s":"t")";
        return end_event(event);
    }

    // Curves made from "[memory]" events are written as such events.
    void write_curve(const Lane& lane) {
        const std::string_view title = events_.text(lane.name);
        constexpr std::string_view between = " · ";
        const bool is_memory =
            title.starts_with("memory allocated · ") || title.starts_with("memory reserved · ");
        if (!lane.counter || (is_memory && !trace_.memory_events.time.empty())) return;
        const std::size_t cut = title.rfind(between);
        const bool named = cut != std::string_view::npos;
        const std::string series =
            named ? as_json(title.substr(cut + between.size())) : "\"value\"";
        const auto [first, last] = what_.selection.points(*lane.counter);
        for (std::size_t i = first; i < last; ++i) {
            begin_event('C', named ? title.substr(0, cut) : title, "",
                        trace_.processes[lane.process], "0", lane.counter->time[i]);
            text_ += fmt::format(R"(,"args":{{{}:{}}}}})", series,
                                 nlohmann::json(lane.counter->value[i]).dump());
        }
    }

    // Writes links that do not come from correlations.
    void write_link(const Link& link) {
        if (link.kind == LinkKind::launch && events_.correlation_of(link.from) != kNoValue) return;
        const std::string_view name = link.kind == LinkKind::launch             ? kLaunch
                                      : link.kind == LinkKind::forward_backward ? "fwdbwd"
                                                                                : "flow";
        const Lane& from = trace_.lanes[link.from.lane];
        const Lane& to = trace_.lanes[link.to.lane];
        begin_event('s', name, name, from, trace_.start(link.from));
        text_ += fmt::format(R"(,"id":{}}})", ++last_id_);
        begin_event('f', name, name, to, trace_.start(link.to));
        text_ += fmt::format(R"(,"id":{},"bp":"e"}})", last_id_);
    }

    const TraceExport& what_;
    const Trace& trace_;
    const TakeText& take_;
    ExportedEvents events_;
    Nanos shift_;
    std::unordered_map<uint64_t, uint64_t> tracks_;  // ids by the outermost range
    std::string text_;
    uint64_t last_id_ = 0;
    bool is_first_ = true;
};

}  // namespace

Result<void> write_trace_json(const TraceExport& what, const TakeText& take) {
    return Writer(what, take).write();
}

}  // namespace lanescope
