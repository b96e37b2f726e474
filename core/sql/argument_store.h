// ArgumentStore: arguments of many events, read in one pass over the file.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_pool.h"
#include "core/ingest/argument_scan.h"
#include "core/sql/slice_rows.h"
#include "core/sql/sql_allocator.h"
#include "core/trace/trace.h"

namespace lanescope {

// Where the event of a row begins in the file, and the row's id.
using EventPlace = std::pair<uint64_t, uint32_t>;
using IsStopped = std::function<bool()>;

// The events of all rows in the order of the file.
std::vector<EventPlace> event_places(const SliceRows& rows);

// The connection replaces the text by the reason: cancelled, or too long.
inline Error query_stopped() {
    return {ErrorCode::cancelled, Error::no_offset, "the query was stopped"};
}

// Checks from time to time whether a pass over many events must end.
class StopCheck {
  public:
    explicit StopCheck(const IsStopped& is_stopped) : is_stopped_(is_stopped) {}
    // Call it for each event. Errors: `cancelled`.
    Result<void> count() {
        if (events_++ % kEventsBetweenChecks != 0 || !is_stopped_ || !is_stopped_()) return {};
        return query_stopped();
    }

  private:
    static constexpr uint32_t kEventsBetweenChecks = 1000;

    const IsStopped& is_stopped_;
    uint32_t events_ = 0;
};

// Keeps the arguments as the file writes them, in memory that counts towards the query's limit.
class ArgumentStore {
  public:
    // `key`: keeps only the arguments in which a key such as "args.Input Dims[0]" lies; empty: all.
    explicit ArgumentStore(std::string key) : key_(std::move(key)) {}

    // Reads events until all are read or `most_bytes` are kept. Errors: the file has changed, or
    // cannot be read; `cancelled`.
    Result<void> read(const TracePtr& trace, const SliceRows& rows, const IsStopped& is_stopped,
                      uint64_t most_bytes);
    // Returns whether the event of a row was read; false if `most_bytes` were kept before.
    bool has(uint32_t id) const { return places_[id] != kUnread; }
    std::vector<Argument> get(uint32_t id) const;

  private:
    static constexpr uint64_t kUnread = 0;
    static constexpr uint64_t kNothing = 1;
    static constexpr uint64_t kFirstPlace = 2;  // the number of a piece and a place in it follow
    using Piece = SqlVector<char>;

    void add(uint32_t id, std::span<const RawArgument> arguments);
    void put(const void* bytes, std::size_t size);

    std::string key_;
    StringPool names_;
    SqlVector<uint64_t> places_;  // by id
    std::deque<Piece> pieces_;    // the arguments of an event are in one piece
    uint64_t bytes_ = 0;
};

}  // namespace lanescope
