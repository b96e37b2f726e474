#include "ui/panels/save_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

std::string save_text(std::string_view what, std::string_view name, std::string_view extension,
                      const std::string& text) {
    const std::string path = free_path(name, extension);
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int reason = errno;
    if (file && std::fclose(file) == 0 && written) return fmt::format("{} saved as {}", what, path);
    return fmt::format("Cannot save {}: {}", path, std::strerror(reason));
}

}  // namespace lanescope
