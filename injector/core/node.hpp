// A YAML or JSON document as a tree that knows where each value stands in its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::injector {

struct Entry;

/// One value, read from a text or made to be written into one (then the places mean nothing).
struct Node {
  enum class Kind : std::uint8_t {
    kNull,      ///< null, ~, or nothing after the colon
    kScalar,    ///< a text, number or flag
    kAlias,     ///< *NAME; what it means is not resolved
    kSequence,  ///< items
    kMap,       ///< entries
  };
  Kind kind = Kind::kNull;
  bool is_flow = false;         ///< a collection in brackets, as in JSON
  bool is_quoted = false;       ///< a scalar: it is a text, whatever it looks like
  bool has_properties = false;  ///< an anchor or a tag stands before it
  std::size_t begin = 0;        ///< where it begins; not reliable for kNull
  /// Where the next value after it begins, of this collection or of one around it; or the end of
  /// the text. Comments before that value stand in between.
  std::size_t bound = 0;
  std::string text;            ///< of a scalar, without quotes
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a map, in the order of the text

  bool is_map() const { return kind == Kind::kMap; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_text(std::string_view wanted) const { return is_scalar() && text == wanted; }

  /// The value of `key`, or nullptr. A map has each key once.
  const Node* find(std::string_view key) const;
  /// The place of `key` among the entries; nullopt if there is none.
  std::optional<std::size_t> index_of(std::string_view key) const;
  /// The value at "template/spec/containers/0", or nullptr.
  const Node* at(std::string_view path) const;
  /// The text of the scalar at `path`; empty if there is none.
  std::string text_at(std::string_view path) const;
};

struct Entry {
  Node key;
  Node value;
};

/// Makers of values to write. A text is quoted where it could be read as anything else.
Node text_node(std::string_view text);
Node number_node(std::int64_t number);
Node flag_node(bool flag);
Node map_node(std::vector<std::pair<std::string, Node>> entries);
Node list_node(std::vector<Node> items);

/// True for a map in brackets whose keys have quotes: its values need them too.
bool is_json(const Node& map);

/// The highest number of a port.
inline constexpr std::int64_t kMaxPort = 65535;

/// A whole number from 0 to `max`, written plainly; nullopt: it is anything else.
std::optional<std::int64_t> whole_number(const Node& node, std::int64_t max);

}  // namespace bellows::injector
