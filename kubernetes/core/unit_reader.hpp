// Reads a stream of JSON unit by unit, each pruned to its kept fields.
#pragma once

#include <boost/json/basic_parser.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/pruning_handler.hpp"

namespace bellows::kubernetes {

/// The part that readers of lists and watches share. Documents may follow each other; chunks may be
/// cut anywhere. Values that are not kept may be nested to any depth: beyond kMaxParsedDepth only
/// their brackets and strings are followed. Owner: one of the readers.
class UnitReader {
 public:
  /// Takes an object, which is valid until it returns. An error is of this unit only.
  using OnObject = std::function<Result<void>(const boost::json::object& object, bool is_element)>;
  using OnRejected = std::function<void(const Error& error)>;
  struct Shape {
    std::string_view elements_of;  ///< key of the list whose elements are units; empty: documents
    std::string_view object_at;    ///< JSON pointer within a unit to the object of the API
  };

  UnitReader(FieldSet fields, const Shape& shape, OnObject on_object, OnRejected on_rejected);
  UnitReader(const UnitReader&) = delete;
  UnitReader& operator=(const UnitReader&) = delete;

  /// Adds a chunk. Returns the error that ended the reader, again in every later call.
  Result<void> feed(std::string_view chunk);
  /// Ends the reader, from within OnObject too.
  void end(Error problem) { problem_ = std::move(problem); }
  const std::optional<Error>& problem() const { return problem_; }
  bool at_boundary() const { return !problem_ && parser_.handler().at_boundary(); }

 private:
  std::size_t parse(std::string_view text);
  std::size_t skip(std::string_view text);
  bool take(const PruningHandler::Unit& unit);
  Result<void> use(const PruningHandler::Unit& unit);

  const FieldSet fields_;
  const Shape shape_;
  OnObject on_object_;
  OnRejected on_rejected_;
  std::optional<Error> problem_;
  boost::json::basic_parser<PruningHandler> parser_;
  std::uint64_t consumed_ = 0;  // bytes before the text that is parsed
  std::uint64_t taken_ = 0;     // units so far
  // A value that is nested too deep to be parsed, and is not kept.
  std::size_t open_brackets_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;  // the last byte of the string was a backslash
};

}  // namespace bellows::kubernetes
