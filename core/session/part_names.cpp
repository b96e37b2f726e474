#include "core/session/part_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "core/analysis/collectives/message_shape.h"

namespace lanescope {

namespace {

// Names up to this length are not shortened.
constexpr std::size_t kShortEnough = 16;

std::string stem(const std::string& path) {
    std::string name = std::filesystem::path(path).filename().string();
    for (const std::string_view ending : {".gz", ".zst", ".json", ".trace", ".pt"})
        if (name.size() > ending.size() && name.ends_with(ending))
            name.resize(name.size() - ending.size());
    return name;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
}

std::size_t common_begin(const std::vector<std::string>& names) {
    std::size_t length = names.front().size();
    for (const std::string& name : names)
        length = static_cast<std::size_t>(
            std::ranges::mismatch(names.front().begin(),
                                  names.front().begin() + static_cast<std::ptrdiff_t>(length),
                                  name.begin(), name.end())
                .in1 -
            names.front().begin());
    // "rank-10" and "rank-11" differ in 10 and 11.
    while (length > 0 && is_word(names.front()[length - 1])) --length;
    return length;
}

// Cuts off the common beginning and end of all names.
void cut_common(std::vector<std::string>& names) {
    const std::size_t begin = common_begin(names);
    for (std::string& name : names) name.erase(0, begin);
    for (std::string& name : names) std::ranges::reverse(name);
    const std::size_t end = common_begin(names);
    for (std::string& name : names) {
        name.erase(0, end);
        std::ranges::reverse(name);
    }
}

void make_distinct(std::vector<std::string>& names) {
    std::set<std::string> taken;
    for (std::string& name : names) {
        const std::string plain = name;
        for (int number = 2; !taken.insert(name).second; ++number)
            name = fmt::format("{} ({})", plain, number);
    }
}

std::vector<std::string> rank_names(const std::vector<TraceFile>& files) {
    std::set<int64_t> ranks;
    std::vector<std::string> names;
    for (const TraceFile& file : files) {
        if (file.rank < 0 || !ranks.insert(file.rank).second) return {};
        names.push_back(fmt::format("rank {}", file.rank));
    }
    return names;
}

}  // namespace

std::vector<std::string> part_names(const std::vector<TracePtr>& traces) {
    std::vector<TraceFile> files;
    files.reserve(traces.size());
    for (const TracePtr& trace : traces) files.push_back({trace->path, own_rank(*trace)});
    return part_names(files);
}

std::vector<std::string> part_names(const std::vector<TraceFile>& files) {
    if (std::vector<std::string> ranks = rank_names(files); !ranks.empty()) return ranks;
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const TraceFile& file : files) names.push_back(stem(file.path));
    std::vector<std::string> cut = names;
    const bool some_long =
        std::ranges::any_of(names, [](const auto& name) { return name.size() > kShortEnough; });
    if (some_long && names.size() > 1) cut_common(cut);
    const bool all_left = std::ranges::none_of(cut, [](const auto& name) { return name.empty(); });
    if (all_left) names = std::move(cut);
    make_distinct(names);
    return names;
}

std::vector<JoinPart> named_parts(const std::vector<TracePtr>& traces,
                                  const std::vector<Nanos>& offsets) {
    std::vector<JoinPart> parts;
    parts.reserve(traces.size());
    const std::vector<std::string> names = part_names(traces);
    for (std::size_t i = 0; i < traces.size(); ++i)
        parts.push_back({traces[i], offsets[i], names[i]});
    return parts;
}

}  // namespace lanescope
