// Watches a file and tells when it has changed and come to rest again.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lanescope {

class FileWatch {
  public:
    // `changed` is called from a thread of its own, once for each change, when size and time of
    // change have stood still for half a second. A file that is written anew under its name counts;
    // one that is gone does not until it is there again. Nothing is watched where `path` is no
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
