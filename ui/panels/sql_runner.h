// SqlRunner: runs SQL over the open traces in the background.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/result.h"
#include "core/sql/row_places.h"
#include "core/sql/traces.h"
#include "ui/base/jobs.h"
#include "ui/frame/open_trace.h"

namespace lanescope {

// The window scrolls through no more rows than this; the first ones are kept.
inline constexpr std::size_t kMostSqlRows = 1'000'000;

// The connections to the traces. Temporary tables of queries live as long as the session.
struct SqlSession {
    std::vector<TracePtr> parts;                                // one a file
    std::vector<std::shared_ptr<const TraceContext>> contexts;  // by part
    std::vector<std::string> names;                             // by part

    std::atomic<bool> cancel = false;  // stops the running query

    // Used by jobs only, one at a time.
    SqlTraces traces;  // without connections until a job opens them
    std::vector<QueriedTrace> queried;
};

// The session of a loaded trace, in LoadedTrace::state: closing the trace stops its query.
struct OpenSql {
    OpenSql() = default;
    OpenSql(const OpenSql&) = delete;
    OpenSql& operator=(const OpenSql&) = delete;
    ~OpenSql() {
        if (session) session->cancel = true;
    }
    std::shared_ptr<SqlSession> session;  // null until SQL is used
};

// The words that a query can have.
struct SqlNames {
    std::vector<SqlTableName> tables;
    std::vector<std::string> functions;
};

struct SqlAnswer {
    std::string script;
    std::optional<Error> error;          // its byte offset is a place in the script
    std::shared_ptr<const Table> table;  // at most kMostSqlRows; null: an error, or no columns
    std::size_t row_count = 0;           // of the whole result
    Nanos took = 0;
};

// The session of a loaded trace, which is made on first use.
std::shared_ptr<SqlSession> session_of(LoadedTrace& loaded);

class SqlRunner {
  public:
    // Reads the names in the background, once for each session.
    void read_names(const std::shared_ptr<SqlSession>& session, Jobs& jobs);
    // Runs the script over all parts of the trace, or over the part `only`. `now` is in seconds. No
    // other query may be running.
    void run(const std::shared_ptr<SqlSession>& session, const std::string& script,
             std::optional<std::size_t> only, Jobs& jobs, double now);
    void cancel();
    // Stops everything, and drops the answer.
    void forget();

    bool running() const { return running_.busy(); }
    bool busy() const { return running_.busy() || naming_.busy(); }
    double begun() const { return begun_; }  // in seconds, of the last query
    const SqlAnswer* answer() const { return answer_ ? &*answer_ : nullptr; }
    unsigned answers() const { return answers_; }  // number of answers so far
    const SqlNames& names() const { return *names_; }

  private:
    // The session of the names and of the running query.
    std::shared_ptr<SqlSession> session_;
    std::shared_ptr<const SqlNames> names_ = std::make_shared<const SqlNames>();
    std::optional<SqlAnswer> answer_;
    unsigned answers_ = 0;
    double begun_ = 0;
    JobSlot running_;
    JobSlot naming_;
};

}  // namespace lanescope
