// A value that is computed in the background from the selected slice.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/analysis/context.h"
#include "ui/base/jobs.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

template <typename Value, std::optional<Value> (*make)(const TraceContext&, SliceRef)>
class ValueOfSelection {
  public:
    // Call it once per frame.
    void follow(const PanelInputs& inputs) {
        wanted_ = {inputs.context, inputs.selected};
        if (ready() || making_.busy()) return;
        if (!inputs.context || !inputs.selected) {
            made_ = wanted_;
            value_.reset();
            return;
        }
        making_.ask(
            *inputs.jobs, [wanted = wanted_] { return make(*wanted.context, wanted.slice); },
            [this, wanted = wanted_](std::optional<Value> value) {
                made_ = wanted;
                value_ = std::move(value);
            },
            JobQueue::analysis);
    }

    // Null: nothing is selected, the result is not ready, or the slice has no such value.
    const Value* get() const { return ready() && value_ ? &*value_ : nullptr; }
    bool ready() const { return wanted_ == made_; }
    void clear() {
        making_.drop();
        wanted_ = {};
        made_ = {};
        value_.reset();
    }

  private:
    struct Made {
        std::shared_ptr<const TraceContext> context;
        SliceRef slice;
        friend bool operator==(const Made&, const Made&) = default;
    };
    Made wanted_;
    Made made_;
    JobSlot making_;
    std::optional<Value> value_;
};

}  // namespace lanescope
