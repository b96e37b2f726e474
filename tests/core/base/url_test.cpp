#include "core/base/url.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("a URL begins with a scheme; paths do not") {
    CHECK(url_scheme("ssh://host/x") == "ssh");
    CHECK(url_scheme("SSH://host/x") == "ssh");
    CHECK(url_scheme("s3://bucket/x") == "s3");
    CHECK(url_scheme("svn+ssh://x") == "svn+ssh");
    for (const char* path : {"", "x", "/ssh://x", "./ssh://host/x", "ssh:/host/x", "://x", "3s://x",
                             "a b://x", "host:/path"})
        CHECK_MESSAGE(!is_url(path), path);
}

TEST_CASE("%XX is a byte; other percent signs are errors") {
    CHECK(*percent_decoded("a%20b%2Fc") == "a b/c");
    CHECK(*percent_decoded("%c3%BC?#") == "\xC3\xBC?#");
    CHECK(*percent_decoded("%2541") == "%41");  // decoded once
    CHECK(percent_decoded("%00")->size() == 1);
    for (const char* broken : {"%", "a%2", "%zz", "%-1", "% 1", "100%"})
        CHECK_MESSAGE(!percent_decoded(broken), broken);
}
