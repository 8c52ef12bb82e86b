// Routes as members of a JSON object: in the state file and in orders. Pure.
#pragma once

#include "base/result.hpp"
#include "config/route.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::config {

/// Adds the members host and path_prefix; headers, more and tags only if there are some.
void write_route(json::Writer& out, const Route& route);

/// What write_route() wrote. kMalformed for what is missing, or what no route can be.
Result<Route> read_route(const json::Object& object);
/// The same of an order: a part that is left out matches everything, and it has no tags.
Result<Route> read_asked_route(const json::Object& object);

}  // namespace bellows::config
