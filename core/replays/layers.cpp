#include "core/replays/layers.h"

#include <algorithm>
#include <cstddef>

namespace lanescope {

namespace {

constexpr std::size_t kFewest = 3;      // layers, and elements of a layer
constexpr std::size_t kLongest = 2000;  // elements of a layer
constexpr double kNearlyAsMuch = 0.98;  // of the longest repetition: one of a multiple of its layer

// The longest repetition with layers of one size.
RepeatedLayers longest_of(std::span<const uint32_t> sequence, std::size_t size) {
    RepeatedLayers best;
    best.size = static_cast<uint32_t>(size);
    std::size_t run = 0;  // elements before i that equal those a layer later
    for (std::size_t i = 0; i + size < sequence.size(); ++i) {
        run = sequence[i] == sequence[i + size] ? run + 1 : 0;
        const std::size_t count = run / size + 1;
        if (count <= best.count || count < kFewest) continue;
        best.count = static_cast<uint32_t>(count);
        best.begin = static_cast<uint32_t>(i + 1 - run);
    }
    return best;
}

}  // namespace

RepeatedLayers find_layers(std::span<const uint32_t> sequence) {
    RepeatedLayers best;
    std::size_t covered = 0;
    const std::size_t longest = std::min(kLongest, sequence.size() / kFewest);
    for (std::size_t size = kFewest; size <= longest; ++size) {
        const RepeatedLayers layers = longest_of(sequence, size);
        const std::size_t length = std::size_t{layers.size} * layers.count;
        if (layers.count == 0 || 2 * length < sequence.size()) continue;
        if (kNearlyAsMuch * static_cast<double>(length) <= static_cast<double>(covered)) continue;
        best = layers;
        covered = length;
    }
    return best;
}

}  // namespace lanescope
