#include "core/insight/compare/difference_flames.h"

#include <algorithm>
#include <cmath>

#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

// A place with its times, before places are ordered by them.
struct PlacedTimes {
    DifferenceBox box;
    int64_t self = 0, total = 0;  // weights
    std::vector<uint32_t> inside;
};

std::vector<PlacedTimes> times_of_places(const Comparison& comparison) {
    std::vector<PlacedTimes> all(comparison.places.size());
    for (uint32_t i = 0; i < all.size(); ++i) {
        const FunctionPlace& place = comparison.places[i];
        PlacedTimes& times = all[i];
        times.box.name = place.name;
        times.box.longest_a = place.longest_a;
        times.box.longest_b = place.longest_b;
        if (place.around != FunctionPlace::none) all[place.around].inside.push_back(i);
        if (place.function == FunctionPlace::none) continue;
        const CompareRow& row = comparison.all_functions[place.function];
        times.box.self_a = median_of_any(row.a.samples);
        times.box.self_b = median_of_any(row.b.samples);
        times.box.verdict = row.verdict;
        times.self = std::llround(std::max(times.box.self_a, times.box.self_b));
    }
    return all;
}

// The places from the step downwards, each after the one that contains it.
std::vector<uint32_t> from_the_step(std::span<const PlacedTimes> all) {
    std::vector<uint32_t> order = {0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::vector<uint32_t>& inside = all[order[i]].inside;
        order.insert(order.end(), inside.begin(), inside.end());
    }
    return order;
}

void add_up(const Comparison& comparison, std::vector<PlacedTimes>& all) {
    const std::vector<uint32_t> order = from_the_step(all);
    for (std::size_t i = order.size(); i-- > 0;) {
        PlacedTimes& times = all[order[i]];
        times.box.a += times.box.self_a;
        times.box.b += times.box.self_b;
        times.total += times.self;
        const uint32_t around = comparison.places[order[i]].around;
        if (around == FunctionPlace::none) continue;
        all[around].box.a += times.box.a;
        all[around].box.b += times.box.b;
        all[around].total += times.total;
    }
}

}  // namespace

DifferenceFlames difference_flames(const Comparison& comparison) {
    DifferenceFlames flames;
    flames.tree.order = FlameOrder::heavy;
    flames.tree.weight = FlameWeight::time;
    flames.step = comparison.step.a.time;
    if (!comparison.comparable || comparison.places.empty()) return flames;
    std::vector<PlacedTimes> all = times_of_places(comparison);
    add_up(comparison, all);
    for (PlacedTimes& times : all) {
        std::erase_if(times.inside, [&](uint32_t i) { return all[i].total == 0; });
        std::ranges::stable_sort(times.inside, std::greater<>(),
                                 [&](uint32_t i) { return all[i].total; });
    }
    std::vector<FlameNode>& nodes = flames.tree.nodes;
    std::vector<uint32_t> depth = {0};
    const std::vector<uint32_t> order = from_the_step(all);
    nodes.resize(order.size());
    flames.tree.frames.resize(order.size());
    depth.resize(order.size());
    uint32_t next = 1;
    for (uint32_t i = 0; i < order.size(); ++i) {
        PlacedTimes& times = all[order[i]];
        FlameNode& node = nodes[i];
        node.frame = i == 0 ? kNoRow : i;
        node.first_child = next;
        node.child_count = static_cast<uint32_t>(times.inside.size());
        node.total = times.total;
        node.self = times.self;
        node.longest = times.box.longest_a ? times.box.longest_a : times.box.longest_b;
        int64_t begin = node.begin;
        for (const uint32_t child : times.inside) {
            nodes[next].parent = i;
            nodes[next].begin = begin;
            begin += all[child].total;
            depth[next] = depth[i] + 1;
            flames.tree.depth_count = std::max(flames.tree.depth_count, depth[next]);
            ++next;
        }
        flames.boxes.push_back(std::move(times.box));
    }
    return flames;
}

}  // namespace lanescope
