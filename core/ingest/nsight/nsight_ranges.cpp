// Reads NVTX: ranges, marks and names of threads.
#include <array>

#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

namespace {

enum NvtxType : int64_t {
    kNvtxCategory = 33,
    kNvtxMark = 34,
    kNvtxThread = 39,
    kNvtxPushPop = 59,
    kNvtxStartEnd = 60,
    kNvtxDomain = 75,
    kNvtxDomainEnd = 76,
    kNvtxDeviceName = 97,
    kNvtxStreamName = 99,
};

}  // namespace

void NsightReader::read_ranges(const SqliteTable& table) {
    constexpr std::array<std::string_view, 6> columns = {"start", "end",       "eventType",
                                                         "text",  "globalTid", "textId"};
    read_table(table.name, columns, &NsightReader::take_range);
}

void NsightReader::take_range(const SqliteRows& rows) {
    const int64_t type = rows.number(2, 0);
    const bool says_name = type == kNvtxCategory || type == kNvtxDomain || type == kNvtxDomainEnd ||
                           (type >= kNvtxDeviceName && type <= kNvtxStreamName);
    if (says_name) return;  // the row only names something; events show the name as an argument
    std::string_view text = rows.text(3);
    if (text.empty()) text = text_of(rows.number(5));
    if (type == kNvtxThread)
        return sink_.name_lane(thread(rows.number(4, 0)), sink_.text(text), source(rows));
    const std::optional<Span> at = span(rows);
    if (!at) return;
    if (type == kNvtxStartEnd) return add_started(rows, sink_.text(text), *at);
    if (type != kNvtxMark) return add_range(rows, text, *at);
    sink_.add({at->begin, 0, 0, sink_.text(text), sink_.category(kNsightRange),
               thread(rows.number(4, 0)), 0, EventKind::instant, kHasTime},
              source(rows), table_->name);
}

void NsightReader::add_range(const SqliteRows& rows, std::string_view text, const Span& at) {
    const TorchRange torch = read_torch_range(text);
    const CategoryWord& category = torch.is_operator               ? kNsightOperator
                                   : nsight_is_communication(text) ? kNsightCommunication
                                                                   : kNsightRange;
    const LocalId lane = thread(rows.number(4, 0));
    const LocalId name = sink_.text(torch.name);
    if (at.is_open) {
        sink_.add(
            {at.begin, 0, 0, name, sink_.category(category), lane, 0, EventKind::begin, kHasTime},
            source(rows), table_->name);
        return;
    }
    const uint32_t event = add_slice(lane, at, name, category, source(rows));
    if (!torch.is_operator) return;
    auto& row = sink_.attach<OperatorFacts>(event);
    row.sequence = torch.sequence;
    if (!torch.sizes.empty()) row.input_dims = sink_.text(torch.sizes);
}

// Start and end may be on different threads, so such ranges have a separate lane.
void NsightReader::add_started(const SqliteRows& rows, LocalId name, const Span& at) {
    RawEvent event{at.begin,
                   0,
                   static_cast<int64_t>(source(rows)),
                   name,
                   sink_.category(kNsightRange),
                   thread(rows.number(4, 0)),
                   0,
                   EventKind::async_begin,
                   kHasTime | kHasId};
    sink_.add(event, source(rows), table_->name);
    if (at.is_open) return;
    event.time = at.begin + std::max<Nanos>(at.duration, 0);
    event.kind = EventKind::async_end;
    sink_.add(event, source(rows), "end of range");
}

}  // namespace lanescope
