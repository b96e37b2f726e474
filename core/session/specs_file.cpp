#include "core/session/specs_file.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/session/settings.h"
#include "core/session/small_file.h"

namespace lanescope {

namespace {

Result<void> add_file(SpecsBook& book, const std::string& path, bool must_be_there) {
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return Error{ErrorCode::io, Error::no_offset, path + ": " + text.error().text};
    if (!*text) {
        if (!must_be_there) return {};
        return Error{ErrorCode::io, Error::no_offset, path + ": no such file"};
    }
    Result<SpecsList> list = parse_specs(**text);
    if (!list) {
        Error error = list.error();
        error.text = path + ": " + error.text;
        if (error.byte_offset != Error::no_offset)
            error.text += fmt::format(" (at byte {})", error.byte_offset);
        error.text += ". Correct the file, or move it away.";
        // No trace is at fault, so the hint for broken traces would be wrong.
        error.code = ErrorCode::usage;
        error.byte_offset = Error::no_offset;
        return error;
    }
    for (DeviceSpecs& specs : *list) book.own.push_back(std::move(specs));
    return {};
}

}  // namespace

Result<SpecsBookPtr> load_specs(const std::string& file) {
    auto book = std::make_shared<SpecsBook>(*built_in_specs());
    if (const std::string folder = config_folder(); !folder.empty())
        if (const Result<void> added = add_file(*book, folder + "/gpu_specs.json", false); !added)
            return added.error();
    if (!file.empty())
        if (const Result<void> added = add_file(*book, file, true); !added) return added.error();
    return SpecsBookPtr(std::move(book));
}

}  // namespace lanescope
