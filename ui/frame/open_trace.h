// OpenTrace: data that lives as long as a trace is open in the window. Closing the trace destroys
// it, together with the state that features keep here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/session/document.h"
#include "core/view/viewport.h"
#include "ui/base/by_type.h"
#include "ui/base/jobs.h"

namespace lanescope {

// The complete trace on the timeline, of one file or joined from several, and the results computed
// from it. Another join of the same files, for example with other offsets, replaces it.
class LoadedTrace : public JobOwner {
  public:
    LoadedTrace(Jobs& jobs, TracePtr whole, const Document& document, const Evidence& evidence);

    TracePtr whole;
    std::vector<TracePtr> parts;                                // one a file
    std::vector<std::shared_ptr<const TraceContext>> contexts;  // one a part
    AlignBy aligned_by = AlignBy::best;
    std::vector<PartProblem> problems;  // files that could not be opened
    std::vector<Nanos> wanted_offsets;  // by part; empty: the present offsets
    ByType state;                       // of features
};

// The parts, which can be opened again without being read again.
std::vector<PartToOpen> open_parts(const LoadedTrace& loaded);

// A recording while the window follows it.
struct Live : JobOwner {
    using JobOwner::JobOwner;
    FollowStatus status;             // of this frame
    bool follows = true;             // the view follows the end
    std::optional<Viewport> target;  // the last view set by following
    double span = 0;                 // ns in view; 0: the default
    // The context of the tables; its snapshot may be older than the visible one.
    std::shared_ptr<const TraceContext> tables;
    TracePtr tables_of;
    double tables_at = 0;    // when the tables were requested …
    double tables_done = 0;  // … and when they were complete
};

// The view of a file that is being reloaded; times are relative to the trace's origin.
struct KeptView {
    Viewport view;
    double scroll_y = 0;
    std::optional<TimeRange> marked;
    std::string selected;  // name of the selection; empty: none
    Nanos selected_at = 0;
    std::optional<Nanos> shown_from;  // the trace's origin when it was first shown
};

class OpenTrace : public JobOwner {
  public:
    // `paths`: the paths of the files of `document`.
    OpenTrace(Jobs& jobs, std::vector<std::string> paths, std::shared_ptr<Document> document);
    // Cancels a running load. A job destroys the document, because joining the loader's thread
    // takes a moment.
    ~OpenTrace();

    Document& document() const { return *document_; }
    // For background jobs, which may outlive this object.
    const std::shared_ptr<Document>& shared_document() const { return document_; }
    // Reads other files, or the present ones with other offsets. The loaded trace stays until the
    // new one is complete.
    void replace(std::vector<std::string> paths, std::shared_ptr<Document> document);
    // A list of the files, which is never empty.
    const std::vector<std::string>& paths() const { return paths_; }
    void set_paths(std::vector<std::string> paths) { paths_ = std::move(paths); }
    bool loading() const { return document_->loading(); }
    // Whether the newest trace of the document is complete and on the timeline.
    bool complete() const { return loaded && loaded->whole == document_->trace(); }

    // Whether another join of the files is in progress or requested.
    bool is_moving() const { return loading() || (loaded && !loaded->wanted_offsets.empty()); }

    // The context of the part that panels show; null until the part is loaded.
    std::shared_ptr<const TraceContext> context() const;
    // Returns false if the part does not exist, or panels show it already.
    bool show_part(uint32_t part);

    Alignment alignment;     // the alignment as it was requested
    TracePtr seen;           // the newest trace of the document that is or will be on the timeline
    bool fresh = true;       // the next trace shown is the first of its files
    bool recording = false;  // opened as a growing recording that has not ended
    std::unique_ptr<LoadedTrace> loaded;  // null until everything is read
    std::unique_ptr<Live> live;           // null: no recording is followed
    uint32_t shown_part = 0;              // the part that panels show
    std::optional<KeptView> kept_view;    // the view to be restored
    ByType state;                         // of features

  private:
    void release_document();

    std::vector<std::string> paths_;
    std::shared_ptr<Document> document_;
};

// The name of a file without its folder.
std::string file_name(const std::string& path);

}  // namespace lanescope
