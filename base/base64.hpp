// Base64 (RFC 4648, section 4), used for certificates in JSON and YAML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bellows {

std::string to_base64(std::string_view bytes);

/// Decodes `text`; returns nullopt if it is not base64. Skips line breaks and spaces, as kubeconfig
/// files have them.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace bellows
