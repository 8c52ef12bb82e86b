// The original of an injected object, stored in an annotation so that it can be restored exactly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::injector {

/// A replaced scalar, at a path below the object (or the app's container).
struct ReplacedScalar {
  std::string path;
  std::string was;  ///< its text in the document, quotes included; empty: the key was missing
  std::string is;   ///< the value that was written

  bool operator==(const ReplacedScalar&) const = default;
};

/// An entry that was removed from the app's container.
struct TakenEntry {
  std::string after;       ///< key of the previous entry; empty: it was the first
  std::string text;        ///< result of Editor::take_out()
  std::size_t column = 0;  ///< indentation of its lines, or of its key outside of brackets
  bool is_flow = false;

  bool operator==(const TakenEntry&) const = default;
};

/// An alias or a merge key that was written out.
struct SharedValue {
  std::string path;        ///< of the value, or of the map with the merge key: a JSON pointer
                           ///< (RFC 6901) from the root of the document
  std::string alias = {};  ///< "*NAME"; empty for a merge key
  std::vector<std::string> keys = {};  ///< the entries that were written instead of a merge key
  TakenEntry merge = {};               ///< the merge key

  bool operator==(const SharedValue&) const = default;
};

struct Record {
  std::string version;         ///< of Bellows
  std::string hash;            ///< of the added container
  std::string container = {};  ///< the app's; empty for a Service
  bool has_hook = false;       ///< the app got a preStop hook
  /// Paths of the maps that were added: "metadata/annotations". Other maps existed.
  std::vector<std::string> made = {};
  /// Maps that were written as null or ~, with that text.
  std::vector<ReplacedScalar> nulls = {};
  std::vector<ReplacedScalar> replaced = {};
  std::optional<TakenEntry> readiness = {};
  std::vector<SharedValue> shared = {};  ///< in the order in which they were written out

  bool operator==(const Record&) const = default;
};

std::string record_text(const Record& record);
/// Parses the annotation. Errors name the problem in it.
Result<Record> read_record(std::string_view text);

}  // namespace bellows::injector
