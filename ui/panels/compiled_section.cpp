#include "ui/panels/compiled_section.h"

#include <fmt/format.h>

namespace lanescope {

void draw_compiled(PanelColumn& c, const CompiledSlice& compiled) {
    section(c, "COMPILED CODE");
    if (!compiled.graph.empty()) row(c, "graph", compiled.graph);
    if (!compiled.compile_id.empty())
        row(c, "compilation",
            compiled.function.empty()
                ? compiled.compile_id
                : fmt::format("{} · {}", compiled.function, compiled.compile_id));
    if (!compiled.site.empty()) row(c, "call", compiled.site);
    for (const std::string& name : compiled.operators)
        row(c, &name == &compiled.operators.front() ? "operators" : "", name);
    for (const SourceLine& line : compiled.lines) {
        row(c, &line == &compiled.lines.front() ? "Python" : "", short_place(line));
        if (!line.code.empty()) say(c, line.code);
    }
    if (compiled.site.empty())
        say(c,
            "Its place in the generated code is not known: open a log of TORCH_TRACE with the "
            "trace.");
    else
        say(c, fmt::format("Linked by {}.", grade_name(compiled.grade)));
}

}  // namespace lanescope
