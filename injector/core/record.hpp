// What an object was before: kept in an annotation, so that it can be restored exactly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::injector {

/// A scalar that was replaced, at a path below the object (or the app's container).
struct ReplacedScalar {
  std::string path;
  std::string was;  ///< its text in the document, quotes included; empty: the key was not there
  std::string is;   ///< the value that was written

  bool operator==(const ReplacedScalar&) const = default;
};

/// An entry that was taken out of the app's container.
struct TakenEntry {
  std::string after;  ///< the key of the entry before it; empty: it was the first
  std::string text;   ///< as Editor::take_out() gave it
  std::size_t column =
      0;  ///< how far its lines are indented; otherwise, outside of brackets, its key
  bool is_flow = false;

  bool operator==(const TakenEntry&) const = default;
};

struct Record {
  std::string version;         ///< of Bellows
  std::string hash;            ///< of the container that was added
  std::string container = {};  ///< the app's; empty for a Service
  bool has_hook = false;       ///< the app got a preStop hook
  /// Maps that were made, by path: "metadata/annotations". Those that are not listed were there.
  std::vector<std::string> made = {};
  /// Maps that were written as null or ~, with that word.
  std::vector<ReplacedScalar> nulls = {};
  std::vector<ReplacedScalar> replaced = {};
  std::optional<TakenEntry> readiness = {};

  bool operator==(const Record&) const = default;
};

std::string record_text(const Record& record);
/// Errors name what is wrong in the annotation.
Result<Record> read_record(std::string_view text);

}  // namespace bellows::injector
