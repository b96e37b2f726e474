#include "ui/platform/editor.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("editors get the line as they expect it") {
    CHECK(editor_words("", "/a b/m.py", 7) == Words{"code", "-g", "/a b/m.py:7"});
    CHECK(editor_words("/usr/bin/codium --wait", "/m.py", 7) ==
          Words{"/usr/bin/codium", "--wait", "-g", "/m.py:7"});
    CHECK(editor_words("subl", "/m.py", 7) == Words{"subl", "/m.py:7"});
    CHECK(editor_words("kate", "/m.py", 7) == Words{"kate", "--line", "7", "/m.py"});
    CHECK(editor_words("gvim  -f", "/m.py", 7) == Words{"gvim", "-f", "+7", "/m.py"});
    // The window cannot provide a terminal.
    CHECK(editor_words("/usr/bin/vim", "/m.py", 7) == Words{"code", "-g", "/m.py:7"});
}

TEST_CASE("no shell interprets the words") {
    CHECK(editor_words("gvim; reboot", "/$(reboot).py", 1) ==
          Words{"gvim;", "reboot", "+1", "/$(reboot).py"});
}

TEST_CASE("only files of this machine are opened") {
    CHECK(!open_in_editor("/absent/model.py", 1));
    CHECK(!open_in_editor("model.py", 1));
    CHECK(!open_in_editor("/tmp", 1));
}
