// `bellows explain --request`: prints the details of a failed request that its caller did not get.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bellows::cli {

/// Returns the replies of `GET /v1/requests/ID` as lines, the newest first. kMalformed: it is no
/// such page.
Result<std::string> explain_replies(const std::string& page);

}  // namespace bellows::cli
