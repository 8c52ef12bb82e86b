// Reads a stream of JSON unit by unit: prunes each to its kept fields, then parses it, one after
// the other in the same memory.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/json_pruner.hpp"

namespace bellows::kubernetes {

/// Maximum nesting of a kept part; the API's own kinds have less than 20.
inline constexpr std::size_t kMaxKeptDepth = 100;

/// The part that readers of lists and watches share. Owner: one of them.
class UnitReader {
 public:
  /// Takes an object, which is valid until it returns. An error is of this unit only.
  using OnObject = std::function<Result<void>(const boost::json::object& object, bool is_element)>;
  using OnRejected = std::function<void(const Error& error)>;

  UnitReader(FieldSet fields, const JsonPruner::Options& options, OnObject on_object,
             OnRejected on_rejected);
  UnitReader(const UnitReader&) = delete;
  UnitReader& operator=(const UnitReader&) = delete;

  /// Adds a chunk. Returns the error that ended the reader, again in every later call.
  Result<void> feed(std::string_view chunk);
  /// Ends the reader, from within OnObject too.
  void end(Error problem) { problem_ = std::move(problem); }
  const std::optional<Error>& problem() const { return problem_; }
  bool at_boundary() const { return !problem_ && pruner_.at_boundary(); }

 private:
  void take(const JsonPruner::Unit& unit);
  Result<void> read(const JsonPruner::Unit& unit);

  const FieldSet fields_;
  const bool has_elements_;
  OnObject on_object_;
  OnRejected on_rejected_;
  std::array<unsigned char, std::size_t{16} * 1024> buffer_{};
  boost::json::parser parser_;
  std::optional<Error> problem_;
  JsonPruner pruner_;
};

}  // namespace bellows::kubernetes
