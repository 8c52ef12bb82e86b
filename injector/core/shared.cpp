#include "injector/core/shared.hpp"

#include <algorithm>
#include <utility>

#include "base/read_number.hpp"
#include "injector/core/compare.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/render.hpp"
#include "json/yaml_lines.hpp"

namespace bellows::injector {

namespace {

constexpr std::string_view kMerge = "<<";

std::string unescaped(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool is_escape = step[i] == '~' && i + 1 < step.size();
    key += !is_escape ? step[i] : step[i + 1] == '1' ? '/' : '~';
    if (is_escape) ++i;
  }
  return key;
}

/// The value at a JSON pointer that stands in the text, so not one that a merge key adds.
const Node* at_pointer(const Node& root, std::string_view pointer) {
  const Node* node = &root;
  while (!pointer.empty() && node != nullptr) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    if (node->is_sequence()) {
      const auto index = read_number<std::size_t>(step);
      node = index && *index < node->items.size() ? &node->items[*index] : nullptr;
    } else {
      const auto index = node->index_of(unescaped(step));
      node = index ? &node->entries[*index].value : nullptr;
    }
  }
  return node;
}

/// A step on the way to a value.
struct Step {
  const Node* node = nullptr;
  std::string path;
  bool is_merged = false;  // a merge key of the node before it adds it
};

/// The steps from `node` to `value`, both included; empty: it is not there.
std::vector<Step> way_to(const Node& value, const Node& node, const std::string& path,
                         bool is_merged = false) {
  if (&node == &value) return {{&node, path, is_merged}};
  const auto within = [&](const Node& inner, const std::string& step, bool inner_is_merged) {
    std::vector<Step> way = way_to(value, inner, path + "/" + step, inner_is_merged);
    if (!way.empty()) way.insert(way.begin(), {&node, path, is_merged});
    return way;
  };
  for (const Entry& entry : node.entries) {
    auto way = within(entry.value, pointer_step(entry.key.text), false);
    if (!way.empty()) return way;
  }
  for (const Entry& entry : node.merged) {
    auto way = within(entry.value, pointer_step(entry.key.text), true);
    if (!way.empty()) return way;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    auto way = within(node.items[i], std::to_string(i), false);
    if (!way.empty()) return way;
  }
  return {};
}

/// The same value as it is read: without merge keys, and with nothing that says how it was written.
Node plain(const Node& node) {
  Node made;
  made.kind = node.kind;
  made.is_quoted = node.is_quoted;
  made.text = node.text;
  for (const Node& item : node.items) made.items.push_back(plain(item));
  for (const Entry* const entry : node.all_entries()) {
    made.entries.push_back({.key = text_node(entry->key.text), .value = plain(entry->value)});
  }
  return made;
}

/// In brackets. Words that are no text (yes, 0x1F, 1.5) stay words.
std::string bracketed(const Node& value) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+/-";
  if (value.kind == Node::Kind::kNull) return "null";
  if (value.is_scalar()) {
    const bool is_word = !value.is_quoted && !value.text.empty() &&
                         value.text.find_first_not_of(kSafe) == std::string::npos;
    return is_word ? value.text : json::quoted(value.text);
  }
  std::string text = value.is_map() ? "{" : "[";
  for (const Entry& entry : value.entries) {
    if (text.size() > 1) text += ", ";
    text += json::quoted(entry.key.text) + ": " + bracketed(entry.value);
  }
  for (const Node& item : value.items) {
    if (text.size() > 1) text += ", ";
    text += bracketed(item);
  }
  return text + (value.is_map() ? "}" : "]");
}

bool means_the_same(const Node& a, const Node& b) {
  return is_up_to_date(a, b) && is_up_to_date(b, a);
}

/// Takes `text` as the document if it means what the document means. So an editor of such a text
/// need not look at what is shared.
bool exchange(Document& document, std::string text, const ReadDocument& read) {
  auto root = read(text);
  if (!root || !means_the_same(document.root, *root)) return false;
  document.text = std::move(text);
  document.root = std::move(*root);
  return true;
}

/// An alias in the text.
struct Alias {
  const Node* node = nullptr;
  std::string path;
};

/// The aliases of `anchor` below `node`, in the order of the text.
void find_aliases(const Node& node, const std::string& path, std::uint32_t anchor,
                  std::vector<Alias>& found) {
  if (node.is_alias) {
    if (node.anchor == anchor) found.push_back({&node, path});
    return;
  }
  for (const Entry& entry : node.entries) {
    find_aliases(entry.value, path + "/" + pointer_step(entry.key.text), anchor, found);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    find_aliases(node.items[i], path + "/" + std::to_string(i), anchor, found);
  }
}

std::vector<SharedValue> write_out_aliases(Document& document, std::vector<Alias> aliases,
                                           const ReadDocument& read) {
  std::vector<SharedValue> done;
  std::string text = document.text;
  std::ranges::reverse(aliases);  // so that the places of those before stay
  for (const Alias& alias : aliases) {
    const std::size_t begin = alias.node->begin;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,]}", begin), text.size());
    done.push_back({.path = alias.path, .alias = text.substr(begin, end - begin)});
    text.replace(begin, end - begin, bracketed(plain(*alias.node)));
  }
  return exchange(document, std::move(text), read) ? done : std::vector<SharedValue>();
}

std::vector<SharedValue> write_out_merge(Document& document, const Step& holder,
                                         const ReadDocument& read) {
  const Node& map = *holder.node;
  const std::size_t index = *map.index_of(kMerge);
  Editor editor(document.text, Editor::Sharing::kIsIgnored);
  SharedValue done{.path = holder.path, .keys = {}};
  Editor::Values values;
  for (const Entry& entry : map.merged) {
    done.keys.push_back(entry.key.text);
    values.emplace_back(entry.key.text, plain(entry.value));
  }
  const std::size_t begin = map.entries[index].key.begin;
  done.merge = {.after = index == 0 ? "" : map.entries[index - 1].key.text,
                .text = editor.take_out(map, index),
                .column = map.is_flow ? 0 : editor.layout().column(begin),
                .is_flow = map.is_flow};
  editor.append(map, values);
  if (!exchange(document, editor.apply(), read)) return {};
  return {std::move(done)};
}

bool put_merge_back(Document& document, const Node& map, const SharedValue& shared,
                    const ReadDocument& read) {
  if (map.is_flow != shared.merge.is_flow || !map.is_map()) return false;
  Editor editor(document.text, Editor::Sharing::kIsIgnored);
  for (const std::string& key : shared.keys) {
    const auto index = map.index_of(key);
    if (!index) return false;
    editor.remove(map, *index);
  }
  const auto after = map.index_of(shared.merge.after);
  if (!after && !shared.merge.after.empty()) return false;
  editor.put_back(map, after, shared.merge.text);
  return editor.blocked() == nullptr && exchange(document, editor.apply(), read);
}

}  // namespace

std::vector<SharedValue> write_out(Document& document, const Node& value,
                                   const ReadDocument& read) {
  const std::vector<Step> way = way_to(value, document.root, "");
  for (std::size_t i = 0; i < way.size(); ++i) {
    const Step& step = way[i];
    if (step.is_merged) return write_out_merge(document, way[i - 1], read);
    if (step.node->is_alias) {
      return write_out_aliases(document, {{step.node, step.path}}, read);
    }
    if (step.node->anchor == 0) continue;
    std::vector<Alias> aliases;
    find_aliases(document.root, "", step.node->anchor, aliases);
    if (!aliases.empty()) return write_out_aliases(document, std::move(aliases), read);
  }
  return {};
}

bool put_back(Document& document, const SharedValue& shared, const ReadDocument& read) {
  const Node* const value = at_pointer(document.root, shared.path);
  if (value == nullptr) return false;
  if (shared.alias.empty()) return put_merge_back(document, *value, shared, read);
  Editor editor(document.text, Editor::Sharing::kIsIgnored);
  return editor.replace(*value, shared.alias) && exchange(document, editor.apply(), read);
}

}  // namespace bellows::injector
