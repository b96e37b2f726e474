#include "core/compile/compiled_code.h"

#include <array>
#include <charconv>
#include <optional>

namespace lanescope {

namespace {

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::optional<int64_t> whole_number(std::string_view text) {
    int64_t value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || stop != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

}  // namespace

std::string_view grade_name(LinkGrade grade) {
    constexpr std::array<std::string_view, 6> names = {"id",   "nest", "order",
                                                       "name", "time", "guess"};
    return names[static_cast<std::size_t>(grade)];
}

std::string short_place(const SourceLine& line) {
    return std::string(file_name(line.file)) + ":" + std::to_string(line.line);
}

std::string text_of(const CompileId& id) {
    std::string text;
    if (id.autograd >= 0) text = "!" + std::to_string(id.autograd);
    if (id.frame < 0) return text;
    if (!text.empty()) text += '/';
    return text + std::to_string(id.frame) + "/" + std::to_string(id.number);
}

CompileId compile_id_of(std::string_view text) {
    CompileId id;
    if (text.starts_with('!')) {
        const std::size_t slash = text.find('/');
        const auto autograd = whole_number(text.substr(1, slash - 1));
        if (!autograd) return {};
        id.autograd = *autograd;
        if (slash == std::string_view::npos) return id;
        text.remove_prefix(slash + 1);
    }
    // The ID of a restarted compilation ends with the attempt: "0/0_1".
    text = text.substr(0, text.find('_'));
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return {};
    const auto frame = whole_number(text.substr(0, slash));
    const auto number = whole_number(text.substr(slash + 1));
    if (!frame || !number) return {};
    id.frame = *frame;
    id.number = *number;
    return id;
}

std::string code_stem(const CompiledGraph& graph) {
    const std::string_view name = file_name(graph.code_path);
    return std::string(name.substr(0, name.rfind('.')));
}

}  // namespace lanescope
