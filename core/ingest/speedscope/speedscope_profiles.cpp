// Evented profiles become nested calls; sampled profiles become nested slices of samples.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/speedscope/speedscope_reader.h"

namespace lanescope {

namespace {

constexpr CategoryWord kSpeedscopeCall = {"call"};
constexpr CategoryWord kSpeedscopePython = {"python_function", EventClass::python};
constexpr int64_t kNoFrame = -1;

}  // namespace

// The frame with a number. A frame that is not in the list is shown by its number.
StackEntry SpeedscopeReader::frame(int64_t number, uint64_t position) {
    if (number >= 0 && static_cast<uint64_t>(number) < frames_.size()) {
        StackEntry known = frames_[static_cast<std::size_t>(number)];
        known.source = position;
        return known;
    }
    warn("unknown_frame", position, "a frame that the list of frames lacks; shown by its number");
    const LocalId name = sink_.text(fmt::format("frame {}", number));
    const LocalId none = sink_.text("");
    const uint64_t next = functions_.size() + 1;
    return {functions_.try_emplace({name, none}, next).first->second, name, none, position};
}

void SpeedscopeReader::read_events(const Profile& profile, int unit) {
    const LocalId lane = lane_of(profile, false);
    OpenFrames open;
    Nanos last = 0;
    bool any = false;
    JsonElements events(profile.events);
    for (std::string_view event = events.next(); !event.empty() && stopped_;
         event = events.next()) {
        if (!any) last = INT64_MIN;
        any = true;
        take_event(event, lane, unit, open, last);
    }
    if (!any) return;
    const std::optional<FineTime> stated = parse_fine_time(profile.end, unit);
    const Nanos end = stated ? std::max(rounded(*stated), last) : last;
    for (const OpenFrame& frame : open.stack) {
        if (frame.is_closed) continue;
        warn("unclosed_begin", profile.position,
             "a frame that its profile does not close; drawn to the profile's end");
        close_frame(frame, lane, end);
    }
}

void SpeedscopeReader::take_event(std::string_view event, LocalId lane, int unit, OpenFrames& open,
                                  Nanos& last) {
    const uint64_t position = text_.position(event.data());
    std::optional<FineTime> at;
    int64_t number = kNoFrame;
    char type = 0;
    for_each_member(event.starts_with('{') ? event : std::string_view(),
                    [&](std::string_view name, std::string_view raw) {
                        if (name == "at") at = parse_fine_time(without_quotes(raw), unit);
                        if (name == "frame") number = json_integer(raw).value_or(kNoFrame);
                        if (name == "type" && raw.size() == 3) type = raw[1];
                    });
    if (!at || number < 0 || (type != 'O' && type != 'C'))
        return warn("unreadable_event", position,
                    "an event without type, frame or time; not shown");
    const Nanos time = rounded(*at);
    if (time < last)
        warn("time_backwards", position, "an event that is earlier than the event before it");
    last = std::max(last, time);
    std::vector<std::size_t>& same = open.of_frame[number];
    if (type == 'O') {
        same.push_back(open.stack.size());
        open.stack.push_back({number, time, false, position});
        return;
    }
    if (same.empty()) {
        warn("unopened_end", position, "the end of a frame that is not open; shown as an instant");
        const StackEntry entry = frame(number, position);
        sink_.instant(lane, time, entry.name, call_category(), entry.source);
        return;
    }
    OpenFrame& closed = open.stack[same.back()];
    if (same.back() + 1 != open.stack.size())
        warn("ends_out_of_order", position, "a frame that ends before a frame that it contains");
    close_frame(closed, lane, time);
    closed.is_closed = true;
    same.pop_back();
    while (!open.stack.empty() && open.stack.back().is_closed) open.stack.pop_back();
}

LocalId SpeedscopeReader::call_category() {
    return sink_.category(is_of_python() ? kSpeedscopePython : kSpeedscopeCall);
}

void SpeedscopeReader::close_frame(const OpenFrame& open, LocalId lane, Nanos end) {
    const StackEntry entry = frame(open.frame, open.position);
    sink_.slice(lane, open.begin, std::max<Nanos>(end - open.begin, 0), entry.name, call_category(),
                entry.source);
}

// The functions of a sample, the outermost first.
void SpeedscopeReader::stack_of(std::string_view sample) {
    stack_.clear();
    JsonElements numbers(JsonCursor{sample.data(), sample.data() + sample.size()});
    for (std::string_view raw = numbers.next();
         !raw.empty() && stack_.size() < kDeepestSampledStack; raw = numbers.next())
        stack_.push_back(frame(json_integer(raw).value_or(kNoFrame), text_.position(raw.data())));
}

// A sample lasts for its weight, and the next sample follows immediately.
void SpeedscopeReader::read_samples(const Profile& profile, int unit) {
    StackSlices slices(sink_, lane_of(profile, true));
    const CategoryWord& category = is_of_python() ? kPythonStack : kCpuStack;
    FineTime time = parse_fine_time(profile.start, unit).value_or(0);
    JsonElements samples(profile.samples);
    JsonElements weights(profile.weights);
    for (std::string_view sample = samples.next(); !sample.empty() && stopped_;
         sample = samples.next()) {
        const uint64_t position = text_.position(sample.data());
        const std::string_view written = weights.next();
        if (written.empty()) {
            warn("samples_without_weight", position,
                 "samples without weights have no time; they are not shown");
            break;
        }
        const std::optional<FineTime> weight = parse_fine_time(without_quotes(written), unit);
        if (!weight || *weight < 0 || time + *weight > kMaxFineTime) {
            warn("unreadable_weight", position,
                 "a sample whose weight is not a length of time; not shown");
            continue;
        }
        const Nanos begin = rounded(time);
        time += *weight;
        const Nanos end = rounded(time);
        if (end == begin) {
            warn("sample_without_time", position, "a sample that stands for no time; not shown");
            continue;
        }
        stack_of(sample);
        slices.add(begin, end, stack_, category);
    }
    slices.finish();
}

}  // namespace lanescope
