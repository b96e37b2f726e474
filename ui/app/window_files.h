// WindowFiles: opens and closes the window's trace, and brings what the loader has read to the
// timeline and to the features.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/session/remote_trace.h"
#include "core/session/trace_choices.h"
#include "core/view/overview.h"
#include "core/view/view_index.h"
#include "ui/frame/feature_list.h"
#include "ui/frame/files.h"
#include "ui/workspace/workspace.h"

namespace lanescope {

class WindowFiles : public Files {
  public:
    WindowFiles(Frame& frame, const FeatureList& features, Workspace& workspace)
        : frame_(frame), features_(features), workspace_(workspace) {}

    Result<void> admit_typed(const std::string& address) override;
    void open(const std::vector<std::string>& paths, const Alignment& alignment) override;
    void open_recording(const std::string& path, bool wait) override;
    void reopen(std::vector<PartToOpen> parts, const Alignment& alignment) override;
    void add_graph_capture(const std::string& path) override;
    void add_compile_log(const std::string& path) override;
    void classify_kernels(const std::string& path) override;
    void close() override;
    std::string path() const override;
    const std::optional<Error>& error() const override { return error_; }
    void dismiss_error() override;

    // Once a frame, before the features.
    void poll();
    // The complete trace is on the timeline.
    bool settled() const;
    // The trace on the timeline is not the newest one.
    bool behind() const;
    // Why the file could not be opened, or why something else requested for several files failed.
    std::optional<Error> first_problem() const;
    // The name of the file, or of the first and the number of others; empty: none is open.
    std::string shown_name() const;

  private:
    struct Indexed {
        ViewIndexPtr index;
        Overview overview;
    };
    void state_copy(const DocumentProgress& progress);
    void begin(std::vector<std::string> paths, std::shared_ptr<Document> document);
    void index(const TracePtr& trace);
    void show(Indexed indexed);
    void fail(const Error& error);
    // Lets the user choose among the traces if the path is a folder or an archive.
    void offer(const std::string& path);
    void offer_list(const std::string& path, const std::vector<ListedTrace>& traces);
    void take_loaded();
    // Loads the open files again with other companions.
    void change_companions(Companions next);

    Frame& frame_;
    const FeatureList& features_;
    Workspace& workspace_;
    TypedAddresses addresses_;
    std::optional<Error> error_;
    std::string failed_path_;  // path of the file that could not be opened
    // For the open files; before any file was open, those of the command line.
    Companions companions_ = frame_.options.companions;
    std::vector<std::string> companion_paths_;  // the files that have these companions
    std::optional<Companions>
        last_companions_;  // while the present ones are read for the first time
};

}  // namespace lanescope
