#include "core/ingest/spool/process_title.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope {

namespace {

constexpr std::size_t kMaxTitle = 48;  // bytes before the rank

std::string_view without_folder(std::string_view word) {
    const std::size_t slash = word.rfind('/');
    return slash == std::string_view::npos || slash + 1 == word.size() ? word
                                                                       : word.substr(slash + 1);
}

}  // namespace

std::string process_title(std::string_view name, std::string_view command, uint32_t rank_and_one) {
    std::string title;
    bool is_cut = false;
    for (std::size_t at = 0; at < command.size() && !is_cut;) {
        const std::size_t end = std::min(command.find(' ', at), command.size());
        const std::string_view word = without_folder(command.substr(at, end - at));
        at = end + 1;
        if (word.empty()) continue;
        is_cut = !title.empty() && title.size() + 1 + word.size() > kMaxTitle;
        if (!is_cut) title += fmt::format("{}{}", title.empty() ? "" : " ", word);
    }
    if (is_cut) title += " …";
    if (title.empty()) title = name;
    if (rank_and_one > 0) title += fmt::format(" · rank {}", rank_and_one - 1);
    return title;
}

}  // namespace lanescope
