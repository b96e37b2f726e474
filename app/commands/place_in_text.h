// Shows where in a text that a user typed something is wrong.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// The error with the line of its byte offset, and a mark below the place. An error without an
// offset stays as it is.
Error with_place(std::string_view text, const Error& error);

}  // namespace lanescope
