#include "core/trace/kernel_classes.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/trace/category.h"
#include "core/trace/demangle.h"
#include "core/trace/trace.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;  // keeps the file's order of patterns

constexpr std::array kWorkWords = {
    std::pair{std::string_view("compute"), KernelWork::compute},
    std::pair{std::string_view("communication"), KernelWork::communication},
    std::pair{std::string_view("compute and communication"), KernelWork::both},
};

Error wrong(const std::string& pattern, const std::string& what) {
    return {ErrorCode::damaged, Error::no_offset,
            fmt::format("The pattern \"{}\": {}", pattern, what)};
}

Result<KernelClass> parse_class(const std::string& pattern, const Json& members) {
    if (!members.is_object() || members.empty())
        return wrong(pattern, "its value must be an object with a class, a group, or both");
    KernelClass found{pattern, std::nullopt, ""};
    for (const auto& [key, value] : members.items()) {
        if (!value.is_string()) return wrong(pattern, fmt::format("\"{}\" must be a text", key));
        const auto& text = value.get_ref<const std::string&>();
        if (key == "group") {
            found.group = text;
        } else if (key == "class") {
            const auto* const word =
                std::ranges::find(kWorkWords, text, [](const auto& pair) { return pair.first; });
            if (word == kWorkWords.end())
                return wrong(pattern, fmt::format("there is no class \"{}\"; use compute, "
                                                  "communication or compute and communication",
                                                  text));
            found.work = word->second;
        } else {
            return wrong(pattern, fmt::format("there is no \"{}\"; use class and group", key));
        }
    }
    return found;
}

std::shared_ptr<const re2::RE2> compiled(const std::string& pattern) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return std::make_shared<const re2::RE2>(pattern, options);
}

uint8_t traits_of_work(KernelWork work) {
    switch (work) {
        case KernelWork::compute:
            return 0;
        case KernelWork::communication:
            return kCollectiveKernel;
        case KernelWork::both:
            return kCollectiveKernel | kComputingCollective;
    }
    return 0;
}

}  // namespace

Result<KernelClasses> KernelClasses::parse(std::string_view json) {
    Json parsed;
    try {
        parsed = Json::parse(json);
    } catch (const Json::parse_error& error) {
        return Error{ErrorCode::damaged, error.byte, "No JSON"};
    }
    if (!parsed.is_object())
        return Error{ErrorCode::damaged, Error::no_offset, "No JSON object of patterns"};
    KernelClasses classes;
    for (const auto& [pattern, members] : parsed.items()) {
        Result<KernelClass> one = parse_class(pattern, members);
        if (!one) return one.error();
        auto expression = compiled(pattern);
        if (!expression->ok())
            return wrong(pattern, "no regular expression: " + expression->error());
        classes.classes_.push_back(std::move(*one));
        classes.expressions_.push_back(std::move(expression));
    }
    return classes;
}

const KernelClass* KernelClasses::find(std::string_view name) const {
    const re2::StringPiece written(name.data(), name.size());
    const std::string plain = demangled(name);
    for (std::size_t i = 0; i < classes_.size(); ++i)
        if (re2::RE2::PartialMatch(written, *expressions_[i]) ||
            re2::RE2::PartialMatch(plain, *expressions_[i]))
            return &classes_[i];
    return nullptr;
}

void KernelClasses::put_first(const KernelClasses& first) {
    classes_.insert(classes_.begin(), first.classes_.begin(), first.classes_.end());
    expressions_.insert(expressions_.begin(), first.expressions_.begin(), first.expressions_.end());
}

void apply_classes(Trace& trace, KernelClassesPtr classes) {
    if (!classes || classes->empty()) return;
    std::vector<bool> done(trace.name_traits.size());
    for (const SliceRef slice : trace.gpu_activities.slice) {
        const StringId name = trace.name_id(slice);
        if (name >= done.size() || done[name]) continue;
        done[name] = true;
        const KernelClass* const own = classes->find(trace.strings[name]);
        if (!own || !own->work) continue;
        uint8_t& traits = trace.name_traits[name];
        traits = static_cast<uint8_t>((traits & ~(kCollectiveKernel | kComputingCollective)) |
                                      traits_of_work(*own->work));
    }
    trace.kernel_classes = std::move(classes);
}

}  // namespace lanescope
