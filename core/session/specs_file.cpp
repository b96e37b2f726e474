#include "core/session/specs_file.h"

#include <memory>
#include <optional>

#include "core/session/settings.h"
#include "core/session/user_file.h"

namespace lanescope {

namespace {

Result<void> add_file(SpecsBook& book, const std::string& path, bool must_exist) {
    const Result<std::optional<std::string>> text = read_user_file(path, must_exist);
    if (!text) return text.error();
    if (!*text) return {};
    Result<SpecsList> list = parse_specs(**text);
    if (!list) return error_in_user_file(path, list.error());
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
