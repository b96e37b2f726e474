// The meaning of the categories that Kineto writes.
#pragma once

#include <string_view>

#include "core/ingest/build/batch.h"

namespace lanescope {

// CategoryMeaning::category is not filled.
CategoryMeaning kineto_category(std::string_view name);

}  // namespace lanescope
