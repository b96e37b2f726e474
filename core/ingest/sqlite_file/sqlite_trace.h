// SqliteTrace: what formats share that read a trace from the tables of a database: rows become
// events of a sink, and what cannot be read becomes a warning.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/sqlite_file/sqlite_file.h"

namespace lanescope {

// Where an event is in the file: the number of its table, and that of its row in so many bits.
constexpr uint64_t kRowBits = 48;
constexpr uint64_t kRowsOfTable = uint64_t{1} << kRowBits;

class SqliteTrace {
  public:
    SqliteTrace(const ReadJob& job, TraceBuilder& builder, SqliteFile& file);
    SqliteTrace(const SqliteTrace&) = delete;
    SqliteTrace& operator=(const SqliteTrace&) = delete;

  protected:
    using Columns = std::span<const std::string_view>;
    struct Span {
        Nanos begin;
        Nanos duration;
        bool is_open;  // it has no end
    };

    ~SqliteTrace() = default;

    bool is_stopped() const { return !stopped_ || job_.is_cancelled(); }
    // The error of a read() that is_stopped().
    Error why_stopped() const { return stopped_ ? cancelled(job_.input) : stopped_.error(); }
    // Takes each row of a table that the file has. `table_` is this table then.
    void each_row(std::string_view table, Columns columns,
                  const std::function<void(const SqliteRows&)>& take);
    uint64_t source(const SqliteRows& rows) const;
    // Columns 0 and 1 are begin and end; empty: not times, which is counted.
    std::optional<Span> span(const SqliteRows& rows);
    static std::optional<Nanos> time(const SqliteRows& rows, int column);
    void add_unreadable(uint64_t source);
    uint32_t add_slice(LocalId lane, const Span& span, LocalId name, const CategoryWord& category,
                       uint64_t source);
    // Warns of a cut file, damaged tables and changes that were not read.
    void warn_of_file();

    const ReadJob& job_;
    TraceBuilder& builder_;
    SqliteFile& file_;
    TraceSink sink_;
    const SqliteTable* table_ = nullptr;  // that is read

  private:
    void take_batch(const Batch& batch);

    uint64_t source_base_ = 0;
    Result<void> stopped_;  // why the load ends early
    std::vector<std::string> damaged_tables_;
};

// The name of a function that a compiler mangled; empty: it is no such name.
std::string demangled_name(const std::string& name);

}  // namespace lanescope
