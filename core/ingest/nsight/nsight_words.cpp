#include "core/ingest/nsight/nsight_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lanescope {

namespace {

template <std::size_t n>
std::string_view nsight_word(const std::array<std::string_view, n>& words, int64_t number) {
    return number >= 0 && number < static_cast<int64_t>(n) ? words[static_cast<std::size_t>(number)]
                                                           : "Unknown";
}

std::string_view nsight_memory_name(int64_t kind) {
    constexpr std::array<std::string_view, 8> names = {"Pageable",       "Pinned",  "Device",
                                                       "Array",          "Managed", "Device Static",
                                                       "Managed Static", "Unknown"};
    return nsight_word(names, kind);
}

}  // namespace

std::string nsight_copy_name(int64_t kind, int64_t from, int64_t to) {
    constexpr std::array<std::string_view, 14> kinds = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                        "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                        "PtoP",    "HtoD", "DtoH", "DtoD"};
    // Unified memory migrates by itself; such copies state no kinds of memory.
    constexpr int64_t first_unified = 11;
    if (kind >= first_unified && kind < static_cast<int64_t>(kinds.size()))
        return fmt::format("Memcpy {} (Unified)", nsight_word(kinds, kind));
    return fmt::format("Memcpy {} ({} -> {})", nsight_word(kinds, kind), nsight_memory_name(from),
                       nsight_memory_name(to));
}

std::string nsight_set_name(int64_t memory) {
    return fmt::format("Memset ({})", nsight_memory_name(memory));
}

std::string_view nsight_sync_name(int64_t kind) {
    constexpr std::array<std::string_view, 5> names = {"Unknown", "Event Sync", "Stream Wait Event",
                                                       "Stream Sync", "Context Sync"};
    return nsight_word(names, kind);
}

bool nsight_is_host_memory(int64_t kind) {
    return kind == 0 || kind == 1;
}

std::string_view nsight_call_name(std::string_view name) {
    const std::size_t mark = name.rfind("_v");
    if (!name.starts_with("cuda") || mark == std::string_view::npos) return name;
    const std::string_view version = name.substr(mark + 2);
    // "_v2" of "cudaStreamGetCaptureInfo_v2" belongs to the name; version suffixes have at least
    // four digits.
    const bool is_version = version.size() >= 4 && std::ranges::all_of(version, [](char c) {
                                return c >= '0' && c <= '9';
                            });
    return is_version ? name.substr(0, mark) : name;
}

bool nsight_is_communication(std::string_view name) {
    constexpr std::array<std::string_view, 6> starts = {"nccl", "MPI_",   "nvshmem",
                                                        "ucp_", "shmem_", "rccl"};
    return std::ranges::any_of(starts, [&](auto start) { return name.starts_with(start); });
}

TorchRange read_torch_range(std::string_view text) {
    TorchRange range{text, kNoValue, {}, false};
    constexpr std::string_view sequence_mark = ", seq = ";
    constexpr std::string_view id_mark = ", op_id = ";
    constexpr std::string_view sizes_mark = ", sizes = ";
    const std::size_t sequence = text.find(sequence_mark);
    const std::size_t id = text.find(id_mark);
    const std::size_t sizes = text.find(sizes_mark);
    const std::size_t first = std::min({sequence, id, sizes});
    if (first == std::string_view::npos || first == 0) return range;
    range.name = text.substr(0, first);
    range.is_operator = true;
    if (sequence != std::string_view::npos) {
        const char* const digits = text.data() + sequence + sequence_mark.size();
        int64_t number = 0;
        if (std::from_chars(digits, text.data() + text.size(), number).ec == std::errc())
            range.sequence = number;
    }
    if (sizes != std::string_view::npos) {
        range.sizes = text.substr(sizes + sizes_mark.size());
        range.sizes = range.sizes.substr(0, range.sizes.find(", input_op_ids = "));
    }
    return range;
}

}  // namespace lanescope
