// Routes as members of a JSON object: in the state file and in orders. Pure.
#pragma once

#include "base/result.hpp"
#include "config/route.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::config {

/// Adds the members host and path_prefix; headers, more and tags only if there are some.
void write_route(json::Writer& out, const Route& route);

/// Reads the text of write_route(). kMalformed for a missing member or an invalid one.
Result<Route> read_route(const json::Object& object);
/// Reads the route of an order: a missing part matches everything, and there are no tags.
Result<Route> read_asked_route(const json::Object& object);

}  // namespace bellows::config
