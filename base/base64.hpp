// Base64 (RFC 4648, section 4), of certificates within JSON and YAML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bellows {

std::string to_base64(std::string_view bytes);

/// Nothing if the text is no base64. Line breaks and spaces are skipped, as in kubeconfig files.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace bellows
