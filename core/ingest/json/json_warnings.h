// Warnings about the text of a JSON trace.
#pragma once

#include "core/ingest/build/batch.h"

namespace lanescope {

inline constexpr WarningText kBadEvent = {
    "bad_event", "text that is not a whole event; skipped to the next one"};
inline constexpr WarningText kUnescapedQuotes = {
    "unescaped_quotes", "a name with quotes that are not escaped; read as one text"};
inline constexpr WarningText kNotAnObject = {"not_an_object",
                                             "an element of the event list that is not an object"};
inline constexpr WarningText kStrayComma = {"stray_comma", "a comma with no element around it"};
inline constexpr WarningText kMissingComma = {"missing_comma", "no comma between two elements"};
inline constexpr WarningText kNoCounterValue = {"no_counter_value",
                                                "a counter event without any number"};
inline constexpr WarningText kNoAddress = {
    "memory_without_address",
    "a memory event without an address, as old versions of PyTorch wrote them; it is in no table"};
inline constexpr WarningText kNoPhase = {"no_phase", "an event without a phase (\"ph\")"};
inline constexpr WarningText kUnknownPhase = {"unknown_phase",
                                              "a phase that is not known; shown as an instant"};

}  // namespace lanescope
