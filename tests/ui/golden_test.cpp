// Golden pictures of the synthetic sample, or of the part that a test is about. With
// LANESCOPE_UPDATE_GOLDEN=1 (scripts/pictures --goldens, which also makes the files small), those
// that no longer match are rewritten: look at them before committing.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/core/temporary_file.h"
#include "ui/app/run_window.h"
#include "ui/platform/png.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;

namespace {

constexpr int kNear = 24;               // of 255: a smaller difference of a channel is not visible
constexpr double kMaxFarShare = 0.002;  // fraction of the pixels that may differ by more

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

// From the upper left corner of a picture; 0: up to its right or lower edge.
struct Part {
    int left = 0;
    int width = 0;
    int height = 0;
};

// Overview, ruler and lanes in a picture of 1280x800.
constexpr Part kLanes = {0, 890, 460};

Picture cut(const Picture& whole, const Part& part) {
    Picture cut;
    cut.width = part.width == 0 ? whole.width : part.width;
    cut.height = part.height == 0 ? whole.height : part.height;
    for (int y = 0; y < cut.height; ++y) {
        const auto row = whole.rgb.begin() + (std::ptrdiff_t{y} * whole.width + part.left) * 3;
        cut.rgb.insert(cut.rgb.end(), row, row + std::ptrdiff_t{cut.width} * 3);
    }
    return cut;
}

void write(const Picture& picture, const std::string& path) {
    std::vector<uint8_t> rgba;
    for (std::size_t i = 0; i < picture.rgb.size(); i += 3)
        rgba.insert(rgba.end(), {picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2], 255});
    REQUIRE(write_png(path, picture.width, picture.height, rgba));
}

void compare(const PictureOptions& picture, const char* name, const Files& files = {kSample},
             const Part& part = {}) {
    const std::string golden = std::string(LANESCOPE_ROOT "/tests/data/golden/") + name;
    const Picture now = cut(drawn(picture, files), part);
    auto expected = read_png(golden);
    const bool matches = expected && part_that_differs(*expected, now) < kMaxFarShare;
    if (!matches && std::getenv("LANESCOPE_UPDATE_GOLDEN")) {
        write(now, golden);
        expected = read_png(golden);
    }
    REQUIRE(expected);
    CHECK(part_that_differs(*expected, now) < kMaxFarShare);
}

PictureOptions view_of(const char* range, int width = 1280, int height = 800) {
    PictureOptions picture;
    picture.width = width;
    picture.height = height;
    picture.range = range;
    return picture;
}

// A pool of threads that take turns, each slightly later than the one before.
std::string threads_text(int threads) {
    std::string text = "[";
    for (int thread = 0; thread < threads; ++thread)
        for (int task = 0; task < 12; ++task)
            for (int depth = 0; depth < 3; ++depth) {
                const int begin = task * 900 + thread * 11 + depth * 60;
                text += (text.size() > 1 ? ",\n" : "") +
                        std::string(R"({"ph":"X","pid":1,"cat":")") +
                        (depth == 1 ? "user_annotation" : "cpu_op") + R"(","name":"task )" +
                        std::to_string(task) + "." + std::to_string(depth) + R"(","tid":)" +
                        std::to_string(100 + thread) + R"(,"ts":)" + std::to_string(begin) +
                        R"(,"dur":)" + std::to_string(700 - depth * 150 - thread * 3) + "}";
            }
    return text + "]";
}

}  // namespace

TEST_CASE("The sample looks as it should in dark") {
    compare(sample_picture(Theme::dark), "synthetic_step_dark.png");
}

TEST_CASE("The sample looks as it should in light") {
    compare(sample_picture(Theme::light), "synthetic_step_light.png");
}

TEST_CASE("A dense view: all of the sample") {
    compare(view_of(""), "dense.png", {kSample}, kLanes);
}

TEST_CASE("A sparse view, with few slices and the waits between them") {
    compare(view_of("4.74ms..6.1ms"), "sparse.png", {kSample}, kLanes);
}

TEST_CASE("One kernel, with its footprint") {
    PictureOptions picture = view_of("");
    picture.select = "synthetic_gemm_bf16_128x128x32_tn_bias";
    picture.range = "3.62ms..3.68ms";
    picture.lanes = "GPU 0";
    compare(picture, "one_kernel.png", {kSample}, {560, 720, 800});
}

TEST_CASE("A Python frame that is folded at first, without the flash of its selection") {
    PictureOptions picture = view_of("");
    picture.select = "train.py(58): train";
    compare(picture, "python_frame.png", {kSample}, kLanes);
}

TEST_CASE("All lanes, one below the other") {
    compare(view_of("3.3ms..4.6ms", 1280, 1600), "all_lanes.png", {kSample}, {0, 890, 1020});
}

TEST_CASE("Many threads, more than fit") {
    const TemporaryFile file(threads_text(64), "threads.json");
    compare(view_of(""), "many_threads.png", {file.path()}, kLanes);
}

TEST_CASE("Several traces, one under the other") {
    PictureOptions picture = view_of("3.35ms..4.55ms", 1600, 1000);
    picture.panel = "Traces";
    picture.lanes = "stream";
    compare(picture, "many_traces.png", {kSample, kSample, kSample}, {0, 1210, 820});
}

TEST_CASE("A small window, coloured by module") {
    PictureOptions picture = view_of("3.35ms..4.55ms", 1280, 720);
    picture.color = ColorMode::module;
    compare(picture, "small_by_module.png", {kSample}, {0, 890, 384});
}

TEST_CASE("The ruler has no label that its ends cut") {
    const Picture picture = drawn(view_of("3.42ms..4.42ms"));
    // The ruler beside the lane heads and beside the lane map: where text would be.
    for (const int first : {196, 844}) {
        CAPTURE(first);
        int brightest = 0;
        for (int y = 103; y < 114; ++y)
            for (int x = first; x < first + 4; ++x)
                brightest =
                    std::max(brightest,
                             int{picture.rgb[static_cast<std::size_t>(y * picture.width + x) * 3]});
        CHECK(brightest < 0x50);
    }
}

TEST_CASE("4K at scale 2, light, coloured by deviation") {
    PictureOptions picture = view_of("3.35ms..4.55ms", 3840, 2160);
    picture.scale = 2;
    picture.theme = Theme::light;
    picture.color = ColorMode::deviation;
    compare(picture, "4k_by_deviation.png", {kSample}, {0, 1600, 1360});
}

TEST_CASE("The start screen") {
    PictureOptions picture = view_of("");
    picture.any_state = true;
    compare(picture, "start.png", {});
}

TEST_CASE("An error, with the file and what to do") {
    PictureOptions picture = view_of("");
    picture.any_state = true;
    compare(picture, "error.png", {"/nowhere/at/all.json"});
}

TEST_CASE("The comparison detects another range and a missing selection") {
    const Picture picture = drawn(sample_picture(Theme::dark));
    CHECK(part_that_differs(picture, picture) == 0);
    PictureOptions other = sample_picture(Theme::dark);
    other.select.clear();
    CHECK(part_that_differs(picture, drawn(other)) > kMaxFarShare);
    other = sample_picture(Theme::dark);
    other.range = "3.39ms..4.39ms";
    CHECK(part_that_differs(picture, drawn(other)) > kMaxFarShare);
}

TEST_CASE("A picture of an unreadable file is an error") {
    PictureOptions picture = sample_picture(Theme::dark);
    CHECK(!save_picture(picture, {"/nowhere/at/all.json"}));
}
