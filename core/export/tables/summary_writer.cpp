#include "core/export/tables/summary_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/export/words/device_label.h"
#include "core/export/words/gap_sentence.h"
#include "core/export/words/summary_sentences.h"

namespace lanescope {

namespace {

constexpr std::size_t kDevicesListed = 4;
constexpr std::size_t kGapsListed = 3;
constexpr std::size_t kGapsOfEachDevice = 2;  // for each GPU if there are several
constexpr std::size_t kListLimit = 3;
constexpr int kWidth = 100;
constexpr std::string_view kFixedBlank = "\u00a0";
constexpr std::array<std::string_view, 9> kUnits = {"%", "ns",  "µs",  "ms", "s",
                                                    "B", "KiB", "MiB", "GiB"};

struct Topic {
    std::string name;
    std::vector<std::string> sentences;
};

// Replaces spaces between numbers and units, so that no line is broken there.
std::string with_fixed_units(std::string_view text) {
    std::string fixed;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool after_digit = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
        const bool before_unit = std::ranges::any_of(
            kUnits, [&](std::string_view unit) { return text.substr(i + 1).starts_with(unit); });
        if (text[i] == ' ' && after_digit && before_unit)
            fixed += kFixedBlank;
        else
            fixed += text[i];
    }
    return fixed;
}

std::string with_blanks(std::string text) {
    for (std::size_t i = text.find(kFixedBlank); i != std::string::npos;
         i = text.find(kFixedBlank, i))
        text.replace(i, kFixedBlank.size(), " ");
    return text;
}

std::string story_text(const SummaryText& text) {
    std::string story;
    for (const StoryPoint& point : text.summary.story)
        story += (story.empty() ? "" : " ") + story_sentence(text, point);
    return story;
}

// A sentence for each of the first few items, and the number of the others.
template <typename List, typename Sentence>
Topic topic_of(std::string name, const List& list, std::size_t max_listed,
               const Sentence& sentence) {
    Topic topic{std::move(name), {}};
    for (std::size_t i = 0; i < list.size() && i < max_listed; ++i)
        topic.sentences.push_back(sentence(list[i]));
    if (list.size() > max_listed)
        topic.sentences.push_back(fmt::format("And {} more.", list.size() - max_listed));
    return topic;
}

std::vector<Topic> device_topics(const SummaryText& text) {
    const auto& devices = text.summary.devices;
    std::vector<Topic> topics;
    for (uint32_t d = 0; d < devices.size() && d < kDevicesListed; ++d)
        topics.push_back({device_label(text.trace, text.summary, d), {device_sentence(text, d)}});
    if (devices.size() > kDevicesListed)
        topics.push_back({"more GPUs",
                          {fmt::format("{}: lanescope table breakdown has all.",
                                       devices.size() - kDevicesListed)}});
    for (uint32_t d = 0; d < devices.size(); ++d) {
        const bool listed = devices.size() == 1 ||
                            (!text.summary.story.empty() && text.summary.story.front().device == d);
        if (!listed || devices[d].gaps.empty()) continue;
        Topic gaps{"idle gaps", {}};
        const std::size_t max_listed = devices.size() == 1 ? kGapsListed : kGapsOfEachDevice;
        for (std::size_t i = 0; i < devices[d].gaps.size() && i < max_listed; ++i)
            gaps.sentences.push_back(gap_sentence(text.trace, devices[d].gaps[i]));
        topics.push_back(std::move(gaps));
    }
    return topics;
}

std::vector<Topic> topics_of(const SummaryText& text) {
    const Summary& summary = text.summary;
    std::vector<Topic> topics = {{"trace", {file_sentence(text)}},
                                 {"steps", {steps_sentence(text)}}};
    for (Topic& topic : device_topics(text)) topics.push_back(std::move(topic));
    topics.push_back({"waiting", waits_sentences(text)});
    topics.push_back({"compiled", compiled_sentences(text)});
    topics.push_back(topic_of("collectives", summary.collectives, kListLimit,
                              [&](const auto& row) { return collectives_sentence(text, row); }));
    topics.push_back(topic_of(in_device_words(text.trace, "GPU work"), summary.kernels, kListLimit,
                              [&](const auto& row) { return kernel_sentence(text, row); }));
    topics.push_back(topic_of("operators", summary.operators, kListLimit,
                              [&](const auto& row) { return operator_sentence(text, row); }));
    topics.push_back(topic_of("lanes", summary.lanes, kListLimit,
                              [&](const auto& row) { return lane_sentence(text, row); }));
    topics.push_back(topic_of("samples", summary.samples, kListLimit,
                              [&](const auto& row) { return samples_sentence(text, row); }));
    topics.push_back(topic_of("memory", summary.memory, kListLimit,
                              [&](const auto& row) { return memory_sentence(text, row); }));
    topics.push_back(topic_of("warnings", text.trace.warnings, kListLimit, [](const Warning& w) {
        return fmt::format("{} × {}: {}", format_count(static_cast<int64_t>(w.count)), w.code,
                           printable(w.text));
    }));
    std::erase_if(topics, [](const Topic& topic) { return topic.sentences.empty(); });
    return topics;
}

Table table_of(const SummaryText& text) {
    TableBuilder table(kSummaryTable);
    for (const StoryPoint& point : text.summary.story)
        table.add({"story", story_sentence(text, point)});
    for (const Topic& topic : topics_of(text))
        for (const std::string& sentence : topic.sentences) table.add({topic.name, sentence});
    return table.take();
}

std::string text_of(const SummaryText& text, const TextStyle& style) {
    TextStyle fitted = style;
    if (fitted.width == 0) fitted.width = kWidth;
    const std::string name = std::filesystem::path(text.trace.path).filename().string();
    std::string out = bold(printable(name), fitted) + "\n";
    for (const std::string& line :
         wrap_to_width(with_fixed_units(story_text(text)), static_cast<std::size_t>(fitted.width)))
        out += line + "\n";
    std::vector<std::vector<std::string>> rows;
    for (const Topic& topic : topics_of(text))
        for (std::size_t i = 0; i < topic.sentences.size(); ++i)
            rows.push_back({i == 0 ? topic.name : "", with_fixed_units(topic.sentences[i])});
    return with_blanks(out + "\n" + labelled_lines(rows, fitted));
}

}  // namespace

Table summary_table(const TraceContext& context, const Summary& summary) {
    return table_of({context, context.trace(), summary});
}

Table summary_table(const TraceContext& context, const Findings& found) {
    return table_of({context, context.trace(), found.summary, &found});
}

std::string summary_as_text(const TraceContext& context, const Summary& summary,
                            const TextStyle& style) {
    return text_of({context, context.trace(), summary}, style);
}

std::string summary_as_text(const TraceContext& context, const Findings& found,
                            const TextStyle& style) {
    return text_of({context, context.trace(), found.summary, &found}, style);
}

}  // namespace lanescope
