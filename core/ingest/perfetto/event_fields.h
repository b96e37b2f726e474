// The arguments of an event in a packet: its annotations and all other fields.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ingest/perfetto/annotation_texts.h"
#include "core/trace/trace.h"

namespace lanescope {

// `field`: a packet or ftrace event, including its tag. The list ends at damaged data.
std::vector<Argument> arguments_of_field(std::string_view field, uint64_t source,
                                         const AnnotationTexts& memory);

}  // namespace lanescope
