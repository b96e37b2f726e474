#include "core/ingest/xspace/xspace_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/utf8.h"
#include "core/ingest/xspace/xspace_index.h"
#include "core/ingest/xspace/xspace_messages.h"
#include "core/ingest/xspace/xspace_text.h"
#include "core/ingest/xspace/xspace_words.h"

namespace lanescope {

namespace {

constexpr std::size_t kLongestFieldHead = 20;

// The arguments of an event: its own stats, and the stats shared by all events of its name. For
// programs (HLO), which have many megabytes, only the size is shown.
class XspaceArguments {
  public:
    explicit XspaceArguments(const TraceInput& input) : input_(input) {}

    Result<void> prepare() {
        if (index_) return {};
        XspaceText text(input_);
        index_ = index_xspace(text);
        return text.failure();
    }

    Result<std::vector<Argument>> of_event(uint64_t source, std::string_view bytes) {
        const XspacePlane* const plane = index_->plane_at(source);
        XspaceEvent event;
        if (!plane || !read_xspace_event(bytes, nullptr, event)) return std::vector<Argument>();
        const Result<const Names*> names = names_of(*plane);
        if (!names) return names.error();
        std::vector<Argument> list;
        known_.clear();
        for (const std::string_view stat : stats_of(bytes)) add(*plane, stat, list);
        const auto known = (*names)->find(event.metadata_id);
        if (known == (*names)->end()) return list;
        for (const std::string& stat : known->second.stats) add(*plane, stat, list);
        if (!known->second.long_name.empty())
            list.push_back({"long_name", repair_bytes(known->second.long_name), true});
        return list;
    }

  private:
    struct Name {
        std::string long_name;  // full name, if the event is shown under another name
        std::vector<std::string> stats;
    };
    using Names = std::unordered_map<int64_t, Name>;

    Result<const Names*> names_of(const XspacePlane& plane) {
        const auto [at, is_new] = names_.try_emplace(plane.begin);
        Names& names = at->second;
        if (!is_new) return &names;
        XspaceText text(input_);
        each_xspace_metadata(text, plane, [&](uint64_t, const XspaceEventMetadata& metadata) {
            Name& name = names[metadata.id];
            name = {};
            if (!metadata.display_name.empty() && metadata.display_name != metadata.name)
                name.long_name = metadata.name;
            for (const std::string_view stat : metadata.stats) name.stats.emplace_back(stat);
        });
        if (!text.failure()) return text.failure().error();
        return &names;
    }

    static std::vector<std::string_view> stats_of(std::string_view event) {
        std::vector<std::string_view> stats;
        XspaceField field;
        for (uint64_t at = 0; at < event.size(); at = field.end) {
            if (read_xspace_field(event.substr(at), at, event.size() - at, field) !=
                XspaceEnd::whole)
                break;
            if (field.is_bytes(4))
                stats.push_back(event.substr(field.begin, field.end - field.begin));
        }
        return stats;
    }

    // An event's own value takes precedence over the value shared by its name.
    void add(const XspacePlane& plane, std::string_view stat, std::vector<Argument>& list) {
        using Kind = XspaceValue::Kind;
        int64_t id = 0;
        XspaceValue value;
        if (!read_xspace_stat(stat, plane.stat_names, id, value)) return;
        std::string name = repair_bytes(plane.stat_names.name(id));
        if (name.empty()) name = fmt::format("stat {}", id);
        if (!known_.insert(name).second) return;
        switch (value.kind) {
            case Kind::none:
                return list.push_back({name, "", true});
            case Kind::number:
                return list.push_back({name,
                                       value.is_unsigned
                                           ? std::to_string(static_cast<uint64_t>(value.number))
                                           : std::to_string(value.number),
                                       false});
            case Kind::real:
                return list.push_back({name, nlohmann::json(value.real).dump(), false});
            case Kind::text:
                return list.push_back({name, repair_bytes(value.text), true});
            case Kind::bytes:
                return list.push_back({name, fmt::format("{} bytes", value.text.size()), true});
        }
    }

    const TraceInput& input_;
    std::optional<XspaceIndex> index_;
    std::map<uint64_t, Names> names_;        // by start of the plane
    std::unordered_set<std::string> known_;  // names of the event's arguments
};

// Parses the field of an event at the start of a text. False: there is none.
bool read_event_head(std::string_view text, uint64_t source, XspaceField& field) {
    return read_xspace_field(text, source, UINT64_MAX - source, field) == XspaceEnd::whole &&
           field.is_bytes(4) && field.end - field.begin <= kXspaceLongestField;
}

class XspaceArgumentReader final : public ArgumentReader {
  public:
    explicit XspaceArgumentReader(const TraceInput& input)
        : input_(input),
          arguments_(input_),
          text_(input.file, input.compression, input.gzip_index) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        if (const Result<void> ready = arguments_.prepare(); !ready) return ready.error();
        const Result<std::string> head = text_.read(source, kLongestFieldHead);
        if (!head) return head.error();
        XspaceField field;
        if (!read_event_head(*head, source, field)) return no_event(source);
        const Result<std::string> bytes = text_.read(field.begin, field.end - field.begin);
        if (!bytes) return bytes.error();
        if (bytes->size() < field.end - field.begin) return no_event(source);
        return arguments_.of_event(source, *bytes);
    }

  private:
    Error no_event(uint64_t source) const {
        return {ErrorCode::damaged, source,
                fmt::format("{}: there is no whole event at byte {}; has the file changed?",
                            input_.file->path(), source)};
    }

    TraceInput input_;
    XspaceArguments arguments_;
    TextReader text_;
};

class XspaceArgumentScan final : public ArgumentScan {
  public:
    explicit XspaceArgumentScan(const TraceInput& input)
        : input_(input), arguments_(input_), text_(input_) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        if (const Result<void> ready = arguments_.prepare(); !ready) return ready.error();
        raw_.clear();
        XspaceField field;
        const std::string_view head = text_.read(source, kLongestFieldHead);
        if (!read_event_head(head, source, field)) return nothing();
        const uint64_t size = field.end - field.begin;
        const std::string_view bytes = text_.read(field.begin, size);
        if (bytes.size() < size) return nothing();
        Result<std::vector<Argument>> list = arguments_.of_event(source, bytes.substr(0, size));
        if (!list) return list.error();
        list_ = std::move(*list);
        for (const Argument& one : list_)
            raw_.push_back({one.name, one.value, one.is_string, false});
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return input_.file->size(); }

  private:
    Result<std::span<const RawArgument>> nothing() const {
        if (text_.has_failed()) return text_.failure().error();
        return std::span<const RawArgument>();
    }

    TraceInput input_;
    XspaceArguments arguments_;
    XspaceText text_;
    std::vector<Argument> list_;
    std::vector<RawArgument> raw_;
};

}  // namespace

std::unique_ptr<ArgumentReader> make_xspace_argument_reader(const TraceInput& input) {
    return std::make_unique<XspaceArgumentReader>(input);
}

std::unique_ptr<ArgumentScan> make_xspace_argument_scan(const TraceInput& input) {
    return std::make_unique<XspaceArgumentScan>(input);
}

}  // namespace lanescope
