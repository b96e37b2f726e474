#include "core/ingest/xspace/xspace_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "core/trace/demangle.h"

namespace lanescope {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "copy-done" for "copy-done.4".
std::string_view without_number(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == name.size() ||
        !std::ranges::all_of(name.substr(dot + 1), is_digit))
        return name;
    return name.substr(0, dot);
}

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

// "Pageable" for "pageable", "HostPinned" for "host_pinned".
std::string capitalised(std::string_view word) {
    std::string result(word);
    if (!result.empty() && result[0] >= 'a' && result[0] <= 'z')
        result[0] = static_cast<char>(result[0] - 'a' + 'A');
    return result;
}

std::string_view memory_of(char side) {
    return side == 'H' ? "Host" : "Device";
}

}  // namespace

CategoryWord xspace_call_category(std::string_view name) {
    if (name.starts_with("hip")) return {"hip_runtime", EventClass::runtime, kLaunchCall};
    if (name.starts_with("cuda")) return {"cuda_runtime", EventClass::runtime, kLaunchCall};
    if (name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z')
        return {"cuda_driver", EventClass::runtime, kLaunchCall};
    return {"gpu_runtime", EventClass::runtime, kLaunchCall};
}

XspaceOp xspace_op(std::string_view name, std::string_view hlo_category) {
    constexpr std::array<std::string_view, 7> waits = {
        "dependency-wait", "barrier-cores", "infeed",    "outfeed",
        "host recv",       "host send",     "idle-wait",
    };
    constexpr std::array<std::string_view, 3> regions = {"while", "conditional", "call"};
    constexpr std::array<std::string_view, 9> collectives = {"all-reduce",
                                                             "all-gather",
                                                             "reduce-scatter",
                                                             "all-to-all",
                                                             "collective-permute",
                                                             "collective-broadcast",
                                                             "ragged-all-to-all",
                                                             "send",
                                                             "recv"};
    for (const std::string_view word : {hlo_category, without_number(name)}) {
        if (word.ends_with("-done") || is_one_of(word, waits)) return XspaceOp::wait;
        if (word.ends_with("-start")) return XspaceOp::work;  // only starts a transfer
        if (is_one_of(word, regions)) return XspaceOp::region;
        const std::string_view first = word.substr(0, word.find(' '));  // "all-reduce fusion"
        if (is_one_of(first, collectives)) return XspaceOp::collective;
    }
    return XspaceOp::work;
}

XspaceLineKind xspace_line_kind(std::string_view name) {
    if (name.starts_with("Stream ") || name.starts_with("Stream#")) return XspaceLineKind::stream;
    if (name == "XLA Ops") return XspaceLineKind::ops;
    if (name == "Async XLA Ops") return XspaceLineKind::async;
    if (name == "XLA TraceMe") return XspaceLineKind::waits;
    if (name == "Steps") return XspaceLineKind::steps;
    return XspaceLineKind::derived;
}

std::optional<int64_t> xspace_stream_number(std::string_view line) {
    const std::size_t mark = line.find('#');
    if (mark == std::string_view::npos) return std::nullopt;
    const std::string_view number = line.substr(mark + 1);
    return xspace_number(number.substr(0, number.find_first_not_of("0123456789")));
}

std::optional<XspaceDevice> xspace_device(std::string_view plane) {
    constexpr std::string_view start = "/device:";
    if (!plane.starts_with(start)) return std::nullopt;
    XspaceDevice device;
    const std::string_view words = plane.substr(start.size());
    const std::size_t colon = words.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    device.kind = words.substr(0, colon);
    const std::string_view number = words.substr(colon + 1);
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, device.ordinal);
    if (error != std::errc() || device.ordinal > INT32_MAX) return std::nullopt;
    device.rest = number.substr(static_cast<std::size_t>(stop - number.data()));
    const std::size_t word = device.rest.find_first_not_of(' ');
    device.rest = word == std::string_view::npos ? std::string_view() : device.rest.substr(word);
    return device;
}

std::string xspace_python_name(std::string_view name) {
    if (!name.starts_with('$')) return {};
    name.remove_prefix(1);
    const std::size_t blank = name.find(' ');
    const std::size_t colon = name.substr(0, blank).rfind(':');
    if (blank == std::string_view::npos || colon == std::string_view::npos || colon == 0 ||
        colon + 1 == blank ||
        !std::ranges::all_of(name.substr(colon + 1, blank - colon - 1), is_digit))
        return std::string(name);
    return fmt::format("{}({}): {}", name.substr(0, colon),
                       name.substr(colon + 1, blank - colon - 1), name.substr(blank + 1));
}

std::string xspace_kernel_name(std::string_view name) {
    if (name.starts_with("_Z")) return demangled(name);
    constexpr std::string_view descriptor = ".kd";
    if (name.ends_with(descriptor) && name.size() > descriptor.size())
        name.remove_suffix(descriptor.size());
    return std::string(name);
}

std::string xspace_copy_name(std::string_view name, std::string_view details) {
    const std::size_t two = name.find('2');
    const bool has_sides = name.starts_with("Memcpy") && two != std::string_view::npos && two > 0 &&
                           two + 1 < name.size();
    if (!has_sides) return std::string(name);
    const char from = name[two - 1];
    const char to = name[two + 1];
    const auto memory = [&](std::string_view key, char side) {
        const std::string_view kind = xspace_detail(details, key);
        return kind.empty() || kind == "Unknown" ? std::string(memory_of(side)) : capitalised(kind);
    };
    return fmt::format("Memcpy {}to{} ({} -> {})", from, to, memory("kind_src", from),
                       memory("kind_dst", to));
}

std::string_view xspace_detail(std::string_view details, std::string_view key) {
    for (std::size_t at = 0; at < details.size();) {
        const std::size_t begin = details.find_first_not_of(' ', at);
        if (begin == std::string_view::npos) break;
        const std::size_t end = std::min(details.find(' ', begin), details.size());
        const std::string_view pair = details.substr(begin, end - begin);
        if (pair.size() > key.size() && pair.starts_with(key) && pair[key.size()] == ':')
            return pair.substr(key.size() + 1);
        at = end;
    }
    return {};
}

std::optional<int64_t> xspace_number(std::string_view text) {
    int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
    return value;
}

namespace {

// Parses "16,1,1". False, and `into` unchanged: not three valid launch dimensions.
bool read_dimensions(std::string_view text, uint32_t (&into)[3]) {
    uint32_t found[3] = {};
    for (int i = 0; i < 3; ++i) {
        const std::size_t end = i < 2 ? text.find(',') : text.size();
        if (end == std::string_view::npos) return false;
        const std::optional<int64_t> value = xspace_number(text.substr(0, end));
        if (!value || *value < 1 || *value > INT32_MAX) return false;
        found[i] = static_cast<uint32_t>(*value);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::ranges::copy(found, into);
    return true;
}

int64_t amount(std::string_view details, std::string_view key) {
    const std::optional<int64_t> value = xspace_number(xspace_detail(details, key));
    return value && *value >= 0 && *value <= INT32_MAX ? *value : -1;
}

}  // namespace

LaunchConfig xspace_launch_config(std::string_view details) {
    LaunchConfig config;
    if (!read_dimensions(xspace_detail(details, "grid"), config.grid) ||
        !read_dimensions(xspace_detail(details, "block"), config.block))
        return {};
    config.registers_per_thread = static_cast<int32_t>(amount(details, "regs"));
    const int64_t fixed = amount(details, "static_shared");
    const int64_t dynamic = amount(details, "dynamic_shared");
    if (fixed >= 0 && dynamic >= 0) {
        config.static_shared_bytes = fixed;
        config.shared_memory_bytes = fixed + dynamic;
    }
    for (const char* const key : {"shm", "group_mem"})
        if (config.shared_memory_bytes < 0) config.shared_memory_bytes = amount(details, key);
    // 0: the writer did not compute it.
    const std::string written(xspace_detail(details, "occ_pct"));
    const double occupancy = written.empty() ? 0 : std::strtod(written.c_str(), nullptr);
    if (occupancy > 0 && occupancy <= 100)
        config.kineto_occupancy_percent = static_cast<int32_t>(occupancy + 0.5);
    return config;
}

XspaceShapes xspace_shapes(std::string_view text) {
    if (text.size() < 2 || !text.starts_with('(') || !text.ends_with(')')) return {};
    text = text.substr(1, text.size() - 2);
    XspaceShapes shapes{"[", "["};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view one = text.substr(0, end);
        const std::size_t open = one.find('[');
        if (open == std::string_view::npos || !one.ends_with(']')) return {};
        const std::string_view sizes = one.substr(open + 1, one.size() - open - 2);
        if (sizes.find_first_not_of("0123456789,?-") != std::string_view::npos) return {};
        if (shapes.dims.size() > 1) shapes.dims += ", ", shapes.types += ", ";
        shapes.dims += '[';
        for (const char c : sizes) shapes.dims += c == ',' ? std::string(", ") : std::string(1, c);
        shapes.dims += ']';
        shapes.types += fmt::format("\"{}\"", one.substr(0, open));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    shapes.dims += ']';
    shapes.types += ']';
    return shapes;
}

std::optional<int32_t> xspace_device_of_allocator(std::string_view allocator) {
    for (const std::string_view start : {"GPU_", "TPU_"}) {
        if (!allocator.starts_with(start)) continue;
        const std::string_view number = allocator.substr(start.size());
        const std::optional<int64_t> found = xspace_number(number.substr(0, number.find('_')));
        if (found && *found >= 0 && *found <= INT32_MAX) return static_cast<int32_t>(*found);
    }
    return std::nullopt;
}

std::string_view xspace_thread_name(std::string_view line, int64_t id) {
    constexpr int64_t most_of_linux = int64_t{1} << 22;
    const std::size_t slash = line.rfind('/');
    if (slash == std::string_view::npos || slash == 0 || (id >= 0 && id <= most_of_linux))
        return line;
    const std::optional<int64_t> number = xspace_number(line.substr(slash + 1));
    if (!number) return line;
    const bool is_its_id = *number == id || static_cast<uint32_t>(*number) ==
                                                static_cast<uint64_t>(id);  // written as 32 bits
    return is_its_id ? line.substr(0, slash) : line;
}

}  // namespace lanescope
