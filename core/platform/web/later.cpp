#include "core/platform/web/later.h"

#include <deque>
#include <utility>

namespace lanescope {

namespace {

std::deque<std::function<void()>>& queue() {
    static std::deque<std::function<void()>> waiting;
    return waiting;
}

}  // namespace

void run_later(std::function<void()> work) {
    queue().push_back(std::move(work));
}

bool run_one_later() {
    if (queue().empty()) return false;
    const std::function<void()> work = std::move(queue().front());
    queue().pop_front();
    work();
    return true;
}

bool has_later() {
    return !queue().empty();
}

}  // namespace lanescope
