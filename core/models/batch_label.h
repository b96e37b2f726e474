// The batch that a serving engine states in the name of the annotation around each of its steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/schema.h"

namespace lanescope {

enum class BatchPhase : uint8_t {
    unknown,
    prefill,  // only prompts, or parts of prompts
    decode,   // only sequences that generate tokens
    mixed,    // both
};
std::string_view batch_phase_name(BatchPhase phase);  // empty for unknown
// The phase with this name; none: no known phase has it.
std::optional<BatchPhase> batch_phase_named(std::string_view name);
// All phases but unknown.
inline constexpr std::array kBatchPhases = {BatchPhase::prefill, BatchPhase::decode,
                                            BatchPhase::mixed};

// Sums over the requests of a batch; kNoValue: the name does not state it.
struct BatchSums {
    int64_t requests = kNoValue;
    int64_t queries = kNoValue;        // Σq: tokens that the step computes
    int64_t keys = kNoValue;           // Σk: tokens that they attend to, with those of the step
    int64_t query_squares = kNoValue;  // Σq·q
    int64_t query_keys = kNoValue;     // Σq·k

    friend bool operator==(const BatchSums&, const BatchSums&) = default;
};

struct BatchLabel {
    BatchPhase phase = BatchPhase::unknown;
    BatchSums prefill;  // of prompts; zeros if the batch has none
    BatchSums decode;   // of generating sequences; zeros if the batch has none
    BatchSums all;

    friend bool operator==(const BatchLabel&, const BatchLabel&) = default;
};

// Reads the forms that batch_label.cpp lists. Sums that contradict each other, such as fewer keys
// than queries, count as not stated. None: the name is no such annotation.
std::optional<BatchLabel> read_batch_label(std::string_view name);

// Takes what `label` lacks from the label of the same batch, which another annotation states.
// Changes nothing if the two contradict each other.
void complete(BatchLabel& label, const BatchLabel& other);

}  // namespace lanescope
