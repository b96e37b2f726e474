// Traces: opens files, shows several traces in one window, and adds, moves, aligns and removes
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/features/offered_dialog.h"
#include "ui/frame/feature.h"
#include "ui/platform/file_dialog.h"

namespace lanescope {

class TracesFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    void replacing(const ViewIndexPtr& next, Frame& frame) override;
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void draw_over(Frame& frame) override;
    void follow(Frame& frame) override;
    bool dialog_shown() const override { return file_dialog_.shown() || offered_.shown(); }
    // Another program gave these local files to the window: opens them if it shows no trace, else
    // asks the user what to do.
    void take_offer(const std::vector<std::string>& paths, Frame& frame);
    bool settled(const Frame& frame) const override;
    void offer(std::vector<Choice>& choices, Frame& frame) override;
    void draw_menu(std::string_view group, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    // The use of the file that the dialog chooses.
    enum class FileUse : uint8_t { open, add, graph_capture, compile_log, classes };

    void draw_offer(Frame& frame);
    void choose_file(FileUse use, Frame& frame);
    static void add(const std::vector<std::string>& paths, Frame& frame);

    FileDialog file_dialog_;
    OfferedDialog offered_;
    FileUse use_ = FileUse::open;
};

}  // namespace lanescope
