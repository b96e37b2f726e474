#include "ui/timeline/layers.h"

#include "ui/timeline/alike_layer.h"
#include "ui/timeline/chain_layer.h"
#include "ui/timeline/class_layer.h"
#include "ui/timeline/flows_layer.h"
#include "ui/timeline/found_layer.h"
#include "ui/timeline/gap_layer.h"
#include "ui/timeline/idle_layer.h"
#include "ui/timeline/landmarks_layer.h"
#include "ui/timeline/lost_layer.h"
#include "ui/timeline/marked_layer.h"
#include "ui/timeline/notes_layer.h"
#include "ui/timeline/path_layer.h"
#include "ui/timeline/queries_layer.h"
#include "ui/timeline/ranks_layer.h"
#include "ui/timeline/selection_layer.h"
#include "ui/timeline/steps_layer.h"

namespace lanescope {

// In each stage, a layer is painted over those before it. Strips are below those before them.
TimelineLayers::TimelineLayers() {
    add<StepsLayer>();
    add<QueriesLayer>();
    add<ClassLayer>();
    add<LostTimeLayer>();
    add<NotesLayer>();
    add<LandmarksLayer>();
    add<MarkedLayer>();
    add<IdleLayer>();
    add<GapLayer>();
    add<FoundLayer>();
    add<AlikeLayer>();
    add<PathLayer>();
    add<FlowsLayer>();
    add<ChainLayer>();
    add<RanksLayer>();
    add<SelectionLayer>();
}

}  // namespace lanescope
