// Palette: the finite set of looks that slices have in one theme and colour mode. Draw items name a
// look by its number (a slot), so that they stay small and painting looks nothing up by name.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/color.h"

namespace lanescope {

enum class ColorMode : uint8_t {
    category,  // by event class
    name,      // a hue for each name
};

using Slot = uint8_t;

struct SlotLook {
    Color fill;
    Color edge;  // one pixel; equal to the fill where there is none
    Color text;
};

struct Palette {
    Theme theme = Theme::dark;
    ColorMode mode = ColorMode::category;
    std::vector<SlotLook> looks;  // by slot
    // The fill over the background, by cover: packed, [slot][0 (hardly any) … 255 (full)].
    std::vector<std::array<uint32_t, 256>> shades;
};
Palette build_palette(Theme theme, ColorMode mode);

// Finds the slot of a slice by its name and category without reading the name's text.
struct SlotTable {
    static constexpr std::size_t kKeys = 16;

    ColorMode mode = ColorMode::category;
    std::vector<EventClass> class_of_category;
    std::span<const uint8_t> name_traits;  // of the trace
    // What matters of a name, below kKeys: its traits, or in mode `name` its hue.
    std::vector<uint8_t> key_of_name;
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

}  // namespace lanescope
