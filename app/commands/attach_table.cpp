#include "app/commands/attach_table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/capture/process/process_facts.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

struct ProcessTableRow {
    const KinetoTarget& target;
    ProcessFacts facts;
};

constexpr auto kProcessColumns = columns<ProcessTableRow>({
    {{"pid", Unit::none, kDistinct, "", "As this process's pid namespace has it."},
     [](const ProcessTableRow& row) { return row.target.pid; }},
    {{"user", Unit::none, kDistinct, "it has ended", "Who runs it."},
     [](const ProcessTableRow& row) { return known_text(row.facts.user); }},
    {{"rank", Unit::none, kDistinct, "not in its environment", "RANK in its environment."},
     [](const ProcessTableRow& row) { return known_text(row.facts.rank); }},
    {{"job", Unit::none, kDistinct, "not started by Slurm", "Number of its Slurm job."},
     [](const ProcessTableRow& row) { return known(row.target.job_id, 0); }},
    {{"state", Unit::none, kDistinct, "", "idle, or busy: it is being profiled already."},
     [](const ProcessTableRow& row) { return std::string_view(name_of(row.target.state)); }},
    {{"command", Unit::none, kDistinct, "it has ended", "With its arguments."},
     [](const ProcessTableRow& row) { return known_text(row.facts.command); }},
});
constexpr TableOf<ProcessTableRow> kProcessesTable = {
    {"processes", "PyTorch processes that can be captured."}, kProcessColumns};

constexpr auto kCaptureColumns = columns<CaptureOutcome>({
    {{"pid", Unit::none, kDistinct, "", "As this process's pid namespace has it."},
     [](const CaptureOutcome& row) { return row.pid; }},
    {{"state", Unit::none, kDistinct, "", "complete, failed, or the last state."},
     [](const CaptureOutcome& row) { return std::string_view(row.state); }},
    {{"file", Unit::none, kDistinct, "there is none", "The trace."},
     [](const CaptureOutcome& row) { return known_text(row.file); }},
    {{"problem", Unit::none, kDistinct, "there was none", "The reason if there is no trace."},
     [](const CaptureOutcome& row) { return known_text(row.problem); }},
});
constexpr TableOf<CaptureOutcome> kCapturesTable = {{"captures", "The result of each capture."},
                                                    kCaptureColumns};

}  // namespace

Table processes_table(std::span<const KinetoTarget> targets) {
    TableBuilder table(kProcessesTable);
    std::vector<KinetoTarget> by_pid(targets.begin(), targets.end());
    std::ranges::sort(by_pid, {}, &KinetoTarget::pid);
    for (const KinetoTarget& target : by_pid)
        table.add({target, facts_of_process(target.pid).value_or(ProcessFacts{})});
    return table.take();
}

Table captures_table(std::span<const CaptureOutcome> outcomes) {
    TableBuilder table(kCapturesTable);
    for (const CaptureOutcome& outcome : outcomes) table.add(outcome);
    return table.take();
}

}  // namespace lanescope
