#include "core/trace/incomplete.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/format.h"

namespace lanescope {

namespace {

using namespace std::string_view_literals;

// Codes of warnings, the one with the most useful position first: a compressed file is cut at a
// byte of the file, its text at a byte of the text.
constexpr std::array kTruncated = {"truncated_file"sv, "truncated"sv};
constexpr std::array kDamaged = {"bad_event"sv, "bad_member"sv, "damaged_block"sv,
                                 "damaged_record"sv, "unknown_record"sv};

const Warning* find_warning(const Trace& trace, std::string_view code) {
    const auto found = std::ranges::find(trace.warnings, code, &Warning::code);
    return found == trace.warnings.end() ? nullptr : &*found;
}

std::string events_text(const Incomplete& incomplete) {
    return format_count(incomplete.events_read, "event", "events");
}

std::string byte_text(const Incomplete& incomplete, std::string_view preposition) {
    if (incomplete.byte_offset == Error::no_offset) return {};
    return fmt::format("{} byte {}", preposition, incomplete.byte_offset);
}

}  // namespace

std::optional<Incomplete> incomplete_of(const Trace& trace) {
    Incomplete incomplete;
    incomplete.events_read = trace.facts.events;
    incomplete.has_gpu_work = !trace.gpu_activities.slice.empty();
    for (const std::string_view code : kTruncated)
        if (const Warning* const warning = find_warning(trace, code)) {
            incomplete.byte_offset = warning->byte_offset;
            return incomplete;
        }
    incomplete.kind = IncompleteKind::damaged;
    incomplete.byte_offset = Error::no_offset;
    incomplete.places = 0;
    for (const std::string_view code : kDamaged)
        if (const Warning* const warning = find_warning(trace, code)) {
            incomplete.byte_offset = std::min(incomplete.byte_offset, warning->byte_offset);
            incomplete.places += warning->count;
        }
    if (incomplete.places == 0) return {};
    return incomplete;
}

std::string_view incomplete_kind_name(IncompleteKind kind) {
    return kind == IncompleteKind::truncated ? "truncated" : "damaged";
}

std::string incomplete_sentence(const Incomplete& incomplete) {
    if (incomplete.kind == IncompleteKind::truncated)
        return fmt::format("This file is cut off{}, after {}. What followed{} is missing.",
                           byte_text(incomplete, " at"), events_text(incomplete),
                           incomplete.has_gpu_work ? "" : ", perhaps GPU work,");
    if (incomplete.places == 1)
        return fmt::format("A part of this file{} could not be read; {} were kept.",
                           byte_text(incomplete, " at"), events_text(incomplete));
    return fmt::format("{} parts of this file could not be read, the first{}; {} were kept.",
                       format_count(static_cast<int64_t>(incomplete.places)),
                       byte_text(incomplete, " at"), events_text(incomplete));
}

}  // namespace lanescope
