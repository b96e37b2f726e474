// JsonProbe: the members of the object that a file begins with, as far as the beginning shows them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope {

class JsonProbe {
  public:
    explicit JsonProbe(std::string_view start);

    // The value as written, perhaps cut; empty: the beginning has no such member.
    std::string_view value(std::string_view name) const;
    bool has(std::string_view name) const { return !value(name).empty(); }
    // The first element of the list that the file begins with, as written, perhaps cut; empty: it
    // begins otherwise.
    std::string_view first_element() const { return first_element_; }

  private:
    std::string text_;  // with padding
    std::vector<std::pair<std::string_view, std::string_view>> members_;
    std::string_view first_element_;
};

}  // namespace lanescope
