// Reads calls of threads: CUDA, libraries, MPI, the operating system, and the profiler's own work.
#include <array>

#include "core/ingest/nsight/nsight_state.h"
#include "core/ingest/stated_graph_nodes.h"

namespace lanescope {

namespace {

constexpr int64_t kRuntimeClass = 0;
constexpr int64_t kDriverClass = 1;
constexpr int64_t kNotReady = 600;  // what a query of work that runs returns

}  // namespace

// With call stacks, a call has two rows: that of the stack, and within it that of CUPTI.
void NsightReader::read_calls(const SqliteTable& table) {
    constexpr std::array<std::string_view, 7> columns = {
        "start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"};
    if (file_.find("CUDA_CALLCHAINS"))
        read_table(table.name, columns, &NsightReader::take_outer_call);
    read_table(table.name, columns, &NsightReader::take_call);
    outer_calls_.clear();
}

void NsightReader::take_outer_call(const SqliteRows& rows) {
    const int64_t kind = rows.number(2, kRuntimeClass);
    const int64_t correlation = rows.number(4, 0);
    if (kind != kRuntimeClass && kind != kDriverClass && correlation != 0)
        outer_calls_.insert({rows.number(3, 0), correlation});
}

void NsightReader::take_call(const SqliteRows& rows) {
    const int64_t kind = rows.number(2, kRuntimeClass);
    const int64_t global_tid = rows.number(3, 0);
    const int64_t correlation = rows.number(4, 0);
    const bool is_plain = kind == kRuntimeClass || kind == kDriverClass;
    if (is_plain && !outer_calls_.empty() && outer_calls_.contains({global_tid, correlation}))
        return;
    const std::optional<Span> at = span(rows);
    if (!at) return;
    const LocalId name = call_name(rows.number(5));
    const LocalId lane = thread(global_tid);
    const uint32_t event =
        add_slice(lane, *at, name, kind == kDriverClass ? kNsightDriverCall : kNsightRuntimeCall,
                  source(rows));
    if (correlation != 0) sink_.attach<RuntimeFacts>(event).correlation = correlation;
    const int64_t result = rows.number(6, 0);
    if (result == 0 || result == kNotReady) return;
    const std::string text(sink_[name]);
    sink_.add({at->begin + std::max<Nanos>(at->duration, 0), 0, 0,
               sink_.text(text + " returned " + std::to_string(result)),
               sink_.category(kNsightFailure), lane, 0, EventKind::instant, kHasTime},
              source(rows), "failed call");
}

void NsightReader::read_named(const SqliteTable& table, const CategoryWord& category) {
    category_ = &category;
    constexpr std::array<std::string_view, 4> columns = {"start", "end", "globalTid", "nameId"};
    read_table(table.name, columns, &NsightReader::take_named);
}

void NsightReader::read_overhead(const SqliteTable& table) {
    read_named(table, kNsightOverhead);
}

void NsightReader::read_system_calls(const SqliteTable& table) {
    read_named(table, kNsightSystemCall);
}

void NsightReader::read_library_calls(const SqliteTable& table) {
    read_named(table, kNsightLibraryCall);
}

void NsightReader::read_graph_nodes(const SqliteTable& table) {
    constexpr std::array<std::string_view, 6> columns = {
        "start", "end", "globalTid", "nameId", "graphNodeId", "originalGraphNodeId"};
    read_table(table.name, columns, &NsightReader::take_graph_node);
}

// Exports of 2022 store node events in this table.
void NsightReader::read_graph_events(const SqliteTable& table) {
    if (table.has("graphNodeId")) return read_graph_nodes(table);
    read_unknown(table);
}

void NsightReader::take_graph_node(const SqliteRows& rows) {
    const std::optional<Span> at = span(rows);
    if (!at) return;
    add_slice(thread(rows.number(2, 0)), *at, string(rows.number(3)), kNsightGraphNode,
              source(rows));
    const int64_t node = rows.number(4, 0);
    const int64_t original = rows.number(5, 0);
    if (node == 0 || original == node) return;
    static_cast<StatedGraphNodes&>(*job_.input.memory)
        .nodes.push_back({source(rows), node, original == 0 ? kNoValue : original});
}

void NsightReader::read_mpi(const SqliteTable& table) {
    if (table.name == "MPI_RANKS") {
        constexpr std::array<std::string_view, 2> of_ranks = {"globalTid", "rank"};
        return read_table(table.name, of_ranks, &NsightReader::take_mpi_rank);
    }
    category_ = &kNsightCommunication;
    constexpr std::array<std::string_view, 5> columns = {"start", "end", "globalTid", "textId",
                                                         "text"};
    read_table(table.name, columns, &NsightReader::take_named);
}

void NsightReader::take_mpi_rank(const SqliteRows& rows) {
    ranks_[nsight_process(rows.number(0, 0))] = rows.number(1, 0);
}

void NsightReader::read_unknown(const SqliteTable& table) {
    const CategoryWord category = {table.name, EventClass::other};
    category_ = &category;
    const std::array<std::string_view, 5> columns = {"start", "end", "globalTid",
                                                     table.has("nameId") ? "nameId" : "textId",
                                                     table.has("name") ? "name" : "text"};
    read_table(table.name, columns, &NsightReader::take_named);
    category_ = nullptr;
}

// The name is an id in column 3, or a text in column 4.
void NsightReader::take_named(const SqliteRows& rows) {
    const std::optional<Span> at = span(rows);
    if (!at) return;
    const int64_t id = rows.number(3);
    const LocalId name = id == kNoValue ? sink_.text(rows.text(4)) : string(id);
    add_slice(thread(rows.number(2, 0)), *at, name, *category_, source(rows));
}

}  // namespace lanescope
