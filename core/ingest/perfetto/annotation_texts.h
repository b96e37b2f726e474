// AnnotationTexts: names and texts that annotations refer to by number. Collected during the load,
// and used again when an event's arguments are read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/string_pool.h"
#include "core/ingest/format.h"
#include "core/ingest/perfetto/packet_stream.h"

namespace lanescope {

// Values by interned number. Writers count from 1. Memory use depends on the number of values, not
// on the numbers.
template <typename T>
class InternedMap {
  public:
    void set(uint64_t id, T value) {
        if (id >= dense_.size() && id >= 2 * dense_values_ + kFirstDense) {
            sparse_[id] = std::move(value);
            return;
        }
        if (id >= dense_.size()) dense_.resize(id + 1);
        if (!dense_[id].second) ++dense_values_;
        dense_[id] = {std::move(value), true};
    }
    // Null: not interned.
    const T* find(uint64_t id) const {
        if (id < dense_.size() && dense_[id].second) return &dense_[id].first;
        const auto found = sparse_.find(id);
        return found == sparse_.end() ? nullptr : &found->second;
    }

  private:
    static constexpr uint64_t kFirstDense = 16;
    std::vector<std::pair<T, bool>> dense_;
    std::size_t dense_values_ = 0;
    // May hold outdated values of numbers that became dense later.
    std::unordered_map<uint64_t, T> sparse_;
};

struct SourceLocation {
    StringId file = 0;
    StringId function = 0;
    int64_t line = -1;
};

// Texts interned by a sequence of packets since its state was last cleared.
struct InternedTexts {
    InternedMap<StringId> names;   // names of annotations
    InternedMap<StringId> values;  // text values of annotations
    InternedMap<StringId> correlations;
    InternedMap<SourceLocation> locations;
    InternedMap<StringId> argument_names;  // names of kernel arguments
};

struct AnnotationTexts final : FormatMemory {
    // Texts of a sequence's packets from position `source` on; null: none.
    struct Part {
        uint64_t first_source = 0;
        std::unique_ptr<InternedTexts> texts;
    };

    StringPool pool;
    // By sequence; parts in file order.
    std::unordered_map<uint32_t, std::vector<Part>> sequences;
    std::vector<InflatedPart> parts;

    // Starts a new set of texts for a sequence's packets from `source` on.
    InternedTexts* begin(uint32_t sequence, uint64_t source) {
        auto& all = sequences[sequence];
        all.push_back({source, std::make_unique<InternedTexts>()});
        return all.back().texts.get();
    }
    // Ends the validity of the sequence's texts at `source`.
    void clear(uint32_t sequence, uint64_t source) {
        const auto found = sequences.find(sequence);
        if (found != sequences.end() && found->second.back().texts)
            found->second.push_back({source, nullptr});
    }

    // The texts that are valid for a packet; null: none.
    const InternedTexts* find(uint32_t sequence, uint64_t source) const {
        const auto found = sequences.find(sequence);
        if (found == sequences.end()) return nullptr;
        for (auto at = found->second.rbegin(); at != found->second.rend(); ++at)
            if (at->first_source <= source) return at->texts.get();
        return nullptr;
    }
};

}  // namespace lanescope
