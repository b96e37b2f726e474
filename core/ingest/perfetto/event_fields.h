// The arguments of an event in a packet: its annotations, and all its other fields.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ingest/perfetto/annotation_texts.h"
#include "core/trace/trace.h"

namespace lanescope {

// `field`: a whole packet, or a whole event of ftrace, from its tag on. What is damaged ends the
// list.
std::vector<Argument> arguments_of_field(std::string_view field, uint64_t source,
                                         const AnnotationTexts& memory);

}  // namespace lanescope
