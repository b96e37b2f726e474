// A search in arguments that reads the file again: passes the matches so far between threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/search/argument_search.h"
#include "core/search/marks.h"

namespace lanescope {

class ArgumentReading {
  public:
    ArgumentProgress progress;

    void publish(FoundPtr found) {
        const std::scoped_lock lock(mutex_);
        newest_ = std::move(found);
    }
    // Matches since the last call; null: nothing new.
    FoundPtr take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(newest_, nullptr);
    }

  private:
    std::mutex mutex_;
    FoundPtr newest_;
};

}  // namespace lanescope
