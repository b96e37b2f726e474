#include "core/ingest/xspace/xspace_index.h"

#include <algorithm>
#include <map>

namespace lanescope {

namespace {

constexpr uint64_t kLongestText = uint64_t{1} << 20;  // bytes of names and stats of planes
constexpr std::size_t kMostPlanes = 65'536;
constexpr std::size_t kMostLines = 1'000'000;  // in all planes

class XspaceIndexer {
  public:
    explicit XspaceIndexer(XspaceText& text) : text_(text) {}

    XspaceIndex run() {
        XspaceWalk walk(text_, 0, UINT64_MAX);
        XspaceField field;
        while (walk.next(field)) {
            if (field.is_bytes(1)) add_plane(field);
            if (field.is_bytes(2)) index_.errors.push_back(contents(field));
            if (field.is_bytes(3)) index_.warnings.push_back(contents(field));
            if (field.is_bytes(4)) index_.host_names.push_back(contents(field));
            // The last field may end at the end of the text.
            if (field.end > 0 && text_.read(field.end - 1, 1).empty())
                note_end(XspaceEnd::cut, field.tag);
        }
        note_end(walk.how_it_ended(), walk.position());
        return std::move(index_);
    }

  private:
    std::string contents(const XspaceField& field) {
        const uint64_t size = std::min(field.end - field.begin, kLongestText);
        return std::string(text_.read(field.begin, size).substr(0, size));
    }

    void note_end(XspaceEnd end, uint64_t position) {
        if (end == XspaceEnd::whole || index_.end != XspaceEnd::whole) return;
        index_.end = end;
        index_.end_position = position;
    }

    void add_plane(const XspaceField& of) {
        if (index_.planes.size() == kMostPlanes) {
            ++index_.unread_planes;
            return;
        }
        XspacePlane& plane = index_.planes.emplace_back();
        plane.begin = of.begin;
        plane.end = of.end;
        XspaceWalk walk(text_, of.begin, of.end);
        XspaceField field;
        while (walk.next(field)) {
            if (field.wire != XspaceWire::bytes) continue;
            switch (field.number) {
                case 2:
                    plane.name = contents(field);
                    break;
                case 3:
                    add_line(plane, field);
                    break;
                case 4:
                    if (plane.metadata_begin == 0) plane.metadata_begin = field.tag;
                    plane.metadata_end = field.end;
                    break;
                case 5:
                    add_stat_name(plane, field);
                    break;
                case 6:
                    if (field.end - field.begin <= kLongestText)
                        plane.stats.push_back(contents(field));
                    break;
                default:
                    break;
            }
        }
        note_end(walk.how_it_ended(), walk.position());
        plane.repetition = repetitions_[plane.name]++;
    }

    void add_line(XspacePlane& plane, const XspaceField& of) {
        if (of.begin == of.end) return;
        if (lines_ == kMostLines) {
            ++index_.unread_lines;
            return;
        }
        ++lines_;
        XspaceLine& line = plane.lines.emplace_back();
        line.begin = of.begin;
        line.end = of.end;
        XspaceWalk walk(text_, of.begin, of.end);
        XspaceField field;
        std::string other_name;
        while (walk.next(field)) {
            if (field.is_varint(1)) line.id = static_cast<int64_t>(field.value);
            if (field.is_bytes(2)) line.name = contents(field);
            if (field.is_varint(3)) line.timestamp_ns = static_cast<int64_t>(field.value);
            if (field.is_bytes(11)) other_name = contents(field);
            // Writers put all these fields before the events.
            if (field.is_bytes(4) && !line.name.empty()) return;
        }
        if (line.name.empty()) line.name = std::move(other_name);
        if (walk.how_it_ended() == XspaceEnd::damaged)
            note_end(walk.how_it_ended(), walk.position());
    }

    void add_stat_name(XspacePlane& plane, const XspaceField& field) {
        int64_t id = 0;
        std::string_view name;
        const std::string bytes = contents(field);
        if (field.end - field.begin <= kLongestText && read_xspace_stat_metadata(bytes, id, name))
            plane.stat_names.add(id, name);
        else
            ++index_.unread_metadata;
    }

    XspaceText& text_;
    XspaceIndex index_;
    std::map<std::string, uint32_t> repetitions_;
    std::size_t lines_ = 0;
};

}  // namespace

const XspacePlane* XspaceIndex::plane_at(uint64_t position) const {
    const auto after = std::ranges::upper_bound(planes, position, {}, &XspacePlane::begin);
    if (after == planes.begin() || position >= (after - 1)->end) return nullptr;
    return &*(after - 1);
}

XspaceIndex index_xspace(XspaceText& text) {
    return XspaceIndexer(text).run();
}

uint64_t each_xspace_metadata(
    XspaceText& text, const XspacePlane& plane,
    const std::function<void(uint64_t, const XspaceEventMetadata&)>& take) {
    uint64_t unread = 0;
    XspaceWalk walk(text, plane.metadata_begin, plane.metadata_end);
    XspaceField field;
    XspaceEventMetadata metadata;
    while (walk.next(field)) {
        if (!field.is_bytes(4)) continue;
        const uint64_t size = field.end - field.begin;
        const std::string_view bytes =
            size > kXspaceLongestField ? std::string_view() : text.read(field.begin, size);
        if (bytes.size() >= size && size <= kXspaceLongestField &&
            read_xspace_event_metadata(bytes.substr(0, size), metadata))
            take(field.tag, metadata);
        else
            ++unread;
    }
    return unread;
}

void each_xspace_plane_stat(const XspacePlane& plane,
                            const std::function<void(std::string_view, const XspaceValue&)>& take) {
    for (const std::string& bytes : plane.stats) {
        int64_t id = 0;
        XspaceValue value;
        if (read_xspace_stat(bytes, plane.stat_names, id, value) && value.exists())
            take(plane.stat_names.name(id), value);
    }
}

XspaceValue xspace_plane_stat(const XspacePlane& plane, std::string_view name) {
    XspaceValue found;
    each_xspace_plane_stat(plane, [&](std::string_view known, const XspaceValue& value) {
        if (known == name) found = value;
    });
    return found;
}

}  // namespace lanescope
