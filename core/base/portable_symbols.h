#pragma once

// Included first in every source of a package (LANESCOPE_PORTABLE). GCC 12 gave
// condition_variable::wait a new symbol version, GLIBCXX_3.4.30, which RHEL 9's library lacks. The
// old version behaves the same, and newer libraries still have it.
__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
