// Files that differ from a plain one in a single way, to see what the time of a load depends on.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/repeated_trace.h"

namespace lanescope::bench {

// The events of a trace as texts whose values can be replaced.
class EventTexts {
  public:
    enum class Slot : uint8_t { name, process, thread, time, flow_id, number_id };
    struct Copy {
        uint64_t repeat;
        uint64_t number;  // of this event in the file
    };
    // Appends what replaces a value. `value` is the text without quotes; of a name, process or
    // thread, the quotes belong to what is replaced.
    using Replace =
        std::function<void(Slot slot, std::string_view value, Copy copy, std::string& out)>;

    explicit EventTexts(const std::string& path) : text_(read_whole(path)) {
        simdjson::ondemand::parser parser;
        simdjson::ondemand::document document = parser.iterate(text_);
        for (simdjson::ondemand::object event : document["traceEvents"].get_array()) add(event);
        for (const Event& event : events_)
            for (const Value& value : event.values)
                if (value.slot == Slot::number_id || value.slot == Slot::flow_id)
                    ids_ = std::max(ids_, number(value.text) % kLargestId + 1);
        begin_ = last_ = time_of(events_.front());
        for (const Event& event : events_) {
            if (time_of(event) == 0) continue;
            begin_ = std::min(begin_ ? begin_ : UINT64_MAX, time_of(event));
            last_ = std::max(last_, time_of(event));
        }
    }

    // Writes repeats of all events of at least `bytes`. Times and ids are shifted from repeat to
    // repeat. `random_order`: of all events of the file.
    void write(const std::string& path, uint64_t bytes, const Replace& replace = {},
               bool random_order = false) const {
        std::size_t size = 0;
        for (const Event& event : events_) size += event.text.size() + 1;
        std::vector<uint64_t> order((bytes / size + 1) * events_.size());
        std::iota(order.begin(), order.end(), uint64_t{0});
        if (random_order) std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
        std::ofstream out(path, std::ios::binary);
        out << "{\"traceEvents\": [";
        std::string copy;
        for (std::size_t i = 0; i < order.size(); ++i) {
            copy = i == 0 ? "\n" : ",\n";
            append(events_[order[i] % events_.size()], {order[i] / events_.size(), order[i]},
                   replace, copy);
            out << copy;
        }
        out << "\n]}\n";
        if (!out.flush()) throw std::runtime_error("cannot write " + path);
    }

    static uint64_t number(std::string_view text) {
        uint64_t value = 0;
        for (const char c : text.substr(0, text.find_first_not_of("0123456789")))
            value = value * 10 + static_cast<uint64_t>(c - '0');
        return value;
    }
    uint64_t shifted_id(std::string_view value, uint64_t repeat) const {
        return number(value) + repeat * ids_;
    }

  private:
    static constexpr uint64_t kLargestId = 100'000'000;

    struct Value {
        Slot slot;
        std::string_view text;
    };
    struct Event {
        std::string_view text;
        std::vector<Value> values;  // in the order of the text
    };

    static uint64_t time_of(const Event& event) {
        for (const Value& value : event.values)
            if (value.slot == Slot::time) return number(value.text);
        return 0;
    }

    static std::string_view trimmed(std::string_view token) {
        return token.substr(0, token.find_last_not_of(" \n\r\t") + 1);
    }

    void add(simdjson::ondemand::object object) {
        Event event;
        bool is_metadata = false;
        for (auto field : object) {
            const std::string_view key = field.unescaped_key();
            simdjson::ondemand::value value = field.value();
            if (key == "args" && value.type() == simdjson::ondemand::json_type::object) {
                for (auto argument : value.get_object()) {
                    const std::string_view name = argument.unescaped_key();
                    const std::string_view token = trimmed(argument.value().raw_json_token());
                    if (name == "correlation" || name == "External id")
                        add_number(event, Slot::number_id, token);
                }
                continue;
            }
            const std::string_view token = trimmed(value.raw_json_token());
            is_metadata |= key == "ph" && token == "\"M\"";
            if (key == "name") event.values.push_back({Slot::name, token});
            if (key == "pid") event.values.push_back({Slot::process, token});
            if (key == "tid") event.values.push_back({Slot::thread, token});
            if (key == "ts") add_number(event, Slot::time, token);
            if (key == "id") add_number(event, Slot::flow_id, token);
        }
        event.text = object.raw_json().value();
        event.text = trimmed(event.text);
        if (is_metadata) event.values.clear();
        std::sort(event.values.begin(), event.values.end(),
                  [](const Value& a, const Value& b) { return a.text.data() < b.text.data(); });
        events_.push_back(std::move(event));
    }

    static void add_number(Event& event, Slot slot, std::string_view token) {
        const std::string_view digits =
            token.substr(0, token.find_first_not_of("0123456789"));  // not a fraction
        if (!digits.empty()) event.values.push_back({slot, digits});
    }

    void append(const Event& event, Copy copy, const Replace& replace, std::string& out) const {
        const char* at = event.text.data();
        for (const Value& value : event.values) {
            out.append(at, value.text.data());
            at = value.text.data() + value.text.size();
            const std::size_t before = out.size();
            if (replace) replace(value.slot, value.text, copy, out);
            if (out.size() > before) continue;
            if (value.slot == Slot::time)
                out += std::to_string(number(value.text) + copy.repeat * (last_ - begin_ + 1000));
            else if (value.slot <= Slot::thread)
                out += value.text;
            else
                out += std::to_string(shifted_id(value.text, copy.repeat));
        }
        out.append(at, event.text.data() + event.text.size());
    }

    simdjson::padded_string text_;
    std::vector<Event> events_;
    uint64_t ids_ = 1;
    uint64_t begin_ = 0;
    uint64_t last_ = 0;
};

// A one-to-one mapping of ids that leaves nothing of their order.
inline uint64_t scattered(uint64_t id) {
    return (id * 0x9E3779B97F4A7C15ULL) >> 1U;
}

// Writes events that `append` makes from their number.
inline void write_events(const std::string& path, uint64_t bytes,
                         const std::function<void(uint64_t, std::string&)>& append) {
    std::ofstream out(path, std::ios::binary);
    out << "{\"traceEvents\": [";
    std::string text;
    uint64_t written = 0;
    for (uint64_t i = 0; written < bytes; ++i) {
        text = i == 0 ? "\n" : ",\n";
        append(i, text);
        out << text;
        written += text.size();
    }
    out << "\n]}\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

struct CliffFile {
    std::string_view title;
    std::function<void(const std::string& path, uint64_t bytes)> write;
};

// Files of events that a real trace has few of, made from their number alone.
inline std::vector<CliffFile> generated_cliff_files() {
    std::vector<CliffFile> files;
    files.push_back(
        {"async ranges", [](const std::string& path, uint64_t bytes) {
             write_events(path, bytes, [](uint64_t i, std::string& out) {
                 const uint64_t range = i / 2;
                 fmt::format_to(
                     std::back_inserter(out),
                     R"({{"ph": "{}", "cat": "request", "name": "request {}", "pid": 1, "tid": {}, "id": {}, "ts": {}.{:03}, "args": {{"client": {}, "bytes": {}}}}})",
                     i % 2 ? 'e' : 'b', range % 50, range % 8, range,
                     1'000'000 + range * 10 + (i % 2 ? 75 : 0), range % 1000, range % 97,
                     range * 64 % 8191);
             });
         }});
    files.push_back(
        {"async ranges, ids as texts", [](const std::string& path, uint64_t bytes) {
             write_events(path, bytes, [](uint64_t i, std::string& out) {
                 const uint64_t range = i / 2;
                 fmt::format_to(
                     std::back_inserter(out),
                     R"({{"ph": "{}", "cat": "request", "name": "request {}", "pid": 1, "tid": {}, "id": "0x{:x}", "ts": {}.{:03}, "args": {{"client": {}, "bytes": {}}}}})",
                     i % 2 ? 'e' : 'b', range % 50, range % 8, range,
                     1'000'000 + range * 10 + (i % 2 ? 75 : 0), range % 1000, range % 97,
                     range * 64 % 8191);
             });
         }});
    files.push_back(
        {"begin and end events", [](const std::string& path, uint64_t bytes) {
             write_events(path, bytes, [](uint64_t i, std::string& out) {
                 fmt::format_to(
                     std::back_inserter(out),
                     R"({{"ph": "{}", "cat": "cpu_op", "name": "call {}", "pid": 1, "tid": {}, "ts": {}.{:03}, "args": {{"client": {}, "bytes": {}}}}})",
                     i / 8 % 2 ? 'E' : 'B', i % 8, i / 16 % 8, 1'000'000 + i, i % 1000, i % 97,
                     i * 64 % 8191);
             });
         }});
    files.push_back(
        {"instants in one lane", [](const std::string& path, uint64_t bytes) {
             write_events(path, bytes, [](uint64_t i, std::string& out) {
                 fmt::format_to(
                     std::back_inserter(out),
                     R"({{"ph": "i", "s": "t", "cat": "mark", "name": "mark {}", "pid": 1, "tid": 7, "ts": {}.{:03}, "args": {{"client": {}, "bytes": {}}}}})",
                     i % 50, 1'000'000 + i, i % 1000, i % 97, i * 64 % 8191);
             });
         }});
    return files;
}

// The plain file first.
inline std::vector<CliffFile> cliff_files(const EventTexts& events) {
    using Slot = EventTexts::Slot;
    const auto file_with = [&events](EventTexts::Replace replace) {
        return [&events, replace = std::move(replace)](const std::string& path, uint64_t bytes) {
            events.write(path, bytes, replace);
        };
    };
    const auto with_threads = [&](uint64_t threads) {
        return file_with(
            [threads](Slot slot, std::string_view, EventTexts::Copy copy, std::string& out) {
                const uint64_t thread = copy.number * 7919 % threads;
                if (slot == Slot::process) out += std::to_string(thread % 8);
                if (slot == Slot::thread) out += std::to_string(thread);
            });
    };
    const auto is_id = [](Slot slot) { return slot == Slot::flow_id || slot == Slot::number_id; };
    std::vector<CliffFile> files;
    files.push_back({"plain", file_with({})});
    files.push_back({"ids 10,000,000 apart from repeat to repeat",
                     file_with([is_id](Slot slot, std::string_view value, EventTexts::Copy copy,
                                       std::string& out) {
                         if (is_id(slot))
                             out += std::to_string(EventTexts::number(value) +
                                                   copy.repeat * 10'000'000);
                     })});
    files.push_back({"ids scattered over 63 bits",
                     file_with([is_id, &events](Slot slot, std::string_view value,
                                                EventTexts::Copy copy, std::string& out) {
                         if (is_id(slot))
                             out +=
                                 std::to_string(scattered(events.shifted_id(value, copy.repeat)));
                     })});
    files.push_back(
        {"ids of flows as texts", file_with([&events](Slot slot, std::string_view value,
                                                      EventTexts::Copy copy, std::string& out) {
             if (slot == Slot::flow_id)
                 out += fmt::format("\"0x{:x}\"", events.shifted_id(value, copy.repeat));
         })});
    files.push_back(
        {"all names different",
         file_with([](Slot slot, std::string_view value, EventTexts::Copy copy, std::string& out) {
             if (slot == Slot::name && value.size() > 2)
                 out += fmt::format("{} {}\"", value.substr(0, value.size() - 1), copy.number);
         })});
    files.push_back({"10,000 threads", with_threads(10'000)});
    files.push_back({"100,000 threads", with_threads(100'000)});
    files.push_back({"events in random order", [&events](const std::string& path, uint64_t bytes) {
                         events.write(path, bytes, {}, true);
                     }});
    for (CliffFile& file : generated_cliff_files()) files.push_back(std::move(file));
    return files;
}

}  // namespace lanescope::bench
