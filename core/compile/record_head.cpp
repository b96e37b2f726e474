#include "core/compile/record_head.h"

#include <algorithm>
#include <utility>

namespace lanescope {

namespace {

constexpr int64_t kMostAttempts = 1'000'000;

// The first key of an object: the type of the record.
std::string first_key(std::string_view text) {
    const std::size_t begin = text.find('"');
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin + 1, text.find('"', begin + 1) - begin - 1));
}

}  // namespace

RecordJson parsed_json(std::string_view text) {
    return record_json<RecordJson>(text);
}

std::string text_at(const RecordJson& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<RecordHead> read_record_head(std::string_view text) {
    RecordJson all = parsed_json(text);
    RecordHead head;
    head.kind = first_key(text);
    if (!all.is_object() || !all.contains(head.kind)) return std::nullopt;
    head.about = std::move(all[head.kind]);
    if (head.kind == "artifact" && head.about.is_object()) {
        head.kind = text_at(head.about, "name");
    }
    const auto number = [&](const char* key) {
        const auto found = all.find(key);
        return found != all.end() && found->is_number_integer() ? found->get<int64_t>()
                                                                : int64_t{-1};
    };
    head.id = {number("compiled_autograd_id"), number("frame_id"), number("frame_compile_id")};
    head.attempt = std::clamp<int64_t>(number("attempt"), 0, kMostAttempts);
    head.rank = number("rank");
    return head;
}

}  // namespace lanescope
