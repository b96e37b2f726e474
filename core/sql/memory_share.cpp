#include "core/sql/memory_share.h"

#include <algorithm>
#include <mutex>

namespace lanescope {

namespace {

// The shares in use, and the limits that the process had before the first share.
struct SqlMemoryLimits {
    std::mutex mutex;
    int shares = 0;
    int64_t others = 0;  // bytes of SQLite that belong to no share
    int64_t shared = 0;
    sqlite3_int64 hard_before = 0;
    sqlite3_int64 soft_before = 0;
};

SqlMemoryLimits& sql_memory_limits() {
    static SqlMemoryLimits limits;
    return limits;
}

void set_heap_limit(const SqlMemoryLimits& limits) {
    // SQLite reads 0 as "no limit".
    sqlite3_int64 most = std::max<int64_t>(limits.others + limits.shared, 1);
    if (limits.hard_before > 0) most = std::min(most, limits.hard_before);
    sqlite3_hard_heap_limit64(most);
    sqlite3_soft_heap_limit64(most);
}

int64_t bytes_kept(sqlite3* db) {
    if (!db) return 0;
    int64_t bytes = 0;
    for (const int part :
         {SQLITE_DBSTATUS_CACHE_USED, SQLITE_DBSTATUS_SCHEMA_USED, SQLITE_DBSTATUS_STMT_USED}) {
        int used = 0;
        int highest = 0;
        if (sqlite3_db_status(db, part, &used, &highest, 0) == SQLITE_OK) bytes += used;
    }
    return bytes;
}

}  // namespace

SqlMemoryShare::SqlMemoryShare(sqlite3* db, uint64_t bytes)
    : db_(db),
      kept_(bytes_kept(db)),
      bytes_(std::max<int64_t>(
          static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX / 4)) - kept_, 0)) {
    SqlMemoryLimits& limits = sql_memory_limits();
    const std::lock_guard lock(limits.mutex);
    if (limits.shares++ == 0) {
        limits.hard_before = sqlite3_hard_heap_limit64(-1);
        limits.soft_before = sqlite3_soft_heap_limit64(-1);
        limits.others = sqlite3_memory_used();
    }
    limits.shared += bytes_;
    set_heap_limit(limits);
}

SqlMemoryShare::~SqlMemoryShare() {
    const int64_t more = bytes_kept(db_) - kept_;
    SqlMemoryLimits& limits = sql_memory_limits();
    const std::lock_guard lock(limits.mutex);
    limits.shared -= bytes_;
    limits.others += more;
    if (--limits.shares > 0) {
        set_heap_limit(limits);
    } else {
        sqlite3_hard_heap_limit64(limits.hard_before);
        sqlite3_soft_heap_limit64(limits.soft_before);
    }
}

}  // namespace lanescope
