// Routes as members of a JSON object: in the state file and in orders. Pure.
#pragma once

#include "base/result.hpp"
#include "config/route.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::config {

/// Adds the members host and path_prefix; headers, more and tags only if there are some.
void write_route(json::Writer& out, const Route& route);

/// Reads what write_route() wrote. kMalformed for a missing member, or one that no route can have.
Result<Route> read_route(const json::Object& object);
/// Does the same for an order: a part that is left out matches everything, and it has no tags.
Result<Route> read_asked_route(const json::Object& object);

}  // namespace bellows::config
