// The instructions of pickles for numbers, containers and the memo.
#include "core/ingest/memory_snapshot/pickle_decoder.h"

namespace lanescope {

bool PickleDecoder::step_of_numbers(char opcode) {
    uint64_t number = 0;
    switch (opcode) {
        case 'N':
            return push({});
        case '\x88':
            return push_integer(1, PickleKind::boolean);
        case '\x89':
            return push_integer(0, PickleKind::boolean);
        case 'I':
        case 'L':
            return push_line();
        case 'F':
            return push_real_line();
        case 'J':
            return take_number(4, number) &&
                   push_integer(static_cast<int32_t>(static_cast<uint32_t>(number)));
        case 'K':
            return take_number(1, number) && push_integer(static_cast<int64_t>(number));
        case 'M':
            return take_number(2, number) && push_integer(static_cast<int64_t>(number));
        case '\x8a':
            return with_number(1, &PickleDecoder::push_long);
        case '\x8b':
            return with_number(4, &PickleDecoder::push_long);
        case 'G':
            return push_big_endian_real();
        default:
            return step_of_containers(opcode);
    }
}

bool PickleDecoder::step_of_containers(char opcode) {
    switch (opcode) {
        case '}':
            return push_container(PickleKind::dictionary, {});
        case ']':
        case '\x8f':  // EMPTY_SET
            return push_container(PickleKind::list, {});
        case ')':
            return push_container(PickleKind::tuple, {});
        case '\x85':
            return push_tuple(1);
        case '\x86':
            return push_tuple(2);
        case '\x87':
            return push_tuple(3);
        case 't':
        case '\x91':  // FROZENSET
            return push_marked(PickleKind::tuple);
        case 'l':
            return push_marked(PickleKind::list);
        case 'd':
            return push_marked(PickleKind::dictionary);
        case 'a':
            return add_last(PickleKind::list, 1);
        case 'e':
        case '\x90':  // ADDITEMS
            return add_marked(PickleKind::list);
        case 's':
            return add_last(PickleKind::dictionary, 2);
        case 'u':
            return add_marked(PickleKind::dictionary);
        default:
            return step_of_memo(opcode);
    }
}

bool PickleDecoder::step_of_memo(char opcode) {
    switch (opcode) {
        case '\x94':
            return memoize(memo_.size());
        case 'p':
            return with_line(&PickleDecoder::memoize);
        case 'q':
            return with_number(1, &PickleDecoder::memoize);
        case 'r':
            return with_number(4, &PickleDecoder::memoize);
        case 'g':
            return with_line(&PickleDecoder::recall);
        case 'h':
            return with_number(1, &PickleDecoder::recall);
        case 'j':
            return with_number(4, &PickleDecoder::recall);
        default:
            return refuse(opcode);
    }
}

// Puts what is still on the stack into the containers that it was meant for.
void PickleDecoder::collapse() {
    while (drop_to_mark(items_)) {
        if (stack_.size() <= floor()) continue;
        if (stack_.back().kind == PickleKind::list) add(PickleKind::list, items_);
        if (stack_.back().kind == PickleKind::dictionary) add(PickleKind::dictionary, items_);
    }
    if (stack_.size() < 2 || stack_.front().kind != PickleKind::dictionary) return;
    auto& root = pickle_.containers_[stack_.front().container];
    const std::size_t before = root.size();
    root.insert(root.end(), stack_.begin() + 1, stack_.end());
    pickle_.note_growth(stack_.front().container, before);
}

}  // namespace lanescope
