#include "core/sql/argument_store.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "core/base/radix_sort.h"
#include "core/sql/flat_arguments.h"

namespace lanescope {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// The head of a stored argument. The text of the value follows in memory.
struct StoredArgument {
    StringId name = 0;
    uint32_t size = 0;
    bool is_string = false;
    bool has_escapes = false;
};

}  // namespace

std::vector<EventPlace> event_places(const SliceRows& rows) {
    std::vector<EventPlace> places;
    places.reserve(rows.count());
    for (const SliceRun& run : rows.runs())
        for (uint32_t i = 0; i < run.count; ++i) places.emplace_back(run.source[i], run.first + i);
    radix_sort(places, [](const EventPlace& place) { return place.first; });
    return places;
}

Result<void> ArgumentStore::read(const TracePtr& trace, const SliceRows& rows,
                                 const IsStopped& is_stopped, uint64_t most_bytes) {
    places_.assign(rows.count(), kUnread);
    const std::unique_ptr<ArgumentScan> scan = open_argument_scan(trace);
    if (!scan) return {};
    StopCheck check(is_stopped);
    std::vector<RawArgument> kept;
    for (const auto& [source, id] : event_places(rows)) {
        if (const Result<void> going_on = check.count(); !going_on) return going_on.error();
        const auto arguments = scan->read(source);
        if (!arguments) return arguments.error();
        kept.clear();
        for (const RawArgument& argument : *arguments) {
            // Escapes are rare; names with them are compared after they are resolved.
            const bool plain = argument.name.find('\\') == std::string_view::npos;
            if (key_.empty() || !plain || is_part_of(key_, argument.name)) kept.push_back(argument);
        }
        add(id, kept);
        if (bytes_ + names_.bytes() > most_bytes) break;
    }
    return {};
}

void ArgumentStore::put(const void* bytes, std::size_t size) {
    const auto* const from = static_cast<const char*>(bytes);
    pieces_.back().insert(pieces_.back().end(), from, from + size);
}

void ArgumentStore::add(uint32_t id, std::span<const RawArgument> arguments) {
    if (arguments.empty()) {
        places_[id] = kNothing;
        return;
    }
    std::size_t size = sizeof(uint32_t);
    for (const RawArgument& argument : arguments)
        size += sizeof(StoredArgument) + argument.value.size();
    if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < size)
        pieces_.emplace_back().reserve(std::max(kPieceBytes, size));
    const uint64_t place = uint64_t{pieces_.size() - 1} << 32U | pieces_.back().size();
    const auto count = static_cast<uint32_t>(arguments.size());
    put(&count, sizeof(count));
    for (const RawArgument& argument : arguments) {
        const StoredArgument head{names_.intern(argument.name),
                                  static_cast<uint32_t>(argument.value.size()), argument.is_string,
                                  argument.has_escapes};
        put(&head, sizeof(head));
        put(argument.value.data(), argument.value.size());
    }
    places_[id] = place + kFirstPlace;
    bytes_ += size;
}

std::vector<Argument> ArgumentStore::get(uint32_t id) const {
    if (places_[id] == kNothing) return {};
    const uint64_t place = places_[id] - kFirstPlace;
    const char* at = pieces_[place >> 32U].data() + (place & 0xffff'ffffU);
    const auto take = [&](void* into, std::size_t size) {
        std::memcpy(into, at, size);
        at += size;
    };
    uint32_t count = 0;
    take(&count, sizeof(count));
    std::vector<RawArgument> raw;
    raw.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
        StoredArgument head;
        take(&head, sizeof(head));
        raw.push_back({names_[head.name], {at, head.size}, head.is_string, head.has_escapes});
        at += head.size;
    }
    return resolved(raw);
}

}  // namespace lanescope
