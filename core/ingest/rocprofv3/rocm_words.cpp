// Interprets the words in rocprofv3's files.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/rocprofv3/rocm_events.h"
#include "core/ingest/sqlite_file/sqlite_trace.h"

namespace lanescope {

namespace {

// "Host" for "HOST".
std::string capitalised(std::string_view word) {
    std::string text(word);
    for (std::size_t i = 1; i < text.size(); ++i)
        if (text[i] >= 'A' && text[i] <= 'Z') text[i] = static_cast<char>(text[i] - 'A' + 'a');
    return text;
}

std::string_view last_part(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

uint32_t dimension_of(int64_t value) {
    return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, UINT32_MAX));
}

}  // namespace

RocmDomain rocm_domain(std::string_view domain) {
    constexpr std::array<std::pair<std::string_view, RocmDomain>, 6> known = {
        {{"HIP_", RocmDomain::hip},
         {"HSA_", RocmDomain::hsa},
         {"RCCL_", RocmDomain::rccl},
         {"MARKER_", RocmDomain::marker},
         {"ROCTX", RocmDomain::marker},
         {"SCRATCH_", RocmDomain::scratch}}};
    for (const auto& [start, meaning] : known)
        if (domain.starts_with(start)) return meaning;
    return RocmDomain::other;
}

std::string rocm_copy_name(std::string_view operation) {
    constexpr std::string_view start = "MEMORY_COPY_";
    constexpr std::string_view middle = "_TO_";
    std::string_view kind = operation;
    if (kind.starts_with(start)) kind.remove_prefix(start.size());
    const std::size_t to = kind.find(middle);
    if (to == std::string_view::npos || to == 0 || to + middle.size() == kind.size())
        return operation.empty() ? "copy" : std::string(operation);
    const std::string from = capitalised(kind.substr(0, to));
    const std::string target = capitalised(kind.substr(to + middle.size()));
    return fmt::format("Memcpy {}to{} ({} -> {})", from[0], target[0], from, target);
}

std::string rocm_kernel_name(std::string_view name) {
    for (const std::string_view end : {" [clone .kd]", ".kd"})
        if (name.ends_with(end)) name.remove_suffix(end.size());
    std::string plain = demangled_name(std::string(name));
    return plain.empty() ? std::string(name) : plain;
}

LaunchConfig rocm_config(const int64_t (&grid)[3], const int64_t (&workgroup)[3]) {
    LaunchConfig config;
    for (int i = 0; i < 3; ++i) {
        const int64_t block = std::max<int64_t>(workgroup[i], 0);
        const int64_t items = std::max<int64_t>(grid[i], 0);
        config.block[i] = dimension_of(block);
        config.grid[i] =
            dimension_of(block > 0 ? items / block + (items % block != 0 ? 1 : 0) : items);
    }
    return config;
}

std::string rocm_process_name(const std::vector<std::string>& command) {
    if (command.empty()) return {};
    std::string name(last_part(command.front()));
    for (std::size_t i = 1; i < command.size(); ++i) {
        if (command[i].empty() || command[i].starts_with('-')) continue;
        const std::string_view script = last_part(command[i]);
        if (script.ends_with(".py")) name += fmt::format(" {}", script);
        break;
    }
    return name;
}

}  // namespace lanescope
