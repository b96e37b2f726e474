// The texts of a finding, which the command line and the window share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

// All texts are printable, in one line.
struct FindingText {
    std::string_view severity;          // "high"
    std::string_view rule;              // "tiny-kernels"
    std::string_view name;              // of the rule, in words
    std::string title;                  // a sentence with its full stop
    std::string cost;                   // "4.103 ms"; empty: it costs no time
    std::string cost_per_step;          // likewise; empty: there are no steps
    std::string share;                  // "92.7 %"; empty: it costs no time
    std::string device;                 // "GPU 5"; empty: the only one, or none
    std::string_view confidence;        // empty: certain
    std::string_view part_of;           // a rule; empty: of none
    std::vector<std::string> evidence;  // "GPU busy: 7.0 %"
    std::vector<std::string> places;  // "247.6 µs at 1.849 ms: idle before …", as Finding::places
    std::string advice;
    std::string page;  // "docs/findings/tiny-kernels.md"
};
FindingText finding_text(const TraceContext& context, const Findings& found,
                         const Finding& finding);
// "The GPU idles … (overhead-bound: 4.103 ms a step, 92.7 %)."
std::string finding_sentence(const TraceContext& context, const Findings& found,
                             const Finding& finding);
// One line for each device: the total cost of its findings, or that there are none.
std::vector<std::string> findings_conclusion(const TraceContext& context, const Findings& found);
// The value of an evidence with its unit; empty: the text says all.
std::string evidence_value(const FindingEvidence& evidence);
// One object of `lanescope findings --format json`.
nlohmann::ordered_json finding_json(const TraceContext& context, const Findings& found,
                                    const Finding& finding);

}  // namespace lanescope
