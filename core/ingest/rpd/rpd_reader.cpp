#include "core/ingest/rpd/rpd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace lanescope {

namespace {

constexpr CategoryWord kRpdCall = {"hip_runtime", EventClass::runtime, kLaunchCall};
constexpr CategoryWord kRpdOperator = {"cpu_op", EventClass::op};
constexpr CategoryWord kRpdRange = {"user_annotation", EventClass::annotation};
constexpr CategoryWord kRpdKernel = {"kernel", EventClass::kernel, kGpuActivity};
constexpr CategoryWord kRpdCopy = {"gpu_memcpy", EventClass::memory, kGpuActivity};
constexpr CategoryWord kRpdSet = {"gpu_memset", EventClass::memory, kGpuActivity};
constexpr CategoryWord kRpdOverhead = {"overhead", EventClass::overhead};
constexpr CategoryWord kRpdValue = {"monitor"};

// Calls of the profiler itself.
bool is_profilers_own(std::string_view call) {
    return call.ends_with("::writeRows") || call == "rpdflush" || call == "hcc_activity_callback";
}

// "Memcpy HtoD (Host -> Device)" for "CopyHostToDevice"; empty: not a copy.
std::string rpd_copy_name(std::string_view kind) {
    constexpr std::string_view start = "Copy";
    constexpr std::string_view middle = "To";
    const std::size_t to = kind.find(middle, start.size());
    if (!kind.starts_with(start) || to == std::string_view::npos) return {};
    const std::string_view from = kind.substr(start.size(), to - start.size());
    const std::string_view target = kind.substr(to + middle.size());
    if (from.empty() || target.empty()) return {};
    return fmt::format("Memcpy {}to{} ({} -> {})", from[0], target[0], from, target);
}

uint32_t size_of_dimension(const SqliteRows& rows, int column) {
    return static_cast<uint32_t>(std::clamp<int64_t>(rows.number(column, 0), 0, UINT32_MAX));
}

}  // namespace

std::string RpdTexts::value(std::string_view name, int64_t id) {
    const auto known = tables_.try_emplace(name, file_, name, "string").first;
    return std::string(known->second.text(id));
}

std::string RpdTexts::argument(int64_t id) {
    return value(file_.find("rocpd_ustring") ? "rocpd_ustring" : "rocpd_string", id);
}

const std::string& RpdReader::text(int64_t id) {
    const auto [found, is_new] = known_texts_.try_emplace(id);
    if (is_new) found->second = texts_.text(id);
    return found->second;
}

LocalId RpdReader::thread(int64_t pid, int64_t tid) {
    const auto [found, is_new] = threads_.try_emplace({pid, tid}, 0);
    if (is_new)
        found->second = sink_.thread(sink_.process(std::to_string(pid)), std::to_string(tid));
    return found->second;
}

LocalId RpdReader::device(int64_t pid, int64_t gpu) {
    const auto [found, is_new] = devices_.try_emplace({pid, gpu}, 0);
    if (is_new)
        found->second =
            sink_.device(sink_.process(std::to_string(pid)), static_cast<uint32_t>(gpu));
    return found->second;
}

Result<void> RpdReader::run() {
    constexpr std::array<std::string_view, 8> of_launches = {
        "api_ptr_id", "gridX",      "gridY",      "gridZ",
        "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize"};
    each_row("rocpd_kernelapi", of_launches, [this](const SqliteRows& r) { take_launch(r); });
    constexpr std::array<std::string_view, 2> of_copies = {"api_ptr_id", "size"};
    each_row("rocpd_copyapi", of_copies,
             [this](const SqliteRows& r) { copied_bytes_[r.number(0)] = r.number(1); });
    constexpr std::array<std::string_view, 3> of_operators = {"api_ptr_id", "seq", "sizes"};
    each_row("ext_autogradapi", of_operators, [this](const SqliteRows& r) { take_operator(r); });
    constexpr std::array<std::string_view, 7> of_calls = {"start",      "end",     "pid", "tid",
                                                          "apiName_id", "args_id", "id"};
    each_row("rocpd_api", of_calls, [this](const SqliteRows& r) { take_call(r); });
    constexpr std::array<std::string_view, 2> of_links = {"op_id", "api_id"};
    each_row("rocpd_api_ops", of_links,
             [this](const SqliteRows& r) { call_of_work_.try_emplace(r.number(0), r.number(1)); });
    constexpr std::array<std::string_view, 7> of_work = {
        "start", "end", "gpuId", "queueId", "description_id", "opType_id", "id"};
    each_row("rocpd_op", of_work, [this](const SqliteRows& r) { take_work(r); });
    constexpr std::array<std::string_view, 4> of_values = {"start", "deviceId", "monitorType",
                                                           "value"};
    each_row("rocpd_monitor", of_values, [this](const SqliteRows& r) { take_value(r); });
    sink_.flush();
    if (is_stopped()) return why_stopped();
    warn_of_file();
    return {};
}

void RpdReader::take_launch(const SqliteRows& rows) {
    LaunchConfig config;
    for (int i = 0; i < 3; ++i) {
        config.grid[i] = size_of_dimension(rows, 1 + i);
        config.block[i] = size_of_dimension(rows, 4 + i);
    }
    config.shared_memory_bytes = std::max<int64_t>(rows.number(7), -1);
    launches_[rows.number(0)] = config;
}

void RpdReader::take_operator(const SqliteRows& rows) {
    operators_[rows.number(0)] = {rows.number(1), sink_.text(rows.text(2))};
}

void RpdReader::take_call(const SqliteRows& rows) {
    const std::optional<Span> at = span(rows);
    if (!at) return;
    const int64_t pid = rows.number(2, 0);
    if (calls_.empty()) first_pid_ = pid;
    const std::string& name = text(rows.number(4));
    // This call states the grid in work-items, like the hardware.
    const int64_t id = rows.number(6, rows.row());
    calls_[id] = {pid, name == "hipExtModuleLaunchKernel"};
    const LocalId lane = thread(pid, rows.number(3, 0));
    if (name == "UserMarker") return take_marker(rows, *at, lane);
    const bool is_own = is_profilers_own(name);
    const uint32_t event =
        add_slice(lane, *at, sink_.text(name), is_own ? kRpdOverhead : kRpdCall, source(rows));
    if (!is_own) sink_.attach<RuntimeFacts>(event).correlation = id;
}

void RpdReader::take_marker(const SqliteRows& rows, const Span& at, LocalId lane) {
    const LocalId name = sink_.text(texts_.argument(rows.number(5)));
    const auto found = operators_.find(rows.number(6, rows.row()));
    if (found == operators_.end()) {
        add_slice(lane, at, name, kRpdRange, source(rows));
        return;
    }
    auto& row = sink_.attach<OperatorFacts>(add_slice(lane, at, name, kRpdOperator, source(rows)));
    row.sequence = found->second.sequence;
    row.input_dims = found->second.sizes;
}

LaunchConfig RpdReader::config_of(int64_t call, bool counts_work_items) const {
    const auto found = launches_.find(call);
    if (found == launches_.end()) return {};
    LaunchConfig config = found->second;
    for (int i = 0; i < 3; ++i)
        if (counts_work_items && config.block[i] > 0)
            config.grid[i] =
                config.grid[i] / config.block[i] + (config.grid[i] % config.block[i] != 0 ? 1 : 0);
    return config;
}

void RpdReader::take_work(const SqliteRows& rows) {
    const std::optional<Span> at = span(rows);
    if (!at) return;
    const auto linked = call_of_work_.find(rows.number(6, rows.row()));
    const int64_t call = linked == call_of_work_.end() ? kNoValue : linked->second;
    const auto caller = calls_.find(call);
    const bool is_known = caller != calls_.end();
    const std::string& kind = text(rows.number(5));
    const std::string copy = rpd_copy_name(kind);
    const bool is_set = kind == "FillBuffer";
    const bool is_kernel = copy.empty() && !is_set;
    LocalId name = 0;
    if (is_kernel) {
        const auto [known, is_new] = kernel_names_.try_emplace(rows.number(4), 0);
        if (is_new) {
            const std::string& written = text(rows.number(4));
            const std::string plain = demangled_name(written);
            known->second = sink_.text(!plain.empty() ? plain : !written.empty() ? written : kind);
        }
        name = known->second;
    } else {
        name = sink_.text(is_set ? "Memset (Device)" : copy);
    }
    const int64_t gpu = rows.number(2, 0);
    const int64_t queue = rows.number(3, 0);
    const LocalId lane = sink_.stream(device(is_known ? caller->second.pid : first_pid_, gpu),
                                      std::to_string(queue));
    auto& row = sink_.attach<GpuFacts>(add_slice(lane, *at, name,
                                                 is_kernel ? kRpdKernel
                                                 : is_set  ? kRpdSet
                                                           : kRpdCopy,
                                                 source(rows)));
    row.correlation = call;
    row.device = gpu >= 0 && gpu <= INT32_MAX ? static_cast<int32_t>(gpu) : -1;
    row.stream = queue >= 0 && queue <= INT32_MAX ? static_cast<int32_t>(queue) : -1;
    if (is_kernel && is_known) row.config = config_of(call, caller->second.counts_work_items);
    if (const auto bytes = copied_bytes_.find(call); !is_kernel && bytes != copied_bytes_.end())
        row.bytes = bytes->second;
}

void RpdReader::take_value(const SqliteRows& rows) {
    const std::optional<Nanos> at = time(rows, 0);
    const std::string written(rows.text(3));
    const double value = written.empty() ? rows.real(3) : std::strtod(written.c_str(), nullptr);
    if (!at || !std::isfinite(value)) return add_unreadable(source(rows));
    sink_.counter(sink_.curves(device(first_pid_, rows.number(1, 0))), *at,
                  sink_.text(rows.text(2)), sink_.text(""), value, sink_.category(kRpdValue),
                  source(rows));
}

}  // namespace lanescope
