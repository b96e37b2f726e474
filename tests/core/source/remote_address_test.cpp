#include "core/source/remote_address.h"

#include <doctest/doctest.h>

#include "core/source/child_output.h"

using namespace lanescope;

namespace {

std::string joined_words(const std::string& text) {
    const Result<RemoteAddress> address = parse_remote_address(text);
    if (!address) return address.error().text;
    std::string line;
    for (const std::string& word : ssh_command(*address)) line += (line.empty() ? "" : "|") + word;
    return line;
}

std::string problem_of(const std::string& text) {
    const Result<RemoteAddress> address = parse_remote_address(text);
    if (address) return "";
    CHECK(address.error().code == ErrorCode::usage);
    return address.error().text;
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an address becomes the words of one ssh command") {
    CHECK(joined_words("ssh://host/a/run.json.gz") ==
          "ssh|-o|BatchMode=no|--|host|cat|--|'/a/run.json.gz'");
    CHECK(joined_words("ssh://me@host:2222/x.json") ==
          "ssh|-o|BatchMode=no|-p|2222|--|me@host|cat|--|'/x.json'");
    CHECK(joined_words("SSH://host/~/run.json") == "ssh|-o|BatchMode=no|--|host|cat|--|'run.json'");
    CHECK(joined_words("ssh://host/~/-rf") == "ssh|-o|BatchMode=no|--|host|cat|--|'-rf'");
    CHECK(joined_words("ssh://[::1]:22/x") == "ssh|-o|BatchMode=no|-p|22|--|::1|cat|--|'/x'");
    CHECK(joined_words("ssh://[fe80::1%25eth0]/x") ==
          "ssh|-o|BatchMode=no|--|fe80::1%eth0|cat|--|'/x'");
    CHECK(joined_words("ssh://a%40corp@host/x") ==
          "ssh|-o|BatchMode=no|--|a@corp@host|cat|--|'/x'");
    CHECK(joined_words("ssh://host/a%20b?c#d&e") ==
          "ssh|-o|BatchMode=no|--|host|cat|--|'/a b?c#d&e'");
    CHECK(joined_words("ssh://host/it's") == "ssh|-o|BatchMode=no|--|host|cat|--|'/it'\\''s'");
    CHECK(joined_words("ssh://host/$(touch x);`y`\"z\"\\") ==
          "ssh|-o|BatchMode=no|--|host|cat|--|'/$(touch x);`y`\"z\"\\'");
}

TEST_CASE("a shell takes every quoted text as that word") {
    for (const std::string text :
         {"plain", "a b", "it's", "''", "'", "$(touch x)", "`id`", "\"$HOME\"", "a\\", "-n", "*",
          "~", "!x", "\xC3\xBC\xE2\x82\xAC", "; exit 3", "a\nb"}) {
        std::string written;
        const Result<ChildEnd> end = read_child({"sh", "-c", "printf %s " + quoted_for_shell(text)},
                                                [&](std::string_view piece) {
                                                    written += piece;
                                                    return Result<void>();
                                                });
        REQUIRE(end);
        CHECK(written == text);
    }
}

TEST_CASE("users and hosts that ssh or a shell could take for something else are refused") {
    CHECK(contains(problem_of("ssh://-oProxyCommand=x/y"), "begin with -"));
    CHECK(contains(problem_of("ssh://%2doProxyCommand=x/y"), "begin with -"));
    CHECK(contains(problem_of("ssh://-l@host/y"), "begin with -"));
    CHECK(contains(problem_of("ssh://%2Dl@host/y"), "begin with -"));
    for (const char* host : {"a b", "a;b", "$(id)", "`id`", "a|b", "a&b", "a>b", "a'b", "a\"b",
                             "a\\b", "a%2fb", "a%3bb", "a(b)", "a*"})
        CHECK_MESSAGE(contains(problem_of("ssh://" + std::string(host) + "/y"), "the host has"),
                      host);
    for (const char* user : {"a b", "a;b", "$(id)", "`id`", "a'b", "a\\", "a%2fb"})
        CHECK_MESSAGE(
            contains(problem_of("ssh://" + std::string(user) + "@host/y"), "the user has"), user);
    CHECK(contains(problem_of("ssh://me:secret@host/y"), "password"));
}

TEST_CASE("control characters and NUL are refused in every part") {
    for (const char* control : {"%00", "%0a", "%0D", "%1b", "%7f", "%c2%9b", "\n", "\t", "\x1b"}) {
        const std::string c = control;
        for (const std::string& text : {"ssh://ho" + c + "st/x", "ssh://u" + c + "@host/x",
                                        "ssh://host/a" + c + "b", "ssh://host/a" + c})
            CHECK(contains(problem_of(text), "control characters"));
    }
    using namespace std::string_literals;
    CHECK(contains(problem_of("ssh://host/a\0b"s), "control characters"));
    // A message never contains what was refused.
    CHECK_FALSE(contains(problem_of("ssh://host/\x1b[2Jx"), "\x1b"));
}

TEST_CASE("what is missing or wrong in an address is named") {
    CHECK(contains(problem_of("ssh:///x"), "no host"));
    CHECK(contains(problem_of("ssh://@host/x"), "no user"));
    CHECK(contains(problem_of("ssh://host"), "no path"));
    CHECK(contains(problem_of("ssh://host/~/"), "no path"));
    CHECK(contains(problem_of("ssh://host/folder/"), "folder"));
    for (const char* port : {"", "0", "65536", "-1", "22x", "+22", "99999999999"})
        CHECK_MESSAGE(contains(problem_of("ssh://host:" + std::string(port) + "/x"), "the port"),
                      port);
    CHECK(contains(problem_of("ssh://host/100%"), "%25"));
    CHECK(contains(problem_of("ssh://host/" + std::string(5000, 'x')), "too long"));
    CHECK(contains(problem_of("https://host/x"), "Python"));
    CHECK(contains(problem_of("s3://bucket/x"), "Python"));
    CHECK(contains(problem_of("file:///x"), "without file://"));
    CHECK(contains(problem_of("sftp://host/x"), "not read"));
}
