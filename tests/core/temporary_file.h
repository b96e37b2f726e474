// A file in a folder of its own, removed at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace lanescope::testing {

class TemporaryFile {
  public:
    explicit TemporaryFile(std::string_view bytes, const std::string& name = "trace.json") {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lanescope-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        path_ = folder_ / name;
        write(bytes);
    }
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::string path() const { return path_.string(); }
    std::string folder() const { return folder_.string(); }
    void write(std::string_view bytes) const {
        std::ofstream file(path_, std::ios::binary | std::ios::trunc);
        file << bytes;
    }

  private:
    std::filesystem::path folder_;
    std::filesystem::path path_;
};

}  // namespace lanescope::testing
