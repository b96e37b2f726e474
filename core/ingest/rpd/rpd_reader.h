// Reads the tables of an RPD database into a trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/ingest/sqlite_file/numbered_texts.h"
#include "core/ingest/sqlite_file/sqlite_trace.h"

namespace lanescope {

// The texts of a database: rocpd_string, or rocpd_ustring for arguments in newer files.
class RpdTexts {
  public:
    explicit RpdTexts(const SqliteFile& file) : file_(file) {}
    std::string text(int64_t id) { return value("rocpd_string", id); }
    std::string argument(int64_t id);

  private:
    std::string value(std::string_view table, int64_t id);

    const SqliteFile& file_;
    std::map<std::string_view, NumberedTexts> tables_;
};

class RpdReader final : public SqliteTrace {
  public:
    RpdReader(const ReadJob& job, TraceBuilder& builder, SqliteFile& file)
        : SqliteTrace(job, builder, file), texts_(file) {}

    // Errors: cancelled.
    Result<void> run();

  private:
    struct Operator {
        int64_t sequence;
        LocalId sizes;
    };
    struct Call {
        int64_t pid;
        bool counts_work_items;  // the grid is in work-items instead of blocks
    };

    void take_launch(const SqliteRows& rows);
    void take_operator(const SqliteRows& rows);
    void take_call(const SqliteRows& rows);
    void take_marker(const SqliteRows& rows, const Span& at, LocalId lane);
    void take_work(const SqliteRows& rows);
    void take_value(const SqliteRows& rows);
    LocalId device(int64_t pid, int64_t gpu);
    LocalId thread(int64_t pid, int64_t tid);
    const std::string& text(int64_t id);
    LaunchConfig config_of(int64_t call, bool counts_work_items) const;

    RpdTexts texts_;
    std::unordered_map<int64_t, std::string> known_texts_;
    std::unordered_map<int64_t, LocalId> kernel_names_;
    std::unordered_map<int64_t, LaunchConfig> launches_;  // by call
    std::unordered_map<int64_t, int64_t> copied_bytes_;   // by call
    std::unordered_map<int64_t, Operator> operators_;     // by call
    std::unordered_map<int64_t, Call> calls_;             // by id
    std::unordered_map<int64_t, int64_t> call_of_work_;
    std::map<std::pair<int64_t, int64_t>, LocalId> threads_, devices_;
    int64_t first_pid_ = 0;
};

}  // namespace lanescope
