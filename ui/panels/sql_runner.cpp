#include "ui/panels/sql_runner.h"

#include <chrono>
#include <utility>

namespace lanescope {

namespace {

Result<void> open_connections(SqlSession& session) {
    if (!session.traces.connections.empty()) return {};
    SqlTraces traces;
    std::vector<QueriedTrace> queried;
    SqlOptions options;
    options.cancel = &session.cancel;
    for (std::size_t i = 0; i < session.parts.size(); ++i) {
        const TracePtr& part = session.parts[i];
        auto connection = SqlConnection::open(part, *session.contexts[i], options);
        if (!connection) return connection.error();
        traces.connections.push_back(std::move(*connection));
        traces.names.push_back(session.names[i]);
        queried.push_back({session.names[i], part, std::make_shared<const SliceRows>(*part)});
    }
    session.traces = std::move(traces);
    session.queried = std::move(queried);
    return {};
}

std::shared_ptr<const SqlNames> names_in(const SqlSession& session) {
    auto names = std::make_shared<SqlNames>();
    if (session.traces.connections.empty()) return names;
    names->tables = session.traces.connections.front()->table_names();
    names->functions = session.traces.connections.front()->function_names();
    return names;
}

SqlAnswer answer_of(SqlSession& session, const std::string& script,
                    std::optional<std::size_t> only) {
    SqlAnswer answer;
    answer.script = script;
    if (const Result<void> opened = open_connections(session); !opened) {
        answer.error = opened.error();
        return answer;
    }
    Result<Table> table = session.traces.run(script, {}, only);
    if (!table) {
        answer.error = table.error();
        return answer;
    }
    if (table->column_count() == 0) return answer;
    answer.row_count = table->row_count();
    if (answer.row_count > kMostSqlRows) table->keep_first(kMostSqlRows);
    std::vector<QueriedTrace> queried = session.queried;
    if (only) queried = {session.queried[*only]};
    answer.table =
        std::make_shared<const Table>(with_row_places(std::move(*table), std::move(queried)));
    return answer;
}

}  // namespace

std::shared_ptr<SqlSession> session_of(LoadedTrace& loaded) {
    std::shared_ptr<SqlSession>& session = loaded.state.get<OpenSql>().session;
    if (session) return session;
    session = std::make_shared<SqlSession>();
    session->parts = loaded.parts;
    session->contexts = loaded.contexts;
    for (std::size_t i = 0; i < loaded.parts.size(); ++i)
        session->names.push_back(i < loaded.whole->parts.size() ? loaded.whole->parts[i].name
                                                                : file_name(loaded.parts[i]->path));
    return session;
}

void SqlRunner::read_names(const std::shared_ptr<SqlSession>& session, Jobs& jobs) {
    if (session_ == session) return;
    session_ = session;
    naming_.ask(
        jobs,
        [session] {
            const Result<void> opened = open_connections(*session);
            return opened ? names_in(*session) : std::make_shared<const SqlNames>();
        },
        [this](std::shared_ptr<const SqlNames> names) { names_ = std::move(names); },
        JobQueue::queries);
}

void SqlRunner::run(const std::shared_ptr<SqlSession>& session, const std::string& script,
                    std::optional<std::size_t> only, Jobs& jobs, double now) {
    if (running()) return;
    struct Done {
        SqlAnswer answer;
        std::shared_ptr<const SqlNames> names;
    };
    session_ = session;
    session->cancel = false;
    begun_ = now;
    running_.ask(
        jobs,
        [session, script, only] {
            const auto begin = std::chrono::steady_clock::now();
            Done done{answer_of(*session, script, only), nullptr};
            const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
            done.answer.took = Nanos{took.count()};
            done.names = names_in(*session);  // the script may have made tables
            return done;
        },
        [this](Done done) {
            answer_ = std::move(done.answer);
            names_ = std::move(done.names);
            ++answers_;
        },
        JobQueue::queries);
}

void SqlRunner::cancel() {
    if (running() && session_) session_->cancel = true;
}

void SqlRunner::forget() {
    cancel();
    running_.drop();
    naming_.drop();
    session_.reset();
    names_ = std::make_shared<const SqlNames>();
    answer_.reset();
}

}  // namespace lanescope
