// A YAML or JSON document as a tree with the position of each value in its text.
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

/// One value, read from a text or made to be written (then the positions have no meaning).
struct Node {
  enum class Kind : std::uint8_t {
    kNull,      ///< null, ~, or nothing after the colon
    kScalar,    ///< a text, number or flag
    kSequence,  ///< items
    kMap,       ///< entries
  };
  Kind kind = Kind::kNull;
  bool is_flow = false;    ///< a collection in brackets, as in JSON
  bool is_quoted = false;  ///< a scalar that is a text, whatever it looks like
  bool has_tag = false;    ///< it has a tag, such as "!!map"
  bool is_alias = false;   ///< it is written as *NAME; the rest is a copy of the value of that name
  /// A change of it would change other values too, or its text is elsewhere: it is below an alias,
  /// a merge key, or an anchor that an alias names.
  bool is_shared = false;
  std::uint32_t anchor = 0;  ///< its anchor, or the one that its alias names; 0: none
  std::size_t begin = 0;     ///< position of its beginning; not reliable for kNull
  /// Position of the next value after it, of this collection or of one around it; or the end of the
  /// text. Comments before that value are in between.
  std::size_t bound = 0;
  std::string text;            ///< of a scalar, without quotes
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a map, in the order of the text, "<<" among them
  std::vector<Entry> merged;   ///< what "<<" adds to them, as copies

  bool is_map() const { return kind == Kind::kMap; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_text(std::string_view wanted) const { return is_scalar() && text == wanted; }

  /// Returns the value of `key`, also of a merged one, or nullptr. Keys of a map are unique.
  const Node* find(std::string_view key) const;
  /// Returns the index of `key` among the entries; nullopt if there is none, or a merged one.
  std::optional<std::size_t> index_of(std::string_view key) const;
  /// Returns the value at "template/spec/containers/0", or nullptr.
  const Node* at(std::string_view path) const;
  /// Returns the text of the scalar at `path`; empty if there is none.
  std::string text_at(std::string_view path) const;
  /// Returns the entries of a map without "<<", with what that adds.
  std::vector<const Entry*> all_entries() const;
};

struct Entry {
  Node key;
  Node value;
};

/// The following functions make values to write. A text is quoted if it could be read as another
/// value.
Node text_node(std::string_view text);
Node number_node(std::int64_t number);
Node flag_node(bool flag);
Node map_node(std::vector<std::pair<std::string, Node>> entries);
Node list_node(std::vector<Node> items);

/// Returns true for "<<" with a map or maps.
bool is_merge(const Entry& entry);

/// Returns true for a map in brackets whose keys have quotes, so that its values need them too.
bool is_json(const Node& map);

/// Returns a key as a step of a JSON pointer (RFC 6901).
std::string pointer_step(std::string_view key);

/// The highest number of a port.
inline constexpr std::int64_t kMaxPort = 65535;

/// Returns a plainly written whole number from 0 to `max`, as kubectl reads it (Go, ParseInt with
/// base 0): 8080, 8_080, 0x1f90, 017620 and 0o17620 are one; nullopt for other values.
std::optional<std::int64_t> whole_number(const Node& node, std::int64_t max);

}  // namespace bellows::injector
