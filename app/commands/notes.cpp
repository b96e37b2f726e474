// lanescope notes: marks and notes that were added to a trace in the window.
#include "core/session/notes.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/session/notes_table.h"

namespace lanescope {

namespace {

struct NotesOptions {
    std::string trace;
    Companions companions;
    OutputOptions output;
};

int run_notes(const NotesOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    const LoadedNotes notes = load_notes(noted_trace(options.trace, *loaded->trace),
                                         notes_places(options.trace), BrokenNotes::leave);
    if (!notes.message.empty()) fmt::print(stderr, "lanescope: {}\n", notes.message);
    return write_output(write_table(notes_table(notes.notes, loaded->trace->origin),
                                    options.output.format, text_style(options.output)),
                        options.output);
}

}  // namespace

void add_notes_command(CLI::App& app, int& status) {
    auto options = std::make_shared<NotesOptions>();
    CLI::App* command = app.add_subcommand("notes", "Marks and notes that were made on a trace");
    command->add_option("TRACE", options->trace, "The file")->required();
    add_companions(*command, options->companions);
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope notes trace.json.gz --format md");
    command->callback([options, &status] { status = run_notes(*options); });
}

}  // namespace lanescope
