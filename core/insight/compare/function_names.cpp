#include "core/insight/compare/function_names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>

namespace lanescope {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "<built-in method run of Engine object at 0x7f3a>" without " at 0x7f3a".
void remove_addresses(std::string& name) {
    constexpr std::string_view kAddress = " at 0x";
    for (std::size_t at = 0; (at = name.find(kAddress, at)) != std::string::npos;) {
        std::size_t end = at + kAddress.size();
        while (end < name.size() && std::isxdigit(static_cast<unsigned char>(name[end]))) ++end;
        name.erase(at, end - at);
    }
}

}  // namespace

std::string function_name(std::string_view name) {
    std::string text(name);
    remove_addresses(text);
    const std::size_t colon = text.find("): ");
    if (colon == std::string::npos) return text;
    const std::size_t open = text.rfind('(', colon);
    if (open == std::string::npos || open + 1 == colon ||
        !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                     text.begin() + static_cast<std::ptrdiff_t>(colon), is_digit))
        return text;
    const std::size_t folder = text.find_last_of("/\\", open);
    const std::size_t file = folder == std::string::npos ? 0 : folder + 1;
    return text.substr(file, open - file) + text.substr(colon + 1);
}

std::string_view name_of_any_instance(std::string_view name) {
    if (!name.starts_with("nn.Module: ")) return name;
    std::size_t end = name.size();
    while (end > 0 && is_digit(name[end - 1])) --end;
    return end > 0 && end < name.size() && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

// Never 0, which means: shapes do not matter.
uint64_t hash_of_name(std::string_view name) {
    return std::max<uint64_t>(std::hash<std::string_view>()(name), 1);
}

}  // namespace lanescope
