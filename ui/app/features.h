// All features of the window, in the order in which the window calls them.
#pragma once

#include "ui/app/panels.h"
#include "ui/features/alike.h"
#include "ui/features/appearance.h"
#include "ui/features/attach.h"
#include "ui/features/coloring.h"
#include "ui/features/command_list.h"
#include "ui/features/critical_path.h"
#include "ui/features/export.h"
#include "ui/features/findings.h"
#include "ui/features/gap_walk.h"
#include "ui/features/lanes.h"
#include "ui/features/navigation.h"
#include "ui/features/notes.h"
#include "ui/features/passes.h"
#include "ui/features/picture.h"
#include "ui/features/ranks.h"
#include "ui/features/recording.h"
#include "ui/features/reload.h"
#include "ui/features/search.h"
#include "ui/features/selection.h"
#include "ui/features/steps.h"
#include "ui/features/traces.h"
#include "ui/features/undo.h"
#include "ui/features/what_if.h"
#include "ui/frame/feature_list.h"
#include "ui/workspace/workspace.h"

namespace lanescope {

struct Features {
    Features(Frame& frame, Panels& panels)
        : workspace(panels.all(), Panels::kAlways, frame),
          search(panels.find),
          lanes(panels.lanes),
          coloring(frame.options.color),
          findings(panels.trace_findings),
          what_if(panels.what_if),
          appearance(frame) {
        command_list.list(all);
    }

    Workspace workspace;
    SearchFeature search;
    NavigationFeature navigation;
    TracesFeature traces;
    SelectionFeature selection;
    RanksFeature ranks;
    LanesFeature lanes;
    NotesFeature notes;
    ColoringFeature coloring;
    PictureFeature picture;
    AttachFeature attach;
    RecordingFeature recording;
    CommandListFeature command_list;
    GapWalkFeature gap_walk;
    FindingsFeature findings;
    PassesFeature passes;
    CriticalPathFeature critical_path;
    WhatIfFeature what_if;
    AlikeFeature alike;
    ReloadFeature reload;
    AppearanceFeature appearance;
    StepsFeature steps;
    ExportFeature exports;
    UndoFeature undo;

    FeatureList all{std::vector<Feature*>{
        &workspace,    &search,   &navigation, &traces,  &selection,     &ranks,
        &lanes,        &notes,    &coloring,   &picture, &attach,        &recording,
        &command_list, &gap_walk, &findings,   &passes,  &critical_path, &what_if,
        &alike,        &reload,   &appearance, &steps,   &exports,       &undo}};
};

}  // namespace lanescope
