#include "core/ingest/whole_json/json_probe.h"

#include "core/ingest/json/json_cursor.h"
#include "core/source/text_source.h"

namespace lanescope {

JsonProbe::JsonProbe(std::string_view start) {
    if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
    const std::size_t first = start.find_first_not_of(" \n\r\t");
    if (first == std::string_view::npos || (start[first] != '{' && start[first] != '[')) return;
    text_.reserve(start.size() + kTextPadding);
    text_.append(start.substr(first));
    const std::size_t size = text_.size();
    text_.append(kTextPadding, '\0');
    JsonCursor at{text_.data(), text_.data() + size};
    std::string_view raw;
    if (*at.p == '{') {
        read_members(at, [&](std::string_view name) {
            const bool whole = at.read_value(raw);
            members_.emplace_back(name,
                                  raw.substr(0, static_cast<std::size_t>(at.end - raw.data())));
            return whole;
        });
        return;
    }
    ++at.p;
    at.skip_space();
    if (at.at_end() || *at.p == ']') return;
    at.read_value(raw);
    first_element_ = raw;
}

std::string_view JsonProbe::value(std::string_view name) const {
    for (const auto& [member, raw] : members_)
        if (member == name) return raw;
    return {};
}

}  // namespace lanescope
