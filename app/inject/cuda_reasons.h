// Why CUPTI cannot be used, as texts for the user.
#pragma once

#include "app/inject/cupti_library.h"

namespace lanescope {

using Reason = char[512];

const char* name_of_result(const Cupti& cupti, int result);

// Each function returns true, and a text in `why`, if there is a reason.
bool why_not_loaded(Cupti& cupti, Reason& why);  // loads it
bool why_unknown(const Cupti& cupti, Reason& why);
bool why_refused(const Cupti& cupti, Reason& why, const char* function, int result);

}  // namespace lanescope
