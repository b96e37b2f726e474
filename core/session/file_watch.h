// Watches a file, and reports when it has changed and is no longer being written.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lanescope {

class FileWatch {
  public:
    // `changed` is called from the watch's own thread, once for each change, after size and
    // modification time have been stable for half a second. A file that is replaced counts as
    // changed; a file that is gone does not until it exists again. Does nothing if `path` is not a
    // regular file.
    FileWatch(const std::string& path, std::function<void()> changed);
    ~FileWatch();
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
