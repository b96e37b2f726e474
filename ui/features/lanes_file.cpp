#include "ui/features/lanes_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/session/small_file.h"

namespace lanescope {

namespace {

uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

LoadedLanes broken(const std::string& path, const std::string& why) {
    LoadedLanes loaded;
    const Result<std::string> kept_as = rename_broken(path);
    loaded.may_save = static_cast<bool>(kept_as);
    loaded.message =
        path + " is broken (" + why + "). " +
        (kept_as ? "It is kept as " + *kept_as + "; the lanes have their default arrangement."
                 : "It cannot be renamed, so the arrangement of lanes is not saved.");
    return loaded;
}

}  // namespace

std::string lanes_path(const std::string& folder, const std::string& trace_path) {
    if (folder.empty() || trace_path.empty()) return {};
    std::error_code code;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(trace_path, code);
    const std::string text = code ? trace_path : whole.string();
    const std::string name = std::filesystem::path(text).filename().string().substr(0, 80);
    return fmt::format("{}/{}-{:016x}.json", folder, name, hash_of(text));
}

LoadedLanes load_lanes(const std::string& path, const Trace& trace) {
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return broken(path, text.error().text);
    if (!*text) return {};
    auto arrangement = parse_arrangement(**text, trace);
    if (!arrangement) return broken(path, arrangement.error().text);
    LoadedLanes loaded;
    loaded.arrangement = std::move(*arrangement);
    return loaded;
}

Result<void> save_lanes(const LaneArrangement& arrangement, const Trace& trace,
                        const std::string& path) {
    if (arrangement != LaneArrangement{})
        return write_small_file(path, arrangement_text(arrangement, trace));
    std::error_code code;
    std::filesystem::remove(path, code);
    return {};
}

}  // namespace lanescope
