// Receives what an informer reads.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"

namespace bellows::kubernetes {

/// The list of one kind of objects, kept up to date. During a re-list the old list stays in force:
/// received objects replace their earlier versions at once, and missing ones are removed at
/// list_complete(). An abandoned list needs no call: the next list_begins() restarts. Thread: that
/// of the informer; calls never overlap.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// Returns the fields that put() reads.
  virtual const FieldSet& fields() const = 0;
  /// Stores the current state of an object. An error means that it cannot be used; an earlier
  /// version of it stays.
  virtual Result<void> put(const boost::json::object& pruned) = 0;
  virtual void remove(std::string_view ns, std::string_view name) = 0;
  virtual void list_begins() = 0;
  virtual void list_complete() = 0;
  /// Returns true if exactly this version of the object is in the list. An object that is no newer
  /// than the list must be, unless the server's data has been replaced.
  virtual bool holds(std::string_view ns, std::string_view name, std::string_view uid,
                     std::string_view resource_version) const = 0;
};

}  // namespace bellows::kubernetes
