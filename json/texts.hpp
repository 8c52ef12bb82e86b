// Lists of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/object.hpp"

namespace bellows::json {

/// The list of texts at `key`. kMalformed, as the getters of Object: no list, or something else in
/// it.
Result<std::vector<std::string>> texts(const Object& object, std::string_view key);

}  // namespace bellows::json
