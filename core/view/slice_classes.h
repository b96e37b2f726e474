// Slice classes: the few classes into which a colour mode sorts all slices. A class has a number (a
// slot), a name and a colour; the legend lists them, and draw items say only the slot.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

enum class ColorMode : uint8_t {
    category,   // by event class
    name,       // a hue for each name
    deviation,  // duration against the median of all of the same name
    step,       // the step in which it ran, or was launched
    module,     // the module that called it, or its launch
    occupancy,  // of kernels, theoretical
    hotspot,    // of kernels, the part of all lost time that those of the name have
    bound,      // what kernels and steps are held up by
};

struct ColorModeName {
    ColorMode mode;
    std::string_view word;   // as people type it
    std::string_view about;  // a line for people
};
// All modes, in the order in which a key goes through them.
std::span<const ColorModeName> color_modes();
std::string_view color_mode_word(ColorMode mode);
// Nothing when there is none of that word.
std::optional<ColorMode> find_color_mode(std::string_view word);

using Slot = uint8_t;

// What a class is coloured by; `step` is the place on that scale.
enum class ColorScale : uint8_t {
    plain,        // what the mode says nothing about
    event_class,  // EventClass
    hue,          // one of kHues
    sequence,     // one of kSequence, neighbours easy to tell apart
    amount,       // one of kAmounts, from none to all
    deviation,    // one of kDeviations, from much less to much more
    heat,         // one of kHeats, from nothing to most
};
struct ClassColor {
    ColorScale scale = ColorScale::plain;
    uint8_t step = 0;
};

struct SliceClass {
    std::string name;
    ClassColor color;
    uint64_t count = 0;  // slices
};

// Finds the slot of a slice by its name and category without reading the name's text.
struct SlotTable {
    static constexpr std::size_t kKeys = 256;

    std::vector<EventClass> class_of_category;
    std::span<const uint8_t> name_traits;              // of the trace
    std::vector<uint8_t> key_of_name;                  // what matters of a name
    std::vector<std::array<Slot, kKeys>> slot_of_key;  // by category

    EventClass class_of(StringId name, CategoryId category) const {
        const EventClass base = class_of_category[category];
        return name < name_traits.size() ? refine_class(base, name_traits[name]) : base;
    }
    Slot slot_of(StringId name, CategoryId category) const {
        return slot_of_key[category][key_of_name[name]];
    }

    // The same for those who ask thousands of times: it holds no more than two pointers.
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
    // By lane, then by slice: what name and category alone do not tell; empty: they tell it.
    std::vector<Column<Slot>> of_slice;
    bool counted = false;

    Slot slot_of(LaneId lane, const Chunk& chunk, uint32_t i) const {
        return of_slice.empty() || of_slice[lane].empty()
                   ? table.slot_of(chunk.name[i], chunk.category[i])
                   : of_slice[lane][chunk.first + i];
    }
    std::size_t bytes() const;  // of what grows with the slices
};
using SliceClassesPtr = std::shared_ptr<const SliceClasses>;

// The classes of the mode "category".
std::span<const SliceClass> category_classes();
// By category, uncounted: quick, for a trace that is still loading.
SliceClassesPtr classify_by_category(const Trace& trace);
// What slices are coloured by where nobody chose: by category, or by name where the file's
// categories say nothing of nearly all slices, as in traces that no profiler of ML programs wrote.
// Reads every slice: not for a frame.
ColorMode fitting_color_mode(const Trace& trace);
// Reads every slice: not for a frame. One byte a slice in lanes where the mode needs it.
SliceClassesPtr classify_slices(const TraceContext& context, ColorMode mode);
// Of several files joined: modes that compare a file's own ids and devices ask each part.
SliceClassesPtr classify_joined(const TracePtr& whole,
                                std::span<const std::shared_ptr<const TraceContext>> parts,
                                ColorMode mode);

// The makers of the modes, without counts.
SliceClasses classes_by_category(const TraceContext& context);
SliceClasses classes_by_name(const TraceContext& context);
SliceClasses classes_by_deviation(const TraceContext& context);
SliceClasses classes_by_step(const TraceContext& context);
SliceClasses classes_by_module(const TraceContext& context);
SliceClasses classes_by_occupancy(const TraceContext& context);
SliceClasses classes_by_hotspot(const TraceContext& context);
SliceClasses classes_by_bound(const TraceContext& context);

// For makers: a table by which every slice has the same slot, and the slots of a lane, all alike at
// first.
SlotTable table_of_one(const Trace& trace, Slot slot = 0);
Column<Slot>& slots_of_lane(SliceClasses& classes, const Trace& trace, LaneId lane);

}  // namespace lanescope
