#include "ui/panels/findings.h"

#include <algorithm>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/export/words/summary_sentences.h"
#include "core/insight/findings/story.h"

namespace lanescope {

namespace {

constexpr double kMinShare = 0.01;

void tell_story(const TraceContext& context, ShownFindings& shown) {
    const Summary& summary = shown.found.summary;
    const SummaryText text{context, context.trace(), summary, &shown.found};
    // If no finding costs time, the whole story is the answer.
    const bool has_findings = !top_findings(shown.found).empty();
    for (const StoryPoint& point : summary.story) {
        shown.story.push_back(story_sentence(text, point));
        if (point.kind == StoryKind::finding) continue;
        const bool first = !has_findings || is_answer(point.kind);
        (first ? shown.answer : shown.facts).push_back(shown.story.back());
    }
    if (summary.steps.all.empty()) return;
    shown.story.push_back(steps_sentence(text));
    shown.facts.push_back(shown.story.back());
}

}  // namespace

TraceFindings::Answer TraceFindings::compute(const Wanted& wanted, bool with_landmarks) {
    const TraceContext& context = *wanted.context;
    FindingsQuery query;
    query.table = marked_query(context, wanted.range);
    query.min_share = kMinShare;
    auto shown = std::make_shared<ShownFindings>();
    shown->range = wanted.range;
    shown->snapshot = wanted.snapshot;
    shown->found = find_story(context, wanted.thresholds, query);
    for (const Finding& finding : shown->found.all)
        shown->texts.push_back(finding_text(context, shown->found, finding));
    tell_story(context, *shown);
    shown->conclusion = findings_conclusion(context, shown->found);
    shown->offers_samples = shown->found.summary.counters_only;
    LandmarksPtr landmarks;
    if (with_landmarks) {
        const Summary& summary = shown->found.summary;
        landmarks = std::make_shared<const std::vector<Landmark>>(
            find_landmarks(context, wanted.range ? summarise(context, {}) : summary));
    }
    return {std::move(shown), std::move(landmarks)};
}

void TraceFindings::follow(const PanelInputs& inputs,
                           const std::map<std::string, std::string>& written, JobQueue queue) {
    if (written != written_) {
        written_ = written;
        thresholds_ = read_thresholds(written);
    }
    const bool other_trace = inputs.context != wanted_.context;
    if (std::exchange(drawn_, false) || other_trace) wanted_.range = inputs.range;
    wanted_.context = inputs.context;
    wanted_.thresholds = thresholds_.thresholds;
    wanted_.snapshot = inputs.snapshot();
    if (other_trace && (!inputs.context || !inputs.live)) {
        computing_.drop();
        made_ = {};
        shown_.reset();
        landmarks_.reset();
        marks_.reset();
        choose_none();
    }
    if (!inputs.context || made_ == wanted_ || computing_.busy()) return;
    computing_.ask(
        *inputs.jobs, [wanted = wanted_, first = !landmarks_] { return compute(wanted, first); },
        [this, wanted = wanted_](Answer answer) { take(wanted, std::move(answer)); },
        wanted_.range ? JobQueue::analysis : queue);
}

void TraceFindings::take(const Wanted& wanted, Answer answer) {
    // The chosen finding stays chosen if it is still there.
    std::optional<uint32_t> chosen;
    if (chosen_) {
        const Finding& old = shown_->found.all[*chosen_];
        const std::vector<Finding>& all = answer.shown->found.all;
        const auto same = std::ranges::find_if(all, [&](const Finding& finding) {
            return finding.rule == old.rule && finding.device == old.device;
        });
        if (same != all.end()) chosen = static_cast<uint32_t>(same - all.begin());
    }
    made_ = wanted;
    shown_ = std::move(answer.shown);
    if (answer.landmarks) landmarks_ = std::move(answer.landmarks);
    if (!chosen || place_ >= shown_->found.all[*chosen].places.size()) place_ = 0;
    chosen_ = chosen;
    mark();
}

void TraceFindings::mark() {
    if (landmarks_ && shown_)
        marks_ = std::make_shared<const std::vector<Landmark>>(
            with_findings(*landmarks_, shown_->found, chosen_));
}

void TraceFindings::forget() {
    computing_.drop();
    wanted_ = {};
    made_ = {};
    shown_.reset();
    landmarks_.reset();
    marks_.reset();
    choose_none();
}

void TraceFindings::go(uint32_t finding, Requests& requests) {
    if (!shown_ || finding >= shown_->found.all.size()) return;
    const std::vector<FindingPlace>& places = shown_->found.all[finding].places;
    const bool again = chosen_ == finding && !places.empty();
    place_ = again ? (place_ + 1) % static_cast<uint32_t>(places.size()) : 0;
    chosen_ = finding;
    mark();
    if (places.empty()) return;
    const FindingPlace& place = places[place_];
    if (place.slice) {
        requests.add(ZoomToSlice{place.slice, shown_->snapshot});
        return;
    }
    requests.add(FrameRange{place.range});
    // Idle time has a lane, but no slice. The gaps of a running recording are not known.
    const bool is_gap = place.lane != SliceRef::no_index;
    if (is_gap && !shown_->snapshot) requests.add(DescribeGap{place.range});
}

void TraceFindings::next_place(Requests& requests) {
    go(chosen_.value_or(0), requests);
}

void TraceFindings::next_finding(Requests& requests) {
    if (!shown_ || shown_->found.all.empty()) return;
    const auto count = static_cast<uint32_t>(shown_->found.all.size());
    const uint32_t next = chosen_ ? (*chosen_ + 1) % count : 0;
    if (count > 1 || !chosen_) chosen_.reset();
    go(next, requests);
}

void TraceFindings::choose_none() {
    if (!chosen_) return;
    chosen_.reset();
    place_ = 0;
    mark();
}

bool TraceFindings::is_at_place(SliceRef selected, const std::optional<TimeRange>& gap) const {
    if (!shown_ || !chosen_) return false;
    const std::vector<FindingPlace>& places = shown_->found.all[*chosen_].places;
    if (place_ >= places.size()) return false;
    const FindingPlace& place = places[place_];
    return place.slice ? place.slice == selected : !selected && gap && *gap == place.range;
}

}  // namespace lanescope
