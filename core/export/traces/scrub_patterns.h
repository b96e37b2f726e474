// ScrubPatterns: finds paths, addresses, URLs and secrets in a text, and replaces them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// The number of different texts in which something of a kind ("path") was replaced.
using ScrubCounts = std::map<std::string, uint64_t>;

class ScrubPatterns {
  public:
    ScrubPatterns();
    ~ScrubPatterns();
    ScrubPatterns(const ScrubPatterns&) = delete;
    ScrubPatterns& operator=(const ScrubPatterns&) = delete;

    // Paths keep their file names.
    std::string without_paths(std::string_view plain, ScrubCounts& counts) const;
    // To be called after without_paths(), since parts of a path may look like these.
    std::string without_secrets(std::string_view plain, ScrubCounts& counts) const;
    // The names of users in paths below /home and the like.
    std::vector<std::string> users_in(std::string_view text) const;

  private:
    struct Expressions;
    std::unique_ptr<const Expressions> expressions_;
};

// A value of numbers only, such as "0x7f00", "4 bytes", "[1, 2]", "True" and "".
bool is_plain_value(std::string_view text);
// Returns the part after the last slash or backslash.
std::string_view last_component(std::string_view path);

}  // namespace lanescope
