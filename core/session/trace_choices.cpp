#include "core/session/trace_choices.h"

#include <utility>

namespace lanescope {

std::vector<ListedTrace> trace_choices(const std::string& path) {
    Result<ListOrFile> found = list_traces(path);
    return found ? std::move(found->list.traces) : std::vector<ListedTrace>();
}

}  // namespace lanescope
