#include "ui/app/state_attach.h"

#include <nlohmann/json.hpp>

#include "ui/app/state_file.h"

namespace lanescope {

using nlohmann::json;

void add_attach(json& state, const StateFacts& facts) {
    if (!facts.attach) return;
    const AttachDialog& dialog = *facts.attach_dialog;
    const AttachView& view = *facts.attach;
    constexpr const char* ways[] = {"opening", "daemon", "dynolog", "none"};  // by Way
    json rows = json::array();
    for (const AttachRow& row : view.rows)
        rows.push_back({{"pid", row.pid},
                        {"user", row.user},
                        {"rank", row.rank},
                        {"command", row.command},
                        {"state", name_of(row.state)},
                        {"chosen", dialog.is_chosen(row.pid)}});
    json outcomes = json::array();
    for (const CaptureOutcome& outcome : view.outcomes)
        outcomes.push_back(
            {{"pid", outcome.pid}, {"file", outcome.file}, {"problem", outcome.problem}});
    json places = json::object();
    for (const auto& [name, place] : dialog.places()) places[name] = {place.x, place.y};
    const CaptureOptions& options = dialog.options();
    state["attach"] = {{"shown", dialog.shown()},
                       {"way", ways[static_cast<std::size_t>(view.way)]},
                       {"problem", view.problem},
                       {"refusal", view.refusal},
                       {"nobody_asked", view.nobody_asked},
                       {"under_way", view.under_way},
                       {"ended", view.ended},
                       {"cancelled", view.cancelled},
                       {"rows", rows},
                       {"outcomes", outcomes},
                       {"places", places},
                       {"with",
                        {{"shapes", options.shapes},
                         {"stack", options.stack},
                         {"memory", options.memory},
                         {"flops", options.flops},
                         {"modules", options.modules}}}};
}

}  // namespace lanescope
