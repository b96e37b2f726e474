#include "core/ingest/json/event_shapes.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr std::size_t kMaxSteps = 8192;
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxGap = 512;
constexpr int kMaxSiblings = 24;

}  // namespace

EventShapes::EventShapes() : steps_(1) {}

const EventShapes::Step* EventShapes::match_another(uint32_t parent, const char* p,
                                                    const char* end) {
    uint32_t before = 0;
    const auto room = static_cast<std::size_t>(end - p);
    for (uint32_t i = steps_[parent].children; i != 0; before = i, i = steps_[i].sibling) {
        Step& step = steps_[i];
        if (step.length > room || !equal(step, p)) continue;
        if (before != 0) {
            steps_[before].sibling = step.sibling;
            step.sibling = steps_[parent].children;
            steps_[parent].children = i;
        }
        return &step;
    }
    return nullptr;
}

const EventShapes::Step* EventShapes::match_another_first(uint32_t before, const char* p,
                                                          const char* end) {
    const Step* const step = match_another(0, p, end);
    if (step) steps_[before].children = index_of(*step);
    return step;
}

uint32_t EventShapes::add_step(uint32_t parent, std::string_view text, ValueKind kind,
                               ArgumentKey key) {
    int siblings = 0;
    for (uint32_t i = steps_[parent].children; i != 0; i = steps_[i].sibling, ++siblings) {
        const Step& step = steps_[i];
        if (step.kind == kind && step.key == key && step.length == text.size() &&
            std::equal(text.begin(), text.end(), texts_.begin() + step.text))
            return i;
    }
    if (siblings >= kMaxSiblings) return 0;
    Step step;
    step.text = static_cast<uint32_t>(texts_.size());
    step.length = static_cast<uint16_t>(text.size());
    step.kind = kind;
    step.key = key;
    step.sibling = steps_[parent].children;
    texts_.insert(texts_.end(), text.begin(), text.end());
    texts_.resize((texts_.size() + 15) / 16 * 16 + 16);
    steps_.push_back(step);
    steps_[parent].children = static_cast<uint32_t>(steps_.size() - 1);
    return steps_[parent].children;
}

void EventShapes::learn(const char* begin, const char* end, const std::vector<ValueSpan>& values,
                        const RawEvent& event, char phase) {
    if (steps_.size() + values.size() + 1 > kMaxSteps || texts_.size() > kMaxTextBytes) return;
    const char* from = begin;
    for (const ValueSpan& value : values) {
        if (value.begin < from || static_cast<std::size_t>(value.begin - from) > kMaxGap) return;
        from = value.end;
    }
    if (static_cast<std::size_t>(end - from) > kMaxGap) return;
    uint32_t at = 0;
    from = begin;
    for (const ValueSpan& value : values) {
        at = add_step(at, {from, static_cast<std::size_t>(value.begin - from)}, value.kind,
                      value.key);
        if (at == 0) return;
        from = value.end;
    }
    at = add_step(at, {from, static_cast<std::size_t>(end - from)}, ValueKind::end,
                  ArgumentKey::none);
    if (at == 0) return;
    steps_[at].prototype = event;
    steps_[at].phase = phase;
    steps_[at].reads_lane = std::any_of(values.begin(), values.end(), [](const ValueSpan& value) {
        return value.kind == ValueKind::thread;
    });
}

}  // namespace lanescope
