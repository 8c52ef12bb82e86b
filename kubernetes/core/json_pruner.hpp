// Cuts a stream of JSON down to the fields that are kept, before anything is parsed.
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

/// Copies the kept parts of documents as text and hands them over unit by unit. A unit is a whole
/// document, or an element of the list under one key of the document; then the document itself
/// follows at the end, with that list empty. Of what is not kept only nesting and ends of strings
/// are looked at, which is where the speed comes from (bench/kubernetes_reader_bench.cpp): most of
/// a pod is managedFields and the spec. What is kept is checked by the parser of the unit. Keys
/// that are written with escapes are not recognized. Any depth of nesting takes constant stack.
/// Owner: a reader. Documents may follow each other; chunks may be cut anywhere.
class JsonPruner {
 public:
  struct Unit {
    std::string_view text;  ///< JSON; valid during the call only
    bool is_element;        ///< of the list; else a document
    bool is_too_large;      ///< over the limit: `text` is cut off
    std::string_view ns;  ///< of /metadata/namespace and /metadata/name, as far as they were read;
    std::string_view name;  ///< raw text between the quotes
  };
  using OnUnit = std::function<void(const Unit& unit)>;

  struct Options {
    std::string_view elements_of;    ///< a key of the document; empty: units are documents
    std::string_view object_member;  ///< the member of a document that has metadata; empty: itself
    std::size_t max_unit_bytes = 0;
  };

  /// `fields` are those of a document. They live as long as the pruner.
  JsonPruner(const FieldSet& fields, Options options, OnUnit on_unit);

  /// kMalformed, with the byte counted from the beginning: brackets or punctuation are wrong.
  /// Nothing can be read after that.
  Result<void> feed(std::string_view chunk);

  /// True between documents.
  bool at_boundary() const { return frames_.empty() && state_ == State::kValue; }

 private:
  enum class State : std::uint8_t {
    kValue,       ///< a value begins -> any but kKey, kColon; in a list also its end
    kKey,         ///< a key begins, or the object ends
    kInKey,       ///< -> kColon
    kColon,       ///< -> kValue, kSkipValue
    kString,      ///< a kept string -> kAfterValue
    kScalar,      ///< a kept number, true, false, null -> kAfterValue
    kAfterValue,  ///< a comma or the end of what encloses it
    kSkipValue,   ///< a value that is not kept begins
    kSkipNested,  ///< within an object or list that is not kept
    kSkipString,  ///< within a string that is not kept
    kSkipScalar,  ///< -> kAfterValue
  };
  struct Frame {
    const FieldSet::Node* node;
    bool is_list;
    bool has_member;  ///< something of it was kept
    bool needs_more;  ///< after a comma: no end may follow
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
  const FieldSet::Node* elements_;  // the node of the list whose elements are units, or null
  const FieldSet::Node* name_;      // of /metadata/name, or null if it is not kept
  const FieldSet::Node* ns_;
  std::size_t max_unit_bytes_;
  OnUnit on_unit_;

  State state_ = State::kValue;
  std::vector<Frame> frames_;   // what is open and kept, the innermost last
  const FieldSet::Node* node_;  // of the value that comes next
  std::size_t skip_depth_ = 0;  // brackets open within what is not kept
  bool is_escaped_ = false;     // the last byte of the string was a backslash
  std::string key_;             // raw
  std::string out_;             // the kept text of what is open
  std::size_t unit_begin_ = 0;  // of the current unit in out_
  bool is_too_large_ = false;
  std::string unit_name_;
  std::string unit_ns_;
  std::size_t string_begin_ = 0;  // of the current kept string in out_, after the quote
  std::uint64_t consumed_ = 0;    // bytes before the chunk
  std::string problem_;
};

}  // namespace bellows::kubernetes
