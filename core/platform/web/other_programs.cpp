// A page starts no program, and none gives traces to it.
#include <string>

#include "core/session/reuse.h"
#include "core/source/child_output.h"

namespace lanescope {

Result<ChildEnd> read_child(const std::vector<std::string>& words,
                            const std::function<Result<void>(std::string_view)>& /*take*/,
                            const std::atomic<bool>* /*cancel*/) {
    return Error{ErrorCode::unsupported, Error::no_offset,
                 words.front() + " cannot be run by a page of a browser"};
}

struct ReuseListener::State {};

ReuseRules reuse_rules_here() {
    return {};
}

bool give_to_window(const std::vector<std::string>& /*paths*/, const ReuseRules& /*rules*/) {
    return false;
}

ReuseListener::ReuseListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReuseListener::~ReuseListener() = default;

std::unique_ptr<ReuseListener> ReuseListener::open(const ReuseRules& /*rules*/,
                                                   std::function<void()> /*wake*/) {
    return nullptr;
}

void ReuseListener::claim() {}

std::vector<std::string> ReuseListener::take() {
    return {};
}

}  // namespace lanescope
