// Slice classes: the few classes into which a colour mode sorts all slices. A class has a number (a
// slot), a name and a colour; the legend lists the classes, and draw items store only the slot.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

enum class ColorMode : uint8_t {
    category,   // by event class
    name,       // a hue for each name
    deviation,  // duration compared with the median of the same name
    step,       // the step in which it ran or was launched
    module,     // the module that called it or its launch
    occupancy,  // of kernels, theoretical
    hotspot,    // kernels: the name's share of all lost time
    bound,      // what limits kernels and steps
    family,     // purpose of kernels
};

using Slot = uint8_t;

// How a class is coloured; `step` is the position on the scale.
enum class ColorScale : uint8_t {
    plain,        // slices without a class in the mode
    event_class,  // EventClass
    hue,          // one of kHues
    sequence,     // one of kSequence, neighbours easily distinguished
    amount,       // one of kAmounts, from none to all
    deviation,    // one of kDeviations, from much less to much more
    heat,         // one of kHeats, from nothing to most
};
struct ClassColor {
    ColorScale scale = ColorScale::plain;
    uint8_t step = 0;
};

// The role of a class in a colour mode for kernels.
enum class ClassRole : uint8_t {
    ordinary,
    unknown,  // GPU work whose occupancy, floor or bound cannot be computed
    step,     // steps, not GPU work
};

struct SliceClass {
    std::string name;
    ClassColor color;
    uint64_t count = 0;  // slices
    ClassRole role = ClassRole::ordinary;
};

// Finds the slot of a slice by its name and category without reading the name's text.
struct SlotTable {
    static constexpr std::size_t kKeys = 256;

    std::vector<EventClass> class_of_category;
    std::span<const uint8_t> name_traits;              // of the trace
    std::vector<uint8_t> key_of_name;                  // by name: the index in slot_of_key
    std::vector<std::array<Slot, kKeys>> slot_of_key;  // by category

    EventClass class_of(StringId name, CategoryId category) const {
        const EventClass base = class_of_category[category];
        return name < name_traits.size() ? refine_class(base, name_traits[name]) : base;
    }
    Slot slot_of(StringId name, CategoryId category) const {
        return slot_of_key[category][key_of_name[name]];
    }

    // The same for callers that look up thousands of slots: holds only two pointers.
    class Finder {
      public:
        explicit Finder(const SlotTable& table)
            : keys_(table.key_of_name.data()), slots_(table.slot_of_key.data()) {}
        Slot slot_of(StringId name, CategoryId category) const {
            return slots_[category][keys_[name]];
        }

      private:
        const uint8_t* keys_;
        const std::array<Slot, kKeys>* slots_;
    };
};

struct SliceClasses {
    ColorMode mode = ColorMode::category;
    std::vector<SliceClass> classes;  // by slot
    SlotTable table;
    // By lane, then by slice: slots that name and category alone do not determine; empty: they do.
    std::vector<Column<Slot>> of_slice;
    bool counted = false;

    Slot slot_of(LaneId lane, const Chunk& chunk, uint32_t i) const {
        return of_slice.empty() || of_slice[lane].empty()
                   ? table.slot_of(chunk.name[i], chunk.category[i])
                   : of_slice[lane][chunk.first + i];
    }
    std::size_t bytes() const;  // of what grows with the number of slices
};
using SliceClassesPtr = std::shared_ptr<const SliceClasses>;

// The classes of the mode "category".
std::span<const SliceClass> category_classes();
// By category, without counts: fast, for a trace that is still loading.
SliceClasses classes_by_category(const Trace& trace);
SliceClassesPtr classify_by_category(const Trace& trace);
// The default colour mode: by category, or by name if the file's categories are meaningless for
// nearly all slices, as in traces from outside of machine learning. Reads every slice: too slow for
// a frame.
ColorMode fitting_color_mode(const Trace& trace);
// Helpers: a table in which every slice has the same slot, and a lane's slots, initially all equal.
SlotTable table_of_one(const Trace& trace, Slot slot = 0);
Column<Slot>& slots_of_lane(SliceClasses& classes, const Trace& trace, LaneId lane);

}  // namespace lanescope
