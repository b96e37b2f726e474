#include "core/ingest/stacks/stack_slices.h"

#include <algorithm>

namespace lanescope {

void StackSlices::add(Nanos begin, Nanos end, std::span<const StackEntry> stack,
                      const CategoryWord& category) {
    if (!has_sample_ || begin != end_ || &category != category_) close(0);
    category_ = &category;
    put(begin, end, end - begin, stack);
}

void StackSlices::add_until(Nanos taken, Nanos period, Nanos cpu_time,
                            std::span<const StackEntry> stack) {
    // Every sample ends later than the previous sample, so that no slice has its parent's length
    // but an earlier end.
    const Nanos end = has_sample_ ? std::max(taken, end_ + 1) : taken;
    const Nanos first = end - period;
    const bool goes_on = has_sample_ && first - end_ <= period / 2;
    if (!goes_on) close(0);
    const Nanos begin = goes_on ? end_ : has_sample_ ? std::max(first, end_) : first;
    put(begin, end, cpu_time, stack);
}

void StackSlices::put(Nanos begin, Nanos end, Nanos cpu_time, std::span<const StackEntry> stack) {
    stack = stack.first(std::min(stack.size(), kDeepestSampledStack));
    std::size_t same = 0;
    for (; same < stack.size() && same < stack_.size(); ++same) {
        Call& call = stack_[same];
        if (call.frame.function != stack[same].function) break;
        ++call.samples;
        call.cpu_time += cpu_time;
    }
    close(same);
    for (std::size_t i = same; i < stack.size(); ++i)
        stack_.push_back({stack[i], begin, 1, cpu_time});
    end_ = end;
    has_sample_ = true;
}

// Ends all calls but the `kept` outermost ones, at the end of their last sample.
void StackSlices::close(std::size_t kept) {
    const bool waits = category_ == &kWaitingStack;
    for (std::size_t i = kept; i < stack_.size(); ++i) {
        const Call& call = stack_[i];
        auto& row = sink_.attach<SampleFacts>(
            sink_.slice(lane_, call.begin, end_ - call.begin, call.frame.name,
                        sink_.category(*category_), call.frame.source));
        row.samples = waits ? 1 : call.samples;
        if (category_ != &kPythonStack) row.cpu_time = call.cpu_time;
        row.module = call.frame.module;
    }
    stack_.resize(std::min(kept, stack_.size()));
}

Nanos sampling_interval(std::vector<Nanos>& distances, double share, Nanos otherwise) {
    if (distances.empty()) return otherwise;
    const auto place =
        static_cast<std::ptrdiff_t>(static_cast<double>(distances.size() - 1) * share);
    std::ranges::nth_element(distances, distances.begin() + place);
    return std::max<Nanos>(distances[static_cast<std::size_t>(place)], 1);
}

std::string_view file_of_path(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                       : path.substr(slash + 1);
}

}  // namespace lanescope
