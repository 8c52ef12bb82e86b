// uninject(inject(x)) is x, byte for byte; a second inject changes nothing.
#include <gtest/gtest.h>

// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "injector/core/compare.hpp"
#include "injector/core/render.hpp"
#include "json/object.hpp"
#include "tests/unit/injector/random_manifest.hpp"
#include "tests/unit/injector/shapes.hpp"

namespace bellows::injector {
namespace {

using testing::TestWithParam;

InjectOptions native_options() {
  InjectOptions options = options_of_tests();
  options.is_native = true;
  return options;
}

/// Of version 2, which adds another container.
InjectOptions newer_options() {
  InjectOptions options = options_of_tests();
  options.image = "bellows/queue-proxy:2";
  options.autoscaler = "";
  return options;
}

class CommonShapeTest : public TestWithParam<Shape> {};

TEST_P(CommonShapeTest, IsInjectedAndRestoredExactly) {
  for (const InjectOptions& options : {options_of_tests(), native_options()}) {
    const Output once = injected(GetParam().text, options);
    EXPECT_NE(once.text, GetParam().text) << once.report;
    EXPECT_NE(once.report.find(": injected: "), std::string::npos) << once.report;
    EXPECT_EQ(uninjected(once.text).text, GetParam().text) << once.text;
  }
}

TEST_P(CommonShapeTest, IsNotChangedByASecondRun) {
  const Output once = injected(GetParam().text);
  const Output twice = injected(once.text);
  EXPECT_EQ(twice.text, once.text);
  EXPECT_EQ(twice.lines.size(), once.lines.size()) << twice.report;
}

TEST_P(CommonShapeTest, IsUpgradedToWhatANewerVersionMakesOfTheOriginal) {
  const std::string newer = injected(GetParam().text, newer_options()).text;
  EXPECT_EQ(injected(injected(GetParam().text).text, newer_options()).text, newer);
  EXPECT_EQ(injected(injected(GetParam().text, native_options()).text, newer_options()).text,
            newer);
}

std::string test_name(const testing::TestParamInfo<Shape>& shape) {
  std::string name = shape.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shapes, CommonShapeTest, testing::ValuesIn(common_shapes()), test_name);

RC_GTEST_PROP(GeneratedManifest, IsInjectedAndRestoredExactly, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const std::string text = RandomManifest(seed).text();
  RC_LOG() << text;
  const auto options = seed % 2 == 0 ? options_of_tests() : native_options();
  const auto once = inject(manifests_of(text), options, read_yaml);
  RC_ASSERT(once.has_value());
  RC_ASSERT(!has_refusal(once->report));
  const std::string injected_text = manifest_text(once->manifests.front());
  RC_LOG() << injected_text;
  RC_ASSERT(injected_text != text);
  RC_ASSERT(injected(injected_text, options).text == injected_text);
  RC_ASSERT(uninjected(injected_text).text == text);
}

/// All keys and texts of a Deployment and a Service with everything that inject changes.
std::string quoted_shop(const std::string& key_quote, const std::string& value_quote,
                        bool is_flow) {
  const auto key = [&](const std::string& name) { return key_quote + name + key_quote + ": "; };
  const auto text = [&](const std::string& value) { return value_quote + value + value_quote; };
  const auto map = [](const std::string& entries) { return "{" + entries + "}"; };
  const std::string probe =
      key("httpGet") + map(key("path") + text("/up") + ", " + key("port") + text("http"));
  const std::vector<std::string> container = {
      key("name") + text("app"),
      key("ports") + "[" + map(key("containerPort") + "8080, " + key("name") + text("http")) + "]",
      key("readinessProbe") + map(probe),
      key("livenessProbe") + map(probe),
      key("env") + "[" + map(key("name") + text("A") + ", " + key("value") + text("b")) + "]",
      key("lifecycle") + map(key("postStart") + map(probe))};
  std::string joined;
  for (const std::string& entry : container) {
    joined += (joined.empty() ? "" : is_flow ? ", " : "\n        ") + entry;
  }
  const std::string metadata = map(key("labels") + map(key("app") + text("shop")) + ", " +
                                   key("annotations") + map(key("a") + text("b")));
  const std::string head =
      key("kind") + text("Deployment") + "\n" + key("apiVersion") + text("apps/v1") + "\n" +
      key("metadata") + map(key("name") + text("shop")) + "\n" + key("spec") + "\n  " +
      key("template") + "\n    " + key("metadata") + metadata + "\n    " + key("spec");
  const std::string pods = is_flow ? map(key("containers") + "[" + map(joined) + "]") + "\n"
                                   : "\n      " + key("containers") + "\n      - " + joined + "\n";
  return head + pods + "---\n" + key("kind") + text("Service") + "\n" + key("apiVersion") +
         text("v1") + "\n" + key("metadata") + map(key("name") + text("shop")) + "\n" +
         key("spec") +
         map(key("selector") + map(key("app") + text("shop")) + ", " + key("ports") + "[" +
             map(key("port") + "80, " + key("targetPort") + "8080") + "]") +
         "\n";
}

/// As an API server prints it: with one document, as JSON.
std::string as_json(const std::string& text) {
  return json_text(manifests_of(text).front().documents.front().root) + "\n";
}

TEST(QuotedKeysAndTexts, AreInjectedAndRestoredExactlyInLinesAndInBrackets) {
  for (const std::string key : {"", "'", "\""}) {
    for (const std::string value : {"", "'", "\""}) {
      for (const bool is_flow : {false, true}) {
        const std::string text = quoted_shop(key, value, is_flow);
        SCOPED_TRACE(text);
        const Output once = injected(text);
        EXPECT_NE(once.report.find("deployment/shop: injected"), std::string::npos) << once.report;
        EXPECT_NE(once.report.find("service/shop: injected"), std::string::npos) << once.report;
        EXPECT_EQ(injected(once.text).text, once.text);
        EXPECT_EQ(uninjected(once.text).text, text) << once.text;
      }
    }
  }
}

TEST(QuotedKeysAndTexts, AreRestoredInMeaningAsTheJsonOfAnApiServer) {
  for (const std::string key : {"", "'", "\""}) {
    for (const std::string value : {"", "'", "\""}) {
      for (const bool is_flow : {false, true}) {
        const std::string text = quoted_shop(key, value, is_flow);
        const std::string deployment = text.substr(0, text.find("---"));
        const std::string restored = uninjected(as_json(injected(deployment).text)).text;
        SCOPED_TRACE(deployment + restored);
        EXPECT_TRUE(json::parse(restored).has_value());
        const Node before = manifests_of(deployment).front().documents.front().root;
        const Node after = manifests_of(restored).front().documents.front().root;
        EXPECT_TRUE(is_up_to_date(before, after) && is_up_to_date(after, before));
      }
    }
  }
}

/// Whatever the input is, it is refused or can be restored.
RC_GTEST_PROP(DamagedManifest, IsRefusedOrRestoredExactly, ()) {
  const auto shapes = common_shapes();
  std::string text = (*rc::gen::elementOf(shapes)).text;
  const auto changes = *rc::gen::inRange(1, 4);
  for (int change = 0; change < changes; ++change) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text.replace(at, *rc::gen::inRange<std::size_t>(0, 4),
                 *rc::gen::element<std::string>("", " ", "\n", "- ", ": ", "#", "{", "]", "'", "\"",
                                                "a", "|+\n", ",", "&a ", "*a", "\t", "~", "0"));
  }
  const auto manifest = read_manifest("a.yaml", text, read_yaml);
  if (!manifest) return;
  const auto once = inject({*manifest}, options_of_tests(), read_yaml);
  if (!once) return;
  RC_LOG() << text;
  const auto restored = uninject(once->manifests, read_yaml);
  RC_ASSERT(restored.has_value());
  RC_ASSERT(manifest_text(restored->manifests.front()) == text);
}

}  // namespace
}  // namespace bellows::injector
