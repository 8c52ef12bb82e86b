// Settings that a tenant writes as annotations are rejected with a reason or mean the same when
// they are passed on as text. None has a NUL. Policies are read from them without a crash.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/check.hpp"
#include "base/text_parts.hpp"
#include "config/revision_schema.hpp"

namespace bellows::config {
namespace {

/// Lines of NAME=VALUE.
Layer read_layer(std::string_view text) {
  Layer layer;
  while (!text.empty()) {
    const std::string_view line = next_part(text, '\n');
    const std::size_t end = line.find('=');
    if (end == std::string_view::npos) continue;
    layer.push_back(
        {.key = std::string(line.substr(0, end)), .value = std::string(line.substr(end + 1))});
  }
  return layer;
}

void fuzz(std::string_view text) {
  const auto& schema = revision_schema();
  const auto settings = schema.apply({read_layer(text)});
  if (!settings) {
    CHECK(!settings.error().empty(), "a rejection has a reason");
    return;
  }
  const auto texts = schema.texts(*settings);
  Layer passed_on;
  for (const auto& [name, value] : texts) {
    CHECK(value.find('\0') == std::string::npos, "no setting has a NUL");
    passed_on.push_back({.key = name, .value = value});
  }
  const auto again = schema.apply({passed_on});
  CHECK(again.has_value(), "valid settings are valid as text");
  CHECK(schema.texts(*again) == texts, "settings mean the same as text");
  const auto policies = autoscaler::policies_of(*settings);
  CHECK(policies.has_value() || !to_string(policies.error()).empty(), "a rejection has a reason");
}

}  // namespace
}  // namespace bellows::config

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bellows::config::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
