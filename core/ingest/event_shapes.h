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
        uint32_t children = 0;  // first step that may follow; 0: none
        uint32_t sibling = 0;   // another that may stand here; 0: none
        RawEvent prototype;     // of `end`: phase, category, lane and flags
    };

    EventShapes();

    // Adds the path of an event whose text is [begin, end). Does nothing once there are too many.
    void learn(const char* begin, const char* end, const std::vector<ValueSpan>& values,
               const RawEvent& event);

    // Stands before the first step of every path.
    const Step* beginning() const { return steps_.data(); }

    // The step among those that may follow `parent` whose text stands at `p`, or null. Steps stay
    // where they are until something is learned.
    const Step* match(const Step& parent, const char* p, const char* end) {
        const Step& first = steps_[parent.children];
        const bool likely = first.length != 0 && first.length <= end - p && equal(first, p);
        return likely ? &first : match_another(parent, p, end);
    }

  private:
    // Puts the step it finds first among its siblings.
    const Step* match_another(const Step& parent, const char* p, const char* end);

    bool equal(const Step& step, const char* p) const {
        const char* text = texts_.data() + step.text;
        std::size_t left = step.length;
        for (; left >= 16; left -= 16, p += 16, text += 16)
            if (!same16(p, text)) return false;
        return left == 0 || same16(p, text, left);
    }
    uint32_t add_step(uint32_t parent, std::string_view text, ValueKind kind, ArgumentKey key);

    std::vector<Step> steps_;  // [0] is the beginning
    std::vector<char> texts_;
};

}  // namespace lanescope
