// Pictures of the synthetic sample, as they should be. LANESCOPE_UPDATE_GOLDEN=1 writes them anew;
// look at them before they are committed.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ui/shell/png.h"
#include "ui/shell/window.h"

using namespace lanescope;

namespace {

constexpr int kNear = 24;           // of 255: a channel that differs by less is the same to the eye
constexpr double kMostFar = 0.002;  // part of the pixels that may differ by more

double part_that_differs(const Picture& a, const Picture& b) {
    if (a.width != b.width || a.height != b.height) return 1;
    std::size_t far = 0;
    for (std::size_t i = 0; i < a.rgb.size(); i += 3) {
        bool differs = false;
        for (std::size_t c = 0; c < 3; ++c)
            differs |= std::abs(int{a.rgb[i + c]} - int{b.rgb[i + c]}) > kNear;
        far += differs;
    }
    return static_cast<double>(far) * 3 / static_cast<double>(a.rgb.size());
}

PictureOptions sample_picture(Theme theme) {
    PictureOptions picture;
    picture.width = 1280;
    picture.height = 800;
    picture.theme = theme;
    picture.range = "3.4ms..4.4ms";
    picture.select = "cudaLaunchKernel";
    return picture;
}

using Files = std::vector<std::string>;
const std::string kSample = LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz";

Picture drawn(PictureOptions picture, const Files& files = {kSample}) {
    const auto path =
        std::filesystem::temp_directory_path() / ("lanescope_golden_" + std::to_string(getpid()) +
                                                  "_" + std::to_string(std::rand()) + ".png");
    picture.out = path.string();
    const auto saved = save_picture(picture, files);
    REQUIRE_MESSAGE(saved, saved.error().text);
    auto read = read_png(picture.out);
    std::filesystem::remove(path);
    REQUIRE(read);
    return std::move(*read);
}

void compare(PictureOptions picture, const char* name, const Files& files = {kSample}) {
    const std::string golden = std::string(LANESCOPE_ROOT "/tests/data/golden/") + name;
    if (std::getenv("LANESCOPE_UPDATE_GOLDEN")) {
        picture.out = golden;
        REQUIRE(save_picture(picture, files));
    }
    const auto expected = read_png(golden);
    REQUIRE(expected);
    CHECK(part_that_differs(*expected, drawn(picture, files)) < kMostFar);
}

}  // namespace

TEST_CASE("The sample looks as it should in dark") {
    compare(sample_picture(Theme::dark), "synthetic_step_dark.png");
}

TEST_CASE("The sample looks as it should in light") {
    compare(sample_picture(Theme::light), "synthetic_step_light.png");
}

TEST_CASE("The comparison sees what an eye would: another range, a selection gone") {
    const Picture picture = drawn(sample_picture(Theme::dark));
    CHECK(part_that_differs(picture, picture) == 0);
    PictureOptions other = sample_picture(Theme::dark);
    other.select.clear();
    CHECK(part_that_differs(picture, drawn(other)) > kMostFar);
    other = sample_picture(Theme::dark);
    other.range = "3.39ms..4.39ms";
    CHECK(part_that_differs(picture, drawn(other)) > kMostFar);
}

TEST_CASE("A picture of a file that cannot be read is an error") {
    PictureOptions picture = sample_picture(Theme::dark);
    CHECK(!save_picture(picture, {"/nowhere/at/all.json"}));
}
