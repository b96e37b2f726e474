#include "core/session/companions.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/session/compile_artifacts.h"
#include "core/session/found_captures.h"
#include "core/session/settings.h"
#include "core/session/user_file.h"

namespace lanescope {

namespace {

Result<void> put_first(KernelClasses& classes, const std::string& path, bool must_exist) {
    const Result<std::optional<std::string>> text = read_user_file(path, must_exist);
    if (!text) return text.error();
    if (!*text) return {};
    const Result<KernelClasses> own = KernelClasses::parse(**text);
    if (!own) return error_in_user_file(path, own.error());
    classes.put_first(*own);
    return {};
}

}  // namespace

Result<KernelClassesPtr> load_classes(const std::string& file) {
    auto classes = std::make_shared<KernelClasses>();
    if (const std::string folder = config_folder(); !folder.empty())
        if (const auto put = put_first(*classes, folder + "/kernel_classes.json", false); !put)
            return put.error();
    if (!file.empty())
        if (const auto put = put_first(*classes, file, true); !put) return put.error();
    return classes->empty() ? KernelClassesPtr() : KernelClassesPtr(std::move(classes));
}

Result<void> load_companions(const Companions& companions, LoadOptions& options) {
    Result<KernelClassesPtr> classes = load_classes(companions.classes);
    if (!classes) return classes.error();
    Result<std::vector<TracePtr>> captures =
        load_graph_captures(companions.graph_captures, options);
    if (!captures) return captures.error();
    options.kernel_classes = std::move(*classes);
    options.graph_captures = std::move(*captures);
    options.find_captures = load_captures_beside;
    return find_compiled_code(companions, options);
}

Result<void> find_compiled_code(const Companions& companions, LoadOptions& options) {
    if (const Result<void> exist = check_artifacts(companions.compile_artifacts); !exist)
        return exist.error();
    options.find_compiled_code = [given = companions.compile_artifacts](Trace& trace) {
        return compiled_code_for(trace, given);
    };
    return {};
}

}  // namespace lanescope
