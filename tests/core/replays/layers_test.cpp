#include "core/replays/layers.h"

#include <doctest/doctest.h>

#include <vector>

namespace lanescope {

namespace {

using Numbers = std::vector<uint32_t>;

Numbers repeated(Numbers head, const Numbers& layer, int times, const Numbers& tail) {
    for (int i = 0; i < times; ++i) head.insert(head.end(), layer.begin(), layer.end());
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

}  // namespace

TEST_CASE("layers are the repetition that covers most") {
    const RepeatedLayers layers =
        find_layers(repeated({90, 91}, {1, 2, 3, 2, 4}, 24, {92, 93, 94}));
    CHECK(layers.begin == 2);
    CHECK(layers.size == 5);
    CHECK(layers.count == 24);
    CHECK(!layers.contains(1));
    CHECK(layers.contains(2));
    CHECK(layers.contains(121));
    CHECK(!layers.contains(122));
    CHECK(layers.layer_of(7) == 1);
    CHECK(layers.position_of(9) == 2);
}

TEST_CASE("a layer is not split into its own repetitions, nor joined with its neighbour") {
    // The three equal kernels repeat in each layer, but cover less than the layers.
    const RepeatedLayers layers = find_layers(repeated({}, {1, 1, 1, 2, 3, 4}, 10, {}));
    CHECK(layers.size == 6);
    CHECK(layers.count == 10);
}

TEST_CASE("sequences without layers have none") {
    CHECK(find_layers({}).count == 0);
    CHECK(find_layers(Numbers{1, 2, 3}).count == 0);
    CHECK(find_layers(Numbers{1, 2, 3, 1, 2, 3}).count == 0);
    CHECK(find_layers(Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).count == 0);
    // Three layers of three elements in a sequence that is mostly other things.
    CHECK(find_layers(repeated({20, 21, 22, 23, 24, 25, 26, 27, 28, 29}, {1, 2, 3}, 3, {})).count ==
          0);
}

}  // namespace lanescope
