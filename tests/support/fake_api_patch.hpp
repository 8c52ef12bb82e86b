// PATCH as an API server applies it.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "base/result.hpp"

namespace bellows::test {

/// JSON patch (RFC 6902): test, add, replace, remove. An error: nothing may be applied.
Result<void> apply_json_patch(boost::json::value& document, std::string_view patch);

/// Merge patch (RFC 7396), which stands in for the strategic one as well.
Result<void> apply_merge_patch(boost::json::value& document, std::string_view patch);

}  // namespace bellows::test
