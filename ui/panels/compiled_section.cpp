#include "ui/panels/compiled_section.h"

#include <fmt/format.h>

#include "ui/base/abilities.h"
#include "ui/panels/link.h"
#include "ui/platform/editor.h"

namespace lanescope {

namespace {

// Draws "train.py:20": a click opens it in the editor; the context menu copies its full path.
void source_link(PanelColumn& c, const char* label, const SourceLine& line, Requests& requests) {
    if (*label) say(c, label);
    if (!abilities().editors) {
        say(c, short_place(line).c_str());
        return;
    }
    const std::string whole = fmt::format("{}:{}", line.file, line.line);
    const bool clicked = draw_link(c.look, ImGui::GetCursorScreenPos(), whole.c_str(),
                                   short_place(line), c.width(), c.look.fonts.mono);
    ImGui::SetItemTooltip("%s\nOpens in your editor ($VISUAL, else code)", whole.c_str());
    copy_menu(whole.c_str(), whole);
    if (!clicked) return;
    const Result<std::string> opened = open_in_editor(line.file, line.line);
    requests.add(Notify{opened ? fmt::format("{} opens in {}", short_place(line), *opened)
                               : opened.error().text});
}

}  // namespace

void draw_compiled(PanelColumn& c, const CompiledSlice& compiled, Requests& requests) {
    section(c, "COMPILED CODE");
    if (!compiled.graph.empty()) row(c, "graph", compiled.graph);
    if (compiled.compile_id.empty() && !compiled.function.empty())
        row(c, "module", compiled.function);
    if (!compiled.compile_id.empty())
        row(c, "compilation",
            compiled.function.empty()
                ? compiled.compile_id
                : fmt::format("{} · {}", compiled.function, compiled.compile_id));
    if (!compiled.site.empty()) row(c, "call", compiled.site);
    if (!compiled.opcode.empty()) row(c, "opcode", compiled.opcode);
    for (const std::string& name : compiled.operators)
        row(c, &name == &compiled.operators.front() ? "operators" : "", name);
    for (const std::string& path : compiled.scopes)
        row(c, &path == &compiled.scopes.front() ? "scope" : "", path);
    for (const SourceLine& line : compiled.lines) {
        source_link(c, &line == &compiled.lines.front() ? "Python" : "", line, requests);
        if (!line.code.empty()) say(c, line.code);
    }
    if (!compiled.code.file.empty() && compiled.code.line > 0)
        source_link(c, "generated code", compiled.code, requests);
    if (compiled.site.empty())
        say(c,
            "Its place in the generated code is not known: open a log of TORCH_TRACE with the "
            "trace.");
    else
        say(c, fmt::format("Linked by {}.", grade_name(compiled.grade)));
}

}  // namespace lanescope
