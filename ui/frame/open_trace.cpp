#include "ui/frame/open_trace.h"

#include <filesystem>
#include <utility>

namespace lanescope {

LoadedTrace::LoadedTrace(Jobs& jobs, TracePtr whole_trace, const Document& document,
                         const Evidence& evidence)
    : JobOwner(jobs),
      whole(std::move(whole_trace)),
      parts(document.joined().parts),
      aligned_by(document.aligned_by()),
      problems(document.problems()) {
    if (parts.empty()) parts = {whole};
    contexts.reserve(parts.size());
    for (const TracePtr& part : parts)
        contexts.push_back(std::make_shared<const TraceContext>(part, evidence));
}

std::vector<PartToOpen> open_parts(const LoadedTrace& loaded) {
    std::vector<PartToOpen> parts;
    parts.reserve(loaded.parts.size());
    for (const TracePtr& part : loaded.parts) parts.push_back({part->path, part, shift_of(*part)});
    return parts;
}

OpenTrace::OpenTrace(Jobs& jobs, std::vector<std::string> paths, std::shared_ptr<Document> document)
    : JobOwner(jobs), paths_(std::move(paths)), document_(std::move(document)) {}

OpenTrace::~OpenTrace() {
    release_document();
}

void OpenTrace::release_document() {
    document_->cancel();
    jobs().destroy(std::move(document_));
}

void OpenTrace::replace(std::vector<std::string> paths, std::shared_ptr<Document> document) {
    release_document();
    paths_ = std::move(paths);
    document_ = std::move(document);
}

std::shared_ptr<const TraceContext> OpenTrace::context() const {
    return loaded ? loaded->contexts[shown_part] : nullptr;
}

bool OpenTrace::show_part(uint32_t part) {
    if (!loaded || part >= loaded->contexts.size() || part == shown_part) return false;
    shown_part = part;
    return true;
}

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

}  // namespace lanescope
