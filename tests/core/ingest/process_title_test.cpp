#include "core/ingest/spool/process_title.h"

#include <doctest/doctest.h>

namespace lanescope {

TEST_CASE("a recorded process is named by its command line and rank") {
    CHECK(process_title("python", "/usr/bin/python /home/me/train.py --lr 3", 2) ==
          "python train.py --lr 3 · rank 1");
    CHECK(process_title("python", "/usr/bin/python train.py", 0) == "python train.py");
    CHECK(process_title("python", "", 1) == "python · rank 0");
    CHECK(process_title("", "", 0).empty());
    CHECK(process_title("x", "  / a  b/ ", 0) == "/ a b/");
}

TEST_CASE("a long command line is cut between words, and its first word is kept") {
    const std::string word(60, 'x');
    CHECK(process_title("", word + " and more", 0) == word + " …");
    CHECK(process_title("", "train --input one --output two --steps three --rate four --seed 5",
                        0) == "train --input one --output two --steps three …");
}

}  // namespace lanescope
