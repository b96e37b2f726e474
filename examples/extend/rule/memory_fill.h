// The rule "memory-fill": the GPU spends time on filling memory with a constant.
#pragma once

#include "core/insight/findings/rule.h"

namespace lanescope {

FindingRule memory_fill();

}  // namespace lanescope
