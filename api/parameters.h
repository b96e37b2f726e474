// Parameters of a query: a JSON array or object.
#pragma once

#include "core/base/result.h"
#include "core/sql/parameters.h"

namespace lanescope {

// `json`: null or "" for none; the first value of an array is called "1". Errors: see
// lanescope_sql().
Result<SqlParameters> read_parameters(const char* json);

}  // namespace lanescope
