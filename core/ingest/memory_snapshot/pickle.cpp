#include "core/ingest/memory_snapshot/pickle.h"

#include <algorithm>
#include <cmath>

#include "core/ingest/memory_snapshot/pickle_decoder.h"

namespace lanescope {

namespace {

constexpr int64_t kLargestReal = int64_t{1} << 62;
constexpr std::size_t kLongestKey = 256;  // that is looked for
// Keys and values of a dictionary that is searched from end to end.
constexpr std::size_t kMostWithoutOrder = 64;

}  // namespace

Result<Pickle> Pickle::decode(std::string_view bytes, uint64_t memory_bytes) {
    Pickle pickle;
    if (const Result<void> done = PickleDecoder(bytes, memory_bytes, pickle).run(); !done)
        return done.error();
    return pickle;
}

std::span<const PickleValue> Pickle::items(const PickleValue& value) const {
    if (value.kind < PickleKind::tuple) return {};
    return containers_[value.container];
}

void Pickle::note_growth(uint32_t dictionary, std::size_t before) {
    if (before <= kMostWithoutOrder && containers_[dictionary].size() > kMostWithoutOrder)
        ordered_.try_emplace(dictionary);
}

void Pickle::order_keys() {
    for (auto& [dictionary, places] : ordered_) {
        const std::vector<PickleValue>& all = containers_[dictionary];
        for (std::size_t i = 0; i + 1 < all.size(); i += 2)
            if (all[i].kind == PickleKind::text && all[i].length <= kLongestKey)
                places.push_back(static_cast<uint32_t>(i));
        std::ranges::stable_sort(places, {}, [&](uint32_t place) { return text(all[place]); });
    }
}

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
    if (dictionary.kind != PickleKind::dictionary || key.size() > kLongestKey) return nullptr;
    const std::span<const PickleValue> all = items(dictionary);
    if (all.size() > kMostWithoutOrder) {
        const std::vector<uint32_t>& places = ordered_.at(dictionary.container);
        const auto behind = std::ranges::upper_bound(
            places, key, {}, [&](uint32_t place) { return text(all[place]); });
        if (behind == places.begin() || text(all[*(behind - 1)]) != key) return nullptr;
        return &all[*(behind - 1) + 1];
    }
    for (std::size_t i = all.size() / 2 * 2; i >= 2; i -= 2)
        if (all[i - 2].kind == PickleKind::text && text(all[i - 2]) == key) return &all[i - 1];
    return nullptr;
}

std::optional<int64_t> Pickle::integer(const PickleValue& value) {
    if (value.kind == PickleKind::integer || value.kind == PickleKind::boolean)
        return value.integer;
    if (value.kind != PickleKind::real || !(std::abs(value.real) < double(kLargestReal)))
        return std::nullopt;
    return std::llround(value.real);
}

std::optional<int64_t> Pickle::address(const PickleValue& value) {
    return value.kind == PickleKind::large_integer ? value.integer : integer(value);
}

std::string_view Pickle::text_of(const PickleValue& dictionary, std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? text(*value) : std::string_view();
}

std::optional<int64_t> Pickle::integer_of(const PickleValue& dictionary,
                                          std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? integer(*value) : std::nullopt;
}

std::optional<int64_t> Pickle::address_of(const PickleValue& dictionary,
                                          std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? address(*value) : std::nullopt;
}

std::span<const PickleValue> Pickle::items_of(const PickleValue& dictionary,
                                              std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? items(*value) : std::span<const PickleValue>();
}

}  // namespace lanescope
