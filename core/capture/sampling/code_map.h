// Maps the code addresses of processes to files, as mappings come and go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture/sampling/perf_records.h"

namespace lanescope {

// A file, or the kernel's name for code outside of files: "[vdso]", "//anon".
struct CodeImage {
    std::string path;
    std::string build_id;  // empty: not known
    uint32_t pid = 0;      // a process that has mapped it, through which the file can be found
};

// A position in an image.
struct CodePlace {
    uint32_t image = 0;  // index in CodeMaps::images()
    uint64_t offset = 0;
};

class CodeMaps {
  public:
    // Processes mappings, forks, execs and exits; other records are ignored.
    void take(const PerfRecord& record);
    // Empty if no mapping is known.
    std::optional<CodePlace> find(uint32_t pid, uint64_t address) const;
    // Whether any mapping of the process is known.
    bool knows(uint32_t pid) const { return of_process_.contains(pid); }

    const std::vector<CodeImage>& images() const { return images_; }

  private:
    struct Mapping {
        uint64_t end = 0;
        uint64_t offset = 0;
        uint32_t image = 0;
    };
    using Map = std::map<uint64_t, Mapping>;  // by begin, without overlaps

    void add(const PerfRecord& mapping);
    uint32_t image_of(const PerfRecord& mapping);

    std::map<uint32_t, std::shared_ptr<Map>> of_process_;  // shared by two processes after a fork
    std::vector<CodeImage> images_;
    std::map<std::pair<std::string, std::string>, uint32_t> known_images_;
};

}  // namespace lanescope
