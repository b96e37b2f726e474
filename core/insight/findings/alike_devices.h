// Merges findings on several devices that lose nearly the same share of their time.
#pragma once

#include "core/insight/findings/rule.h"

namespace lanescope {

// If three or more devices have findings of one rule with nearly the same share, keeps only the
// finding with the largest cost in Findings::all, lists the other devices in its Finding::alike,
// and moves their findings to Findings::repeated.
void keep_one_of_alike(Findings& found);

}  // namespace lanescope
