// JsonProbe: the members of the object at the start of a file, as far as they are in the probed
// text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope {

class JsonProbe {
  public:
    explicit JsonProbe(std::string_view start);

    // The raw value, possibly truncated; empty: not in the probed text.
    std::string_view value(std::string_view name) const;
    bool has(std::string_view name) const { return !value(name).empty(); }
    // The raw first element of the list at the start of the file, possibly truncated; empty: the
    // file does not start with a list.
    std::string_view first_element() const { return first_element_; }

  private:
    std::string text_;  // with padding bytes
    std::vector<std::pair<std::string_view, std::string_view>> members_;
    std::string_view first_element_;
};

}  // namespace lanescope
