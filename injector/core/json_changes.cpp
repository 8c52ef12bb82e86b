#include "injector/core/json_changes.hpp"

#include <string>
#include <utility>

#include "injector/core/layout.hpp"

namespace bellows::injector {

namespace {

class Comparison {
 public:
  explicit Comparison(std::string_view text) : layout_(text) {}

  void compare(const Node& before, const Node& after, const std::string& path) {
    if (before.is_map() && after.is_map()) return compare_maps(before, after, path);
    const bool may_grow =
        before.is_sequence() && after.is_sequence() && before.items.size() <= after.items.size();
    if (may_grow) return compare_lists(before, after, path);
    const bool is_equal = !after.is_sequence() && !after.is_map() && before.kind == after.kind &&
                          before.is_quoted == after.is_quoted && before.text == after.text;
    if (!is_equal) patch.replace_json(path, raw(after));
  }

  kubernetes::JsonPatch patch;

 private:
  void compare_maps(const Node& before, const Node& after, const std::string& path) {
    for (const Entry& entry : before.entries) {
      if (after.find(entry.key.text) == nullptr) patch.remove(below(path, entry));
    }
    for (const Entry& entry : after.entries) {
      const Node* const was = before.find(entry.key.text);
      if (was == nullptr) {
        patch.add_json(below(path, entry), raw(entry.value));
      } else {
        compare(*was, entry.value, below(path, entry));
      }
    }
  }

  void compare_lists(const Node& before, const Node& after, const std::string& path) {
    for (std::size_t i = 0; i < after.items.size(); ++i) {
      if (i < before.items.size()) {
        compare(before.items[i], after.items[i], path + "/" + std::to_string(i));
      } else {
        patch.add_json(path + "/-", raw(after.items[i]));
      }
    }
  }

  static std::string below(const std::string& path, const Entry& entry) {
    return path + "/" + pointer_step(entry.key.text);
  }

  std::string_view raw(const Node& value) const {
    const auto extent = layout_.value_extent(value);
    if (!extent) return "null";
    return layout_.text().substr(extent->begin, extent->end - extent->begin);
  }

  Layout layout_;
};

}  // namespace

kubernetes::JsonPatch json_changes(const Node& before, const Node& after, std::string_view text) {
  Comparison comparison(text);
  comparison.compare(before, after, "");
  return std::move(comparison.patch);
}

}  // namespace bellows::injector
