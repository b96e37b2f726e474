// EventShapes: what event objects of a file look like between the values that change.
//
// A writer prints its events by a handful of templates: the text from one value to the next is the
// same for thousands of events. The scanner tells here where the values of an event stood; the next
// event that begins with the same letters is then read by comparing the text between values,
// sixteen bytes at a time, instead of looking at each key. Members of few values (phase, category,
// pid, tid) count as text between values, so that the end of a path knows them.
//
// A path is taken only as long as every byte agrees, and the same bytes read from the same place
// mean the same: what a shape reads equals what the scanner reads key by key. A test holds them
// against each other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ingest/argument_keys.h"
#include "core/ingest/batch.h"
#include "core/ingest/json_cursor.h"

namespace lanescope {

enum class ValueKind : uint8_t {
    name,           // a string, between its quotes
    time,           // a bare number
    duration,       // a bare number
    id,             // a bare number
    number,         // of an argument: a bare token
    text,           // of an argument: a string, between its quotes
    list,           // of an argument: a list or object, brackets included
    skipped_token,  // a bare token
    skipped_text,   // a string, between its quotes
    skipped_list,   // a list or object
    end,            // no value: the event's closing brace was part of the text
};

// Where a value of an event stands in its text.
struct ValueSpan {
    const char* begin;
    const char* end;
    ValueKind kind;
    ArgumentKey key;
};

class EventShapes {
  public:
    // One stretch of text between values, and what comes behind it.
    struct Step {
        uint32_t text = 0;  // in texts_, padded to a multiple of 16
        uint16_t length = 0;
        ValueKind kind = ValueKind::end;
        ArgumentKey key = ArgumentKey::none;
        uint32_t children = 0;  // first step that may follow (of `end`: in the next event); 0: none
        uint32_t sibling = 0;   // another that may stand here; 0: none
        RawEvent prototype;     // of `end`: phase, category, lane and flags
    };

    EventShapes();

    // Adds the path of an event whose text is [begin, end). Does nothing once there are too many.
    void learn(const char* begin, const char* end, const std::vector<ValueSpan>& values,
               const RawEvent& event);

    // The first step of an event whose text stands at `p`, or null, behind an event that ended with
    // the step `before` (0: none that was read by a path). Events come in turns: what followed last
    // time is looked at first. Steps stay where they are until something is learned.
    const Step* match_first(uint32_t before, const char* p, const char* end) {
        const Step* const expected = expect(steps_[before], p, end);
        return expected ? expected : match_another_first(before, p, end);
    }

    // The step among those that may follow `parent` whose text stands at `p`, or null.
    const Step* match(const Step& parent, const char* p, const char* end) {
        const Step* const expected = expect(parent, p, end);
        return expected ? expected : match_another(index_of(parent), p, end);
    }

    uint32_t index_of(const Step& step) const {
        return static_cast<uint32_t>(&step - steps_.data());
    }

  private:
    // The first of those that may follow, if its text stands there.
    const Step* expect(const Step& parent, const char* p, const char* end) const {
        const Step& first = steps_[parent.children];
        return first.length != 0 && first.length <= end - p && equal(first, p) ? &first : nullptr;
    }
    // Puts the step it finds first among its siblings.
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
