// Colour modes: how each one sorts the slices of a trace into classes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/analysis/context.h"
#include "core/view/slice_classes.h"

namespace lanescope {

struct ColorModeName {
    ColorMode mode;
    std::string_view word;   // as people type it
    std::string_view about;  // a line for people
};
// All modes, in the order in which a key cycles through them.
std::span<const ColorModeName> color_modes();
std::string_view color_mode_word(ColorMode mode);
// Empty if there is no mode of that name.
std::optional<ColorMode> find_color_mode(std::string_view word);

// Reads every slice: too slow for a frame. One byte a slice in lanes where the mode needs it.
SliceClassesPtr classify_slices(const TraceContext& context, ColorMode mode);
// For several joined files: modes that compare a file's own ids and devices classify each part.
SliceClassesPtr classify_joined(const TracePtr& whole,
                                std::span<const std::shared_ptr<const TraceContext>> parts,
                                ColorMode mode);

// The functions that make the modes' classes, without counts.
SliceClasses classes_by_name(const TraceContext& context);
SliceClasses classes_by_deviation(const TraceContext& context);
SliceClasses classes_by_step(const TraceContext& context);
SliceClasses classes_by_module(const TraceContext& context);
SliceClasses classes_by_occupancy(const TraceContext& context);
SliceClasses classes_by_hotspot(const TraceContext& context);
SliceClasses classes_by_bound(const TraceContext& context);
SliceClasses classes_by_family(const TraceContext& context);

}  // namespace lanescope
