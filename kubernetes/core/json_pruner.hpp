// Prunes a stream of JSON to the kept fields before anything is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"

namespace bellows::kubernetes {

/// Copies the kept parts of documents as text and passes them on unit by unit. A unit is a whole
/// document, or an element of the list under one key of the document; then the document itself
/// follows at the end, with that list empty. In the other parts it checks only nesting and the ends
/// of strings, which makes it fast (bench/kubernetes_reader_bench.cpp): most of a pod is
/// managedFields and the spec. The parser of the unit checks the kept parts. Keys with escapes are
/// not recognized. Any depth of nesting takes constant stack. Documents may follow each other;
/// chunks may be cut anywhere. Owner: a reader.
class JsonPruner {
 public:
  struct Unit {
    std::string_view text;  ///< JSON; valid during the call only
    bool is_element;        ///< an element of the list; false: a document
    bool is_too_large;      ///< larger than the limit: `text` is cut off
    std::string_view ns;    ///< /metadata/namespace and /metadata/name, as far as they were read;
    std::string_view name;  ///< raw text between the quotes
  };
  using OnUnit = std::function<void(const Unit& unit)>;

  struct Options {
    std::string_view elements_of;    ///< a key of the document; empty: units are documents
    std::string_view object_member;  ///< the member of a document that has metadata; empty: itself
    std::size_t max_unit_bytes = 0;
  };

  /// `fields` are those of a document. They must outlive the pruner.
  JsonPruner(const FieldSet& fields, Options options, OnUnit on_unit);

  /// Adds a chunk. Returns kMalformed with the byte counted from the beginning if brackets or
  /// punctuation are wrong. Nothing can be read after that.
  Result<void> feed(std::string_view chunk);

  /// Returns true between documents.
  bool at_boundary() const { return frames_.empty() && state_ == State::kValue; }

 private:
  enum class State : std::uint8_t {
    kValue,       ///< a value begins -> any but kKey, kColon; in a list also its end
    kKey,         ///< a key begins, or the object ends
    kInKey,       ///< -> kColon
    kColon,       ///< -> kValue, kSkipValue
    kString,      ///< a kept string -> kAfterValue
    kScalar,      ///< a kept number, true, false, null -> kAfterValue
    kAfterValue,  ///< a comma or the end of the enclosing value
    kSkipValue,   ///< a dropped value begins
    kSkipNested,  ///< within a dropped object or list
    kSkipString,  ///< within a dropped string
    kSkipScalar,  ///< -> kAfterValue
  };
  struct Frame {
    const FieldSet::Node* node;
    bool is_list;
    bool has_member;  ///< a member was kept
    bool needs_more;  ///< after a comma: the end may not follow
  };

  const char* step(const char* at, const char* end);
  const char* begin_value(const char* at);
  const char* begin_key(const char* at);
  const char* read_key(const char* at, const char* end);
  const char* after_colon(const char* at);
  const char* read_string(const char* at, const char* end, bool keep);
  const char* read_scalar(const char* at, const char* end, bool keep);
  const char* after_value(const char* at);
  const char* begin_skip(const char* at);
  const char* skip_nested(const char* at, const char* end);
  const char* wrong(const char* at, std::string_view want);
  void open(bool is_list);
  void close();
  void value_ended();
  void emit(bool is_element);
  void begin_unit();
  void append(std::string_view text);
  void separate();
  bool is_element_level() const;

  const FieldSet::Node* root_;
  const FieldSet::Node* elements_;  // node of the list whose elements are units, or null
  const FieldSet::Node* name_;      // node of /metadata/name, or null if it is not kept
  const FieldSet::Node* ns_;
  std::size_t max_unit_bytes_;
  OnUnit on_unit_;

  State state_ = State::kValue;
  std::vector<Frame> frames_;   // open kept values, the innermost last
  const FieldSet::Node* node_;  // node of the next value
  std::size_t skip_depth_ = 0;  // open brackets within a dropped value
  bool is_escaped_ = false;     // the last byte of the string was a backslash
  std::string key_;             // raw
  std::string out_;             // kept text of the open values
  std::size_t unit_begin_ = 0;  // start of the current unit in out_
  bool is_too_large_ = false;
  std::string unit_name_;
  std::string unit_ns_;
  std::size_t string_begin_ = 0;  // start of the current kept string in out_, after the quote
  std::uint64_t consumed_ = 0;    // bytes before the current chunk
  std::string problem_;
};

}  // namespace bellows::kubernetes
