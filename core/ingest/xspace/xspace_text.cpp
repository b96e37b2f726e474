#include "core/ingest/xspace/xspace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace lanescope {

namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10;  // bytes per read
constexpr std::size_t kLongestHead = 20;                 // bytes of a tag, and a length or value

}  // namespace

XspaceText::XspaceText(const TraceInput& input) : file_(input.file) {
    if (input.compression != Compression::none)
        forward_ = std::make_unique<ForwardText>(input.file, input.compression);
}

uint64_t XspaceText::file_bytes_done() const {
    return forward_ ? forward_->file_bytes_done() : std::min(furthest_, file_->size());
}

std::string_view XspaceText::read(uint64_t offset, std::size_t bytes) {
    if (!failure_) return {};
    if (forward_) {
        const Result<std::string_view> text = forward_->read(offset, bytes);
        if (text) {
            if (!text->empty()) furthest_ = std::max(furthest_, offset + text->size());
            return *text;
        }
        failure_ = text.error();
        return {};
    }
    const bool is_known = offset >= begin_ && offset - begin_ <= window_.size();
    if (is_known && window_.size() - (offset - begin_) >= bytes)
        return std::string_view(window_).substr(offset - begin_);
    if (!file_->unchanged()) {
        failure_ =
            Error{ErrorCode::io, offset,
                  fmt::format("{}: has changed since it was opened; open it again", file_->path())};
        return {};
    }
    const uint64_t left = file_->size() - std::min(offset, file_->size());
    window_.resize(std::min<uint64_t>(left, std::max(bytes, kWindow)));
    begin_ = offset;
    const Result<std::size_t> got = file_->read_at(offset, window_.data(), window_.size());
    if (!got) {
        failure_ = got.error();
        window_.clear();
        return {};
    }
    window_.resize(*got);
    furthest_ = std::max(furthest_, offset + window_.size());
    return window_;
}

XspaceEnd read_xspace_field(std::string_view text, uint64_t offset, uint64_t left,
                            XspaceField& field) {
    const char* at = text.data();
    const char* const end = at + std::min<uint64_t>(text.size(), left);
    const XspaceEnd without_more = text.size() < left ? XspaceEnd::cut : XspaceEnd::damaged;
    if (at == end) return without_more;
    try {
        const uint64_t key = protozero::decode_varint(&at, end);
        if (key >> 3 == 0 || key >> 32 != 0) return XspaceEnd::damaged;
        field.number = static_cast<uint32_t>(key >> 3);
        field.wire = static_cast<XspaceWire>(key & 7);
        field.tag = offset;
        field.value = 0;
        uint64_t size = 0;
        switch (field.wire) {
            case XspaceWire::varint:
                field.value = protozero::decode_varint(&at, end);
                break;
            case XspaceWire::fixed64:
                size = 8;
                break;
            case XspaceWire::fixed32:
                size = 4;
                break;
            case XspaceWire::bytes:
                size = protozero::decode_varint(&at, end);
                break;
            default:
                return XspaceEnd::damaged;
        }
        const auto head = static_cast<uint64_t>(at - text.data());
        if (size > left - head) return XspaceEnd::damaged;
        field.begin = offset + head;
        field.end = field.begin + size;
        return XspaceEnd::whole;
    } catch (const protozero::end_of_buffer_exception&) {
        return without_more;
    } catch (const protozero::exception&) {
        return XspaceEnd::damaged;
    }
}

bool XspaceWalk::next(XspaceField& field) {
    if (at_ >= end_ || ended_ != XspaceEnd::whole) return false;
    const std::string_view text = text_.read(at_, kLongestHead);
    if (text.empty()) {
        if (!text_.reaches(at_)) at_ = last_;
        return stop(end_ == UINT64_MAX ? XspaceEnd::whole : XspaceEnd::cut);
    }
    const XspaceEnd read = read_xspace_field(text, at_, end_ - at_, field);
    if (read != XspaceEnd::whole) return stop(read);
    last_ = at_;
    at_ = field.end;
    return true;
}

}  // namespace lanescope
