// The meaning of the categories that Kineto writes, which our own recordings use too.
#pragma once

#include <string_view>

#include "core/ingest/build/batch.h"

namespace lanescope {

// CategoryMeaning::category is not filled.
CategoryMeaning kineto_category(std::string_view name);

// Whether a call's flow leads to a synchronisation rather than to a GPU activity, as those of
// cudaStreamSynchronize and cudaStreamWaitEvent do. No correlation says what such a flow says.
bool may_lead_to_synchronisation(std::string_view call);

}  // namespace lanescope
