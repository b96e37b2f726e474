// The code of torch.compile behind a selected kernel or call.
#pragma once

#include "core/analysis/compile/compiled_slice.h"
#include "ui/commands/requests.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/value_of_selection.h"

namespace lanescope {

using CompiledOfSelection = ValueOfSelection<CompiledSlice, compiled_slice>;

// Python lines and the call in generated code are links that open the user's editor.
void draw_compiled(PanelColumn& c, const CompiledSlice& compiled, Requests& requests);

}  // namespace lanescope
