#include "ui/features/lanes_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/base/utf8.h"
#include "core/session/small_file.h"

namespace lanescope {

namespace {

uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

LoadedLanes broken(const std::string& path, const ViewIndex& index, const std::string& why) {
    LoadedLanes loaded;
    loaded.arrangement = *index.first;
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
    const std::string whole_name = std::filesystem::path(text).filename().string();
    const std::string_view name = utf8_beginning(whole_name, 80);
    return fmt::format("{}/{}-{:016x}.json", folder, name, hash_of(text));
}

LoadedLanes load_lanes(const std::string& path, const ViewIndex& index) {
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return broken(path, index, text.error().text);
    if (!*text) return {.arrangement = *index.first, .message = {}};
    auto arrangement = parse_arrangement(**text, *index.trace);
    if (!arrangement) return broken(path, index, arrangement.error().text);
    LoadedLanes loaded;
    loaded.arrangement = std::move(*arrangement);
    loaded.is_old = is_old_arrangement(**text);
    if (loaded.is_old)
        loaded.message =
            "Lanes are pinned below the others now. Your hidden lanes, order and heights are kept, "
            "and so is the file of the older version, beside " +
            path + ".";
    return loaded;
}

Result<void> save_lanes(const LaneArrangement& arrangement, const ViewIndex& index,
                        const std::string& path) {
    if (const auto text = read_small_file(path); text && *text && is_old_arrangement(**text))
        if (const auto kept_as = rename_aside(path, "v1"); !kept_as) return kept_as.error();
    if (arrangement != *index.first)
        return write_small_file(path, arrangement_text(arrangement, *index.trace));
    std::error_code code;
    std::filesystem::remove(path, code);
    return {};
}

}  // namespace lanescope
