#include "core/trace/communication_calls.h"

#include <algorithm>
#include <array>
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

constexpr uint8_t kLaunchesToLookAt = 64;  // of one kernel

enum class Evidence : uint8_t { open, not_looked_for, communicates };

// "vllm::all_reduce", "c10d::allgather_", "_c10d_functional::reduce_scatter_tensor",
// "symm_mem::one_shot_all_reduce". Names without "::" are of ranges, which people choose.
bool names_communication(std::string_view name) {
    constexpr std::array words = {"c10d::",    "symm_mem::",        "all_reduce",     "allreduce",
                                  "allgather", "all_gather",        "reduce_scatter", "all_to_all",
                                  "alltoall",  "record_param_comms"};
    return name.find("::") != std::string_view::npos &&
           std::ranges::any_of(words, [&](std::string_view word) {
               return name.find(word) != std::string_view::npos;
           });
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

    // Whether the innermost operator around the call whose name says what it does communicates.
    bool is_around(SliceRef call) const {
        for (SliceRef at = parent_of(trace_, call); at; at = parent_of(trace_, at)) {
            const EventClass kind = trace_.event_class(at);
            if (kind != EventClass::op && kind != EventClass::communication) continue;
            if (communicates_[trace_.name_id(at)]) return true;
            if (family_of_operator(trace_.name(at)) != KernelFamily::other) return false;
        }
        return false;
    }

    // Whether only the operator can say what the kernel does.
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
