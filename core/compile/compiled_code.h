// CompiledCode: what a compiler recorded about the code that it generated for one process:
// compilations, graphs, and for each call in generated code the operators and Python lines that it
// computes. Read from logs and caches of torch.compile, and from XLA programs in profiles. Nothing
// is executed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// How sure a link is, best first. A chain of links is as sure as its weakest one.
enum class LinkGrade : uint8_t {
    id,     // both sides state the same key
    nest,   // rows of one thread contain each other
    order,  // the nth call in a known graph
    name,   // a name that is unique in a known scope
    time,   // one contains the other in time only
    guess,  // made from a name alone
};
std::string_view grade_name(LinkGrade grade);
inline LinkGrade weaker(LinkGrade a, LinkGrade b) {
    return a < b ? b : a;
}

// A line of a program. `line` is 0 if unknown.
struct SourceLine {
    std::string file;
    int64_t line = 0;
    std::string function;
    std::string code;  // the line's text; empty: unknown

    friend bool operator==(const SourceLine& a, const SourceLine& b) {
        return a.file == b.file && a.line == b.line;
    }
};
// "train.py:20": the file's name without its folders.
std::string short_place(const SourceLine& line);

// A compilation is named by its frame, the number of that frame's compilation, and, for compiled
// autograd, the number of the autograd graph.
struct CompileId {
    int64_t autograd = -1;  // -1: none
    int64_t frame = -1;     // -1: unknown
    int64_t number = -1;

    friend auto operator<=>(const CompileId&, const CompileId&) = default;
};
// "0/1", "!2/0/1", "!2"; empty: nothing is known.
std::string text_of(const CompileId& id);
// Reads what text_of() writes. Everything else becomes an unknown id.
CompileId compile_id_of(std::string_view text);

// One call in generated code.
struct CallSite {
    std::string name;                    // "extern_kernels.addmm", "triton_poi_fused_add_0"
    std::vector<std::string> handles;    // for provenance: "extern_kernels.addmm:2"
    std::string opcode;                  // HLO opcode; empty: not an HLO instruction
    std::vector<std::string> scopes;     // op_name paths of HLO: "jit(f)/jvp(loss)/dot_general"
    int64_t code_line = 0;               // line of the call in the generated code; 0: unknown
    std::string kernel_file;             // of Triton code: the stem of its file; empty: unknown
    std::vector<std::string> nodes;      // of the graph after the passes
    std::vector<std::string> operators;  // "aten.addmm.default", sorted
    std::vector<SourceLine> lines;       // innermost lines, by file and line
    LinkGrade operators_grade = LinkGrade::id;
    LinkGrade lines_grade = LinkGrade::id;
};

// One graph that the compiler made code for.
struct CompiledGraph {
    uint32_t compile = 0;         // place in CompiledCode::compiles
    std::string aot_id;           // "0_forward"; for XLA "jit_step(18)"; empty: unknown
    std::string key;              // of the cache of FX graphs; empty: unknown
    std::string cache;            // "hit", "miss", "bypass"; empty: unknown
    std::string code_path;        // of the generated wrapper, as recorded
    std::vector<CallSite> sites;  // in the order of the code

    bool is_backward() const { return aot_id.ends_with("backward"); }
    std::string_view number() const {  // "0" of "0_forward"
        return std::string_view(aot_id).substr(0, aot_id.find('_'));
    }
};
// The file's name without folders and ending: Inductor names it by its content.
std::string code_stem(const CompiledGraph& graph);

// One compilation of a frame, that is of a function or of its rest behind a graph break.
struct Compilation {
    CompileId id;
    std::string function;
    std::string file;
    int64_t line = 0;
    int64_t attempts = 1;  // more than one: the compiler began again, mostly for a graph break
    Nanos duration = -1;   // of the frame, with what it calls; -1: unknown
    Nanos backend = -1;    // ahead-of-time autograd and the backend
    Nanos inductor = -1;
    Nanos backward = -1;  // of a backward graph that was compiled later, at its first call
    Nanos before_restart = 0;
    int64_t guards = -1;
    // "TENSOR_MATCH: check_tensor(…)", without object addresses.
    std::vector<std::string> guard_texts;
    std::string failure;    // "Unsupported: …"; empty: none
    std::string aot_cache;  // as CompiledGraph::cache
    std::vector<std::string> restart_reasons;
    std::vector<SourceLine> stack;  // how the frame was reached, innermost last
};

struct GraphBreak {
    uint32_t compile = 0;
    int64_t attempt = 0;
    SourceLine place;
    std::string reason;
    std::string explanation;
    std::vector<std::string> hints;
    std::vector<SourceLine> stack;  // of the user's code, innermost last
};

// A guard of an earlier compilation that failed, so that the frame was compiled again.
struct FailedGuard {
    uint32_t compile = 0;  // the new one
    CompileId entry;       // whose guard failed
    std::string guard;
    SourceLine place;  // `file` empty: unknown
};

// The trace event whose record starts at file position `source` runs this call site.
struct SourceLink {
    uint64_t source = 0;
    uint32_t graph = 0;  // index in CompiledCode::graphs
    uint32_t site = 0;   // index in CompiledGraph::sites
};

struct CompilePhase {
    std::string name;
    CompileId id;
    TimeRange range;
    bool is_backward = false;
};

struct CompiledCode {
    std::string origin;  // the file that most was read from
    int64_t pid = -1;
    int64_t rank = -1;
    std::string producer;               // "PyTorch 2.15.0"; empty: unknown
    std::vector<Compilation> compiles;  // in the order of their first record
    std::vector<CompiledGraph> graphs;
    std::vector<GraphBreak> breaks;
    std::vector<FailedGuard> failed_guards;
    std::vector<CompilePhase> phases;
    std::vector<SourceLink> links;                         // sorted by source; only for XLA
    std::map<std::string, uint64_t, std::less<>> records;  // by kind
    uint64_t damaged = 0;                                  // records that cannot be read
    uint64_t first_damaged = 0;                            // where the first of them begins

    bool empty() const { return compiles.empty() && graphs.empty(); }
};
using CompiledCodePtr = std::shared_ptr<const CompiledCode>;

}  // namespace lanescope
