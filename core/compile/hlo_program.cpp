#include "core/compile/hlo_program.h"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <span>
#include <tuple>

namespace lanescope {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kLength = pbf_wire_type::length_delimited;
constexpr auto kNumber = pbf_wire_type::varint;
constexpr std::size_t kMostPrograms = 4096;
constexpr std::size_t kMostLines = 256;  // of an instruction
constexpr uint64_t kBytesOfText = 32;    // beside its characters
constexpr uint64_t kBytesOfPart = 16;    // for the time that reading one takes

std::string_view hlo_text(pbf_reader& message) {
    const auto view = message.get_view();
    return {view.data(), view.size()};
}

struct Frame {
    int64_t location = 0;
};
struct Location {
    int64_t file = 0, function = 0, line = 0;
};
// Tables that instructions refer to by 1-based index.
struct FrameIndex {
    std::vector<std::string_view> files, functions;
    std::vector<Location> locations;
    std::vector<Frame> frames;

    template <typename Value>
    static const Value* at(const std::vector<Value>& list, int64_t id) {
        return id >= 1 && static_cast<std::size_t>(id) <= list.size() ? &list[id - 1] : nullptr;
    }
    // The innermost line of a stack frame; `file` empty: unknown.
    SourceLine line_of(int64_t frame) const {
        SourceLine line;
        const Frame* const found = at(frames, frame);
        const Location* const location = found ? at(locations, found->location) : nullptr;
        if (!location) return line;
        if (const auto* const file = at(files, location->file)) line.file = *file;
        if (const auto* const function = at(functions, location->function))
            line.function = *function;
        line.line = location->line;
        return line;
    }
};

struct HloInstruction {
    std::string_view name, opcode, op_name, file;
    int64_t line = 0;
    int64_t frame = 0;
    std::vector<int64_t> called;  // IDs of computations
};

struct HloComputation {
    int64_t id = 0;
    std::vector<HloInstruction> instructions;
};

struct HloModule {
    std::string_view name;
    int64_t id = 0;  // ID of the program; 0: not stated
    std::vector<HloComputation> computations;
    FrameIndex frames;
};

Location read_location(pbf_reader message) {
    Location location;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(1, kNumber):
                location.file = message.get_int64();
                break;
            case tag_and_type(2, kNumber):
                location.function = message.get_int64();
                break;
            case tag_and_type(3, kNumber):
                location.line = message.get_int64();
                break;
            default:
                message.skip();
        }
    return location;
}

// Adds to a list as far as the budget allows.
template <typename Value>
void add_within(std::vector<Value>& list, Value value, HloBudget& budget) {
    // A vector that grows needs up to three times its values.
    if (budget.take(3 * sizeof(Value))) list.push_back(std::move(value));
}

FrameIndex read_frames(pbf_reader message, HloBudget& budget) {
    FrameIndex index;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(1, kLength):
                add_within(index.files, hlo_text(message), budget);
                break;
            case tag_and_type(2, kLength):
                add_within(index.functions, hlo_text(message), budget);
                break;
            case tag_and_type(3, kLength):
                add_within(index.locations, read_location(message.get_message()), budget);
                break;
            case tag_and_type(4, kLength): {
                pbf_reader frame = message.get_message();
                Frame one;
                while (frame.next())
                    if (frame.tag_and_type() == tag_and_type(1, kNumber))
                        one.location = frame.get_int64();
                    else
                        frame.skip();
                add_within(index.frames, one, budget);
                break;
            }
            default:
                message.skip();
        }
    return index;
}

void read_origin(pbf_reader message, HloInstruction& instruction) {
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(2, kLength):
                instruction.op_name = hlo_text(message);
                break;
            case tag_and_type(3, kLength):
                instruction.file = hlo_text(message);
                break;
            case tag_and_type(4, kNumber):
                instruction.line = message.get_int64();
                break;
            case tag_and_type(15, kNumber):
                instruction.frame = message.get_int64();
                break;
            default:
                message.skip();
        }
}

HloInstruction read_instruction(pbf_reader message, HloBudget& budget) {
    HloInstruction instruction;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(1, kLength):
                instruction.name = hlo_text(message);
                break;
            case tag_and_type(2, kLength):
                instruction.opcode = hlo_text(message);
                break;
            case tag_and_type(7, kLength):
                read_origin(message.get_message(), instruction);
                break;
            case tag_and_type(38, kLength):
                for (const int64_t id : message.get_packed_int64())
                    add_within(instruction.called, id, budget);
                break;
            case tag_and_type(38, kNumber):
                add_within(instruction.called, message.get_int64(), budget);
                break;
            default:
                message.skip();
        }
    return instruction;
}

HloComputation read_computation(pbf_reader message, HloBudget& budget) {
    HloComputation computation;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(2, kLength):
                add_within(computation.instructions,
                           read_instruction(message.get_message(), budget), budget);
                break;
            case tag_and_type(5, kNumber):
                computation.id = message.get_int64();
                break;
            default:
                message.skip();
        }
    return computation;
}

HloModule read_module(pbf_reader message, HloBudget& budget) {
    HloModule module;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(1, kLength):
                module.name = hlo_text(message);
                break;
            case tag_and_type(3, kLength):
                add_within(module.computations, read_computation(message.get_message(), budget),
                           budget);
                break;
            case tag_and_type(5, kNumber):
                module.id = message.get_int64();
                break;
            case tag_and_type(17, kLength):
                module.frames = read_frames(message.get_message(), budget);
                break;
            default:
                message.skip();
        }
    return module;
}

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

// Instructions without code of their own.
bool is_only_data(std::string_view opcode) {
    constexpr std::array<std::string_view, 5> data = {"parameter", "constant", "tuple",
                                                      "get-tuple-element", "bitcast"};
    return is_one_of(opcode, data);
}

// Whether the instructions of the called computations run one by one. Otherwise they are parts of
// the calling instruction.
bool runs_its_parts(std::string_view opcode) {
    constexpr std::array<std::string_view, 4> regions = {"while", "conditional", "call",
                                                         "async-start"};
    return is_one_of(opcode, regions);
}

// Creates the call sites of a module.
class SiteMaker {
  public:
    SiteMaker(const HloModule& module, HloBudget& budget) : module_(module), budget_(budget) {
        for (const HloComputation& computation : module.computations)
            by_id_.emplace(computation.id, &computation);
        for (const HloComputation& computation : module.computations)
            for (const HloInstruction& instruction : computation.instructions)
                if (!runs_its_parts(instruction.opcode))
                    for (const int64_t id : instruction.called) parts_.insert(id);
    }

    std::vector<CallSite> run() {
        std::vector<CallSite> sites;
        for (const HloComputation& computation : module_.computations) {
            if (parts_.contains(computation.id)) continue;
            for (const HloInstruction& instruction : computation.instructions)
                if (!is_only_data(instruction.opcode) && !budget_.is_spent())
                    add_within(sites, site_of(instruction), budget_);
        }
        return sites;
    }

  private:
    CallSite site_of(const HloInstruction& instruction) {
        CallSite site;
        // The name twice: it is also the key by which the site is found.
        if (!take(instruction.name) || !take(instruction.name) || !take(instruction.opcode))
            return site;
        site.name = instruction.name;
        site.opcode = instruction.opcode;
        add_origin(instruction, site);
        std::set<std::string> opcodes;
        if (!runs_its_parts(instruction.opcode))
            for (const int64_t id : instruction.called) add_parts(id, site, opcodes);
        if (site.operators.empty()) {
            if (opcodes.empty()) opcodes.emplace(instruction.opcode);
            site.operators.assign(opcodes.begin(), opcodes.end());
        }
        const auto sort = [](std::vector<std::string>& texts) {
            std::ranges::sort(texts);
            texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        };
        sort(site.operators);
        sort(site.scopes);
        std::ranges::sort(site.lines, {},
                          [](const SourceLine& line) { return std::tie(line.file, line.line); });
        return site;
    }

    // What the instructions of a computation are, as parts of a site.
    void add_parts(int64_t computation, CallSite& site, std::set<std::string>& opcodes) {
        const auto part = by_id_.find(computation);
        if (part == by_id_.end()) return;
        for (const HloInstruction& inside : part->second->instructions) {
            if (!budget_.take(kBytesOfPart)) return;
            if (is_only_data(inside.opcode)) continue;
            if (!opcodes.contains(std::string(inside.opcode)) && take(inside.opcode))
                opcodes.emplace(inside.opcode);
            add_origin(inside, site);
        }
    }

    bool take(std::string_view text) { return budget_.take(kBytesOfText + text.size()); }

    // "jit(f)/jvp(loss)/dot_general" is computed by the operator "dot_general"; an instruction that
    // stands for several has their paths joined by ";".
    void add_origin(const HloInstruction& instruction, CallSite& site) {
        for (std::string_view rest = instruction.op_name; !rest.empty();) {
            const std::string_view path = rest.substr(0, rest.find(';'));
            rest.remove_prefix(std::min(rest.size(), path.size() + 1));
            if (path.empty() || site.scopes.size() >= kMostLines) continue;
            if (!take(path) || !take(path)) return;
            site.scopes.emplace_back(path);
            site.operators.emplace_back(path.substr(path.rfind('/') + 1));
        }
        if (site.lines.size() >= kMostLines) return;
        SourceLine line = module_.frames.line_of(instruction.frame);
        if (line.file.empty() && !instruction.file.empty()) {
            line.file = instruction.file;
            line.line = instruction.line;
        }
        if (line.file.empty() || std::ranges::find(site.lines, line) != site.lines.end()) return;
        if (take(line.file) && take(line.function)) site.lines.push_back(std::move(line));
    }

    const HloModule& module_;
    HloBudget& budget_;
    std::map<int64_t, const HloComputation*> by_id_;
    std::set<int64_t> parts_;  // computations whose instructions belong to others
};

// The module in an HloProto; none: it is damaged.
std::optional<HloModule> module_in(std::string_view proto, HloBudget& budget) {
    try {
        pbf_reader message(proto.data(), proto.size());
        while (message.next())
            if (message.tag_and_type() == tag_and_type(1, kLength))
                return read_module(message.get_message(), budget);
            else
                message.skip();
    } catch (const std::exception&) {
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

HloAdded HloPrograms::add(std::string_view proto) {
    if (budget_.is_spent() || code_.graphs.size() >= kMostPrograms) return HloAdded::too_much;
    HloBudget reading = budget_;  // what the module needs is free again when its sites are made
    const std::optional<HloModule> module = module_in(proto, reading);
    if (reading.is_spent()) return HloAdded::too_much;
    if (!module) return HloAdded::damaged;
    if (by_program_.contains(module->id)) return HloAdded::added;
    std::vector<CallSite> sites = SiteMaker(*module, budget_).run();
    if (budget_.is_spent()) return HloAdded::too_much;
    by_program_.emplace(module->id, static_cast<uint32_t>(code_.graphs.size()));
    Compilation& compile = code_.compiles.emplace_back();
    compile.function = module->name;
    CompiledGraph& graph = code_.graphs.emplace_back();
    graph.compile = static_cast<uint32_t>(code_.compiles.size() - 1);
    graph.aot_id = std::string(module->name) + "(" + std::to_string(module->id) + ")";
    graph.sites = std::move(sites);
    Sites& by_name = sites_.emplace_back();
    for (uint32_t i = 0; i < graph.sites.size(); ++i) by_name.emplace(graph.sites[i].name, i);
    return HloAdded::added;
}

void HloPrograms::link(uint64_t source, int64_t program_id, std::string_view instruction) {
    const auto program = by_program_.find(program_id);
    if (program == by_program_.end()) return;
    const Sites& sites = sites_[program->second];
    if (const auto site = sites.find(std::string(instruction)); site != sites.end())
        code_.links.push_back({source, program->second, site->second});
}

CompiledCode HloPrograms::finish() {
    std::ranges::sort(code_.links, {}, &SourceLink::source);
    return std::move(code_);
}

}  // namespace lanescope
