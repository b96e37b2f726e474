// Translates what is Chrome's and JSON's own for the builder: phases, and texts with escapes.
#include "core/base/utf8.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/json_warnings.h"
#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

// The kind of an event by its phase; `unreadable` for letters that the format does not define.
EventKind kind_of(char phase) {
    switch (phase) {
        case 'X':
            return EventKind::slice;
        case 'B':
            return EventKind::begin;
        case 'E':
            return EventKind::end;
        case 'M':
            return EventKind::metadata;
        case 'C':
            return EventKind::counter;
        case 's':
            return EventKind::flow_begin;
        case 't':
            return EventKind::flow_step;
        case 'f':
            return EventKind::flow_end;
        case 'b':
        case 'S':
            return EventKind::async_begin;
        case 'n':
        case 'T':
        case 'p':
            return EventKind::async_step;
        case 'e':
        case 'F':
            return EventKind::async_end;
        case 'i':
        case 'I':
        case 'R':
        case 'P':
        case 'N':
        case 'O':
        case 'D':
        case 'c':
        case 'v':
        case 'V':
            return EventKind::instant;
        default:
            return EventKind::unreadable;
    }
}

// True for the text of a list or object: only there can a quote follow without a backslash.
bool is_container(std::string_view raw) {
    if (raw.empty() || (raw.front() != '[' && raw.front() != '{')) return false;
    for (std::size_t at = raw.find('"'); at != std::string_view::npos; at = raw.find('"', at + 1))
        if (raw[at - 1] != '\\') return true;
    return false;
}

}  // namespace

void JsonScanner::classify(RawEvent& event, char phase) {
    event.kind = kind_of(phase);
    switch (phase) {
        case 'T':
        case 'p':
            // In old files, these events without an id are instants.
            if (!(event.flags & kHasId)) event.kind = EventKind::instant;
            [[fallthrough]];
        case 'S':
        case 'F':
            event.flags |= kPairsByName;
            break;
        default:
            break;
    }
    if (event.kind != EventKind::unreadable) return;
    if (phase == 0 && !(event.flags & kHasTime) && event.name == 0) {
        warn(kNoPhase, event.source);
        return;
    }
    event.kind = EventKind::instant;
    has_shape_ = false;  // each such event is warned of
    if (event.flags & kHasTime) warn(kUnknownPhase, event.source);
}

void JsonScanner::hand_over_words() {
    for (std::size_t phase = 0; phase < phase_counts_.size(); ++phase) {
        if (phase_counts_[phase] == 0 || phase == std::size_t{kLongPhase}) continue;
        const std::string letter(phase == 0 ? 0 : 1, static_cast<char>(phase));
        batch_->words.emplace_back(repair_text(letter), phase_counts_[phase]);
    }
    for (auto& [word, count] : odd_words_) batch_->words.emplace_back(word, count);
    phase_counts_ = {};
    odd_words_.clear();
}

void JsonScanner::hand_over(Batch& batch) {
    names_.hand_over(batch);
    for (std::string_view& text : batch.texts)
        if (!is_clean_text(text))
            text =
                repaired_.emplace_back(is_container(text) ? repair_bytes(text) : repair_text(text));
}

}  // namespace lanescope
