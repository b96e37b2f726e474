// Simulates a computer with two CPU threads and one GPU with two streams. Host code "runs" on it by
// opening scopes and launching work. The events that a profiler would record are stored, and
// written as Kineto JSON. All arithmetic is on integers and one small random number generator, so
// every run on every machine writes the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace synthetic {

using Nanos = int64_t;
using Dims = std::vector<int64_t>;

enum Thread : int { main_thread = 0, autograd_thread = 1 };

inline constexpr int kComputeStream = 7;
inline constexpr int kCommunicationStream = 20;
inline constexpr int kSteps = 3;

// An operator's argument as Kineto writes it: a tensor's shape and type, or a scalar's text.
struct Input {
    Dims dims;
    std::string type;
    std::string concrete;
};
Input tensor(Dims dims, std::string type = "c10::BFloat16");
Input scalar(std::string text);

struct OperatorInfo {
    int64_t sequence = -1;    // -1: no Sequence number
    int forward_thread = -1;  // of a backward node: the thread of its forward call
    std::string more_args;    // further members, as JSON text starting with ", "
};

struct Kernel {
    std::string name;
    std::array<int, 3> grid = {1, 1, 1};
    std::array<int, 3> block = {128, 1, 1};
    int registers = 32;
    int64_t shared_bytes = 0;
    Nanos duration = 0;
    std::string more_args;  // as in OperatorInfo
};

enum class Copy {
    host_to_device_pageable,
    host_to_device_pinned,
    device_to_host_pageable,
    device_to_device
};

struct Allocation {
    int64_t address = 0;
    int64_t bytes = 0;
    bool on_gpu = true;
};

class Machine;

// An open event, which ends when this object is destroyed.
class [[nodiscard]] Scope {
  public:
    explicit Scope(Machine& machine) : machine_(machine) {}
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

  private:
    Machine& machine_;
};

class Machine {
  public:
    Machine();

    // Host time. Calls run on the current thread; switching to another thread moves that thread's
    // clock up to the current thread's.
    void switch_to(Thread thread);
    Thread thread() const { return thread_; }
    Nanos now() const { return clock_[thread_]; }
    void spend(Nanos mean);  // varies randomly by up to a quarter
    Nanos jitter(Nanos mean, int percent);

    Scope op(std::string name, const std::vector<Input>& inputs = {},
             const OperatorInfo& info = {});
    Scope annotation(std::string name);
    Scope frame(std::string name);                  // a Python function
    Scope module(std::string name, int module_id);  // a call of an nn.Module
    void end_scope();

    void flow(std::string_view category, char phase, int64_t id);  // at the current thread and time

    // Work for the GPU. Each makes the runtime call, its activity on the stream, and the flow
    // between them.
    void launch(const Kernel& kernel, int stream = kComputeStream);
    void copy(Copy kind, int64_t bytes, int stream = kComputeStream);
    void set(int64_t bytes, int stream = kComputeStream);

    void call(std::string_view name, Nanos duration);  // a runtime call without GPU work
    void wait_for_stream(int waiting, int on);         // cudaEventRecord + cudaStreamWaitEvent
    void synchronise_stream(int stream);
    void synchronise_device();
    void overhead(std::string name, Nanos duration);

    Allocation allocate(int64_t bytes, bool on_gpu = true);
    void release(const Allocation& allocation);

    std::string json() const;

  private:
    struct Event {
        char phase = 'X';
        std::string category;
        std::string name;
        std::string pid;  // as JSON
        std::string tid;  // as JSON
        Nanos start = 0;
        Nanos duration = 0;
        std::string args;  // members of the object, as JSON
        std::string more;  // further members of the event, as JSON
    };
    enum Section : int { operators, memory, python, activities, section_count };
    struct Open {
        Section section;
        std::size_t event;
        int64_t external_id;  // -1: a Python frame
    };
    struct DeviceSpan {          // the activities of an annotation on a stream
        std::size_t annotation;  // index of its event
        int64_t external_id;
        int stream;
        Nanos begin;
        Nanos end;
    };
    struct Busy {
        Nanos begin;
        Nanos end;
    };
    struct Call {  // a runtime call that is being written
        int64_t correlation;
        Nanos begin;
        Nanos end;
        std::string external_arg;  // "External id", or empty outside any operator
    };

    void open_frame(std::string name, std::string_view more_args);
    void open(Section section, Event event, int64_t external_id);
    Call runtime(std::string_view name, Nanos duration);
    // Puts an activity on the stream as early as the stream and the call allow; returns its end.
    Nanos place(Event event, const Call& call, int stream);
    void cover_annotations(int stream, Nanos begin, Nanos end);
    void memory_event(const Allocation& allocation, int64_t sign);
    Nanos& stream_free(int stream) { return stream_free_[stream == kComputeStream ? 0 : 1]; }
    void sync_activity(std::string_view kind, int stream, Nanos begin, Nanos end,
                       const std::string& more);
    void append_counters(std::string& out) const;
    void append_device_annotations(std::string& out) const;
    void append_window_marks(std::string& out) const;
    static void append(std::string& out, const Event& event);

    uint64_t random_state_ = 20261121;
    Thread thread_ = main_thread;
    std::array<Nanos, 2> clock_;
    std::array<Nanos, 2> stream_free_;
    std::array<std::vector<Open>, 2> stack_;
    std::array<std::vector<int64_t>, 2> python_stack_;
    std::array<std::vector<Event>, section_count> events_;
    std::vector<DeviceSpan> device_spans_;
    std::vector<Busy> busy_;
    int64_t next_external_ = 1;
    int64_t next_python_ = 1;
    int64_t next_index_ = 0;
    int64_t next_correlation_ = 4001;
    int64_t next_record_ = 1;
    int64_t next_address_ = 0x7f2000000000;
    std::array<int64_t, 2> allocated_ = {
        0, int64_t{50} << 20};  // CPU, GPU: the model was allocated earlier
    int64_t reserved_ = int64_t{64} << 20;
};

}  // namespace synthetic
