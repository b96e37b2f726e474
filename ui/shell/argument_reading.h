// A search in arguments that reads the file anew: what it has found so far, told from one thread to
// the other.
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

    void tell(FoundPtr found) {
        const std::scoped_lock lock(mutex_);
        newest_ = std::move(found);
    }
    // What was found since the last call; null: nothing new.
    FoundPtr take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(newest_, nullptr);
    }

  private:
    std::mutex mutex_;
    FoundPtr newest_;
};

}  // namespace lanescope
