// LocalNames: the texts, processes and lanes that one worker has met, under its own ids.
#pragma once

#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/string_pool.h"
#include "core/ingest/build/batch.h"

namespace lanescope {

class LocalNames {
  public:
    LocalId text(std::string_view raw) {
        // Most names recur soon: remembers recent ones by their length and first and last letters.
        if (raw.size() < 4) return pool_.intern(raw);
        const bool is_long = raw.size() >= 8;
        const uint64_t head = is_long ? load<uint64_t>(raw.data()) : load<uint32_t>(raw.data());
        const char* const end = raw.data() + raw.size();
        const uint64_t tail = is_long ? load<uint64_t>(end - 8) : load<uint32_t>(end - 4);
        const uint64_t mixed =
            ((head ^ raw.size()) * 0x9E3779B97F4A7C15ULL) ^ (tail * 0xD1B54A32D192ED03ULL);
        LocalId& recent = recent_[mixed >> (64 - kRecentBits)];
        if (pool_[recent] != raw) recent = pool_.intern(raw);
        return recent;
    }

    // The id of a category's text. The first call for a text adds the result of
    // meaning(text) to the next batch; the result's `category` is ignored.
    template <typename Meaning>
    LocalId category(std::string_view text, const Meaning& meaning) {
        const LocalId id = this->text(text);
        if (id >= is_category_.size()) is_category_.resize(id + 64);
        if (!is_category_[id]) {
            is_category_[id] = true;
            new_categories_.push_back(meaning(pool_[id]));
            new_categories_.back().category = id;
        }
        return id;
    }

    LocalId process(const ProcessKey& key);
    LocalId lane(const LaneKey& key);

    // The lane of a row of a file that says no more than the texts of its pid and tid.
    LocalId row(std::string_view pid, std::string_view tid) {
        if (last_ < lanes_.size() && matches(last_, pid, tid)) return last_;
        if (before_ < lanes_.size() && matches(before_, pid, tid)) {
            std::swap(last_, before_);
            return last_;
        }
        before_ = last_;
        last_ = find_row(pid, tid);
        return last_;
    }

    std::size_t lane_count() const { return lanes_.size(); }

    std::string_view operator[](LocalId text) const { return pool_[text]; }

    // Adds to the batch the texts, categories, processes and lanes since the last call.
    void hand_over(Batch& batch);

  private:
    template <typename T>
    static T load(const char* p) {
        T value = 0;
        std::memcpy(&value, p, sizeof value);
        return value;
    }

    bool matches(LocalId lane, std::string_view pid, std::string_view tid) const {
        const LaneKey& key = lanes_[lane];
        return pool_[key.tid] == tid && key.role == LaneRole::row && pool_[pids_[lane]] == pid;
    }

    // A row whose pid and tid have at most eight letters each, as nearly all have: found by these
    // letters alone, since the search for two texts misses the cache several times.
    struct ShortLane {
        uint64_t pid = 0;
        uint64_t tid = 0;
        uint32_t lane = 0;  // its number + 1; 0: a free slot
        uint8_t pid_size = 0;
        uint8_t tid_size = 0;

        bool same_key(const ShortLane& other) const {
            return pid == other.pid && tid == other.tid && pid_size == other.pid_size &&
                   tid_size == other.tid_size;
        }
    };

    LocalId find_row(std::string_view pid, std::string_view tid);
    LocalId find_long_row(std::string_view pid, std::string_view tid);
    void grow_slots();
    ShortLane& short_slot(const ShortLane& key);
    void grow_short_lanes();

    static constexpr int kRecentBits = 10;

    StringPool pool_;
    std::vector<LocalId> recent_ = std::vector<LocalId>(std::size_t{1} << kRecentBits);
    std::vector<ProcessKey> processes_;
    std::vector<LocalId> process_of_pid_;  // by its text; kNoLocalId: none
    std::map<std::tuple<LocalId, uint32_t, int32_t>, LocalId>
        process_of_device_;  // by owner, program and ordinal
    std::vector<LaneKey> lanes_;
    std::vector<LocalId> pids_;  // by lane: text of its process's pid
    std::vector<bool> is_category_;
    std::vector<CategoryMeaning> new_categories_;
    std::vector<uint32_t> slots_ = std::vector<uint32_t>(64);  // lane + 1, 0 = free
    std::vector<ShortLane> short_lanes_ = std::vector<ShortLane>(64);
    std::size_t short_lane_count_ = 0;
    LocalId last_ = 0;
    LocalId before_ = 0;
    LocalId written_texts_ = 0;
    LocalId written_processes_ = 0;
    LocalId written_lanes_ = 0;
};

}  // namespace lanescope
