// Reads facts of the export, of devices, and names of processes and threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/ingest/nsight/nsight_format.h"
#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

namespace {

constexpr int64_t kWarningMessage = 2;
constexpr int64_t kErrorMessage = 3;
constexpr std::size_t kMostMessages = 8;
constexpr int64_t kNullStream = 3;

std::string quoted_json(std::string_view text) {
    return nlohmann::json(std::string(text))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view last_part_of_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

void NsightReader::read_facts(const SqliteTable& table) {
    constexpr std::array<std::string_view, 2> columns = {"name", "value"};
    read_table(table.name, columns, &NsightReader::take_fact);
}

void NsightReader::take_fact(const SqliteRows& rows) {
    const std::string_view name = rows.text(0);
    const std::string value(rows.text(1));
    if (name == "EXPORT_PRODUCT_NAME") product_ = value + product_;
    if (name == "EXPORT_PRODUCT_VERSION") product_ += ' ' + value;
    if (name == "EXPORT_PARAM_TIME_NORMALIZE") has_shifted_times_ |= value == "true";
    if (name == "EXPORT_PARAM_TIME_SHIFT") has_shifted_times_ |= !value.empty() && value != "0";
    if (name == "EXPORT_SCHEMA_VERSION")
        builder_.add_metadata("schema_version", quoted_json(value));
}

void NsightReader::read_clock(const SqliteTable& table) {
    constexpr std::array<std::string_view, 1> columns = {"utcEpochNs"};
    read_table(table.name, columns, &NsightReader::take_clock);
}

void NsightReader::take_clock(const SqliteRows& rows) {
    const int64_t start = rows.number(0);
    if (start > 0 && !has_shifted_times_)
        builder_.add_metadata(std::string(kNsightClock), std::to_string(start));
}

void NsightReader::read_device_numbers(const SqliteTable& table) {
    constexpr std::array<std::string_view, 2> columns = {"gpuId", "cudaId"};
    read_table(table.name, columns, &NsightReader::take_device_number);
}

// Processes may number devices differently; the first number is used.
void NsightReader::take_device_number(const SqliteRows& rows) {
    ordinals_.try_emplace(rows.number(0), rows.number(1));
}

void NsightReader::read_contexts(const SqliteTable& table) {
    constexpr std::array<std::string_view, 3> columns = {"processId", "contextId", "deviceId"};
    read_table(table.name, columns, &NsightReader::take_context);
}

void NsightReader::take_context(const SqliteRows& rows) {
    device_of_context_[{rows.number(0), rows.number(1)}] = rows.number(2, 0);
}

void NsightReader::read_devices(const SqliteTable& table) {
    constexpr std::array<std::string_view, 19> columns = {"id",
                                                          "name",
                                                          "cuDevice",
                                                          "totalMemory",
                                                          "computeMajor",
                                                          "computeMinor",
                                                          "smCount",
                                                          "threadsPerWarp",
                                                          "l2CacheSize",
                                                          "maxWarpsPerSm",
                                                          "maxThreadsPerBlock",
                                                          "maxRegistersPerBlock",
                                                          "maxRegistersPerSm",
                                                          "maxShmemPerBlock",
                                                          "maxShmemPerBlockOptin",
                                                          "maxShmemPerSm",
                                                          "maxBlocksPerSm",
                                                          "memoryBandwidth",
                                                          "clockRate"};
    read_table(table.name, columns, &NsightReader::take_device);
}

void NsightReader::take_device(const SqliteRows& rows) {
    const int64_t number = rows.number(0);
    const auto known = ordinals_.find(number);
    if (known == ordinals_.end() && !ordinals_.empty()) return;  // no process used it
    const int64_t ordinal = known == ordinals_.end() ? rows.number(2, number) : known->second;
    if (ordinal < 0 || ordinal > INT32_MAX) return;
    ordinals_.try_emplace(number, ordinal);
    Device made;
    made.id = static_cast<int32_t>(ordinal);
    made.name = repair_bytes(rows.text(1));
    const auto add = [&](DeviceFact fact, int64_t value) {
        if (value > 0) made.facts[fact] = value;
    };
    add(DeviceFact::memory_bytes, rows.number(3));
    if (rows.number(4) > 0) {
        made.facts[DeviceFact::compute_major] = rows.number(4);
        made.facts[DeviceFact::compute_minor] = std::max<int64_t>(rows.number(5, 0), 0);
    }
    add(DeviceFact::multiprocessors, rows.number(6));
    const int64_t warp = rows.number(7, 0);
    add(DeviceFact::warp_size, warp);
    add(DeviceFact::l2_bytes, rows.number(8));
    constexpr int64_t most_threads = 1 << 20;
    const int64_t warps = rows.number(9, 0);
    if (warp > 0 && warps > 0 && warp <= most_threads && warps <= most_threads)
        made.facts[DeviceFact::max_threads_per_multiprocessor] = warp * warps;
    add(DeviceFact::max_threads_per_block, rows.number(10));
    add(DeviceFact::registers_per_block, rows.number(11));
    add(DeviceFact::registers_per_multiprocessor, rows.number(12));
    add(DeviceFact::shared_bytes_per_block, rows.number(13));
    add(DeviceFact::shared_bytes_per_block_optin, rows.number(14));
    add(DeviceFact::shared_bytes_per_multiprocessor, rows.number(15));
    for (const auto& [name, column] :
         {std::pair{"maxBlocksPerSm", 16}, {"memoryBandwidth", 17}, {"clockRate", 18}})
        if (rows.number(column) > 0) made.more[name] = rows.number(column);
    builder_.add_device(std::move(made));
}

void NsightReader::read_metric_names(const SqliteTable& table) {
    constexpr std::array<std::string_view, 3> columns = {"typeId", "metricId", "metricName"};
    read_table(table.name, columns, &NsightReader::take_metric_name);
}

void NsightReader::take_metric_name(const SqliteRows& rows) {
    metric_names_[{rows.number(0), rows.number(1)}] = sink_.text(rows.text(2));
}

void NsightReader::read_metrics(const SqliteTable& table) {
    constexpr std::array<std::string_view, 4> columns = {"timestamp", "typeId", "metricId",
                                                         "value"};
    read_table(table.name, columns, &NsightReader::take_metric);
}

// Metrics belong to a GPU, not to a process; they are shown at the first process that used the GPU.
LocalId NsightReader::metric_lane(int64_t type) {
    const int64_t number = type & 0xFF;
    const auto [found, is_new] = metric_lanes_.try_emplace(number, 0);
    if (!is_new) return found->second;
    const auto known = ordinals_.find(number);
    const int64_t ordinal = known == ordinals_.end() ? number : known->second;
    const auto used = std::ranges::find_if(
        devices_, [&](const auto& device) { return device.first.second == ordinal; });
    const LocalId on =
        used != devices_.end()
            ? used->second
            : sink_.device(processes_.empty() ? sink_.process("") : processes_.begin()->second,
                           static_cast<uint32_t>(ordinal));
    found->second = sink_.curves(on);
    return found->second;
}

void NsightReader::take_metric(const SqliteRows& rows) {
    const std::optional<Nanos> at = time(rows, 0);
    if (!at || !std::isfinite(rows.real(3))) return add_unreadable(source(rows));
    const int64_t type = rows.number(1, 0);
    const int64_t metric = rows.number(2, 0);
    const auto [name, is_new] = metric_names_.try_emplace({type, metric}, 0);
    if (is_new) name->second = sink_.text(fmt::format("metric {}", metric));
    sink_.counter(metric_lane(type), *at, name->second, sink_.text(""), rows.real(3),
                  sink_.category(kNsightValue), source(rows));
}

void NsightReader::read_messages(const SqliteTable& table) {
    constexpr std::array<std::string_view, 2> columns = {"severity", "text"};
    read_table(table.name, columns, &NsightReader::take_message);
}

void NsightReader::take_message(const SqliteRows& rows) {
    const int64_t severity = rows.number(0, 0);
    if (severity < kWarningMessage) return;
    Messages& messages = messages_[severity >= kErrorMessage ? 1 : 0];
    std::string text = repair_bytes(rows.text(1));
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    const bool is_new = messages.hashes.insert(std::hash<std::string>()(text)).second;
    if (is_new && messages.first.size() < kMostMessages) messages.first.push_back(std::move(text));
}

void NsightReader::read_process_names(const SqliteTable& table) {
    constexpr std::array<std::string_view, 2> columns = {"globalPid", "name"};
    read_table(table.name, columns, &NsightReader::take_process_name);
    for (const auto& [global, name] : process_names_)
        sink_.name_process(processes_[global], name.name, name.source);
    for (const auto& [key, device] : devices_)
        if (const auto name = process_names_.find(key.first); name != process_names_.end())
            sink_.name_process(device, name->second.name, name->second.source);
}

void NsightReader::take_process_name(const SqliteRows& rows) {
    const auto known = processes_.find(rows.number(0));
    if (known == processes_.end()) return;
    std::string text(last_part_of_path(rows.text(1)));
    if (const auto rank = ranks_.find(known->first); rank != ranks_.end())
        text += fmt::format(" · rank {}", rank->second);
    process_names_[known->first] = {sink_.text(text), source(rows)};
}

void NsightReader::read_thread_names(const SqliteTable& table) {
    constexpr std::array<std::string_view, 2> columns = {"globalTid", "nameId"};
    read_table(table.name, columns, &NsightReader::take_thread_name);
}

void NsightReader::take_thread_name(const SqliteRows& rows) {
    const int64_t global_tid = rows.number(0);
    const LocalId name = string(rows.number(1));
    if (const auto known = threads_.find(global_tid); known != threads_.end())
        sink_.name_lane(known->second, name, source(rows));
    if (const auto known = sampled_threads_.find(global_tid); known != sampled_threads_.end())
        sink_.name_lane(known->second, sink_.text(fmt::format("{} · samples", sink_[name])),
                        source(rows));
}

void NsightReader::read_stream_names(const SqliteTable& table) {
    constexpr std::array<std::string_view, 4> columns = {"processId", "contextId", "streamId",
                                                         "flag"};
    read_table(table.name, columns, &NsightReader::take_stream_name);
}

void NsightReader::take_stream_name(const SqliteRows& rows) {
    if (rows.number(3) != kNullStream) return;
    const int64_t stream_id = rows.number(2);
    const auto known = streams_of_context_.find({rows.number(0), rows.number(1), stream_id});
    if (known == streams_of_context_.end()) return;
    const LocalId name = sink_.text(fmt::format("stream {} (default)", stream_id));
    for (const LocalId lane : known->second) sink_.name_lane(lane, name, source(rows));
    streams_of_context_.erase(known);
}

void NsightReader::finish_facts() {
    if (!product_.empty())
        builder_.add_metadata(std::string(kNsightProduct), quoted_json(product_));
    constexpr std::array<const char*, 2> codes = {"profiler_warning", "profiler_error"};
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::vector<std::string>& texts = messages_[i].first;
        const std::size_t all = messages_[i].hashes.size();
        if (all == 0) continue;
        std::string text = fmt::format("{}", fmt::join(texts, "; "));
        if (all > texts.size()) text += fmt::format("; and {} more", all - texts.size());
        builder_.warn(codes[i], Error::no_offset, fmt::format("Nsight Systems says: {}", text));
    }
}

}  // namespace lanescope
