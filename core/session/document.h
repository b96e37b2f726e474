// Document: a trace being opened or open. Loads in the background; the window asks it once a frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

struct DocumentProgress {
    uint64_t bytes_done = 0;
    uint64_t bytes_total = 0;  // 0: unknown
    uint64_t events = 0;
    double seconds = 0;  // since the load began; of the whole load once it ended
    double bytes_per_second = 0;
    double seconds_left = -1;  // -1: unknown
};

class Document {
  public:
    // `wake` is called from the worker whenever there is something new to show; it must be
    // thread-safe.
    static std::unique_ptr<Document> open(std::string path, std::function<void()> wake);
    ~Document();  // cancels and waits

    const std::string& path() const;
    bool loading() const;
    void cancel();
    DocumentProgress progress() const;
    // The newest trace: partial while loading, null until there is something to show.
    TracePtr trace() const;
    // Why the load failed, once it has.
    std::optional<Error> error() const;
    // Arguments of one event, read from the file when asked. Blocks for the read: call it for one
    // slice.
    Result<std::vector<Argument>> arguments(uint64_t source);

  private:
    struct State;
    explicit Document(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
