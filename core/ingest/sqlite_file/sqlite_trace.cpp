#include "core/ingest/sqlite_file/sqlite_trace.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace lanescope {

namespace {

// Larger times are damaged. The difference of any two times fits a Nanos.
constexpr int64_t kMostNanos = 4'000'000'000'000'000'000;

constexpr WarningText kUnreadableTimeOfRow = {"unreadable_time",
                                              "an event whose time is not a number in range"};
constexpr WarningText kEndsBeforeBegin = {
    "negative_duration", "an event that ends before it begins; drawn without length"};

// Names of events that are not rows of a table.
std::string_view word_of_other(EventKind kind) {
    return kind == EventKind::metadata  ? "name"
           : kind == EventKind::counter ? "metric"
                                        : "sampled call";
}

}  // namespace

SqliteTrace::SqliteTrace(const ReadJob& job, TraceBuilder& builder, SqliteFile& file)
    : job_(job), builder_(builder), file_(file), sink_(word_of_other) {
    sink_.send_to([this](const Batch& batch) { take_batch(batch); });
    file_.stop_when([this] { return is_stopped(); });
}

void SqliteTrace::take_batch(const Batch& batch) {
    if (job_.options.progress)
        job_.options.progress->bytes_done.store(
            std::min(file_.bytes_read(), job_.input.file->size()));
    stopped_ = lanescope::take_batch(job_, builder_, batch);
}

void SqliteTrace::each_row(std::string_view name, Columns columns,
                           const std::function<void(const SqliteRows&)>& take) {
    const SqliteTable* const table = file_.find(name);
    if (!table) return;
    table_ = table;
    source_base_ = uint64_t{file_.number_of(*table)} << kRowBits;
    SqliteRows rows = file_.rows(*table, columns);
    while (stopped_ && rows.next()) take(rows);
    if (rows.is_damaged()) damaged_tables_.push_back(table->name);
}

uint64_t SqliteTrace::source(const SqliteRows& rows) const {
    const auto row = static_cast<uint64_t>(rows.row());
    return source_base_ + (row < kRowsOfTable ? row : 0);
}

std::optional<Nanos> SqliteTrace::time(const SqliteRows& rows, int column) {
    const int64_t time = rows.number(column);
    if (time > -kMostNanos && time < kMostNanos) return time;
    return std::nullopt;
}

void SqliteTrace::add_unreadable(uint64_t where) {
    const LocalId lane = sink_.curves(sink_.process(""));
    const uint32_t event =
        sink_.add({.lane = lane, .kind = EventKind::unreadable}, where, table_->name);
    sink_.warn(kUnreadableTimeOfRow, event);
}

std::optional<SqliteTrace::Span> SqliteTrace::span(const SqliteRows& rows) {
    const std::optional<Nanos> begin = time(rows, 0);
    const bool is_open = rows.is_null(1);
    const std::optional<Nanos> end = is_open ? begin : time(rows, 1);
    if (begin && end) return Span{*begin, *end - *begin, is_open};
    add_unreadable(source(rows));
    return std::nullopt;
}

uint32_t SqliteTrace::add_slice(LocalId lane, const Span& at, LocalId name,
                                const CategoryWord& category, uint64_t where) {
    const uint32_t event =
        sink_.add({at.begin, std::max<Nanos>(at.duration, 0), 0, name, sink_.category(category),
                   lane, 0, EventKind::slice, kHasTime | kHasDuration},
                  where, table_->name);
    if (at.duration < 0) sink_.warn(kEndsBeforeBegin, event);
    return event;
}

void SqliteTrace::warn_of_file() {
    if (file_.is_cut())
        builder_.warn("truncated_file", Error::no_offset,
                      "the file ends before its last page; rows of the pages that are there were "
                      "read");
    if (!damaged_tables_.empty())
        builder_.warn("damaged_table", Error::no_offset,
                      fmt::format("damaged tables, of which all readable rows were kept: {}",
                                  fmt::join(damaged_tables_, ", ")));
    const std::vector<std::string>& unread = file_.unread_files();
    if (!unread.empty())
        builder_.warn("unread_changes", Error::no_offset,
                      fmt::format("{} {} changes of the database that were not read; the program "
                                  "that writes it has not finished",
                                  fmt::join(unread, " and "), unread.size() > 1 ? "have" : "has"));
}

std::string demangled_name(const std::string& name) {
    if (!name.starts_with("_Z")) return {};
    int failed = 0;
    char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed);
    std::string result = plain && failed == 0 ? plain : "";
    std::free(plain);
    return result;
}

}  // namespace lanescope
