// Reload: opens the same files again, by hand or because one has changed, and keeps the view.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/session/file_watch.h"
#include "ui/frame/feature.h"

namespace lanescope {

class ReloadFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    void opened(OpenTrace& trace, Frame& frame) override;
    void shown(bool first, Frame& frame) override;
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void begin(Frame& frame) override;

  private:
    struct WatchedFile {
        std::string path;
        std::shared_ptr<std::atomic<bool>> changed;
        std::unique_ptr<FileWatch> watch;
    };
    void watch(const std::vector<std::string>& paths, Frame& frame);
    void follow_files(Frame& frame);

    std::vector<WatchedFile> watched_;
};

}  // namespace lanescope
