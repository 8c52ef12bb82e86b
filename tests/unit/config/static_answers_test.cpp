#include "config/static_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml/document_reader.hpp"
#include "config/bellows_file.hpp"

namespace bellows::config {
namespace {

TEST(StaticAnswers, HavePathStatusBodyAndHeaders) {
  const auto read = read_static_answers(
      R"([{"path":"/healthz"},{"path":"/robots.txt","status":418,"body":"no","headers":)"
      R"({"Content-Type":"text/x","X-A":"1"}}])");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ((*read)[0], (StaticAnswer{.path = "/healthz", .body = {}, .header_lines = {}}));
  EXPECT_EQ((*read)[1], (StaticAnswer{.path = "/robots.txt",
                                      .status = 418,
                                      .body = "no",
                                      .content_type = "text/x",
                                      .header_lines = "X-A: 1\r\n"}));
  EXPECT_TRUE(read_static_answers("")->empty());
}

TEST(StaticAnswers, ThatBreakAResponseAreRefused) {
  for (const char* text :
       {"x", "{}", R"([{"body":"a"}])", R"([{"path":"healthz"}])", R"([{"path":"/a?b"}])",
        R"([{"path":"/a","status":199}])", R"([{"path":"/a","status":600}])",
        R"([{"path":"/a","status":304}])", R"([{"path":"/a","status":204,"body":"x"}])",
        R"([{"path":"/a","headers":{"A B":"c"}}])",
        R"([{"path":"/a","headers":{"A":"b\r\nC: d"}}])",
        R"([{"path":"/a","headers":{"Content-Length":"7"}}])", R"([{"path":"/a","staus":200}])",
        R"([{"path":"/a"},{"path":"/a"}])"}) {
    const auto read = read_static_answers(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind(), ErrorKind::kInvalidSetting);
  }
}

TEST(StaticAnswers, OfAFileAreAListWhoseErrorsNameTheirLine) {
  const auto read = [](const std::string& lines) {
    const auto document =
        yaml::parse_document("f", "services:\n- name: web\n  command: [a]\n" + lines);
    return read_bellows_file(*document, {});
  };
  const auto good = read("  static-answers:\n  - {path: /healthz, body: ok}\n");
  ASSERT_TRUE(good);
  EXPECT_EQ(read_static_answers(good->services[0].settings.callers.static_answers)->front().body,
            "ok");
  const auto bad = read("  static-answers:\n  - path: /healthz\n  - path: /x\n    status: 99\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(to_string(bad.error().front()),
            "f:7: static-answers[1].status: 99: want a whole number from 200 to 599");
}

}  // namespace
}  // namespace bellows::config
