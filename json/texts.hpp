// Lists of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/object.hpp"

namespace bellows::json {

/// Returns the list of texts at `key`. Errors are kMalformed, as for the getters of Object: no
/// list, or another type in it.
Result<std::vector<std::string>> texts(const Object& object, std::string_view key);

}  // namespace bellows::json
