#include "core/pictures/traces_picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A figure of traces: how to compute and format it, and how to scale its bars.
struct FigureSpec {
    const char* title;
    const char* about;
    std::function<double(const TraceFigures&)> value;
    std::function<std::string(double)> text;
    bool of_step = false;           // refers to a step, or to the whole trace if it has no steps
    double full = 0;                // the value of a full bar; 0: the largest of all traces
    bool only_where_known = false;  // the column is left out if no trace has a value
    bool has_margin = false;
    bool by_peak = false;  // it is uncertain if a device's peak is
};

double known_or_nothing(int64_t value) {
    return value == kNoValue ? kMissing : static_cast<double>(value);
}

std::string plain_text(double value) {
    return format_number(value);
}

const std::vector<FigureSpec>& all_figures() {
    static const std::vector<FigureSpec> figures = {
        {"time", "Mean time of a step, without warm-up; the mark is its 95 % confidence interval.",
         [](const TraceFigures& t) { return t.time_ns; },
         [](double v) { return format_duration(v); }, true, 0, false, true},
        {"GPU busy",
         "Part of the steps' time in which the GPU works; without steps, of the time from its "
         "first to its last work. A dash: no GPU work.",
         [](const TraceFigures& t) {
             return std::isnan(t.busy_of_steps) ? t.busy_of_span : t.busy_of_steps;
         },
         [](double v) { return format_percent(v); }, true, 1},
        {"memory",
         "Peak: maximum of allocated memory on one GPU; on the CPU if nothing ran on a GPU. A "
         "dash: record it with profile_memory=True.",
         [](const TraceFigures& t) { return known_or_nothing(t.peak_memory); },
         [](double v) { return format_bytes(std::llround(v)); }},
        {"FLOPs",
         "Of matrix products, convolutions and attention. A dash: record shapes with "
         "record_shapes=True.",
         [](const TraceFigures& t) { return t.flop; },
         [](double v) { return format_si(v, "FLOP"); }, true},
        {"HFU",
         "Those operations at the device's peak, as a part of the time. A dash: no shapes, or a "
         "device that is not in the sheet (--specs).",
         [](const TraceFigures& t) { return t.hfu; }, [](double v) { return format_percent(v); },
         false, 0, false, false, true},
        {"MFU",
         "The same for the forward pass, three times if there is a backward pass: what the model "
         "needs, without recomputation.",
         [](const TraceFigures& t) { return t.mfu; }, [](double v) { return format_percent(v); },
         false, 0, false, false, true},
        {"steps/s", "Steps a second, from the first one's begin to the last one's end.",
         [](const TraceFigures& t) { return t.steps_per_second; }, plain_text},
        {"samples/s",
         "Steps a second times the batch size, if the shapes of convolutions determine it.",
         [](const TraceFigures& t) { return t.samples_per_second(); }, plain_text, false, 0, true},
        {"kernels", "Kernels that are launched, mean. A dash: no GPU work.",
         [](const TraceFigures& t) { return t.kernels; }, [](double v) { return format_number(v); },
         true},
    };
    return figures;
}

TraceBars bars_of(const FigureSpec& figure, std::span<const TraceFigures> traces) {
    const bool steps = std::ranges::any_of(traces, [](const auto& t) { return t.steps > 0; });
    const bool mixed =
        steps && std::ranges::any_of(traces, [](const auto& t) { return t.steps == 0; });
    const auto is_apart = [&](const TraceFigures& t) {
        return figure.of_step && mixed && t.steps == 0;
    };
    TraceBars bars;
    bars.title = figure.title;
    bars.about = figure.about;
    if (figure.of_step && !steps) bars.about += " Of the whole trace, since it has no steps.";
    if (figure.of_step && mixed)
        bars.about += " Traces without steps have all of theirs, and no bar.";
    const auto margin_of = [&](const TraceFigures& t) {
        return figure.has_margin && !std::isnan(t.ci95_ns) ? t.ci95_ns : 0;
    };
    double full = figure.full;
    if (full == 0)
        for (const TraceFigures& t : traces)
            if (const double value = figure.value(t); !is_apart(t) && value > 0)
                full = std::max(full, value + margin_of(t));
    for (const TraceFigures& t : traces) {
        TraceBar& bar = bars.bars.emplace_back();
        const double value = figure.value(t);
        bar.text = std::isnan(value) ? std::string(kUnknown) : figure.text(value);
        if (std::isnan(value)) continue;
        if (figure.by_peak && t.uncertain_peak) bar.text += "?";
        if (is_apart(t)) {
            bar.text += " in all";
        } else if (full > 0) {
            bar.part = value / full;
            bar.margin = margin_of(t) / full;
        }
    }
    return bars;
}

bool any_known(const FigureSpec& figure, std::span<const TraceFigures> traces) {
    return std::ranges::any_of(traces,
                               [&](const TraceFigures& t) { return !std::isnan(figure.value(t)); });
}

}  // namespace

std::vector<TraceBars> trace_bars(std::span<const TraceFigures> traces) {
    std::vector<TraceBars> all;
    for (const FigureSpec& figure : all_figures())
        if (!figure.only_where_known || any_known(figure, traces))
            all.push_back(bars_of(figure, traces));
    TraceBars& top = all.emplace_back();
    top.title = "top operator";
    top.about =
        "The operator that itself launches most GPU time, and its share; if nothing ran on a GPU, "
        "the one with most CPU time of its own.";
    for (const TraceFigures& t : traces) {
        TraceBar& bar = top.bars.emplace_back();
        bar.text = t.top_operator.empty() ? std::string(kUnknown) : t.top_operator;
        if (!std::isnan(t.top_operator_share)) bar.part = t.top_operator_share;
    }
    return all;
}

std::string trace_text(const TraceFigures& trace) {
    std::string text = trace.name;
    if (trace.file != trace.name) text += "\n" + trace.file;
    text += "\n" + (trace.devices.empty() ? std::string("no GPU is named") : trace.devices);
    if (trace.steps == 0)
        text += "\nno steps: of the whole trace";
    else if (trace.steps == 1)
        text += "\nof its step";
    else
        text += "\nof the mean of " + format_count(static_cast<int64_t>(trace.steps)) + " steps";
    for (const FigureSpec& figure : all_figures()) {
        const double value = figure.value(trace);
        if (figure.only_where_known && std::isnan(value)) continue;
        text += "\n" + std::string(figure.title) + ": " +
                (std::isnan(value) ? std::string(kUnknown) : figure.text(value));
        if (figure.has_margin && !std::isnan(trace.ci95_ns))
            text += " ± " + format_duration(trace.ci95_ns) + " (95 %)";
    }
    if (!std::isnan(trace.modelled))
        text += "\nkernel time with a model: " + format_percent(trace.modelled);
    if (trace.batch != kNoValue) text += "\nsamples of a step: " + format_count(trace.batch);
    if (!trace.top_operator.empty())
        text +=
            "\nmost time: " + trace.top_operator + ", " + format_percent(trace.top_operator_share);
    return text;
}

}  // namespace lanescope
