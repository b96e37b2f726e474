// lanescope formats: the formats of files that can be opened.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/output.h"
#include "core/ingest/format.h"
#include "core/table/table.h"

namespace lanescope {

namespace {

struct FormatRow {
    FormatText text;
};

constexpr auto kColumns = columns<FormatRow>({
    {{"format", Unit::none, kDistinct, "", "Name of the format."},
     [](const FormatRow& row) { return row.text.name; }},
    {{"files", Unit::none, kDistinct, "", "Files of this format."},
     [](const FormatRow& row) { return row.text.about; }},
    {{"compressed", Unit::none, kDistinct, "", "Whether they may be compressed with gzip or zstd."},
     [](const FormatRow& row) -> std::string_view {
         return row.text.may_be_compressed ? "yes" : "no";
     }},
    {{"endings", Unit::none, kDistinct, "",
      "Endings of files that hold nothing else. Files are recognised by their content."},
     [](const FormatRow& row) { return row.text.type.endings; }},
    {{"mime_type", Unit::none, kDistinct, "", "Their type on a desktop."},
     [](const FormatRow& row) { return row.text.type.mime; }},
    {{"page", Unit::none, kDistinct, "", "Page of the documentation, in docs/formats."},
     [](const FormatRow& row) { return row.text.page; }},
});
constexpr TableOf<FormatRow> kTable = {{"formats", "Formats that can be opened."}, kColumns};

}  // namespace

void add_formats_command(CLI::App& app, int& status) {
    auto output = std::make_shared<OutputOptions>();
    CLI::App* command = app.add_subcommand("formats", "The formats of files that can be opened");
    add_output_options(*command, *output);
    command->footer(
        "Example:\n"
        "  lanescope formats");
    command->callback([output, &status] {
        TableBuilder table(kTable);
        for (const Format* format : formats()) table.add({format->text()});
        status = write_output(
            write_table(std::move(table).take(), output->format, text_style(*output)), *output);
    });
}

}  // namespace lanescope
