#include "ui/features/undo_history.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

// A window in which the user changes one thing after another.
struct Scene {
    UndoHistory history;
    UndoableState state{
        .view = {.start = 0, .span = 1000, .width = 100}, .lanes = {}, .notes = {}, .layout = {}};
    uint64_t inputs = 0;
    double now = 0;

    Scene() { note(); }
    void note() { history.note(state, inputs, now); }
    void change_by_user() {
        ++inputs;
        now += 10;
        note();
    }
    void move_to(Nanos start) {
        state.view.start = start;
        change_by_user();
    }
    void hide(LaneId lane) {
        state.lanes.hidden.insert(lane);
        change_by_user();
    }
    std::string undo() {
        ++inputs;
        const auto step = history.undo();
        if (step) state = step->state;
        note();
        return step ? std::string(step->what) : "";
    }
    std::string redo() {
        ++inputs;
        const auto step = history.redo();
        if (step) state = step->state;
        note();
        return step ? std::string(step->what) : "";
    }
};

}  // namespace

TEST_CASE("Changes are undone in reverse, and redone") {
    Scene s;
    s.hide(3);
    s.state.notes.push_back({{5, 5}, "here"});
    s.change_by_user();
    s.move_to(700);
    CHECK(s.undo() == "view");
    CHECK(s.state.view.start == 0);
    CHECK(s.undo() == "notes");
    CHECK(s.state.notes.empty());
    CHECK(s.state.lanes.hidden.contains(3));
    CHECK(s.undo() == "lanes");
    CHECK(s.state.lanes.hidden.empty());
    CHECK(s.undo().empty());
    CHECK(s.redo() == "lanes");
    CHECK(s.redo() == "notes");
    CHECK(s.redo() == "view");
    CHECK(s.state.view.start == 700);
    CHECK(s.state.notes.size() == 1);
    CHECK(s.redo().empty());
}

TEST_CASE("A new change drops what could be redone") {
    Scene s;
    s.hide(1);
    CHECK(s.undo() == "lanes");
    s.hide(2);
    CHECK(s.redo().empty());
    CHECK(s.undo() == "lanes");
    CHECK(s.state.lanes.hidden.empty());
}

TEST_CASE("Moves that follow each other soon are one step") {
    Scene s;
    s.move_to(100);
    for (const Nanos start : {200, 300, 400}) {
        s.state.view.start = start;
        ++s.inputs;
        s.now += 0.3;
        s.note();
    }
    s.move_to(900);
    CHECK(s.undo() == "view");
    CHECK(s.state.view.start == 400);
    CHECK(s.undo() == "view");
    CHECK(s.state.view.start == 0);
}

TEST_CASE("What the window changes by itself is no step") {
    Scene s;
    s.state.lanes.folded_groups.insert("process 7 ");
    s.now += 1;
    s.note();
    CHECK(s.undo().empty());
    s.hide(1);
    s.history.clear();
    s.note();
    CHECK(s.undo().empty());
}

TEST_CASE("A restored state that the window adapts is no change of the user") {
    Scene s;
    s.move_to(700);
    s.hide(4);
    ++s.inputs;
    const auto step = s.history.undo();
    REQUIRE(step);
    s.state = step->state;
    s.state.view.start += 30;  // clamped to the content
    s.note();
    CHECK(s.redo() == "lanes");
    CHECK(s.undo() == "lanes");
    CHECK(s.undo() == "view");
    CHECK(s.undo().empty());
}
