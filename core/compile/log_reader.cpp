#include "core/compile/log_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/compile/program_text.h"
#include "core/compile/provenance.h"
#include "core/compile/record_head.h"

namespace lanescope {

namespace {

int64_t number_at(const RecordJson& object, const char* key, int64_t otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    if (found->is_number_integer()) return found->get<int64_t>();
    return otherwise;
}

// A time in seconds.
Nanos seconds_at(const RecordJson& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return -1;
    const double seconds = found->get<double>();
    if (!(seconds >= 0 && seconds < 1e9)) return -1;
    return std::llround(seconds * 1e9);
}

// How long the compilations of frames took, for logs whose metrics do not say it.
std::map<CompileId, Nanos> durations_of_phases(const std::vector<CompilePhase>& phases) {
    constexpr Nanos longest = Nanos{1} << 60U;  // of a sum, which damaged times could exceed
    std::map<CompileId, Nanos> durations;
    for (const CompilePhase& phase : phases)
        if (phase.name == "entire_frame_compile") {
            Nanos& sum = durations[phase.id];
            sum = std::min(longest, sum + std::min(longest, phase.range.length()));
        }
    return durations;
}

// The payloads of one graph's records. The next graph of the same compilation replaces them.
struct OpenGraph {
    std::string post_grad;
    std::string code;
    std::string code_path;
    std::string mappings;
    std::string stacks;
    std::string cache;
    std::string key;

    bool is_graph() const { return !code.empty() || !key.empty(); }
};

}  // namespace

struct CompileLogReader::State {
    CompiledCode code;
    PhaseEvent event;
    std::map<int64_t, std::string> texts;                    // interned file names
    std::map<CompileId, uint32_t> compiles;                  // place in code.compiles
    std::set<CompileId> measured;                            // those with metrics
    std::map<uint32_t, OpenGraph> open;                      // by compilation
    std::map<uint32_t, std::vector<CompiledGraph>> graphs;   // by compilation
    std::map<uint32_t, int64_t> attempts;                    // the last one seen
    std::map<std::string, std::vector<CompilePhase>> begun;  // by name
    std::size_t guard_bytes = 0;

    Compilation& compile(const RecordHead& head) { return code.compiles[place(head)]; }

    uint32_t place(const RecordHead& head) {
        const auto [found, is_new] =
            compiles.try_emplace(head.id, static_cast<uint32_t>(code.compiles.size()));
        if (is_new) code.compiles.emplace_back().id = head.id;
        return found->second;
    }

    // A later attempt throws the graphs of earlier ones away.
    void begin_attempt(const RecordHead& head) {
        const uint32_t at = place(head);
        int64_t& last = attempts[at];
        if (head.attempt <= last) return;
        last = head.attempt;
        code.compiles[at].attempts = head.attempt + 1;
        open.erase(at);
        graphs.erase(at);
    }

    void close(uint32_t at) {
        const OpenGraph parts = std::exchange(open[at], {});
        if (!parts.is_graph()) return;
        CompiledGraph& graph = graphs[at].emplace_back();
        graph.compile = at;
        graph.cache = parts.cache;
        graph.key = parts.key;
        graph.code_path = parts.code_path;
        OutputCode output = read_output_code(parts.code);
        graph.aot_id = std::move(output.aot_id);
        graph.sites = std::move(output.sites);
        add_provenance(graph, {parts.post_grad, parts.mappings, parts.stacks});
    }

    // The graph that a part belongs to: the next one if the last has such a part.
    OpenGraph& graph_for(const RecordHead& head, std::string OpenGraph::*part) {
        const uint32_t at = place(head);
        if (!(open[at].*part).empty()) close(at);
        return open[at];
    }

    std::vector<SourceLine> stack_of(const RecordJson& list) {
        std::vector<SourceLine> stack;
        if (!list.is_array()) return stack;
        for (const RecordJson& one : list) {
            if (!one.is_object()) continue;
            SourceLine& line = stack.emplace_back();
            line.line = number_at(one, "line", 0);
            line.function = text_at(one, "name");
            line.code = text_at(one, "loc");
            if (const auto name = texts.find(number_at(one, "filename", -1)); name != texts.end())
                line.file = name->second;
            else
                line.file = text_at(one, "filename");
        }
        return stack;
    }

    // Ends what is known of an id, so that the next record begins another compilation.
    void forget(const CompileId& id) {
        const auto found = compiles.find(id);
        if (found == compiles.end()) return;
        close(found->second);
        open.erase(found->second);
        compiles.erase(found);
    }

    void take_metrics(const RecordHead& head);
    void take_break(const RecordHead& head, std::string_view payload);
    void take_recompile(const RecordHead& head, std::string_view payload);
    void take_guards(const RecordHead& head, std::string_view payload);
    void take_cache(const RecordHead& head, std::string_view payload);
    void take_text(const RecordJson& list);
    bool take_phase(const RecordHead& head, std::string_view payload);
    void pair_phase();
    void take_graph_part(const RecordHead& head, std::string_view payload);
    void take(const RecordHead& head, const TorchRecord& record);
};

void CompileLogReader::State::take_text(const RecordJson& list) {
    if (list.is_array() && list.size() == 2 && list[0].is_string() && list[1].is_number_integer())
        texts[list[1].get<int64_t>()] = list[0].get<std::string>();
}

void CompileLogReader::State::take_metrics(const RecordHead& head) {
    const RecordJson& about = head.about;
    Compilation& one = compile(head);
    if (head.kind == "compilation_metrics") measured.insert(head.id);
    if (head.kind != "compilation_metrics") {
        one.backward = std::max<Nanos>(one.backward, 0) +
                       std::max<Nanos>(seconds_at(about, "inductor_compile_time_s"), 0);
        return;
    }
    if (const std::string function = text_at(about, "co_name"); !function.empty()) {
        one.function = function;
        one.file = text_at(about, "co_filename");
        one.line = number_at(about, "co_firstlineno", 0);
    }
    one.duration = seconds_at(about, "entire_frame_compile_time_s");
    one.backend = seconds_at(about, "backend_compile_time_s");
    one.inductor = seconds_at(about, "inductor_compile_time_s");
    one.before_restart = std::max<Nanos>(seconds_at(about, "dynamo_time_before_restart_s"), 0);
    one.guards = number_at(about, "guard_count", -1);
    const std::string type = text_at(about, "fail_type");
    const std::string reason = text_at(about, "fail_reason");
    if (!type.empty() || !reason.empty()) one.failure = type + (type.empty() ? "" : ": ") + reason;
    if (const auto reasons = about.find("restart_reasons");
        reasons != about.end() && reasons->is_array()) {
        one.restart_reasons.clear();
        for (const RecordJson& text : *reasons)
            if (text.is_string()) one.restart_reasons.push_back(text.get<std::string>());
        // Old logs have no attempts.
        one.attempts =
            std::max<int64_t>(one.attempts, static_cast<int64_t>(one.restart_reasons.size()) + 1);
    }
}

void CompileLogReader::State::take_break(const RecordHead& head, std::string_view payload) {
    GraphBreak found = read_graph_break(payload);
    found.compile = place(head);
    found.attempt = head.attempt;
    code.breaks.push_back(std::move(found));
}

void CompileLogReader::State::take_recompile(const RecordHead& head, std::string_view payload) {
    const uint32_t at = place(head);
    const auto add = [&](std::string_view text) {
        FailedGuard guard = read_failed_guard(text);
        guard.compile = at;
        code.failed_guards.push_back(std::move(guard));
    };
    const RecordJson list = parsed_json(payload);
    if (!list.is_array()) return add(payload);
    for (const RecordJson& text : list)
        if (text.is_string()) add(text.get<std::string>());
}

void CompileLogReader::State::take_guards(const RecordHead& head, std::string_view payload) {
    constexpr std::size_t most = std::size_t{64} << 20;  // in all records
    std::vector<std::string> guards = read_guard_tree(payload);
    for (const std::string& guard : guards) guard_bytes += guard.size();
    if (guard_bytes <= most) compile(head).guard_texts = std::move(guards);
}

void CompileLogReader::State::take_cache(const RecordHead& head, std::string_view payload) {
    const std::string result = head.kind.substr(head.kind.rfind('_') + 1);
    if (head.kind.starts_with("aotautograd")) {
        if (result != "hash") compile(head).aot_cache = result;
        return;
    }
    const RecordJson about = parsed_json(payload);
    OpenGraph& graph = graph_for(head, &OpenGraph::cache);
    graph.cache = result;
    if (about.is_object()) graph.key = text_at(about, "key");
}

void CompileLogReader::State::take_graph_part(const RecordHead& head, std::string_view payload) {
    const std::string& kind = head.kind;
    if (kind == "inductor_post_grad_graph" || kind == "after_post_grad_graph") {
        // Some versions write the graph under both names.
        if (const uint32_t at = place(head); !open[at].code.empty()) close(at);
        open[place(head)].post_grad = payload;
    } else if (kind == "inductor_output_code") {
        OpenGraph& graph = graph_for(head, &OpenGraph::code);
        graph.code = payload;
        graph.code_path = text_at(head.about, "filename");
    } else if (kind == "inductor_provenance_tracking_node_mappings") {
        graph_for(head, &OpenGraph::mappings).mappings = payload;
    } else if (kind == "inductor_provenance_tracking_kernel_stack_traces") {
        graph_for(head, &OpenGraph::stacks).stacks = payload;
    }
}

// Returns false for a payload that is no event.
bool CompileLogReader::State::take_phase(const RecordHead& head, std::string_view payload) {
    const RecordJson about = parsed_json(payload);
    if (!about.is_object()) return false;
    const auto time = about.find("ts");
    if (time == about.end() || !time->is_number()) return false;
    const double micros = time->get<double>();
    if (!(std::abs(micros) < 4e15)) return false;
    event = {};
    event.name = text_at(about, "name");
    const std::string phase = text_at(about, "ph");
    event.phase = phase.empty() ? '\0' : phase.front();
    event.time = std::llround(micros * 1000);
    event.id = head.id;
    if (const auto arguments = about.find("args");
        arguments != about.end() && arguments->is_object()) {
        if (const CompileId id = compile_id_of(text_at(*arguments, "compile_id")); id.frame >= 0)
            event.id = id;
        if (const auto backward = arguments->find("is_backward");
            backward != arguments->end() && backward->is_boolean())
            event.is_backward = backward->get<bool>();
    }
    pair_phase();
    return true;
}

// Pairs the event with the last begin of its name: workers share one thread.
void CompileLogReader::State::pair_phase() {
    if (event.phase == 'B') {
        begun[event.name].push_back(
            {event.name, event.id, {event.time, event.time}, event.is_backward});
    } else if (event.phase == 'E') {
        const auto found = begun.find(event.name);
        if (found == begun.end() || found->second.empty()) return;
        CompilePhase phase = std::move(found->second.back());
        found->second.pop_back();
        phase.range.end = std::max(phase.range.begin, event.time);
        phase.is_backward = phase.is_backward || event.is_backward;
        code.phases.push_back(std::move(phase));
    }
}

void CompileLogReader::State::take(const RecordHead& head, const TorchRecord& record) {
    if (head.id.frame >= 0) begin_attempt(head);
    if (head.kind == "torch_version") {
        if (const RecordJson about = parsed_json(record.payload); about.is_object())
            code.producer = "PyTorch " + text_at(about, "pytorch_version");
    } else if (head.kind == "dynamo_start") {
        // After a reset of the compiler, ids begin again.
        if (head.attempt == 0 && measured.erase(head.id) > 0) forget(head.id);
        Compilation& one = compile(head);
        if (const auto stack = head.about.find("stack"); stack != head.about.end())
            one.stack = stack_of(*stack);
        if (!one.stack.empty() && one.function.empty()) {
            one.function = one.stack.back().function;
            one.file = one.stack.back().file;
            one.line = one.stack.back().line;
        }
    } else if (head.kind.ends_with("compilation_metrics")) {
        take_metrics(head);
    } else if (head.kind == "dynamo_graph_break_reason") {
        take_break(head, record.payload);
    } else if (head.kind == "dynamo_cpp_guards_str") {
        take_guards(head, record.payload);
    } else if (head.kind == "recompile_reasons") {
        take_recompile(head, record.payload);
    } else if (head.kind.starts_with("fx_graph_cache_") ||
               head.kind.starts_with("aotautograd_cache_")) {
        take_cache(head, record.payload);
    } else {
        take_graph_part(head, record.payload);
    }
}

CompileLogReader::CompileLogReader() : state_(std::make_unique<State>()) {}
CompileLogReader::~CompileLogReader() = default;

const PhaseEvent* CompileLogReader::take(const TorchRecord& record) {
    CompiledCode& code = state_->code;
    const auto damaged = [&]() -> const PhaseEvent* {
        if (code.damaged++ == 0) code.first_damaged = record.offset;
        return nullptr;
    };
    const std::optional<RecordHead> head = read_record_head(record.head);
    if (!head) return damaged();
    ++code.records[head->kind];
    if (code.pid < 0) code.pid = record.pid;
    if (code.rank < 0) code.rank = head->rank;
    if (head->kind == "chromium_event")
        return state_->take_phase(*head, record.payload) ? &state_->event : damaged();
    if (head->kind == "str")
        state_->take_text(head->about);
    else
        state_->take(*head, record);
    return nullptr;
}

const CompiledCode& CompileLogReader::so_far() const {
    return state_->code;
}
uint64_t CompileLogReader::breaks() const {
    return state_->code.breaks.size();
}
uint64_t CompileLogReader::failed_guards() const {
    return state_->code.failed_guards.size();
}

CompiledCode CompileLogReader::finish() {
    std::vector<uint32_t> left;
    for (const auto& [at, parts] : state_->open) left.push_back(at);
    for (const uint32_t at : left) state_->close(at);
    CompiledCode& code = state_->code;
    const std::map<CompileId, Nanos> durations = durations_of_phases(code.phases);
    for (Compilation& one : code.compiles)
        if (const auto known = durations.find(one.id); one.duration < 0 && known != durations.end())
            one.duration = known->second;
    for (auto& [at, made] : state_->graphs)
        for (CompiledGraph& graph : made) code.graphs.push_back(std::move(graph));
    std::ranges::stable_sort(code.phases, {},
                             [](const CompilePhase& one) { return one.range.begin; });
    return std::move(code);
}

}  // namespace lanescope
