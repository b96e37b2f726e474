// Ends an event's scan: emits the event itself, and rows for its arguments.
#include <algorithm>

#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/json_warnings.h"
#include "core/ingest/json/text_repair.h"
#include "core/ingest/kineto/kineto_categories.h"
#include "core/ingest/kineto/kineto_rows.h"
#include "core/trace/synchronising_call.h"

namespace lanescope {

namespace {

struct NamedFact {
    std::string_view name;
    LaneFact fact;
    bool is_number = false;
};
constexpr std::array<NamedFact, 5> kLaneFacts = {{
    {"process_name", LaneFact::process_name},
    {"process_labels", LaneFact::process_labels},
    {"process_sort_index", LaneFact::process_sort_index, true},
    {"thread_name", LaneFact::thread_name},
    {"thread_sort_index", LaneFact::thread_sort_index, true},
}};

// True for a complete event that becomes a slice.
bool is_whole(const RawEvent& event) {
    constexpr uint16_t times = kHasTime | kHasDuration;
    return (event.flags & (times | kUnreadable)) == times;
}

}  // namespace

LocalId JsonScanner::category(std::string_view text) {
    if (text == last_category_text_) return last_category_;
    last_category_ = names_.category(text, kineto_category);
    last_category_text_ = names_[last_category_];
    if (last_category_ >= kind_of_category_.size()) kind_of_category_.resize(last_category_ + 64);
    if (kind_of_category_[last_category_] == KinetoRows::unknown)
        kind_of_category_[last_category_] = kineto_rows(last_category_text_);
    return last_category_;
}

void JsonScanner::add_rows(char phase) {
    RawEvent& event = batch_->events.back();
    const auto index = static_cast<uint32_t>(batch_->events.size() - 1);
    const int64_t call_before = last_call_;
    last_call_ = kNoValue;
    ++phase_counts_[static_cast<unsigned char>(phase)];
    switch (phase) {
        case 'X':
            if (event.flags & kUnreadable) ++odd_words_["X unreadable"];
            if (const std::string_view task = category_of_task(event); !task.empty())
                event.category = category(task);
            if (arguments_.present) add_named_rows(event, index);
            break;
        case 'i':
        case 'I':
            if (arguments_.has(ArgumentKey::memory_bytes) && arguments_.has(ArgumentKey::address))
                add_kineto_memory(index, arguments_, *batch_);
            else if (arguments_.has(ArgumentKey::memory_bytes) &&
                     arguments_.has(ArgumentKey::device_type))
                warn(kNoAddress, event.source);
            break;
        case 's':
        case 'f':
            last_call_ = call_before;
            if ((event.flags & (kHasId | kIdForm)) == kHasId && event.id == call_before)
                event.flags |= kRepeatsCorrelation;
            break;
        case 'C':
            add_counters(index);
            break;
        case 'M':
            add_metadata(event, index);
            break;
        case kLongPhase:
            ++odd_words_[repair_text(phase_text_)];
            break;
        default:
            break;
    }
}

// torch_npu writes NPU work without a category, but with a task type and stream. Empty for other
// events and for tasks that only wait.
std::string_view JsonScanner::category_of_task(const RawEvent& event) const {
    if (event.category != 0 || !arguments_.has(ArgumentKey::task_type) ||
        !arguments_.has(ArgumentKey::stream))
        return {};
    const std::string_view type = names_[arguments_.text_of(ArgumentKey::task_type)];
    const auto has = [type](std::string_view word) {
        return type.find(word) != std::string_view::npos;
    };
    if (has("WAIT") || has("EVENT")) return {};
    return has("MEMCPY") ? "gpu_memcpy" : "kernel";
}

void JsonScanner::add_named_rows(const RawEvent& event, uint32_t index) {
    const KinetoRows kind = event.category < kind_of_category_.size()
                                ? kind_of_category_[event.category]
                                : KinetoRows::plain;
    if (kind == KinetoRows::runtime && is_whole(event) &&
        !may_lead_to_synchronisation(names_[event.name]))
        last_call_ = arguments_.get(ArgumentKey::correlation);
    add_kineto_rows(kind, index, arguments_, event.name, names_, *batch_);
}

void JsonScanner::add_counters(uint32_t index) {
    const std::size_t before = batch_->counters.size();
    for_each_member(arguments_text_, [&](std::string_view name, std::string_view value) {
        if (const auto number = parse_double(without_quotes(value)))
            batch_->counters.push_back({index, names_.text(name), *number});
    });
    if (batch_->counters.size() == before) warn(kNoCounterValue, batch_->events[index].source);
}

void JsonScanner::add_metadata(const RawEvent& event, uint32_t index) {
    const auto* fact = std::ranges::find(kLaneFacts, names_[event.name], &NamedFact::name);
    if (fact == kLaneFacts.end()) return;
    for_each_member(arguments_text_, [&](std::string_view name, std::string_view value) {
        if (name == "sort_index" && fact->is_number) {
            batch_->metadata.push_back(
                {index, fact->fact, 0, parse_integer(without_quotes(value)).value_or(0)});
        } else if ((name == "name" || name == "labels") && !fact->is_number) {
            batch_->metadata.push_back(
                {index, fact->fact, names_.text(without_quotes(value)), kNoValue});
        }
    });
}

}  // namespace lanescope
