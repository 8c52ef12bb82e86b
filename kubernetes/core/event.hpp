// core/v1 Event: an event of an object, shown by `kubectl describe`.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  bool operator==(const ObjectReference&) const = default;
};

struct Event {
  ObjectMeta meta;
  ObjectReference object;
  std::string type;       ///< "Normal" or "Warning"
  std::string reason;     ///< one word in CamelCase
  std::string message;    ///< for people
  std::string component;  ///< reporting component: source.component
  std::int32_t count = 1;
  WallTime first{};
  WallTime last{};
  bool operator==(const Event&) const = default;

  static const FieldSet& fields();
  static Result<Event> from(const boost::json::object& pruned);
};

/// Returns the body of a POST. Without a namespace in the object the event is in "default".
std::string event_json(const Event& event);

}  // namespace bellows::kubernetes
