#include "ui/platform/png.h"

#include <png.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace lanescope {

namespace {

std::vector<uint8_t> without_alpha(int width, int height, std::span<const uint8_t> rgba) {
    const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<uint8_t> rgb(pixels * 3);
    for (std::size_t i = 0; i < pixels; ++i) {
        for (std::size_t c = 0; c < 3; ++c) rgb[i * 3 + c] = rgba[i * 4 + c];
    }
    return rgb;
}

png_image image_of(int width, int height) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    return image;
}

// A tEXt chunk, which libpng's simplified functions cannot write: its length, type, keyword and
// text, and their CRC. It follows the signature of 8 bytes and the header chunk of 25.
constexpr std::ptrdiff_t kAfterHeader = 8 + 25;
constexpr std::string_view kMadeBy(
    "\0\0\0\x12tEXtSoftware\0Lanescope"
    "\x46"
    "\xff"
    "\xc8"
    "\xaf",
    30);

}  // namespace

Result<void> write_png(const std::string& path, int width, int height,
                       std::span<const uint8_t> rgba, OutputRules rules) {
    Result<std::vector<uint8_t>> png = encode_png(width, height, rgba);
    if (!png) return png.error();
    png->insert(png->begin() + kAfterHeader, kMadeBy.begin(), kMadeBy.end());
    rules.binary = true;
    return write_output_file(path, {reinterpret_cast<const char*>(png->data()), png->size()},
                             rules);
}

Result<std::vector<uint8_t>> encode_png(int width, int height, std::span<const uint8_t> rgba) {
    const std::vector<uint8_t> rgb = without_alpha(width, height, rgba);
    png_image image = image_of(width, height);
    std::vector<uint8_t> png(PNG_IMAGE_PNG_SIZE_MAX(image));
    png_alloc_size_t bytes = png.size();
    if (!png_image_write_to_memory(&image, png.data(), &bytes, 0, rgb.data(), 0, nullptr))
        return Error{ErrorCode::io, Error::no_offset, std::string(image.message) + "."};
    png.resize(bytes);
    return png;
}

Result<Picture> read_png(const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path.c_str())) {
        return Error{ErrorCode::io, Error::no_offset, path + ": " + image.message + "."};
    }
    image.format = PNG_FORMAT_RGB;
    Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    picture.rgb.resize(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr)) {
        return Error{ErrorCode::damaged, Error::no_offset, path + ": " + image.message + "."};
    }
    return picture;
}

}  // namespace lanescope
