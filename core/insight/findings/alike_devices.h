// One finding for several devices that lose time alike.
#pragma once

#include "core/insight/findings/rule.h"

namespace lanescope {

// Of the findings of one rule on three devices or more with nearly the same share, only that with
// the largest cost stays in Findings::all: it names the others (Finding::alike). They move to
// Findings::repeated.
void keep_one_of_alike(Findings& found);

}  // namespace lanescope
