// Saves a flame graph for browsers and other programs.
#include <filesystem>

#include "core/export/pictures/flame_writer.h"
#include "core/session/small_file.h"
#include "ui/panels/flame_panel.h"
#include "ui/panels/save_file.h"

namespace lanescope {

void FlamePanel::draw_save(const Look& look, Requests& requests) {
    ImGui::SameLine();
    ImGui::BeginDisabled(!tree_ || tree_->empty());
    if (button("Save", false, look, "Save a picture, or a file for other programs"))
        ImGui::OpenPopup("save flame graph");
    ImGui::EndDisabled();
    if (!ImGui::BeginPopup("save flame graph")) return;
    const auto line = [&](const char* label, Format format) {
        if (ImGui::MenuItem(label)) requests.add(request_to_save(format, look.theme));
        note_place(label);
    };
    line("Picture (SVG)", Format::svg);
    line("Folded stacks", Format::folded);
    line("File for speedscope", Format::speedscope);
    ImGui::EndPopup();
}

SaveRequest FlamePanel::request_to_save(Format format, Theme theme) const {
    const bool folded = format == Format::folded;
    const bool speedscope = format == Format::speedscope;
    const auto text = [made = made_, folded, speedscope, theme] {
        const Trace& trace = made.context->trace();
        FlameQuery query = made.query;
        // Speedscope merges stacks by itself, pictures are of merged stacks.
        query.order = speedscope ? FlameOrder::time : FlameOrder::heavy;
        const FlameTree tree = make_flame_tree(*made.context, query);
        if (folded) return flame_as_folded(trace, tree);
        const std::string title = std::filesystem::path(trace.path).filename().string() + ": " +
                                  std::string(flame_source_title(query.source));
        if (speedscope) return flame_as_speedscope(trace, tree, title);
        FlameSvgOptions options;
        options.theme = theme;
        options.title = title;
        return flame_svg(trace, tree, options);
    };
    return {folded       ? "Stacks"
            : speedscope ? "Profile"
                         : "Picture",
            free_path("flame", folded       ? "folded"
                               : speedscope ? "speedscope.json"
                                            : "svg"),
            [text](const std::string& path) { return write_small_file(path, text()); }};
}

}  // namespace lanescope
