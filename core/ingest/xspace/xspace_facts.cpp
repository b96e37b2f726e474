// Reads what an XSpace says of itself, its hosts and devices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/ingest/xspace/xspace_reader.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostMessages = 8;

std::string json_text(std::string_view text) {
    return nlohmann::json(std::string(text))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The value of a number in a smaller unit.
std::optional<int64_t> in_units(const XspaceValue& value, double factor) {
    const double number = value.kind == XspaceValue::Kind::real
                              ? value.real
                              : static_cast<double>(value.as_number().value_or(0));
    const double scaled = number * factor;
    if (!(scaled >= 1) || scaled > 9e18) return std::nullopt;
    return std::llround(scaled);
}

// A stat of a device that has another name in traces, or other units.
struct KnownStat {
    std::string_view name;
    std::string_view as;
    double factor;
};
constexpr KnownStat kDeviceStats[] = {
    {"clock_rate", "clockRate", 1},              // kHz
    {"memory_bandwidth", "memoryBandwidth", 1},  // bytes a second
    {"peak_teraflops_per_second", "peak_flops_per_second", 1e12},
    {"peak_hbm_bw_gigabytes_per_second", "peak_hbm_bytes_per_second", 1e9},
    {"peak_cmem_rd_bw_gigabytes_per_second", "peak_cmem_read_bytes_per_second", 1e9},
    {"peak_cmem_wr_bw_gigabytes_per_second", "peak_cmem_write_bytes_per_second", 1e9},
    {"peak_vmem_rd_bw_gigabytes_per_second", "peak_vmem_read_bytes_per_second", 1e9},
    {"peak_vmem_wr_bw_gigabytes_per_second", "peak_vmem_write_bytes_per_second", 1e9},
    {"peak_sram_rd_bw_gigabytes_per_second", "peak_sram_read_bytes_per_second", 1e9},
    {"peak_sram_wr_bw_gigabytes_per_second", "peak_sram_write_bytes_per_second", 1e9},
};

std::string listed(const std::vector<std::string>& messages) {
    std::string text;
    for (std::size_t i = 0; i < std::min(messages.size(), kMostMessages); ++i)
        text += (i == 0 ? "" : "; ") + repair_bytes(messages[i]);
    if (messages.size() > kMostMessages)
        text += fmt::format("; and {} more", messages.size() - kMostMessages);
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return text;
}

}  // namespace

void XspaceReader::read_facts() {
    read_clock();
    read_hosts();
    std::string producer;
    for (const XspacePlane& plane : index_.planes) {
        const std::optional<XspaceDevice> device = xspace_device(plane.name);
        if (device && device->rest.empty() && plane.repetition == 0)
            add_device_facts(plane, *device);
        each_xspace_plane_stat(plane, [&](std::string_view name, const XspaceValue& value) {
            if (value.kind != XspaceValue::Kind::text) return;
            if (name == "jax_version" && producer.empty())
                producer = fmt::format("JAX {}", value.text);
        });
    }
    if (!producer.empty()) builder_.add_metadata(std::string(kXspaceProducer), json_text(producer));
}

// Times are relative to the profile's start, unless a writer left them since 1970.
void XspaceReader::read_clock() {
    for (const XspacePlane& plane : index_.planes) {
        if (plane.name != "Task Environment" || base_ != 0) continue;
        const Nanos start = xspace_plane_stat(plane, "profile_start_time").as_number().value_or(0);
        if (start >= kXspaceAbsolute) base_ = start;
    }
    if (base_ == 0) {
        Nanos first = INT64_MAX;
        for (const XspacePlane& plane : index_.planes)
            for (const XspaceLine& line : plane.lines)
                if (line.timestamp_ns >= kXspaceAbsolute)
                    first = std::min(first, line.timestamp_ns);
        if (first != INT64_MAX) base_ = first;
    }
    if (base_ != 0) builder_.add_metadata(std::string(kXspaceClock), std::to_string(base_));
}

// Files of several hosts may be joined into one, so that planes repeat.
void XspaceReader::read_hosts() {
    std::map<uint32_t, std::string> pids;
    for (const XspacePlane& plane : index_.planes) {
        if (plane.lines.empty() && plane.stats.empty()) continue;
        Host& host = hosts_[plane.repetition];
        if (host.process != kNoLocalId) continue;
        const std::optional<int64_t> pid = xspace_plane_stat(plane, "process_id").as_number();
        if (pid) pids.try_emplace(plane.repetition, std::to_string(*pid));
    }
    for (auto& [repetition, host] : hosts_) {
        const std::string name = repetition < index_.host_names.size()
                                     ? repair_bytes(index_.host_names[repetition])
                                     : std::string();
        std::string pid = pids.contains(repetition) ? pids[repetition] : "host";
        if (repetition > 0) pid += fmt::format(" ({})", repetition + 1);
        host.process = sink_.process(pid);
        sink_.name_process(host.process, sink_.text(name.empty() ? "host" : name), 0);
    }
}

void XspaceReader::add_device_facts(const XspacePlane& plane, const XspaceDevice& of) {
    Device made;
    made.id = static_cast<int32_t>(of.ordinal);
    std::string vendor;
    each_xspace_plane_stat(plane, [&](std::string_view name, const XspaceValue& value) {
        if (value.kind == XspaceValue::Kind::text) {
            if (name == "device_type_string") made.name = repair_bytes(value.text);
            if (name == "device_vendor") vendor = repair_bytes(value.text);
            return;
        }
        const auto set = [&](std::string_view stat, DeviceFact fact) {
            const std::optional<int64_t> number = value.as_number();
            if (name == stat && number && *number >= 0) made.facts[fact] = *number;
        };
        set("core_count", DeviceFact::multiprocessors);
        set("memory_size", DeviceFact::memory_bytes);
        set("compute_cap_major", DeviceFact::compute_major);
        set("compute_cap_minor", DeviceFact::compute_minor);
        for (const KnownStat& known : kDeviceStats)
            if (name == known.name)
                if (const std::optional<int64_t> number = in_units(value, known.factor))
                    made.more[std::string(known.as)] = *number;
    });
    if (made.name.empty()) made.name = vendor.empty() ? std::string(of.kind) : vendor;
    if (!plane.lines.empty() || !made.facts.empty() || !made.more.empty())
        builder_.add_device(std::move(made));
}

// Reads the XLA programs whose instructions the events name.
void XspaceReader::read_programs() {
    for (const XspacePlane& plane : index_.planes) {
        if (plane.name != "/host:metadata" || is_stopped()) continue;
        XspaceText text(job_.input);
        each_xspace_metadata(text, plane, [&](uint64_t, const XspaceEventMetadata& metadata) {
            for (const std::string_view bytes : metadata.stats) {
                int64_t id = 0;
                XspaceValue value;
                if (!read_xspace_stat(bytes, plane.stat_names, id, value) ||
                    value.kind != XspaceValue::Kind::bytes ||
                    plane.stat_names.name(id) != "Hlo Proto")
                    continue;
                const HloAdded added = programs_.add(value.text);
                if (added == HloAdded::damaged) ++damaged_programs_;
                if (added == HloAdded::too_much) ++programs_left_out_;
            }
        });
    }
}

void XspaceReader::warn_of_file() {
    if (index_.end == XspaceEnd::cut)
        builder_.warn("truncated_file", index_.end_position,
                      "the file ends within a record; everything before it was read");
    if (index_.end == XspaceEnd::damaged)
        builder_.warn("damaged_record", index_.end_position,
                      "a record that cannot be; nothing after it in the same plane or line was "
                      "read");
    std::vector<std::string> left;
    if (index_.unread_planes > 0) left.push_back(fmt::format("{} planes", index_.unread_planes));
    if (index_.unread_lines > 0) left.push_back(fmt::format("{} lines", index_.unread_lines));
    if (!left.empty())
        builder_.warn("too_many_lines", Error::no_offset,
                      fmt::format("{} that were not read", fmt::join(left, " and ")));
    if (const uint64_t unread = index_.unread_metadata + unread_metadata_; unread > 0)
        builder_.warn("damaged_names", Error::no_offset,
                      fmt::format("{} names of events or values that cannot be read", unread));
    if (damaged_programs_ > 0)
        builder_.warn("programs_not_read", Error::no_offset,
                      fmt::format("{} programs of XLA that are damaged: their instructions have no "
                                  "operators and lines",
                                  damaged_programs_));
    if (programs_left_out_ > 0)
        builder_.warn(
            "too_many_programs", Error::no_offset,
            fmt::format("{} programs of XLA that were not read, because all programs together need "
                        "more than {} of memory or are too many: their instructions have no "
                        "operators and lines",
                        programs_left_out_,
                        format_bytes(static_cast<int64_t>(HloPrograms::kMostBytes))));
    if (!untried_.empty())
        builder_.warn("untried_writer", Error::no_offset,
                      fmt::format("not yet tried on a file of this writer: {}; please check the "
                                  "figures",
                                  fmt::join(untried_, ", ")));
    if (sums_ > 0)
        builder_.warn(
            "events_without_time", Error::no_offset,
            fmt::format("{} sums of several events, which have no time; they are left out", sums_));
    for (const auto& [code, messages] :
         {std::pair{"profiler_error", &index_.errors}, {"profiler_warning", &index_.warnings}})
        if (!messages->empty())
            builder_.warn(code, Error::no_offset,
                          fmt::format("the profiler says: {}", listed(*messages)));
}

}  // namespace lanescope
