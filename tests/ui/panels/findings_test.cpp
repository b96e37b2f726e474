#include "ui/panels/findings.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/ingest/load.h"
#include "tests/ui/headless_imgui.h"
#include "tests/ui/panels/requested.h"
#include "ui/panels/finding_cards.h"
#include "ui/panels/threshold_editor.h"

using namespace lanescope;

namespace {

// The findings of a sample, in a window without OpenGL.
class Sample {
  public:
    Sample() {
        look.fonts = load_fonts();
        const auto trace = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
        REQUIRE(trace);
        inputs.shown = *trace;
        inputs.context = std::make_shared<const TraceContext>(*trace);
        inputs.jobs = &jobs_;
        settle();
    }
    void settle() {
        do {
            jobs_.take_results();
            findings.follow(inputs, written, JobQueue::quick);
        } while (!findings.ready());
    }
    const std::vector<Finding>& all() const { return findings.shown()->found.all; }
    uint32_t place_of(std::string_view rule) const {
        const auto found = std::ranges::find(all(), rule, &Finding::rule);
        REQUIRE(found != all().end());
        return static_cast<uint32_t>(found - all().begin());
    }
    // A frame with cards or rows.
    Requests frame(bool cards) {
        Requests requests;
        imgui_.frame([&] {
            if (cards)
                draw_finding_cards(findings, look, requests, drawn);
            else
                draw_finding_rows(findings, look, requests, drawn);
        });
        return requests;
    }
    Requests click(uint32_t finding, bool cards) {
        frame(cards);
        const Box box = drawn.boxes.at(finding);
        ImGui::GetIO().AddMousePosEvent((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
        frame(cards);
        ImGui::GetIO().AddMouseButtonEvent(0, true);
        frame(cards);
        ImGui::GetIO().AddMouseButtonEvent(0, false);
        return frame(cards);
    }

    PanelInputs inputs;
    std::map<std::string, std::string> written;
    TraceFindings findings;
    DrawnFindings drawn;
    Look look;

  private:
    HeadlessImGui imgui_{900, 2000};  // destroyed last
    Jobs jobs_{[] {}};
};

}  // namespace

TEST_CASE("a finding leads to its places one after another, and begins again") {
    Sample sample;
    const uint32_t sync = sample.place_of("sync-in-step");
    const std::vector<FindingPlace> places = sample.all()[sync].places;
    REQUIRE(places.size() >= 2);
    for (std::size_t i = 0; i <= places.size(); ++i) {
        Requests requests;
        sample.findings.go(sync, requests);
        const FindingPlace& expected = places[i % places.size()];
        REQUIRE(testing::zoomed_to(requests));
        CHECK(testing::zoomed_to(requests) == expected.slice);
        CHECK(sample.findings.is_at_place(expected.slice, std::nullopt));
        CHECK(!sample.findings.is_at_place({}, std::nullopt));
    }
    CHECK(place_line(sample.findings, sync).starts_with("1 of "));
    Requests requests;
    sample.findings.next_finding(requests);
    CHECK(sample.findings.chosen() == (sync + 1) % sample.all().size());
    CHECK(sample.findings.place() == 0);
}

TEST_CASE("a gap is framed and described, since it is no slice") {
    Sample sample;
    sample.written = {{"overhead-bound.min_share", "0"},
                      {"tiny-kernels.min_share", "0"},
                      {"tiny-kernels.min_idle", "0"},
                      {"tiny-kernels.max_duration", "1ms"}};
    sample.settle();
    const uint32_t tiny = sample.place_of("tiny-kernels");
    const FindingPlace place = sample.all()[tiny].places.front();
    REQUIRE(!place.slice);
    Requests requests;
    sample.findings.go(tiny, requests);
    CHECK(!testing::zoomed_to(requests));
    REQUIRE(requests.find<FrameRange>());
    CHECK(requests.find<FrameRange>()->range == place.range);
    REQUIRE(requests.find<DescribeGap>());
    CHECK(requests.find<DescribeGap>()->range == place.range);
    CHECK(sample.findings.is_at_place({}, place.range));
    CHECK(!sample.findings.is_at_place({}, TimeRange{0, 1}));
}

TEST_CASE("thresholds change the findings, and the chosen one stays chosen") {
    Sample sample;
    Requests requests;
    sample.findings.go(sample.place_of("sync-in-step"), requests);
    sample.findings.next_place(requests);
    CHECK(sample.findings.place() == 1);
    REQUIRE(change_threshold({"comm-exposed.min_share", "99%"}, sample.written));
    sample.settle();
    CHECK(std::ranges::count(sample.all(), "comm-exposed", &Finding::rule) == 0);
    CHECK(sample.findings.chosen() == sample.place_of("sync-in-step"));
    CHECK(sample.findings.place() == 1);
    CHECK(changed_thresholds_text(sample.findings.thresholds().thresholds) ==
          "1 threshold differs from its default.");
    REQUIRE(change_threshold({"comm-exposed.min_share", ""}, sample.written));
    CHECK(sample.written.empty());
    sample.settle();
    sample.place_of("comm-exposed");
    CHECK(!change_threshold({"comm-exposed.min_share", "much"}, sample.written));
    CHECK(!change_threshold({"no-rule.min_share", "1"}, sample.written));
    CHECK(sample.written.empty());
}

TEST_CASE("a marked range counts while a panel shows the findings") {
    Sample sample;
    const std::size_t whole = sample.findings.shown()->texts.size();
    const Nanos origin = sample.inputs.shown->origin;
    sample.inputs.range = TimeRange{origin, origin + 10'000};
    sample.settle();
    CHECK(!sample.findings.shown()->range);
    CHECK(sample.findings.shown()->texts.size() == whole);
    const LandmarksPtr marks = sample.findings.marks();
    sample.findings.draw_them();
    sample.settle();
    CHECK(sample.findings.shown()->range == sample.inputs.range);
    CHECK(sample.findings.shown()->texts.size() < whole);
    // The places that the whole trace's summary names stay marked.
    const auto gaps = [](const LandmarksPtr& list) {
        return std::ranges::count(*list, LandmarkKind::idle_gap, &Landmark::kind);
    };
    CHECK(gaps(sample.findings.marks()) == gaps(marks));
}

TEST_CASE("choosing a finding marks all its places on the overview") {
    Sample sample;
    const uint32_t sync = sample.place_of("sync-in-step");
    const auto chosen = [&] {
        return std::ranges::count(*sample.findings.marks(), true, &Landmark::chosen);
    };
    CHECK(chosen() == 0);
    Requests requests;
    sample.findings.go(sync, requests);
    CHECK(static_cast<std::size_t>(chosen()) == sample.all()[sync].places.size());
    sample.findings.choose_none();
    CHECK(chosen() == 0);
}

TEST_CASE("a click on a card or a row goes to the place; the pointer shows evidence") {
    for (const bool cards : {true, false}) {
        CAPTURE(cards);
        Sample sample;
        const uint32_t sync = sample.place_of("sync-in-step");
        const Requests requests = sample.click(sync, cards);
        REQUIRE(testing::zoomed_to(requests));
        CHECK(testing::zoomed_to(requests) == sample.all()[sync].places.front().slice);
        CHECK(sample.drawn.pointed == sync);
        REQUIRE(sample.drawn.boxes.size() == sample.all().size());
        for (std::size_t i = 1; i < sample.drawn.boxes.size(); ++i)
            CHECK(sample.drawn.boxes[i].y0 >= sample.drawn.boxes[i - 1].y1);
        // Again: the next place.
        const Requests again = sample.click(sync, cards);
        REQUIRE(testing::zoomed_to(again));
        CHECK(testing::zoomed_to(again) == sample.all()[sync].places[1].slice);
    }
}

TEST_CASE("another trace, or none, drops what is known") {
    Sample sample;
    Requests requests;
    sample.findings.go(0, requests);
    sample.inputs.context.reset();
    sample.settle();
    CHECK(!sample.findings.shown());
    CHECK(!sample.findings.marks());
    CHECK(!sample.findings.chosen());
}
