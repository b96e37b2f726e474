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
constexpr std::size_t kMostInstructions = 1'000'000;  // in all programs
constexpr std::size_t kMostPrograms = 4096;
constexpr std::size_t kMostLines = 256;         // lines, and paths, of one instruction
constexpr std::size_t kMostParts = 10'000'000;  // nested instructions read per module

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

FrameIndex read_frames(pbf_reader message) {
    FrameIndex index;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(1, kLength):
                index.files.push_back(hlo_text(message));
                break;
            case tag_and_type(2, kLength):
                index.functions.push_back(hlo_text(message));
                break;
            case tag_and_type(3, kLength):
                index.locations.push_back(read_location(message.get_message()));
                break;
            case tag_and_type(4, kLength): {
                pbf_reader frame = message.get_message();
                Frame& one = index.frames.emplace_back();
                while (frame.next())
                    if (frame.tag_and_type() == tag_and_type(1, kNumber))
                        one.location = frame.get_int64();
                    else
                        frame.skip();
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

HloInstruction read_instruction(pbf_reader message) {
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
                    instruction.called.push_back(id);
                break;
            case tag_and_type(38, kNumber):
                instruction.called.push_back(message.get_int64());
                break;
            default:
                message.skip();
        }
    return instruction;
}

HloComputation read_computation(pbf_reader message) {
    HloComputation computation;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(2, kLength):
                computation.instructions.push_back(read_instruction(message.get_message()));
                break;
            case tag_and_type(5, kNumber):
                computation.id = message.get_int64();
                break;
            default:
                message.skip();
        }
    return computation;
}

HloModule read_module(pbf_reader message) {
    HloModule module;
    while (message.next()) switch (message.tag_and_type()) {
            case tag_and_type(1, kLength):
                module.name = hlo_text(message);
                break;
            case tag_and_type(3, kLength):
                module.computations.push_back(read_computation(message.get_message()));
                break;
            case tag_and_type(5, kNumber):
                module.id = message.get_int64();
                break;
            case tag_and_type(17, kLength):
                module.frames = read_frames(message.get_message());
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
    explicit SiteMaker(const HloModule& module) : module_(module) {
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
                if (!is_only_data(instruction.opcode)) sites.push_back(site_of(instruction));
        }
        return sites;
    }

  private:
    CallSite site_of(const HloInstruction& instruction) {
        CallSite site;
        site.name = instruction.name;
        site.opcode = instruction.opcode;
        add_origin(instruction, site);
        std::set<std::string> opcodes;
        if (!runs_its_parts(instruction.opcode))
            for (const int64_t id : instruction.called)
                if (const auto part = by_id_.find(id); part != by_id_.end())
                    for (const HloInstruction& inside : part->second->instructions) {
                        if (is_only_data(inside.opcode) || ++parts_read_ > kMostParts) continue;
                        opcodes.emplace(inside.opcode);
                        add_origin(inside, site);
                    }
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

    // The last part of a path is the operator: "jit(f)/jvp(loss)/dot_general" is "dot_general".
    // Merged instructions have several paths, separated by ";".
    void add_origin(const HloInstruction& instruction, CallSite& site) const {
        for (std::string_view rest = instruction.op_name; !rest.empty();) {
            const std::string_view path = rest.substr(0, rest.find(';'));
            rest.remove_prefix(std::min(rest.size(), path.size() + 1));
            if (path.empty() || site.scopes.size() >= kMostLines) continue;
            site.scopes.emplace_back(path);
            site.operators.emplace_back(path.substr(path.rfind('/') + 1));
        }
        if (site.lines.size() >= kMostLines) return;
        SourceLine line = module_.frames.line_of(instruction.frame);
        if (line.file.empty() && !instruction.file.empty()) {
            line.file = instruction.file;
            line.line = instruction.line;
        }
        if (!line.file.empty() && std::ranges::find(site.lines, line) == site.lines.end())
            site.lines.push_back(std::move(line));
    }

    const HloModule& module_;
    std::map<int64_t, const HloComputation*> by_id_;
    std::size_t parts_read_ = 0;
    std::set<int64_t> parts_;  // IDs of computations that are parts of other instructions
};

// Parses an HloProto; none: it is damaged or has no module.
std::optional<HloModule> module_in(std::string_view proto) {
    try {
        pbf_reader message(proto.data(), proto.size());
        while (message.next())
            if (message.tag_and_type() == tag_and_type(1, kLength))
                return read_module(message.get_message());
            else
                message.skip();
    } catch (const std::exception&) {
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

bool HloPrograms::add(std::string_view proto) {
    const std::optional<HloModule> module = module_in(proto);
    if (!module || code_.graphs.size() >= kMostPrograms) return false;
    if (by_program_.contains(module->id)) return true;
    std::vector<CallSite> sites = SiteMaker(*module).run();
    std::size_t all = sites.size();
    for (const Sites& known : sites_) all += known.size();
    if (all > kMostInstructions) return false;
    by_program_.emplace(module->id, static_cast<uint32_t>(code_.graphs.size()));
    Compilation& compile = code_.compiles.emplace_back();
    compile.function = module->name;
    CompiledGraph& graph = code_.graphs.emplace_back();
    graph.compile = static_cast<uint32_t>(code_.compiles.size() - 1);
    graph.aot_id = std::string(module->name) + "(" + std::to_string(module->id) + ")";
    graph.sites = std::move(sites);
    Sites& by_name = sites_.emplace_back();
    for (uint32_t i = 0; i < graph.sites.size(); ++i) by_name.emplace(graph.sites[i].name, i);
    return true;
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
