// A file that knows its version, and whether it is whole.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::autoscaler {

/// Returns `body` behind a first line "bellows TITLE VERSION CHECKSUM", with the FNV-1a of the body
/// in hexadecimal. `version` has no blanks.
std::string checked_text(std::string_view title, std::string_view version, std::string_view body);

/// Returns the body of such a text. kUnsupported: another version. kMalformed: another first line,
/// or a wrong checksum.
Result<std::string_view> checked_body(std::string_view text, std::string_view title,
                                      std::string_view version);

}  // namespace bellows::autoscaler
