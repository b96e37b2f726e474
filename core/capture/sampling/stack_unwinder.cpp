#include "core/capture/sampling/stack_unwinder.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

#include "core/capture/process/clock.h"
#include "core/capture/sampling/unwind_expression.h"

namespace lanescope {

namespace {

constexpr Nanos kBudgetPeriod = 1'000'000'000;

// One walk through a copied stack.
class Walk {
  public:
    Walk(const CodeMaps& maps, UnwindRules& rules, const PerfRecord& sample)
        : maps_(maps), rules_(rules), sample_(sample) {
        std::ranges::copy(sample.registers, state_.registers.begin());
        state_.stack_begin = state_.registers[kStackPointer];
        state_.stack = sample.stack;
    }

    UnwoundStack run() {
        UnwoundStack found;
        found.frames.push_back(state_.registers[kProgramCounter]);
        while (found.frames.size() < StackUnwinder::kMaxDepth) {
            const Step step = go_to_caller();
            if (step == Step::stopped) add_beyond_the_copy(found);
            found.is_complete = step == Step::at_first_function;
            if (step != Step::at_caller) break;
            found.frames.push_back(state_.registers[kProgramCounter]);
        }
        return found;
    }

  private:
    enum class Step { at_caller, at_first_function, stopped };

    bool is_code(uint64_t address) const { return maps_.find(sample_.pid, address).has_value(); }

    // Each caller's frame is above its callee's, so a walk ends. In a leaf function the stack
    // pointer may not have changed yet.
    bool is_above(uint64_t cfa) const {
        const uint64_t sp = state_.registers[kStackPointer];
        return is_exact_ ? cfa >= sp : cfa > sp;
    }

    Step go_to_caller() {
        const uint64_t pc = state_.registers[kProgramCounter];
        // A return address may be the first one of another function.
        const uint64_t address = is_exact_ || pc == 0 ? pc : pc - 1;
        const std::optional<CodePlace> place = maps_.find(sample_.pid, address);
        const UnwindRow* const row =
            place ? rules_.find(maps_.images()[place->image], *place) : nullptr;
        if (!row) return place ? follow_frame_pointer() : Step::stopped;
        if (row->return_address.kind == UnwindRule::Kind::undefined) return Step::at_first_function;
        return apply(*row);
    }

    Step apply(const UnwindRow& row) {
        const std::optional<uint64_t> cfa = state_.cfa_of(row);
        if (!cfa || !(is_above(*cfa) || row.is_signal_frame)) return Step::stopped;
        const std::optional<uint64_t> caller = state_.value_of(row, row.return_address, 0, *cfa);
        if (!caller) {
            had_frame_ = row.cfa_expression < 0 && row.base == kFramePointer;
            return Step::stopped;
        }
        const uint64_t pc = *caller & kAddressBits;
        if (pc == 0) return Step::at_first_function;
        if (!is_code(row.is_signal_frame ? pc : pc - 1)) return Step::stopped;
        const auto before = state_;
        for (const auto& [number, rule] : row.changed)
            state_.registers[number] = before.value_of(row, rule, number, *cfa).value_or(0);
        // The CFA is the caller's stack pointer, except in a signal frame, which has it saved.
        if (!row.is_signal_frame) state_.registers[kStackPointer] = *cfa;
        state_.registers[kProgramCounter] = pc;
        is_exact_ = row.is_signal_frame;
        return Step::at_caller;
    }

    // Code without rules, such as generated code, may have frame pointers.
    Step follow_frame_pointer() {
        const uint64_t frame = state_.registers[kFramePointer];
        const std::optional<uint64_t> saved = state_.word_at(frame);
        const std::optional<uint64_t> caller = state_.word_at(frame + sizeof(uint64_t));
        if (!saved || !caller || !is_above(frame + 2 * sizeof(uint64_t))) return Step::stopped;
        const uint64_t pc = *caller & kAddressBits;
        if (pc == 0 || !is_code(pc - 1)) return Step::stopped;
        state_.registers[kFramePointer] = *saved;
        state_.registers[kStackPointer] = frame + 2 * sizeof(uint64_t);
        state_.registers[kProgramCounter] = pc;
        is_exact_ = false;
        return Step::at_caller;
    }

    // If the copy ended in a function with a frame pointer, the kernel's walk may have continued:
    // its frames from there on are callers of this function.
    void add_beyond_the_copy(UnwoundStack& found) const {
        if (!had_frame_) return;
        const uint64_t end = state_.registers[kFramePointer];
        uint64_t frame = sample_.registers[kFramePointer];
        std::size_t walked = 1;
        while (frame != end) {
            const std::optional<uint64_t> saved = state_.word_at(frame);
            if (!saved || *saved <= frame) return;
            frame = *saved;
            ++walked;
        }
        const std::size_t depth = sound_depth(maps_, sample_.pid, sample_.frames);
        for (; walked < depth && found.frames.size() < StackUnwinder::kMaxDepth; ++walked)
            found.frames.push_back(sample_.frames[walked]);
    }

    const CodeMaps& maps_;
    UnwindRules& rules_;
    const PerfRecord& sample_;
    UnwindState state_;
    bool is_exact_ = true;    // the program counter is not a return address
    bool had_frame_ = false;  // the copy ended in a function whose frame the frame pointer marks
};

}  // namespace

std::size_t sound_depth(const CodeMaps& maps, uint32_t pid, const std::vector<uint64_t>& frames) {
    const std::size_t count = std::min(frames.size(), StackUnwinder::kMaxDepth);
    if (!maps.knows(pid)) {
        for (std::size_t i = 1; i + 1 < count; ++i)
            if (frames[i] == frames[i + 1]) return i;
        return count;
    }
    for (std::size_t i = 1; i < count; ++i)
        if (frames[i] == 0 || !maps.find(pid, frames[i] - 1)) return i;
    return count;
}

UnwoundStack StackUnwinder::unwind(const PerfRecord& sample) {
    if (kRegisterCount == 0 || sample.registers.size() != kRegisterCount) return {};
    return Walk(maps_, rules_, sample).run();
}

bool StackUnwinder::may_spend() {
    const Nanos now = time_of_clock(CLOCK_MONOTONIC);
    if (now - second_begin_ >= kBudgetPeriod) {
        second_begin_ = now;
        spent_ = 0;
    }
    return spent_ < spend_;
}

std::vector<uint64_t> StackUnwinder::stack_of(const PerfRecord& sample) {
    const std::size_t sound = sound_depth(maps_, sample.pid, sample.frames);
    std::vector<uint64_t> walked(sample.frames.begin(),
                                 sample.frames.begin() + static_cast<std::ptrdiff_t>(sound));
    if (sample.registers.empty() || sample.stack.empty()) {
        if (sample.is_stack_dropped) ++skipped_;
        return walked;
    }
    if (!may_spend()) {
        ++skipped_;
        return walked;
    }
    const Nanos begin = time_of_clock(CLOCK_THREAD_CPUTIME_ID);
    UnwoundStack unwound = unwind(sample);
    spent_ += time_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    const bool is_better = unwound.is_complete || unwound.frames.size() > walked.size();
    return is_better ? std::move(unwound.frames) : walked;
}

}  // namespace lanescope
