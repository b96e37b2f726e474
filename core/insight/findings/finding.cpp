#include "core/insight/findings/finding.h"

namespace lanescope {

std::string_view severity_name(Severity severity) {
    switch (severity) {
        case Severity::high:
            return "high";
        case Severity::medium:
            return "medium";
        case Severity::low:
            return "low";
        case Severity::info:
            return "info";
    }
    return "";
}

std::string_view cost_kind_name(CostKind kind) {
    switch (kind) {
        case CostKind::saved:
            return "saved";
        case CostKind::time:
            return "time";
        case CostKind::bytes:
            return "bytes";
        case CostKind::none:
            return "none";
    }
    return "";
}

std::string_view confidence_name(Confidence confidence) {
    switch (confidence) {
        case Confidence::certain:
            return "certain";
        case Confidence::likely:
            return "likely";
        case Confidence::possible:
            return "possible";
    }
    return "";
}

}  // namespace lanescope
