// FileChanges: decides from looks at a file when a change of it is complete. Knows no clock.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace lanescope {

// Two states of a file with equal stamps have the same contents.
struct FileStamp {
    ino_t inode = 0;
    off_t size = 0;
    int64_t seconds = 0;  // of the last modification
    int64_t nanos = 0;

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

class FileChanges {
  public:
    // `seen`: the state that is known.
    explicit FileChanges(const FileStamp& seen) : seen_(seen), last_(seen) {}

    // True if a change was found that may still go on: look again after a rest.
    bool is_unsettled() const { return last_ != seen_; }

    // `now`: the file's state; none if it is gone. `rested`: nothing happened to the file since the
    // last look, for long enough. True if a change is complete; each change is returned once. A
    // file that is gone is no change: what replaces it is.
    bool look(const std::optional<FileStamp>& now, bool rested) {
        const bool complete = now && rested && *now != seen_ && now == last_;
        if (complete) seen_ = *now;
        last_ = now.value_or(seen_);
        return complete;
    }

  private:
    FileStamp seen_;  // known or reported
    FileStamp last_;  // of the last look
};

}  // namespace lanescope
