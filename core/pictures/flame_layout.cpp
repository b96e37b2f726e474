#include "core/pictures/flame_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

// Adds the boxes of all children of a node.
class ChildrenOf {
  public:
    ChildrenOf(const FlameTree& tree, const FlameNode& zoomed, double width, double least)
        : tree_(tree),
          begin_(static_cast<double>(zoomed.begin)),
          scale_(width / static_cast<double>(zoomed.total)),
          least_(least) {}

    void add(const FlameNode& parent, uint32_t row, std::vector<FlameBox>& boxes) const {
        const std::span<const FlameNode> children = tree_.children(parent);
        for (std::size_t i = 0; i < children.size();) {
            const FlameNode& child = children[i];
            std::size_t next = i + 1;
            if (x(child.begin + child.total) - x(child.begin) < least_)
                next = end_of_run(children, i);
            const FlameNode& last = children[next - 1];
            const double x0 = x(child.begin);
            const double x1 = x(last.begin + last.total);
            if (x1 - x0 >= least_)
                boxes.push_back(
                    {tree_.index_of(child), static_cast<uint32_t>(next - i), row, x0, x1, false});
            i = next;
        }
    }

  private:
    double x(int64_t weight) const { return (static_cast<double>(weight) - begin_) * scale_; }

    // The narrow boxes from `i` on, up to a wide one or a gap. Jumps over those in one pixel.
    std::size_t end_of_run(std::span<const FlameNode> children, std::size_t i) const {
        if (tree_.order == FlameOrder::heavy) return children.size();
        double reached = x(children[i].begin);
        while (i < children.size()) {
            const auto beyond =
                std::ranges::partition_point(children.subspan(i), [&](const FlameNode& node) {
                    return x(node.begin + node.total) <= reached + least_;
                });
            const auto at = static_cast<std::size_t>(beyond - children.begin());
            if (at == children.size()) return at;
            if (at > i) reached = x(children[at - 1].begin + children[at - 1].total);
            const double x0 = x(children[at].begin);
            const double x1 = x(children[at].begin + children[at].total);
            if (x1 - x0 >= least_ || x0 - reached >= least_) return std::max(at, i);
            reached = x1;
            i = at + 1;
        }
        return i;
    }

    const FlameTree& tree_;
    double begin_;
    double scale_;
    double least_;
};

// What functions of one colour have in common: the file of a Python function, the class of a
// module, the library of a sampled function.
std::string_view group_of(const Trace& trace, const FlameFrame& frame) {
    if (frame.module != 0) return trace.strings[frame.module];
    std::string_view name = frame_text(trace, frame);
    if (frame.event_class == EventClass::module) {
        name = short_name(name, EventClass::module);
        return name.substr(0, name.rfind('_'));
    }
    if (frame.event_class == EventClass::python) return name.substr(0, name.find('('));
    return name;
}

uint8_t hue_of(std::string_view group) {
    uint32_t hash = 2166136261U;  // FNV-1a
    for (const char c : group) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return static_cast<uint8_t>((hash ^ hash >> 15U) % kHues);
}

}  // namespace

const FlameBox* FlameLayout::at(uint32_t row, double x) const {
    if (row >= row_count()) return nullptr;
    const auto first = boxes.begin() + row_begin[row];
    const auto last = boxes.begin() + row_begin[row + 1];
    const auto after = std::upper_bound(first, last, x,
                                        [](double at, const FlameBox& box) { return at < box.x0; });
    if (after == first || x >= std::prev(after)->x1) return nullptr;
    return &*std::prev(after);
}

FlameLayout lay_out_flames(const FlameTree& tree, uint32_t zoomed, double width, double least) {
    FlameLayout layout;
    layout.row_begin = {0};
    const FlameNode& node = tree.nodes[zoomed];
    if (node.total <= 0 || width <= 0) return layout;
    for (uint32_t i = zoomed; i != 0; i = tree.nodes[i].parent)
        layout.boxes.push_back({i, 1, 0, 0, width, i != zoomed});
    std::ranges::reverse(layout.boxes);
    for (uint32_t row = 0; row < layout.boxes.size(); ++row) {
        layout.boxes[row].row = row;
        layout.row_begin.push_back(row + 1);
    }
    const ChildrenOf children(tree, node, width, least);
    std::size_t first = layout.boxes.empty() ? 0 : layout.boxes.size() - 1;
    std::size_t last = layout.boxes.size();
    auto row = static_cast<uint32_t>(last);
    if (zoomed == 0) children.add(node, row, layout.boxes);
    for (;;) {
        for (std::size_t i = first; i < last; ++i) {
            const FlameBox box = layout.boxes[i];
            if (box.count == 1) children.add(tree.nodes[box.node], row, layout.boxes);
        }
        if (layout.boxes.size() == last) return layout;
        first = last;
        last = layout.boxes.size();
        layout.row_begin.push_back(static_cast<uint32_t>(last));
        ++row;
    }
}

std::string flame_label(const Trace& trace, const FlameFrame& frame) {
    const std::string_view name = frame_text(trace, frame);
    if (frame.kind != FlameFrame::Kind::call || frame.event_class != EventClass::python)
        return std::string(short_name(name, frame.event_class));
    const std::size_t open = name.find('(');
    const std::size_t close = name.find("): ", open == std::string_view::npos ? 0 : open);
    if (name.starts_with('<') || open == std::string_view::npos || close == std::string_view::npos)
        return std::string(name);
    std::string_view file = name.substr(0, open);
    file = file.substr(file.find_last_of("/\\") + 1);
    return fmt::format("{} · {}:{}", name.substr(close + 3), file,
                       name.substr(open + 1, close - open - 1));
}

std::string flame_weight_text(FlameWeight weight, int64_t amount) {
    if (weight == FlameWeight::time) return format_duration(Nanos{amount});
    return format_count(static_cast<uint64_t>(std::max<int64_t>(amount, 0)), "sample", "samples");
}

std::vector<std::string> flame_facts(const FlameTree& tree, const FlameNode& node) {
    const int64_t whole = tree.root().total;
    std::string total = flame_weight_text(tree.weight, node.total) + " in all, " +
                        format_share(node.total, whole) + " of the whole";
    if (node.parent != 0 && node.parent != kNoRow)
        total += ", " + format_share(node.total, tree.nodes[node.parent].total) + " of its caller";
    std::vector<std::string> lines = {std::move(total),
                                      flame_weight_text(tree.weight, node.self) + " itself"};
    if (node.calls > 0) lines.push_back(format_count(node.calls, "call", "calls"));
    return lines;
}

ClassColor flame_color(const Trace& trace, const FlameTree& tree, const FlameFrame& frame) {
    const auto of_class = [](EventClass c) {
        return ClassColor{ColorScale::event_class, static_cast<uint8_t>(c)};
    };
    if (frame.kind == FlameFrame::Kind::lane) return {};
    if (tree.source == FlameSource::gpu || frame.kind == FlameFrame::Kind::steps)
        return of_class(frame.event_class);
    const bool alike = frame.event_class == EventClass::python ||
                       frame.event_class == EventClass::module ||
                       frame.event_class == EventClass::other;
    if (!alike && tree.source == FlameSource::calls) return of_class(frame.event_class);
    return {ColorScale::hue, hue_of(group_of(trace, frame))};
}

}  // namespace lanescope
