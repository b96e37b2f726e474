#include "core/ingest/build/trace_builder.h"

#include "core/ingest/build/appender.h"
#include "core/ingest/build/finish_trace.h"

namespace lanescope {

namespace {

constexpr std::size_t kStoredOffsets = 20;

}  // namespace

void BuilderState::warn(const std::string& code, uint64_t offset, std::string_view text) {
    WarningCount& warning = warnings[code];
    if (warning.count++ == 0) warning.text = text;
    if (warning.offsets.size() < kStoredOffsets && offset != Error::no_offset)
        warning.offsets.push_back(offset);
}

TraceBuilder::TraceBuilder(const Trace* vocabulary, FormatSteps format)
    : state_(std::make_unique<BuilderState>()), format_(std::move(format)) {
    if (!vocabulary) return;
    state_->strings = vocabulary->strings.clone();
    state_->name_traits = vocabulary->name_traits;
    for (const Category& category : vocabulary->categories)
        add_category(*state_, category.name, category.event_class);
}
TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::set_time_base(int64_t microseconds) {
    state_->time_base_us = microseconds;
}

void TraceBuilder::learn_names(const Batch& batch) {
    if (batch.worker >= state_->workers.size()) state_->workers.resize(batch.worker + 1);
    WorkerNames& names = state_->workers[batch.worker];
    names.texts.insert(names.texts.end(), batch.texts.begin(), batch.texts.end());
    names.process_keys.insert(names.process_keys.end(), batch.processes.begin(),
                              batch.processes.end());
    names.lane_keys.insert(names.lane_keys.end(), batch.lanes.begin(), batch.lanes.end());
    names.text.resize(names.texts.size(), WorkerNames::unknown);
    names.category.resize(names.texts.size(), WorkerNames::unknown);
    names.meanings.resize(names.texts.size());
    for (const CategoryMeaning& meaning : batch.categories)
        names.meanings[meaning.category] = meaning;
    names.process.resize(names.process_keys.size(), WorkerNames::unknown);
    names.lane.resize(names.lane_keys.size(), WorkerNames::unknown);
}

void TraceBuilder::append(const Batch& batch) {
    learn_names(batch);
    Appender(*state_, batch).run();
}

void TraceBuilder::add_metadata(std::string name, std::string value) {
    state_->metadata.emplace_back(std::move(name), std::move(value));
}

void TraceBuilder::add_device(Device device) {
    state_->devices.push_back(std::move(device));
}

void TraceBuilder::set_compiled_code(std::shared_ptr<const CompiledCode> code) {
    state_->compiled_code = std::move(code);
}

void TraceBuilder::warn(const std::string& code, uint64_t byte_offset, std::string_view text) {
    state_->warn(code, byte_offset, text);
}

uint64_t TraceBuilder::event_count() const {
    return state_->events;
}

Trace TraceBuilder::finished(BuilderState state, unsigned workers) const {
    Trace trace = finish_trace(std::move(state), workers, format_.complete_lanes);
    if (format_.describe) format_.describe(trace);
    return trace;
}

Trace TraceBuilder::snapshot(unsigned workers) const {
    return finished(state_->clone(), workers);
}

Trace TraceBuilder::finish(unsigned workers) {
    Trace trace = finished(std::move(*state_), workers);
    state_ = std::make_unique<BuilderState>();
    return trace;
}

}  // namespace lanescope
