#include "core/analysis/flame/flame_builder.h"

#include <algorithm>
#include <utility>

namespace lanescope {

FlameBuilder::FlameBuilder(FlameOrder order, FlameWeight weight) {
    tree_.order = order;
    tree_.weight = weight;
    last_ = {kNoRow};
}

FlameBuilder::FlameBuilder(const FlameTree& other, FlameOrder order)
    : FlameBuilder(order, other.weight) {
    tree_.source = other.source;
    tree_.frames = other.frames;
    tree_.left_out = other.left_out;
}

uint32_t FlameBuilder::frame(const FlameFrame& frame) {
    // Functions are distinguished by their module, everything else by its class.
    const uint32_t detail =
        frame.module != 0 ? frame.module << 4U | 0xFU : static_cast<uint32_t>(frame.event_class);
    const bool named = frame.kind == FlameFrame::Kind::call || frame.kind == FlameFrame::Kind::lane;
    const uint64_t key = uint64_t{named ? frame.name : 0} << 34U | uint64_t{detail} << 2U |
                         static_cast<uint64_t>(frame.kind);
    const auto next = static_cast<uint32_t>(tree_.frames.size());
    const auto [number, is_new] = frames_.try_emplace(key, next);
    if (is_new) tree_.frames.push_back(frame);
    return number;
}

uint32_t FlameBuilder::add_node(uint32_t parent, uint32_t frame) {
    FlameNode node;
    node.frame = frame;
    node.parent = parent;
    node.begin = position_;
    tree_.nodes.push_back(node);
    last_.push_back(kNoRow);
    return static_cast<uint32_t>(tree_.nodes.size() - 1);
}

uint32_t FlameBuilder::enter(uint32_t parent, uint32_t frame, SliceRef slice, Nanos duration,
                             uint64_t calls) {
    uint32_t at = kNoRow;
    if (tree_.order == FlameOrder::time) {
        at = last_[parent];
        if (at == kNoRow || tree_.nodes[at].frame != frame || tree_.nodes[at].longest != slice) {
            at = add_node(parent, frame);
            last_[parent] = at;
        }
    } else {
        const auto next = static_cast<uint32_t>(tree_.nodes.size());
        at = children_.try_emplace(uint64_t{parent} << 32U | frame, next).first;
        if (at == next) add_node(parent, frame);
    }
    FlameNode& node = tree_.nodes[at];
    node.calls += calls;
    if (slice && duration > node.longest_duration) {
        node.longest = slice;
        node.longest_duration = duration;
    }
    return at;
}

void FlameBuilder::add_up() {
    std::vector<FlameNode>& nodes = tree_.nodes;
    for (std::size_t i = nodes.size(); i-- > 0;) {
        nodes[i].total += nodes[i].self;
        if (i == kRoot) continue;
        nodes[nodes[i].parent].total += nodes[i].total;
        ++nodes[nodes[i].parent].child_count;
    }
}

// All nodes but the first, grouped by parent; in a group in order of their numbers.
std::vector<uint32_t> FlameBuilder::child_lists() const {
    const std::vector<FlameNode>& nodes = tree_.nodes;
    std::vector<uint32_t> next(nodes.size());
    uint32_t sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        next[i] = sum;
        sum += nodes[i].child_count;
    }
    std::vector<uint32_t> lists(sum);
    for (uint32_t i = 1; i < nodes.size(); ++i) lists[next[nodes[i].parent]++] = i;
    return lists;
}

// Numbers the nodes row by row, so that children are consecutive.
void FlameBuilder::lay_out() {
    std::vector<FlameNode>& nodes = tree_.nodes;
    std::vector<uint32_t> lists = child_lists();
    std::vector<uint32_t> list_of(nodes.size());
    for (uint32_t sum = 0, i = 0; i < nodes.size(); sum += nodes[i++].child_count) list_of[i] = sum;
    std::vector<FlameNode> placed = {nodes.front()};
    std::vector<uint32_t> old_number = {kRoot};
    placed.reserve(nodes.size());
    old_number.reserve(nodes.size());
    std::size_t row_end = 1;
    for (uint32_t i = 0; i < placed.size(); ++i) {
        if (i == row_end) {
            ++tree_.depth_count;
            row_end = placed.size();
        }
        const auto list = std::span(lists).subspan(list_of[old_number[i]], placed[i].child_count);
        if (tree_.order == FlameOrder::heavy)
            std::ranges::stable_sort(
                list, [&](uint32_t a, uint32_t b) { return nodes[a].total > nodes[b].total; });
        placed[i].first_child = static_cast<uint32_t>(placed.size());
        int64_t begin = placed[i].begin;
        for (const uint32_t child : list) {
            FlameNode node = nodes[child];
            node.parent = i;
            if (tree_.order == FlameOrder::heavy)
                node.begin = std::exchange(begin, begin + node.total);
            placed.push_back(node);
            old_number.push_back(child);
        }
    }
    nodes = std::move(placed);
}

FlameTree FlameBuilder::take() {
    add_up();
    lay_out();
    return std::move(tree_);
}

}  // namespace lanescope
