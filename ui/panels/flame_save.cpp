// Saves a flame graph for browsers and other programs.
#include <filesystem>

#include "core/export/flame_writer.h"
#include "ui/panels/flame_panel.h"
#include "ui/panels/save_file.h"

namespace lanescope {

void FlamePanel::draw_save(const PanelInputs& inputs, const Look& look) {
    ImGui::SameLine();
    ImGui::BeginDisabled(!tree_ || tree_->empty());
    if (button("Save", false, look, "Save a picture, or a file for other programs"))
        ImGui::OpenPopup("save flame graph");
    ImGui::EndDisabled();
    if (!ImGui::BeginPopup("save flame graph")) return;
    const auto line = [&](const char* label, Format format) {
        if (ImGui::MenuItem(label)) save(inputs, format, look.theme);
        note_place(label);
    };
    line("Picture (SVG)", Format::svg);
    line("Folded stacks", Format::folded);
    line("File for speedscope", Format::speedscope);
    ImGui::EndPopup();
}

void FlamePanel::save(const PanelInputs& inputs, Format format, Theme theme) {
    inputs.jobs->run(
        [made = made_, format, theme] {
            const Trace& trace = made.context->trace();
            FlameQuery query = made.query;
            // Speedscope merges stacks by itself, pictures are of merged stacks.
            query.order = format == Format::speedscope ? FlameOrder::time : FlameOrder::heavy;
            const FlameTree tree = make_flame_tree(*made.context, query);
            const std::string title = std::filesystem::path(trace.path).filename().string() + ": " +
                                      std::string(flame_source_title(query.source));
            if (format == Format::folded)
                return save_text("Stacks", "flame", "folded", flame_as_folded(trace, tree));
            if (format == Format::speedscope)
                return save_text("Profile", "flame", "speedscope.json",
                                 flame_as_speedscope(trace, tree, title));
            FlameSvgOptions options;
            options.theme = theme;
            options.title = title;
            return save_text("Picture", "flame", "svg", flame_svg(trace, tree, options));
        },
        [this](std::string message) { message_ = std::move(message); }, JobQueue::analysis);
}

}  // namespace lanescope
