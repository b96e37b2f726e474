#include "app/commands/attach_table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/capture/process_facts.h"

namespace lanescope {

namespace {

constexpr ColumnSpec kProcessColumns[] = {
    {"pid", ValueType::integer, Unit::none, "", "As this process's pid namespace has it"},
    {"user", ValueType::text, Unit::none, "it has ended", "Who runs it"},
    {"rank", ValueType::text, Unit::none, "not in its environment", "RANK in its environment"},
    {"job", ValueType::integer, Unit::none, "not started by Slurm", "Number of its Slurm job"},
    {"state", ValueType::text, Unit::none, "", "idle, or busy: it is being profiled already"},
    {"command", ValueType::text, Unit::none, "it has ended", "With its arguments"},
};
constexpr TableSpec kProcessesTable = {"processes", "PyTorch processes that can be captured",
                                       kProcessColumns};

constexpr ColumnSpec kCaptureColumns[] = {
    {"pid", ValueType::integer, Unit::none, "", "As this process's pid namespace has it"},
    {"state", ValueType::text, Unit::none, "", "complete, failed, or the last state"},
    {"file", ValueType::text, Unit::none, "there is none", "The trace"},
    {"problem", ValueType::text, Unit::none, "there was none", "The reason if there is no trace"},
};
constexpr TableSpec kCapturesTable = {"captures", "The result of each capture", kCaptureColumns};

Cell text_or_unknown(std::string_view text) {
    return text.empty() ? Cell() : Cell(text);
}

}  // namespace

Table processes_table(std::span<const KinetoTarget> targets) {
    Table table(kProcessesTable);
    std::vector<KinetoTarget> by_pid(targets.begin(), targets.end());
    std::ranges::sort(by_pid, {}, &KinetoTarget::pid);
    for (const KinetoTarget& target : by_pid) {
        const ProcessFacts facts = facts_of_process(target.pid).value_or(ProcessFacts{});
        table.add_row(
            {Cell(int64_t{target.pid}), text_or_unknown(facts.user), text_or_unknown(facts.rank),
             target.job_id == 0 ? Cell() : Cell(target.job_id),
             Cell(std::string_view(name_of(target.state))), text_or_unknown(facts.command)});
    }
    return table;
}

Table captures_table(std::span<const CaptureOutcome> outcomes) {
    Table table(kCapturesTable);
    for (const CaptureOutcome& outcome : outcomes) {
        table.add_row({Cell(int64_t{outcome.pid}), Cell(std::string_view(outcome.state)),
                       text_or_unknown(outcome.file), text_or_unknown(outcome.problem)});
    }
    return table;
}

}  // namespace lanescope
