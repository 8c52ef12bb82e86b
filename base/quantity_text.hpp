// Quantities as in Kubernetes: CPU "250m", "0.5", "2"; memory "64Mi", "1Gi", "500M",
// "1048576".
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace bellows {

/// Parses CPU in cores or, with suffix m, in thousandths of a core. A value finer than 1m is an
/// error. Errors are kInvalidSetting.
Result<Millicores> parse_cpu(std::string_view text);

/// Parses memory in bytes with an optional suffix: Ki Mi Gi Ti (1024), k M G T (1000). A fraction
/// must result in whole bytes.
Result<Bytes> parse_memory(std::string_view text);

/// Returns text such as "250m".
std::string to_string(Millicores cpu);

/// Returns text with the largest binary suffix that leaves no remainder: "64Mi", "1Gi", "1000001".
std::string to_string(Bytes memory);

/// Returns text for people: the exact form if it is short ("64Mi", "500M"), otherwise three digits
/// with a binary suffix ("11.8Mi").
std::string rounded_text(Bytes memory);

}  // namespace bellows
