// Traces: opens files, shows several traces in one window, and adds, moves, aligns and removes
// them.
#pragma once

#include <string>

#include "ui/frame/feature.h"
#include "ui/platform/file_dialog.h"

namespace lanescope {

class TracesFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    void replacing(const ViewIndexPtr& next, Frame& frame) override;
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void draw_over(Frame& frame) override;
    void follow(Frame& frame) override;
    bool dialog_shown() const override { return file_dialog_.shown(); }
    bool settled(const Frame& frame) const override;
    void offer(std::vector<Choice>& choices, Frame& frame) override;
    void draw_menu(std::string_view group, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    void choose_file(bool adding, Frame& frame);
    static void add(const std::string& path, Frame& frame);
    static void carry_out(const TraceRequests& requests, Frame& frame);
    static void follow_moves(Frame& frame);

    FileDialog file_dialog_;
    bool adding_ = false;  // the file dialog adds a trace
};

}  // namespace lanescope
