#include "core/base/parked_thread.h"

#include <system_error>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace lanescope {

namespace {

// Some 20 µs, which is about what it costs to be woken.
constexpr int kSpins = 500;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
}

}  // namespace

ParkedThread::~ParkedThread() {
    if (!thread_.joinable()) return;
    finish();
    set(State::ending);
    thread_.join();
}

bool ParkedThread::begin_call(Call call) {
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {
            return false;
        }
    }
    call_ = call;
    set(State::given);
    return true;
}

void ParkedThread::finish() {
    State state = State::given;
    if (state_.compare_exchange_strong(state, State::idle)) return;
    // Both have come to the end of one work, so it is a matter of microseconds as a rule.
    for (int i = 0; i < kSpins && state_ == State::running; ++i) pause();
    while (state_ == State::running) state_.wait(State::running);
}

void ParkedThread::run() {
    for (;;) {
        state_.wait(State::idle);
        State state = State::given;
        if (state_.compare_exchange_strong(state, State::running)) {
            call_.function(call_.job);
            set(State::idle);
        } else if (state == State::ending) {
            return;
        }
    }
}

void ParkedThread::set(State state) {
    state_ = state;
    state_.notify_all();
}

}  // namespace lanescope
