// KernelClasses: a user's classification of kernels by name, which replaces the built-in one.
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

// How a kernel counts in figures on computing and communication.
enum class KernelWork : uint8_t { compute, communication, both };

struct KernelClass {
    std::string pattern;             // regular expression, matched anywhere in the name
    std::optional<KernelWork> work;  // none: as recognised by name
    std::string group;               // group in tables by group; empty: as recognised by name
};

class KernelClasses {
  public:
    // Parses a JSON object with patterns, the highest precedence first:
    //     {"my_gather": {"class": "communication", "group": "gathers"}, …}
    // "class" is "compute", "communication" or "compute and communication". One of the two members
    // may be omitted. Errors, with the position: not such an object, an invalid regular expression,
    // an unknown class or member.
    static Result<KernelClasses> parse(std::string_view json);

    // The first class whose pattern matches a part of the name, plain or mangled; null: none.
    const KernelClass* find(std::string_view name) const;
    // Puts the classes of `first` before these classes.
    void put_first(const KernelClasses& first);
    bool empty() const { return classes_.empty(); }

  private:
    std::vector<KernelClass> classes_;
    std::vector<std::shared_ptr<const re2::RE2>> expressions_;  // one for each class
};

using KernelClassesPtr = std::shared_ptr<const KernelClasses>;

// Applies the classes to a trace: sets Trace::kernel_classes and the traits of names.
void apply_classes(Trace& trace, KernelClassesPtr classes);

}  // namespace lanescope
