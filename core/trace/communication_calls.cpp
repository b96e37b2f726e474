#include "core/trace/communication_calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/category.h"
#include "core/trace/kernel_classes.h"
#include "core/trace/kernel_family.h"
#include "core/trace/query.h"
#include "core/trace/trace.h"

namespace lanescope {

namespace {

constexpr uint8_t kLaunchesToLookAt = 64;  // per kernel name

enum class Evidence : uint8_t { open, not_looked_for, communicates };

// Whether the word stands between other letters and digits: "all_reduce" in "one_shot_all_reduce_".
bool has_word(std::string_view name, std::string_view word) {
    const auto is_inside = [&](std::size_t at) {
        return at < name.size() && std::isalnum(static_cast<unsigned char>(name[at])) != 0;
    };
    for (std::size_t at = name.find(word); at != std::string_view::npos;
         at = name.find(word, at + 1))
        if (!(at > 0 && is_inside(at - 1)) && !is_inside(at + word.size())) return true;
    return false;
}

// "vllm::all_reduce", "c10d::allgather_", "_c10d_functional::reduce_scatter_tensor",
// "symm_mem::one_shot_all_reduce". Names without "::" are of ranges, which people choose. Operators
// that only prepare communication or wait for it ("moe::all_to_all_metadata") do not communicate.
bool names_communication(std::string_view name) {
    constexpr std::array<std::string_view, 3> libraries = {
        "c10d::", "_c10d_functional::", "symm_mem::"};
    constexpr std::array<std::string_view, 8> calls = {
        "all_reduce", "allreduce",      "all_gather",    "allgather",
        "all_to_all", "reduce_scatter", "reducescatter", "alltoall"};
    constexpr std::array<std::string_view, 4> others = {"prepare", "metadata", "indices", "wait"};
    if (name == "record_param_comms") return true;
    const std::size_t end = name.rfind("::");
    if (end == std::string_view::npos) return false;
    const std::string_view last = name.substr(end + 2);
    const auto is_in_last = [&](std::string_view word) { return has_word(last, word); };
    if (std::ranges::any_of(others, is_in_last)) return false;
    return std::ranges::any_of(libraries,
                               [&](std::string_view one) { return name.starts_with(one); }) ||
           std::ranges::any_of(calls, is_in_last);
}

class CommunicationFinder {
  public:
    explicit CommunicationFinder(const Trace& trace)
        : trace_(trace), communicates_(trace.strings.size()) {
        for (StringId name = 0; name < communicates_.size(); ++name) {
            communicates_[name] = names_communication(trace.strings[name]);
            any_ = any_ || communicates_[name];
        }
    }

    bool any() const { return any_; }

    // Whether the innermost operator with a telling name around the call communicates.
    bool is_around(SliceRef call) const {
        for (SliceRef at = parent_of(trace_, call); at; at = parent_of(trace_, at)) {
            const EventClass kind = trace_.event_class(at);
            if (kind != EventClass::op && kind != EventClass::communication) continue;
            if (communicates_[trace_.name_id(at)]) return true;
            if (family_of_operator(trace_.name(at)) != KernelFamily::other) return false;
        }
        return false;
    }

    // Whether the kernel's own name does not show what it does.
    bool is_unknown(SliceRef kernel) const {
        const std::string_view name = trace_.name(kernel);
        return trace_.event_class(kernel) == EventClass::kernel &&
               family_of_kernel(name) == KernelFamily::other &&
               !(trace_.kernel_classes && trace_.kernel_classes->find(name));
    }

  private:
    const Trace& trace_;
    std::vector<bool> communicates_;  // by StringId
    bool any_ = false;
};

}  // namespace

void count_communication_of_operators(Trace& trace) {
    const CommunicationFinder finder(trace);
    if (!finder.any()) return;
    std::vector<Evidence> evidence(trace.name_traits.size(), Evidence::open);
    std::vector<uint8_t> looked_at(trace.name_traits.size(), 0);
    for (const Link& link : trace.links) {
        if (link.kind != LinkKind::launch) continue;
        const StringId name = trace.name_id(link.to);
        if (name >= evidence.size() || evidence[name] == Evidence::not_looked_for ||
            looked_at[name] == kLaunchesToLookAt)
            continue;
        const bool communicates =
            (looked_at[name] > 0 || finder.is_unknown(link.to)) && finder.is_around(link.from);
        ++looked_at[name];
        evidence[name] = communicates ? Evidence::communicates : Evidence::not_looked_for;
    }
    for (StringId name = 0; name < evidence.size(); ++name)
        if (evidence[name] == Evidence::communicates) trace.name_traits[name] |= kCollectiveKernel;
}

}  // namespace lanescope
