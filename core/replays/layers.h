// Layers of a model, found by the repetition of its kernels.
#pragma once

#include <cstdint>
#include <span>

namespace lanescope {

// `count` layers of `size` elements each, which follow each other without gaps.
struct RepeatedLayers {
    uint32_t begin = 0;  // the first element of the first layer
    uint32_t size = 0;
    uint32_t count = 0;  // 0: no repetition was found

    bool contains(uint32_t place) const { return place >= begin && place < begin + size * count; }
    uint32_t layer_of(uint32_t place) const { return (place - begin) / size; }
    uint32_t position_of(uint32_t place) const { return (place - begin) % size; }
};

// The repetition that covers most of a sequence: at least three layers of at least three elements,
// which are half of the sequence or more. Of repetitions that cover nearly as much, the shortest
// layer counts. Takes time in O(size * longest layer).
RepeatedLayers find_layers(std::span<const uint32_t> sequence);

}  // namespace lanescope
