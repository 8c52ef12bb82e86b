// `bellows explain --request`: what the caller of a failed request was not told.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bellows::cli {

/// The replies of `GET /v1/requests/ID` as lines, the newest first. kMalformed: it is no such page.
Result<std::string> explain_replies(const std::string& page);

}  // namespace bellows::cli
