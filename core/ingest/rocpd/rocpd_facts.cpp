// Reads the data of a rocpd database other than events: names, GPUs, tracks, times and counters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/ingest/rocpd/rocpd_reader.h"

namespace lanescope {

namespace {

std::string quoted_text(std::string_view text) {
    return nlohmann::json(std::string(text))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Splits a command into words; it is a JSON list, or separated by spaces.
std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < command.size() && words.size() < 64;) {
        const std::size_t end = std::min(command.find(' ', i), command.size());
        if (end > i) words.emplace_back(command.substr(i, end - i));
        i = end + 1;
    }
    return words;
}

nlohmann::json parsed(std::string_view text) {
    constexpr std::size_t longest = std::size_t{1} << 20;
    if (!text.starts_with('{') || text.size() > longest) return {};
    // Deep nesting would overflow the stack.
    if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; }) > 100'000)
        return {};
    return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

void RocpdReader::read_facts() {
    each("rocpd_metadata", {"tag", "value"}, &RocpdReader::take_metadata);
    each("rocpd_info_node", {"hostname"}, &RocpdReader::take_node);
    each("rocpd_string", {"id", "string"}, &RocpdReader::take_string);
    each("rocpd_info_category", {"id", "name"}, &RocpdReader::take_category);
    each("rocpd_info_process", {"id", "pid", "command", "name"}, &RocpdReader::take_process);
    each("rocpd_info_thread", {"id", "tid", "name"}, &RocpdReader::take_thread);
    each("rocpd_info_agent",
         {"id", "type", "type_index", "product_name", "name", "generic_name", "extdata"},
         &RocpdReader::take_agent);
    each("rocpd_info_queue", {"id", "name"}, &RocpdReader::take_queue);
    each("rocpd_info_kernel_symbol",
         {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count",
          "group_segment_size"},
         &RocpdReader::take_symbol);
    each("rocpd_track", {"id", "pid", "tid", "agent_id", "queue_id", "name_id"},
         &RocpdReader::take_track);
    each("rocpd_info_pmc", {"id", "name", "symbol", "agent_id"}, &RocpdReader::take_counter);
    each("rocpd_timestamp", {"id", "value"}, &RocpdReader::take_timestamp);
    std::ranges::sort(now_.timestamps);
    each("rocpd_event", {"id", "category_id", "stack_id", "extdata"}, &RocpdReader::take_event);
    std::ranges::stable_sort(now_.events, {}, &Event::id);
    each("rocpd_pmc_event", {"event_id", "pmc_id", "value"}, &RocpdReader::take_measured);
    std::ranges::stable_sort(now_.measured, {}, &Measured::event);
}

void RocpdReader::take_metadata(const SqliteRows& rows) {
    if (rows.text(0) == "schema_version")
        builder_.add_metadata("schema_version", quoted_text(rows.text(1)));
}

void RocpdReader::take_node(const SqliteRows& rows) {
    if (!rows.text(0).empty()) builder_.add_metadata("hostname", quoted_text(rows.text(0)));
}

void RocpdReader::take_string(const SqliteRows& rows) {
    now_.strings.try_emplace(rows.number(0), rows.text(1));
}

void RocpdReader::take_category(const SqliteRows& rows) {
    now_.categories.try_emplace(rows.number(0), rows.text(1));
}

// The column `environment` may contain secrets, and is never read.
void RocpdReader::take_process(const SqliteRows& rows) {
    std::string pid = std::to_string(rows.number(1, rows.number(0, 0)));
    // Recordings of several machines may share a pid.
    for (int i = 2; pids_.contains(pid); ++i)
        pid = fmt::format("{} · {}", rows.number(1, rows.number(0, 0)), i);
    own_pids_.insert(pid);
    const LocalId local = sink_.process(pid);
    now_.processes.try_emplace(rows.number(0), local);
    std::string name(rows.text(3));
    if (name.empty()) name = rocm_process_name(words_of(rows.text(2)));
    if (!name.empty()) sink_.name_process(local, sink_.text(name), 0);
    if (!rows.text(2).empty()) builder_.add_metadata("command", quoted_text(rows.text(2)));
}

void RocpdReader::take_thread(const SqliteRows& rows) {
    now_.threads.try_emplace(rows.number(0),
                             Thread{rows.number(1, rows.number(0)), std::string(rows.text(2))});
}

void RocpdReader::take_agent(const SqliteRows& rows) {
    RocmAgent made;
    made.is_gpu = rows.text(1) == "GPU";
    made.device.id =
        static_cast<int32_t>(std::clamp<int64_t>(rows.number(2, 0), 0, int64_t{INT32_MAX}));
    for (int column = 3; column <= 5 && made.device.name.empty(); ++column)
        made.device.name = repair_bytes(rows.text(column));
    if (rows.is_bytes(6)) ++packed_texts_;
    const nlohmann::json more = parsed(rows.text(6));
    if (more.is_object())
        for (const auto& [name, value] : more.items())
            if (value.is_number_integer()) add_rocm_fact(made.device, name, value.get<int64_t>());
    complete_rocm_device(made.device);
    now_.agents.try_emplace(rows.number(0), std::move(made));
}

void RocpdReader::take_queue(const SqliteRows& rows) {
    now_.queues.try_emplace(rows.number(0), rows.text(1));
}

void RocpdReader::take_symbol(const SqliteRows& rows) {
    RocmKernelSymbol symbol;
    symbol.name = rocm_kernel_name(rows.text(1).empty() ? rows.text(2) : rows.text(1));
    symbol.vgprs = rows.number(3, -1);
    symbol.accumulation_vgprs = rows.number(4, -1);
    symbol.sgprs = rows.number(5, -1);
    symbol.static_lds_bytes = rows.number(6, -1);
    now_.kernels.try_emplace(rows.number(0), std::move(symbol));
}

void RocpdReader::take_track(const SqliteRows& rows) {
    now_.tracks.try_emplace(rows.number(0), Track{rows.number(1), rows.number(2), rows.number(3),
                                                  rows.number(4), rows.number(5)});
}

void RocpdReader::take_counter(const SqliteRows& rows) {
    const std::string_view name = rows.text(1).empty() ? rows.text(2) : rows.text(1);
    now_.counters.try_emplace(rows.number(0), Counter{std::string(name), rows.number(3)});
}

void RocpdReader::take_timestamp(const SqliteRows& rows) {
    now_.timestamps.emplace_back(rows.number(0), rows.number(1));
}

void RocpdReader::take_event(const SqliteRows& rows) {
    Event event{rows.number(0), rows.number(1), rows.number(2), 0};
    if (rows.is_bytes(3)) ++packed_texts_;
    if (const std::string_view text = rows.text(3);
        text.find("\"message\"") != std::string_view::npos) {
        const nlohmann::json more = parsed(text);
        const auto message = more.is_object() ? more.find("message") : more.end();
        if (message != more.end() && message->is_string())
            event.message = sink_.text(message->get<std::string>());
    }
    now_.events.push_back(event);
}

void RocpdReader::take_measured(const SqliteRows& rows) {
    if (std::isfinite(rows.real(2)))
        now_.measured.push_back({rows.number(0), rows.number(1), rows.real(2), source(rows)});
}

void RocpdReader::add_devices() {
    std::set<int32_t> made;
    std::ranges::stable_sort(devices_, {}, [](const auto& one) { return one.second.id; });
    for (auto& [process, device] : devices_)
        if (events_.devices().contains({process, device.id}) && made.insert(device.id).second)
            builder_.add_device(device);
}

void RocpdReader::warn_of_unread() {
    builder_.warn("untried_writer", Error::no_offset,
                  "this reader was written from the format's schema, and not yet tried on a file "
                  "of its writer: compare its figures with those of rocpd's own tools");
    if (packed_texts_ > 0)
        builder_.warn("packed_texts", Error::no_offset,
                      fmt::format("{} texts are compressed with lz4, and were not read: texts of "
                                  "ranges and facts of GPUs may be missing",
                                  packed_texts_));
    std::vector<std::string_view> unread;
    for (const SqliteTable& table : file_.tables()) {
        std::string_view base;
        std::string_view suffix;
        const bool is_known = split_rocpd_table(table.name, base, suffix);
        if (!is_known && table.name.starts_with("rocpd_") && file_.count(table) > 0)
            unread.push_back(table.name);
    }
    if (!unread.empty())
        builder_.warn("unread_tables", Error::no_offset,
                      fmt::format("tables that are not known, and were not read: {}",
                                  fmt::join(unread, ", ")));
}

}  // namespace lanescope
