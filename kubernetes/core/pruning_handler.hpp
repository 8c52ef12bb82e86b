// Builds objects from a stream of JSON while it is parsed, with only their kept fields.
#pragma once

#include <array>
#include <boost/json/error.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/string_view.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/core/field_set.hpp"

namespace bellows::kubernetes {

/// Maximum size of the kept fields of one object; a larger object is skipped.
inline constexpr std::size_t kMaxObjectBytes = std::size_t{2} * 1024 * 1024;
/// Maximum nesting of kept fields; the API's own kinds have less than 20.
inline constexpr std::size_t kMaxKeptDepth = 100;

/// Handler of boost::json::basic_parser. It passes on unit by unit: a unit is a whole document, or
/// an element of the list under one key of the document; then the document itself follows at the
/// end, with that list empty. Each unit is built in the same memory. What is not kept takes none.
/// Owner: a UnitReader.
class PruningHandler {
 public:
  struct Unit {
    const boost::json::value& value;  ///< valid during the call only
    const std::string& problem;       ///< why the unit has less than its fields; empty: it is whole
    bool is_element;                  ///< an element of the list; false: a document
  };
  /// Takes a unit. Returns false to stop the parser.
  using OnUnit = std::function<bool(const Unit& unit)>;

  /// `fields` outlives this object. An empty `elements_of` makes each document one unit.
  PruningHandler(const FieldSet& fields, std::string_view elements_of, OnUnit on_unit);
  PruningHandler(const PruningHandler&) = delete;
  PruningHandler& operator=(const PruningHandler&) = delete;

  /// Returns true before, between and after documents.
  bool at_boundary() const { return frames_.empty(); }
  /// Ends the dropped value that is being parsed. Returns how many of its brackets are open.
  std::size_t leave_dropped() { return std::exchange(dropped_, 0); }
  /// Returns JSON after which a new parser is where this handler is: behind a value. The handler
  /// ignores it.
  std::string resume();
  void resumed() { dropped_ = 0; }

  // The interface that basic_parser demands.
  using Code = boost::system::error_code;
  using Text = boost::json::string_view;
  static constexpr auto max_object_size = static_cast<std::size_t>(-1);
  static constexpr auto max_array_size = static_cast<std::size_t>(-1);
  static constexpr auto max_key_size = static_cast<std::size_t>(-1);
  static constexpr auto max_string_size = static_cast<std::size_t>(-1);
  static bool on_document_begin(Code& /*code*/) { return true; }
  static bool on_document_end(Code& /*code*/) { return true; }
  bool on_object_begin(Code& /*code*/) { return begin(false); }
  bool on_object_end(std::size_t /*size*/, Code& code) { return end(code); }
  bool on_array_begin(Code& /*code*/) { return begin(true); }
  bool on_array_end(std::size_t /*size*/, Code& code) { return end(code); }
  bool on_key_part(Text part, std::size_t /*size*/, Code& /*code*/) {
    if (dropped_ == 0) key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(Text last, std::size_t /*size*/, Code& /*code*/) {
    if (dropped_ == 0) take_key({last.data(), last.size()});
    return true;
  }
  bool on_string_part(Text part, std::size_t /*size*/, Code& /*code*/) {
    if (is_in_string_ || keeps_value()) take_part(part);
    return true;
  }
  bool on_string(Text last, std::size_t /*size*/, Code& code) {
    return (!is_in_string_ && !keeps_value()) || take_string(last, code);
  }
  static bool on_number_part(Text /*part*/, Code& /*code*/) { return true; }
  bool on_int64(std::int64_t number, Text /*text*/, Code& code) {
    return on_scalar([number](auto& values) { values.push_int64(number); }, code);
  }
  bool on_uint64(std::uint64_t number, Text /*text*/, Code& code) {
    return on_scalar([number](auto& values) { values.push_uint64(number); }, code);
  }
  bool on_double(double number, Text /*text*/, Code& code) {
    return on_scalar([number](auto& values) { values.push_double(number); }, code);
  }
  bool on_bool(bool flag, Code& code) {
    return on_scalar([flag](auto& values) { values.push_bool(flag); }, code);
  }
  bool on_null(Code& code) {
    return on_scalar([](auto& values) { values.push_null(); }, code);
  }
  static bool on_comment_part(Text /*part*/, Code& /*code*/) { return true; }
  static bool on_comment(Text /*last*/, Code& /*code*/) { return true; }

 private:
  /// An open kept value.
  struct Frame {
    const FieldSet::Node* node;
    bool is_list;
    std::size_t kept;  ///< members or elements so far
  };
  /// Where units of one kind are built, one after the other.
  struct Place {
    std::array<unsigned char, std::size_t{16} * 1024> buffer{};
    boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
    boost::json::value_stack values;
    std::size_t bytes = 0;
    std::string problem;
  };

  bool at_elements() const {
    return frames_.size() == 2 && frames_.back().is_list && frames_.back().node == elements_;
  }
  /// Returns the node of the value that begins, or null if it is not kept.
  const FieldSet::Node* node_of_value() const {
    if (frames_.empty()) return root_;
    if (!frames_.back().is_list) return member_;
    return place_->problem.empty() || at_elements() ? frames_.back().node : nullptr;
  }
  bool keeps_value() const { return dropped_ == 0 && node_of_value() != nullptr; }
  bool begin(bool is_list) {
    if (keeps_value()) return begin_kept(is_list);
    ++dropped_;
    return true;
  }
  bool end(Code& code) {
    if (dropped_ == 0) return end_kept(code);
    --dropped_;
    return true;
  }
  void take_key(std::string_view key);
  void take_part(Text part);
  bool take_string(Text last, Code& code);
  void begin_value();
  bool begin_kept(bool is_list);
  bool end_kept(Code& code);
  bool end_value(Code& code);
  bool has_room(std::size_t bytes);

  template <class Push>
  bool on_scalar(Push push, Code& code) {
    if (!keeps_value()) return true;
    begin_value();
    push(place_->values);
    return end_value(code);
  }

  /// More brackets than a text has: drops what resume() returns.
  static constexpr std::size_t kResuming = std::size_t{1} << 32U;

  const FieldSet::Node* root_;
  const FieldSet::Node* elements_;  // node of the list whose elements are units, or null
  OnUnit on_unit_;
  std::vector<Frame> frames_;               // the innermost last
  const FieldSet::Node* member_ = nullptr;  // node of the key that was read last
  std::size_t dropped_ = 0;                 // open brackets of a value that is not kept
  bool is_in_string_ = false;               // a part of a kept string was pushed
  std::string key_;                         // parts of a key that was cut
  Place document_;
  Place element_;
  Place* place_ = &document_;
};

}  // namespace bellows::kubernetes
