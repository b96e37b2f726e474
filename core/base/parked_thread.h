// ParkedThread: a second thread for what takes less than a millisecond, where starting one each
// time would cost too much. It sleeps between its jobs.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace lanescope {

// One job at a time, given and finished by one thread.
class ParkedThread {
  public:
    ParkedThread() = default;
    ~ParkedThread();
    ParkedThread(const ParkedThread&) = delete;
    ParkedThread& operator=(const ParkedThread&) = delete;

    // Has `job` called once, if the thread wakes before finish(); `job` must live until then and
    // not throw. The first call makes the thread. False when the system gives none.
    template <typename Job>
    [[nodiscard]] bool begin(Job& job) {
        return begin_call({[](void* at) { (*static_cast<Job*>(at))(); }, &job});
    }
    // Takes back a job that was not begun, waits for the end of one that was.
    void finish();

  private:
    struct Call {
        void (*function)(void*) = nullptr;
        void* job = nullptr;
    };
    enum class State : uint32_t { idle, given, running, ending };

    bool begin_call(Call call);
    void run();
    void set(State state);

    Call call_;
    std::atomic<State> state_{State::idle};
    std::thread thread_;
};

}  // namespace lanescope
