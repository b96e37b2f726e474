#include "ui/panels/save_file.h"

#include <fmt/format.h>

#include <filesystem>

namespace lanescope {

std::string free_path(std::string_view name, std::string_view extension) {
    std::error_code code;
    std::string path = fmt::format("{}.{}", name, extension);
    for (int n = 2; std::filesystem::exists(path, code); ++n)
        path = fmt::format("{}-{}.{}", name, n, extension);
    const auto whole = std::filesystem::absolute(path, code);
    return code ? path : whole.string();
}

}  // namespace lanescope
