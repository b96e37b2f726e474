#include "core/analysis/work/model_warnings.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/work/work_models.h"
#include "core/base/format.h"

namespace lanescope {

namespace {

bool first_is_recorded(std::string_view dims) {
    return !dims.starts_with("[[]");
}

struct Kind {
    std::string_view code;
    std::string_view text;  // follows the first operator's name and shapes
    bool (*is)(const OperatorCall& call, std::string_view dims);
};
constexpr std::array kKinds = {
    Kind{"misfit_shapes", "shapes do not fit the operator; it has no model",
         [](const OperatorCall& call, std::string_view dims) {
             return call.modelled.why == NoModel::misfit && first_is_recorded(dims);
         }},
    Kind{"unreadable_shapes", "shapes are not non-negative integers; it has no model",
         [](const OperatorCall& call, std::string_view) {
             return call.modelled.why == NoModel::unreadable;
         }},
    Kind{"misfit_strides",
         "strides do not go with its shapes; they are left out, as if no dimension were repeated",
         [](const OperatorCall& call, std::string_view) { return call.strides_misfit; }},
    Kind{"work_beyond_64_bits",
         "its work does not fit 64 bits; it has no floor and counts nowhere else",
         [](const OperatorCall& call, std::string_view) { return call.modelled.cut; }},
};
constexpr std::size_t kShapesListed = 120;  // characters

constexpr auto kWarningColumns = columns<Warning>({
    {{"warning", Unit::none, kDistinct, "", "Short name of the warning."},
     [](const Warning& row) { return std::string_view(row.code); }},
    {{"count", Unit::count, kSum, "", "Distinct argument sets of modelled operators."},
     [](const Warning& row) { return row.count; }},
    {{"text", Unit::none, kDistinct, "", "The first argument set, and the consequence."},
     [](const Warning& row) { return std::string_view(row.text); }},
});

std::string beginning_of(std::string_view text) {
    if (text.size() <= kShapesListed) return std::string(text);
    return std::string(text.substr(0, character_at(text, kShapesListed))) + "…";
}

}  // namespace

std::vector<Warning> model_warnings(const TraceContext& context) {
    const Trace& trace = context.trace();
    std::vector<Warning> warnings;
    for (const Kind& kind : kKinds) {
        Warning warning;
        warning.code = kind.code;
        for (const OperatorCall& call : context.get<WorkModels>().calls) {
            if (!kind.is(call, trace.strings[call.dims])) continue;
            if (warning.count == 0)
                warning.text = fmt::format("{} {}: {}", trace.strings[call.name],
                                           beginning_of(trace.strings[call.dims]), kind.text);
            ++warning.count;
        }
        if (warning.count > 0) warnings.push_back(std::move(warning));
    }
    return warnings;
}

const TableOf<Warning> kModelsByWarningTable = {
    {"models", "Arguments that models could not use.", "warning"}, kWarningColumns};

Table models_by_warning_table(const TraceContext& context, const TableQuery&) {
    TableBuilder table(kModelsByWarningTable);
    for (const Warning& warning : model_warnings(context)) table.add(warning);
    return table.take();
}

}  // namespace lanescope
