#include "core/base/read_double.h"

#include <fast_float/fast_float.h>

namespace lanescope {

std::from_chars_result read_double(const char* begin, const char* end, double& value) {
    const auto [stop, error] = fast_float::from_chars(begin, end, value);
    return {stop, error};
}

}  // namespace lanescope
