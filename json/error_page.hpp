// An Error as JSON: the body of every failed request to an admin page.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::json {

/// Writes the members kind, culprit and message into the open object.
void write_error(Writer& writer, const Error& error);

/// Returns {"error":{"kind":"not-found","culprit":"shop","message":"..."}} and a line break.
std::string error_page(const Error& error);

/// Reads what write_error() wrote. The result is the error that was written; it is unexpected
/// (kMalformed) if the members are missing, or if the kind is not known here.
Result<Error> read_error(const Object& object);

/// Reads what error_page() wrote. A kind that is not known here (from a newer program) becomes
/// kUnavailable. Returns nothing if `page` is anything else.
std::optional<Error> parse_error_page(std::string_view page);

}  // namespace bellows::json
