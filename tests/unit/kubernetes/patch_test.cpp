#include "kubernetes/core/patch.hpp"

#include <gtest/gtest.h>

#include "base/base64.hpp"

namespace bellows::kubernetes {
namespace {

TEST(JsonPatch, TestsStandBeforeWhatTheyGuard) {
  EXPECT_EQ(JsonPatch()
                .test("/metadata/uid", "u\"1")
                .test("/spec/replicas", 2)
                .replace("/spec/replicas", 4)
                .body(),
            R"([{"op":"test","path":"/metadata/uid","value":"u\"1"},)"
            R"({"op":"test","path":"/spec/replicas","value":2},)"
            R"({"op":"replace","path":"/spec/replicas","value":4}])");
  EXPECT_EQ(JsonPatch().body(), "[]");
}

TEST(JsonPatch, EveryOperation) {
  EXPECT_EQ(JsonPatch().add("/a", "x").add_json("/b", "{}").remove("/c").replace("/d", "y").body(),
            R"([{"op":"add","path":"/a","value":"x"},{"op":"add","path":"/b","value":{}},)"
            R"({"op":"remove","path":"/c"},{"op":"replace","path":"/d","value":"y"}])");
}

TEST(AnnotationPatch, SetsOneOrTakesItAway) {
  const std::string value = "5";
  EXPECT_EQ(annotation_patch("controller.kubernetes.io/pod-deletion-cost", &value),
            R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"5"}}})");
  EXPECT_EQ(annotation_patch("x", nullptr), R"({"metadata":{"annotations":{"x":null}}})");
}

TEST(Base64, TheVectorsOfTheRfcBothWays) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  const std::string all = "\xFF\xFE\x00\x80";
  EXPECT_EQ(from_base64(to_base64(all)), all);
  EXPECT_EQ(from_base64("Zm9v\n Ym\r\nFy"), "foobar");
}

TEST(Base64, OtherTextIsNone) {
  for (const char* text : {"Zg", "Z", "Zg=", "Zg===", "Z===", "Zm9v=Zm9v", "Zm9!", "-_-_"}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bellows::kubernetes
