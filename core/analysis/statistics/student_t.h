// The 97.5 % quantile of Student's t: half the width of a 95 % confidence interval, in standard
// errors of the mean.
#pragma once

#include <cstdint>

namespace lanescope {

// `freedom`: degrees of freedom, at least 1. Exact to 12 digits.
double student_t(uint64_t freedom);

// The probability that Student's t is farther from 0 than `t`, which is not negative.
double student_t_outside(double t, uint64_t freedom);

}  // namespace lanescope
