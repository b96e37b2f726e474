// Reads the data that packets intern for later packets of their sequence.
#include <algorithm>

#include "core/ingest/perfetto/pftrace_fields.h"
#include "core/ingest/perfetto/pftrace_reader.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

struct InternedText {
    uint64_t id = 0;
    std::string_view text;
};

InternedText interned_text(std::string_view message) {
    InternedText result;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) result.id = in.number();
        if (in.field() == 2 && in.is_bytes()) result.text = in.bytes();
    }
    return result;
}

SourceLocation read_location(std::string_view message, StringPool& pool, uint64_t& id) {
    SourceLocation location;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) id = in.number();
        if (in.field() == 2 && in.is_bytes()) location.file = pool.intern(in.bytes());
        if (in.field() == 3 && in.is_bytes()) location.function = pool.intern(in.bytes());
        if (in.field() == 4 && !in.is_bytes()) location.line = in.signed_number();
    }
    return location;
}

PftraceCounterSpecs read_counter_specs(std::string_view message) {
    PftraceCounterSpecs specs;
    for (WireMessage in(message); in.next();) {
        if (in.field() != 1 || !in.is_bytes()) continue;
        uint64_t id = 0, direction = 0;
        std::string name;
        for (WireMessage of(in.bytes()); of.next();) {
            if (of.field() == 1 && !of.is_bytes()) id = of.number();
            if (of.field() == 2 && of.is_bytes()) name = of.bytes();
            if (of.field() == 11 && !of.is_bytes()) direction = of.number();
        }
        specs.names[static_cast<uint32_t>(id)] = {std::move(name), direction == 2};
    }
    return specs;
}

}  // namespace

void PftraceReader::read_interned(PftraceSequence& state, std::string_view message) {
    if (!state.texts) state.texts = memory_.begin(state.id, state.cleared_at);
    for (WireMessage in(message); in.next();) {
        if (!in.is_bytes()) continue;
        using namespace pftrace::interned;
        switch (in.field()) {
            case kCategories: {
                const InternedText entry = interned_text(in.bytes());
                state.categories.set(entry.id, std::string(entry.text));
                break;
            }
            case kNames: {
                const InternedText entry = interned_text(in.bytes());
                state.names.set(entry.id, sink_.text(entry.text));
                break;
            }
            case kAnnotationNames: {
                const InternedText entry = interned_text(in.bytes());
                state.texts->names.set(entry.id, memory_.pool.intern(entry.text));
                break;
            }
            case kTexts: {
                const InternedText entry = interned_text(in.bytes());
                state.texts->values.set(entry.id, memory_.pool.intern(entry.text));
                break;
            }
            case kCorrelations: {
                const InternedText entry = interned_text(in.bytes());
                state.texts->correlations.set(entry.id, memory_.pool.intern(entry.text));
                break;
            }
            case kLocations: {
                uint64_t id = 0;
                const SourceLocation location = read_location(in.bytes(), memory_.pool, id);
                state.texts->locations.set(id, location);
                break;
            }
            case kContexts:
            case kGpuSpecs:
            case kGpuCounters:
            case kKernels:
            case kArgumentNames:
                read_gpu_interned(state, in.field(), in.bytes());
                break;
            default:
                read_stack_interned(state, in.field(), in.bytes());
                break;
        }
    }
}

void PftraceReader::read_gpu_interned(PftraceSequence& state, uint32_t field,
                                      std::string_view message) {
    using namespace pftrace::interned;
    if (field == kArgumentNames) {
        const InternedText entry = interned_text(message);
        state.texts->argument_names.set(entry.id, memory_.pool.intern(entry.text));
        return;
    }
    uint64_t id = 0, number = 0;
    std::string_view text, better;
    PftraceCounterSpecs specs;
    std::optional<int32_t> gpu;
    std::vector<std::string_view> arguments;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) {
            if (in.field() == 2 && field == kGpuCounters) specs = read_counter_specs(in.bytes());
            if (in.field() == 2) text = in.bytes();
            if (in.field() == 3) better = in.bytes();
            if (in.field() == 5) arguments.push_back(in.bytes());
            continue;
        }
        if (in.field() == 1) id = in.number();
        if (in.field() == 2 || in.field() == 4) number = in.number();
        if (in.field() == 3) gpu = static_cast<int32_t>(in.number());
    }
    switch (field) {
        case kContexts:
            state.contexts.set(id, static_cast<int32_t>(number));
            break;
        case kGpuSpecs:
            state.gpu_specs.set(id, {std::string(text), number});
            break;
        case kGpuCounters:
            specs.gpu = gpu;
            state.counters.set(id, std::move(specs));
            break;
        default: {
            PftraceKernel kernel{std::string(better.empty() ? text : better), {}};
            for (const std::string_view argument : arguments)
                kernel.arguments.emplace_back("", argument);
            state.kernels.set(id, std::move(kernel));
        }
    }
}

void PftraceReader::read_stack_interned(PftraceSequence& state, uint32_t field,
                                        std::string_view message) {
    using namespace pftrace::interned;
    switch (field) {
        case kFunctions:
        case kPaths: {
            const InternedText entry = interned_text(message);
            (field == kPaths ? state.paths : state.functions)
                .set(entry.id, std::string(entry.text));
            break;
        }
        case kFrames: {
            uint64_t id = 0;
            PftraceFrame frame;
            for (WireMessage in(message); in.next();) {
                if (in.is_bytes()) continue;
                if (in.field() == 1) id = in.number();
                if (in.field() == 2) frame.function = in.number();
                if (in.field() == 3) frame.mapping = in.number();
                if (in.field() == 4) frame.address = in.number();
            }
            state.frames.set(id, frame);
            break;
        }
        case kStacks:
        case kMappings: {
            uint64_t id = 0;
            std::vector<uint64_t> numbers;
            const uint32_t list = field == kStacks ? 2 : 7;
            for (WireMessage in(message); in.next();) {
                if (in.field() == 1 && !in.is_bytes()) id = in.number();
                if (in.field() == list)
                    in.each_number([&](uint64_t number) { numbers.push_back(number); });
            }
            (field == kStacks ? state.stacks : state.mappings).set(id, std::move(numbers));
            break;
        }
        case kSampleTasks: {
            uint64_t id = 0;
            std::pair<int64_t, int64_t> task{0, 0};
            for (WireMessage in(message); in.next();) {
                if (in.is_bytes()) continue;
                if (in.field() == 1) id = in.number();
                if (in.field() == 2) task.first = in.signed_number();
                if (in.field() == 3) task.second = in.signed_number();
            }
            state.tasks.set(id, task);
            break;
        }
        default:
            break;
    }
}

}  // namespace lanescope
