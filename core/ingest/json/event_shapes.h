// EventShapes: learns the constant text between an event's values.
//
// A writer prints its events from a handful of templates: the text between two values is the same
// for thousands of events. The scanner reports where an event's values are. The next event that
// begins with the same text is then read by comparing the text between values, sixteen bytes at a
// time, instead of parsing each key. Members with few distinct values (phase, category, pid, tid)
// count as constant text, so the end of a path determines them; pid and tid are values if the file
// has many lanes.
//
// A path matches only if every byte agrees, so reading by shape gives the same result as reading
// key by key. A test compares the two.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ingest/build/batch.h"
#include "core/ingest/json/json_cursor.h"
#include "core/ingest/kineto/argument_keys.h"

namespace lanescope {

enum class ValueKind : uint8_t {
    name,           // a string, between its quotes
    time,           // a bare number
    duration,       // a bare number
    id,             // a bare number
    id_text,        // a string, between its quotes
    process,        // the pid: a string, including its quotes, or a bare token
    thread,         // the tid, likewise
    number,         // of an argument: a bare token
    text,           // of an argument: a string, between its quotes
    list,           // argument: a list or object, including brackets
    skipped_token,  // a bare token
    skipped_text,   // a string, between its quotes
    skipped_list,   // a list or object
    end,            // no value: the text included the event's closing brace
};

// The position of a value in an event's text.
struct ValueSpan {
    const char* begin;
    const char* end;
    ValueKind kind;
    ArgumentKey key;
};

class EventShapes {
  public:
    // A stretch of constant text, and the value that follows it.
    struct Step {
        uint32_t text = 0;  // in texts_, padded to a multiple of 16
        uint16_t length = 0;
        ValueKind kind = ValueKind::end;
        ArgumentKey key = ArgumentKey::none;
        // First step that may follow (after `end`: in the next event); 0: none.
        uint32_t children = 0;
        uint32_t sibling = 0;     // alternative to this step; 0: none
        RawEvent prototype;       // of `end`: kind, category, lane and flags
        char phase = 0;           // of `end`
        bool reads_lane = false;  // of `end`: the path has pid and tid as values
    };

    EventShapes();

    // Adds the path of an event with the text [begin, end). Does nothing once there are too many
    // paths.
    void learn(const char* begin, const char* end, const std::vector<ValueSpan>& values,
               const RawEvent& event, char phase);

    // The first step of the event whose text begins at `p`, or null. `before` is the `end` step of
    // the previous event (0: that event did not match a path). Events often alternate, so the
    // successor of last time is tried first. Steps do not move until the next learn().
    const Step* match_first(uint32_t before, const char* p, const char* end) {
        const Step* const expected = expect(steps_[before], p, end);
        return expected ? expected : match_another_first(before, p, end);
    }

    // The successor of `parent` whose text is at `p`, or null.
    const Step* match(const Step& parent, const char* p, const char* end) {
        const Step* const expected = expect(parent, p, end);
        return expected ? expected : match_another(index_of(parent), p, end);
    }

    uint32_t index_of(const Step& step) const {
        return static_cast<uint32_t>(&step - steps_.data());
    }

  private:
    // The first successor, if its text is at `p`; else null.
    const Step* expect(const Step& parent, const char* p, const char* end) const {
        const Step& first = steps_[parent.children];
        return first.length != 0 && first.length <= end - p && equal(first, p) ? &first : nullptr;
    }
    // Searches all successors, and moves the match to the front.
    const Step* match_another(uint32_t parent, const char* p, const char* end);
    const Step* match_another_first(uint32_t before, const char* p, const char* end);

    bool equal(const Step& step, const char* p) const {
        const char* const text = texts_.data() + step.text;
        const std::size_t length = step.length;
        std::size_t at = 0;
        for (; at + 16 <= length; at += 16)
            if (!same16(p + at, text + at)) return false;
        return same16(p + at, text + at, length - at);
    }
    uint32_t add_step(uint32_t parent, std::string_view text, ValueKind kind, ArgumentKey key);

    std::vector<Step> steps_;  // [0] is the beginning
    std::vector<char> texts_;
};

}  // namespace lanescope
