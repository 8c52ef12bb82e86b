// Changes one document by splicing its text: unchanged parts keep every byte, comments included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "injector/core/layout.hpp"
#include "injector/core/node.hpp"

namespace bellows::injector {

/// Collects changes and applies them together, so all places are those of the tree that was read.
/// Text and tree must outlive it. A change returns false, and changes nothing, if the text does not
/// allow it (a scalar over several lines). A value that an anchor, an alias or a merge key shares
/// is not changed either; blocked() returns it. Owner: the function that changes a document.
class Editor {
 public:
  enum class Sharing : std::uint8_t { kBlocks, kIsIgnored };
  explicit Editor(std::string_view text, Sharing sharing = Sharing::kBlocks)
      : layout_(text), sharing_(sharing) {}

  const Layout& layout() const { return layout_; }

  using Values = std::vector<std::pair<std::string, Node>>;

  /// Appends entries after the last one of `map`.
  bool append(const Node& map, const Values& entries);
  /// Appends an item after the last one of `sequence`.
  bool append_item(const Node& sequence, const Node& item);
  /// Sets these entries in the entry `index` of `map`, whose value is null or {}.
  bool fill(const Node& map, std::size_t index, const Values& entries);
  /// The same for an item of a list, whose value is null.
  bool fill_list(const Node& map, std::size_t index, const Node& item);
  /// Replaces a scalar, or a collection in brackets, by `raw` unchanged.
  bool replace(const Node& value, std::string_view raw);
  /// Returns the text that replace() would replace; empty if it cannot.
  std::string_view raw_text(const Node& value) const;
  /// Removes an entry. Comments above it stay.
  void remove(const Node& map, std::size_t index);
  /// Removes everything within a collection in block style, and leaves its key without a value.
  void empty(const Node& collection);
  void remove_item(const Node& sequence, std::size_t index);

  /// Removes an entry with the comments above it: everything between the end of the previous entry
  /// and its own end; for the first entry everything up to the second. Returns the text for
  /// put_back().
  std::string take_out(const Node& map, std::size_t index);
  /// Restores it after the entry `after`; `nullopt`: before the first one.
  void put_back(const Node& map, std::optional<std::size_t> after, std::string_view taken);

  /// Blocks the editor: a change of `value`, which a merge key adds, is needed.
  void block(const Node& value) { is_blocked_by(value); }
  /// Returns the first shared value that a change would have needed; nullptr: none.
  const Node* blocked() const { return blocked_; }
  std::size_t change_count() const { return changes_.size(); }
  /// Forgets all changes behind the first `count`, and what blocked one of them.
  void roll_back(std::size_t count);
  bool is_unchanged() const { return changes_.empty(); }
  /// Returns the text with all changes.
  std::string apply() const;

 private:
  struct Change {
    Extent extent;
    std::string text;
    std::size_t depth = 0;  // of changes at one place the deepest is first
  };
  void change(Extent extent, std::string text, std::size_t depth = 0);
  bool is_blocked_by(const Node& value);
  bool is_blocked_within(const Node& value);
  bool fill_null(const Node& map, std::size_t index, std::string in_brackets, std::string lines);
  void append_in_brackets(const Node& collection, std::string text);
  Extent extent_in_brackets(std::size_t begin, std::size_t end,
                            std::optional<std::size_t> next) const;
  Extent extent_of(const Node& map, std::size_t index) const;

  Layout layout_;
  Sharing sharing_;
  const Node* blocked_ = nullptr;
  std::vector<Change> changes_;
};

}  // namespace bellows::injector
