// A report of a trace: one HTML page that needs no network, with summary, findings, a timeline that
// is flown through with the keyboard, and tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/analysis/context.h"
#include "core/insight/findings/thresholds.h"
#include "core/report/timeline_extract.h"
#include "core/table/query.h"

namespace lanescope {

struct ReportOptions {
    std::string title;  // the file's name
    TableQuery query;   // of all figures; in it every slice is on the timeline
    Thresholds thresholds;
    double min_share = 0.01;              // of findings, see FindingsQuery
    std::size_t max_bytes = 5'000'000;    // of the timeline's data
    const TraceContext* other = nullptr;  // a run to compare with; null: none
    TableQuery other_query;
};

struct Report {
    std::string html;
    TimelineExtract timeline;  // without its bytes
};

// `trace`: the context's. Texts of the trace are escaped, or part of the compressed data; a policy
// in the page forbids all network and all scripts but the page's own.
Report make_report(const TracePtr& trace, const TraceContext& context,
                   const ReportOptions& options);

}  // namespace lanescope
