// uninject(inject(x)) is x, byte for byte; a second inject changes nothing.
#include <gtest/gtest.h>

// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

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
