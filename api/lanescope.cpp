// The functions of lanescope.h.
#include "api/lanescope.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nanoarrow/nanoarrow.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/failure.h"
#include "api/opened.h"
#include "api/options.h"
#include "api/parameters.h"
#include "api/rank_rows.h"
#include "api/results.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/ranks/rank_tables.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/tables/arrow_rows.h"
#include "core/export/tables/arrow_stream.h"
#include "core/insight/compare/compare_samples.h"
#include "core/registry/tables.h"
#include "core/session/part_names.h"
#include "core/sql/connection.h"

namespace lanescope {

namespace {

lanescope_status pass_on(const Table& table, ArrowArrayStream* stream) {
    if (!stream) return failed(misuse("The place of the stream is null"));
    const Result<void> made = make_arrow_stream(table, {}, stream);
    return made ? LANESCOPE_OK : failed(made.error());
}

// Returns whether a call was given at least one trace, and no null pointer.
bool are_given(lanescope_trace* const* traces, std::size_t count) {
    if (count == 0 || !traces) return false;
    for (std::size_t i = 0; i < count; ++i)
        if (!traces[i]) return false;
    return true;
}

// Checks that a call has traces and its other argument. Error messages call that argument `needs`.
Result<void> check_given(lanescope_trace* const* traces, std::size_t count, const void* other,
                         const char* needs) {
    if (!are_given(traces, count)) return misuse("The call needs a trace");
    if (!other) return misuse(std::string("The call needs ") + needs);
    return {};
}

// `stream`: null for files.
Result<OpenOptions> open_options(const char* json, StreamOptions* stream) {
    OpenOptions options;
    const OptionField align = {"align", &options.align};
    const OptionField specs = {"specs", &options.specs};
    const OptionField captures = {"graph-capture", &options.companions.graph_captures};
    const OptionField artifacts = {"compile-artifacts", &options.companions.compile_artifacts};
    const OptionField classes = {"classes", &options.companions.classes};
    const OptionField workers = {"workers", &options.workers};
    const OptionField memory = {"memory", &options.memory};
    const Result<void> read =
        stream ? read_options(json, "open_stream",
                              {align,
                               specs,
                               captures,
                               artifacts,
                               classes,
                               workers,
                               memory,
                               {"name", &stream->name},
                               {"size", &stream->size}})
               : read_options(json, "open",
                              {align, specs, captures, artifacts, classes, workers, memory});
    if (!read) return read.error();
    return options;
}

struct SqlCall {
    Opened traces;
    std::string script;
    SqlParameters parameters;
    SqlOptions options;
    Result<Table> table = misuse("");
};

// One file of a call's traces.
struct QueriedFile {
    TracePtr trace;
    Evidence evidence;
};

// The files of all traces, each named in `names` as the window would name it.
std::vector<QueriedFile> files_of(Opened traces, std::vector<std::string>& names) {
    std::vector<QueriedFile> queried;
    std::vector<TraceFile> files;
    for (const lanescope_trace* const opened : traces) {
        const std::vector<TracePtr>& parts = opened->joined.parts;
        for (std::size_t i = 0; i < opened->paths.size(); ++i) {
            const TracePtr& trace = parts.size() > 1 ? parts[i] : opened->joined.whole;
            queried.push_back({trace, opened->evidence});
            files.push_back({opened->paths[i], own_rank(*trace)});
        }
    }
    names = part_names(files);
    return queried;
}

// Runs the script over each file of each trace.
Result<Table> run_sql_call(const SqlCall& call) {
    SqlRows rows(call.options.memory_bytes);
    std::vector<std::string> names;
    const std::vector<QueriedFile> files = files_of(call.traces, names);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files.size() > 1) rows.of_trace(names[i]);
        const auto connection =
            SqlConnection::open(files[i].trace, files[i].evidence, call.options);
        if (!connection) return connection.error();
        const Result<void> done = (*connection)->run(call.script, call.parameters, rows);
        if (!done) return done.error();
    }
    return rows.take();
}

Result<SqlOptions> sql_options(const char* json) {
    SqlOptions options;
    std::string timeout;
    std::size_t memory = options.memory_bytes;
    const Result<void> read = read_options(
        json, "sql",
        {{"timeout", &timeout}, {"memory", &memory}, {"temporary", &options.temporary_tables}});
    if (!read) return read.error();
    options.memory_bytes = memory;
    if (timeout.empty()) return options;
    const std::optional<Nanos> parsed = parse_duration(timeout);
    if (!parsed) return misuse(timeout + " is no time such as 10s or 500ms");
    options.timeout = std::chrono::nanoseconds(*parsed);
    return options;
}

}  // namespace

}  // namespace lanescope

namespace ls = lanescope;

struct lanescope_rows {
    std::shared_ptr<const ls::ArrowRows> rows;
};

const char* lanescope_version(void) {
    return LANESCOPE_VERSION;
}

lanescope_status lanescope_open(const char* const* paths, size_t count, const char* options,
                                lanescope_progress progress, void* user, lanescope_trace** trace) {
    return ls::guarded([&]() -> lanescope_status {
        if (!trace) return ls::failed(ls::misuse("The place of the trace is null"));
        if (!paths || count == 0) return ls::failed(ls::misuse("open needs a path"));
        std::vector<std::string> all;
        for (size_t i = 0; i < count; ++i) {
            if (!paths[i]) return ls::failed(ls::misuse("open needs a path"));
            all.emplace_back(paths[i]);
        }
        const auto read = ls::open_options(options, nullptr);
        if (!read) return ls::failed(read.error());
        std::unique_ptr<lanescope_trace> opened;
        const lanescope_status status =
            ls::open_files(std::move(all), *read, {progress, user}, opened);
        if (status == LANESCOPE_OK) *trace = opened.release();
        return status;
    });
}

lanescope_status lanescope_open_stream(lanescope_read read, void* read_user, const char* options,
                                       lanescope_progress progress, void* user,
                                       lanescope_trace** trace) {
    return ls::guarded([&]() -> lanescope_status {
        if (!trace) return ls::failed(ls::misuse("The place of the trace is null"));
        if (!read) return ls::failed(ls::misuse("open_stream needs a read function"));
        ls::StreamOptions stream;
        const auto chosen = ls::open_options(options, &stream);
        if (!chosen) return ls::failed(chosen.error());
        const ls::Watch watch{progress, user};
        const auto copy = ls::copy_of_stream(read, read_user, stream, watch);
        if (!copy) return ls::failed({copy.error(), stream.name});
        std::unique_ptr<lanescope_trace> opened;
        const lanescope_status status =
            ls::open_files({stream.name}, *chosen, watch, opened, *copy);
        if (status == LANESCOPE_OK) *trace = opened.release();
        return status;
    });
}

void lanescope_close(lanescope_trace* trace) {
    delete trace;
}

lanescope_status lanescope_tables(struct ArrowArrayStream* stream) {
    return ls::guarded([&] { return ls::pass_on(ls::names_table(), stream); });
}

lanescope_status lanescope_columns(const char* name, struct ArrowArrayStream* stream) {
    return ls::guarded([&]() -> lanescope_status {
        if (!name) return ls::pass_on(ls::columns_table(nullptr), stream);
        const ls::TableSpec* const spec = ls::find_any_table(name);
        if (!spec) return ls::failed(ls::misuse(std::string("There is no table ") + name));
        return ls::pass_on(ls::columns_table(spec), stream);
    });
}

lanescope_status lanescope_table(lanescope_trace* const* traces, size_t count, const char* name,
                                 const char* options, struct ArrowArrayStream* stream) {
    return ls::guarded([&]() -> lanescope_status {
        if (const auto given = ls::check_given(traces, count, name, "the name of a table"); !given)
            return ls::failed(given.error());
        const auto made = ls::make_table({traces, count}, name, options);
        return made ? ls::pass_on(made->table, stream) : ls::failed(made.error());
    });
}

lanescope_status lanescope_text(lanescope_trace* const* traces, size_t count, const char* name,
                                const char* options, char** text, size_t* bytes) {
    return ls::guarded([&]() -> lanescope_status {
        if (const auto given = ls::check_given(traces, count, name, "the name of a text"); !given)
            return ls::failed(given.error());
        if (!text) return ls::failed(ls::misuse("The place of the text is null"));
        const auto made = ls::make_text({traces, count}, name, options);
        if (!made) return ls::failed(made.error());
        auto* const copy = static_cast<char*>(std::malloc(made->size() + 1));
        if (!copy) throw std::bad_alloc();
        std::memcpy(copy, made->c_str(), made->size() + 1);
        *text = copy;
        if (bytes) *bytes = made->size();
        return LANESCOPE_OK;
    });
}

lanescope_status lanescope_sql(lanescope_trace* const* traces, size_t count, const char* script,
                               const char* parameters, const char* options,
                               lanescope_progress progress, void* user,
                               struct ArrowArrayStream* stream) {
    return ls::guarded([&]() -> lanescope_status {
        if (const auto given = ls::check_given(traces, count, script, "a script"); !given)
            return ls::failed(given.error());
        if (!stream) return ls::failed(ls::misuse("The place of the stream is null"));
        const auto chosen = ls::sql_options(options);
        if (!chosen) return ls::failed(chosen.error());
        const auto values = ls::read_parameters(parameters);
        if (!values) return ls::failed(values.error());
        std::atomic<bool> cancel = false;
        ls::SqlCall call{{traces, count}, script, *values, *chosen};
        call.options.cancel = &cancel;
        ls::run_watched(
            {progress, user}, [&] { call.table = ls::run_sql_call(call); },
            [](uint64_t&, uint64_t&) {}, [&] { cancel = true; });
        return call.table ? ls::pass_on(*call.table, stream) : ls::failed(call.table.error());
    });
}

lanescope_status lanescope_compare_ranks(struct ArrowArrayStream* calls,
                                         struct ArrowArrayStream* work,
                                         struct ArrowArrayStream* traces, const char* options,
                                         struct ArrowArrayStream* tables) {
    const lanescope_status status = ls::guarded([&]() -> lanescope_status {
        if (!tables) return ls::failed(ls::misuse("The place of the tables is null"));
        if (!calls || !calls->release) return ls::failed(ls::misuse("There are no calls"));
        const auto limits = ls::rank_limits(options);
        if (!limits) return ls::failed(limits.error());
        const auto data = ls::read_rank_rows(calls, work, traces);
        if (!data) return ls::failed(data.error());
        const ls::RankComparison result = ls::compare_ranks(*data, *limits);
        std::array<nanoarrow::UniqueArrayStream, LANESCOPE_RANK_TABLES> made;
        for (std::size_t i = 0; i < made.size(); ++i)
            if (const auto passed =
                    ls::pass_on(ls::rank_table_makers()[i].make(*data, result), made[i].get());
                passed != LANESCOPE_OK)
                return passed;
        for (std::size_t i = 0; i < made.size(); ++i)
            ArrowArrayStreamMove(made[i].get(), &tables[i]);
        return LANESCOPE_OK;
    });
    for (struct ArrowArrayStream* const given : {calls, work, traces})
        if (given && given->release) given->release(given);
    return status;
}

lanescope_status lanescope_keep(struct ArrowArrayStream* stream, lanescope_rows** rows) {
    return ls::guarded([&]() -> lanescope_status {
        if (!stream || !stream->release || !rows)
            return ls::failed(ls::misuse("There is no stream"));
        auto kept = ls::ArrowRows::keep(stream);
        if (!kept) return ls::failed(kept.error());
        *rows = new lanescope_rows{std::move(*kept)};
        return LANESCOPE_OK;
    });
}

double lanescope_chance(const double* a, size_t count_a, const double* b, size_t count_b) {
    return ls::chance_of_samples({a, count_a}, {b, count_b});
}

int64_t lanescope_rank_in_name(const char* file_name) {
    const int64_t rank = file_name ? ls::rank_in_name(file_name) : ls::kNoValue;
    return rank == ls::kNoValue ? -1 : rank;
}

int64_t lanescope_row_count(const lanescope_rows* rows) {
    return rows ? rows->rows->row_count() : 0;
}

lanescope_status lanescope_stream_of(const lanescope_rows* rows, struct ArrowArrayStream* stream) {
    return ls::guarded([&]() -> lanescope_status {
        if (!rows || !stream) return ls::failed(ls::misuse("There are no rows"));
        const auto shared = rows->rows->share(stream);
        return shared ? LANESCOPE_OK : ls::failed(shared.error());
    });
}

void lanescope_drop(lanescope_rows* rows) {
    delete rows;
}

void lanescope_free(char* text) {
    std::free(text);
}
