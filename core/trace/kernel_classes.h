// KernelClasses: what a user says of kernels by their names, in place of what the names tell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace re2 {
class RE2;
}

namespace lanescope {

struct Trace;

// How a kernel counts in figures of computing and communication.
enum class KernelWork : uint8_t { compute, communication, both };

struct KernelClass {
    std::string pattern;             // a regular expression, found anywhere in the name
    std::optional<KernelWork> work;  // none: as recognised by name
    std::string group;               // for tables by group; empty: as recognised by name
};

class KernelClasses {
  public:
    // Reads a JSON object of patterns in order of precedence:
    //     {"my_gather": {"class": "communication", "group": "gathers"}, …}
    // "class" is "compute", "communication" or "compute and communication"; one of the two members
    // may be absent. Errors, with the position: no such object, a pattern that is no regular
    // expression, an unknown class or member.
    static Result<KernelClasses> parse(std::string_view json);

    // The first class whose pattern fits a part of the name, plain or mangled; null: none.
    const KernelClass* find(std::string_view name) const;
    // The classes of `first`, then these.
    void put_first(const KernelClasses& first);
    bool empty() const { return classes_.empty(); }

  private:
    std::vector<KernelClass> classes_;
    std::vector<std::shared_ptr<const re2::RE2>> expressions_;  // one for each class
};

using KernelClassesPtr = std::shared_ptr<const KernelClasses>;

// Counts the trace's kernels by these classes: sets Trace::kernel_classes and the names' traits.
void apply_classes(Trace& trace, KernelClassesPtr classes);

}  // namespace lanescope
