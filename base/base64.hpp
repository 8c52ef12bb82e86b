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

/// Decodes the alphabet of URLs without padding (section 5), as JSON Web Tokens have it. Returns
/// nullopt if `text` is anything else; no two texts give the same bytes.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace bellows
