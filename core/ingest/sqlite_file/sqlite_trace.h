// SqliteTrace: shared code of formats that read a trace from database tables: rows become events of
// a sink, and unreadable data becomes warnings.
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

// Position of an event in the file: the index of its table, followed by kRowBits bits of row
// number.
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
        bool is_open;  // has no end
    };

    ~SqliteTrace() = default;

    bool is_stopped() const { return !stopped_ || job_.is_cancelled(); }
    // The error to return if is_stopped().
    Error why_stopped() const { return stopped_ ? cancelled(job_.input) : stopped_.error(); }
    // Calls `take` for each row of a table, if the file has it. Sets `table_` during the calls.
    void each_row(std::string_view table, Columns columns,
                  const std::function<void(const SqliteRows&)>& take);
    uint64_t source(const SqliteRows& rows) const;
    // Reads the start and end in columns 0 and 1; empty: not valid times, which is counted.
    std::optional<Span> span(const SqliteRows& rows);
    static std::optional<Nanos> time(const SqliteRows& rows, int column);
    void add_unreadable(uint64_t source);
    uint32_t add_slice(LocalId lane, const Span& span, LocalId name, const CategoryWord& category,
                       uint64_t source);
    // Warns of a truncated file, damaged tables, and changes that were not read.
    void warn_of_file();

    const ReadJob& job_;
    TraceBuilder& builder_;
    SqliteFile& file_;
    TraceSink sink_;
    const SqliteTable* table_ = nullptr;  // the current table

  private:
    void take_batch(const Batch& batch);

    uint64_t source_base_ = 0;
    Result<void> stopped_;  // why the load ends early
    std::vector<std::string> damaged_tables_;
};

// Demangles a function name; empty: the name is not mangled.
std::string demangled_name(const std::string& name);

}  // namespace lanescope
