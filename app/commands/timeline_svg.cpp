#include "app/commands/timeline_svg.h"

#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/session/notes.h"
#include "core/session/specs_file.h"

namespace lanescope {

int write_timeline_svg(const SvgRequest& request) {
    LoadOptions with_queues;
    with_queues.derived_lanes = true;
    std::string failed;
    const Result<AlignedWithCost> loaded =
        load_joined(request.traces, request.companions, request.alignment, failed, with_queues);
    if (!loaded) return report(loaded.error(), failed);
    TimelinePicture picture = request.picture;
    for (const TracePtr& part : loaded->parts)
        for (const Note& note : load_notes(noted_trace(part->path, *part), notes_places(part->path),
                                           BrokenNotes::leave)
                                    .notes)
            picture.notes.push_back({note.time, note.text});
    picture.title = picture_title(request.traces, loaded->whole->synthetic);
    const Result<SpecsBookPtr> specs = load_specs(request.specs);
    if (!specs) return report(specs.error(), "");
    picture.evidence = Evidence(*specs);
    const Result<std::string> svg = timeline_picture(*loaded, picture);
    if (!svg) return report(svg.error(), "");
    return write_output(*svg, request.output);
}

}  // namespace lanescope
