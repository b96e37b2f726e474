// AnnotationTexts: the names and texts that the annotations of events refer to by number. They are
// collected during the load, and used again when the arguments of an event are read.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/string_pool.h"
#include "core/ingest/format.h"
#include "core/ingest/perfetto/packet_stream.h"

namespace lanescope {

// Values by interned number. Writers count from 1.
template <typename T>
class InternedMap {
  public:
    void set(uint64_t id, T value) {
        if (id < kDense) {
            if (id >= dense_.size()) dense_.resize(id + 1);
            dense_[id] = {std::move(value), true};
        } else {
            sparse_[id] = std::move(value);
        }
    }
    // Null: not interned.
    const T* find(uint64_t id) const {
        if (id < dense_.size()) return dense_[id].second ? &dense_[id].first : nullptr;
        const auto found = sparse_.find(id);
        return found == sparse_.end() ? nullptr : &found->second;
    }

  private:
    static constexpr uint64_t kDense = uint64_t{1} << 16;
    std::vector<std::pair<T, bool>> dense_;
    std::unordered_map<uint64_t, T> sparse_;
};

struct SourceLocation {
    StringId file = 0;
    StringId function = 0;
    int64_t line = -1;
};

// What a sequence of packets has interned since it last cleared its state.
struct InternedTexts {
    uint64_t first_source = 0;
    InternedMap<StringId> names;   // of annotations
    InternedMap<StringId> values;  // texts of annotations
    InternedMap<StringId> correlations;
    InternedMap<SourceLocation> locations;
    InternedMap<StringId> argument_names;  // of kernels
};

struct AnnotationTexts final : FormatMemory {
    StringPool pool;
    // By sequence, in the order of the file.
    std::unordered_map<uint32_t, std::deque<InternedTexts>> sequences;
    std::vector<InflatedPart> parts;

    // The texts that count for a packet; null: the sequence has none.
    const InternedTexts* find(uint32_t sequence, uint64_t source) const {
        const auto found = sequences.find(sequence);
        if (found == sequences.end()) return nullptr;
        const InternedTexts* last = nullptr;
        for (auto at = found->second.rbegin(); at != found->second.rend() && !last; ++at)
            if (at->first_source <= source) last = &*at;
        return last;
    }
};

}  // namespace lanescope
