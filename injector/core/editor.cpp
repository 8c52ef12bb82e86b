#include "injector/core/editor.hpp"

#include <algorithm>

#include "injector/core/render.hpp"
#include "json/yaml_lines.hpp"

namespace bellows::injector {

namespace {

std::string flow_entries(const Editor::Values& entries) {
  std::string text;
  for (const auto& [key, value] : entries) {
    if (!text.empty()) text += ", ";
    text += json::quoted(key) + ": " + json_text(value);
  }
  return text;
}

/// The first value in `value`, itself included, that is shared.
const Node* first_shared(const Node& value) {
  if (value.is_shared) return &value;
  for (const Entry& entry : value.entries) {
    if (const Node* const shared = first_shared(entry.value)) return shared;
  }
  for (const Node& item : value.items) {
    if (const Node* const shared = first_shared(item)) return shared;
  }
  return nullptr;
}

}  // namespace

/// Remembers `value` if a change of it is not allowed.
bool Editor::is_blocked_by(const Node& value) {
  if (sharing_ == Sharing::kIsIgnored || (!value.is_shared && !value.has_tag)) return false;
  if (blocked_ == nullptr) blocked_ = &value;
  return true;
}

bool Editor::is_blocked_within(const Node& value) {
  const Node* const shared = first_shared(value);
  return shared != nullptr && is_blocked_by(*shared);
}

void Editor::change(Extent extent, std::string text, std::size_t depth) {
  changes_.push_back({extent, std::move(text), depth});
}

void Editor::append_in_brackets(const Node& collection, std::string text) {
  const Layout::FlowEnd end = layout_.flow_end(collection);
  if (end.has_comma) {
    text = " " + text + ",";
  } else if (!end.is_empty) {
    text = ", " + text;
  }
  change({end.at, end.at}, std::move(text));
}

/// Returns the extent to remove with a value in brackets: the comma before it, or the one behind it
/// if there is one behind the last value, or for the first value everything up to `next`.
Extent Editor::extent_in_brackets(std::size_t begin, std::size_t end,
                                  std::optional<std::size_t> next) const {
  const std::string_view text = layout_.text();
  const std::size_t before = text.find_last_not_of(" \t\r\n", begin - 1);
  const bool has_comma = text[before] == ',';
  if (!has_comma) return {begin, next.value_or(end)};
  const std::size_t behind = text.find_first_not_of(" \t\r\n", end);
  const bool is_followed = !next && behind < text.size() && text[behind] == ',';
  return is_followed ? Extent{before + 1, behind + 1} : Extent{before, end};
}

bool Editor::append(const Node& map, const Values& entries) {
  if (is_blocked_by(map)) return false;
  for (const Entry& entry : map.merged) {
    const auto is_it = [&entry](const auto& added) { return entry.key.is_text(added.first); };
    if (std::ranges::any_of(entries, is_it) && is_blocked_by(entry.value)) return false;
  }
  if (map.is_flow) {
    append_in_brackets(map, flow_entries(entries));
    return true;
  }
  const std::size_t column = layout_.column(map.entries.front().key.begin);
  const std::size_t at = layout_.entry_end(map, map.entries.size() - 1);
  std::string lines;
  for (const auto& [key, value] : entries) {
    lines += entry_lines(key, value, column, layout_.newline());
  }
  change({at, at}, std::move(lines), column);
  return true;
}

bool Editor::append_item(const Node& sequence, const Node& item) {
  if (is_blocked_by(sequence)) return false;
  if (sequence.is_flow) {
    append_in_brackets(sequence, json_text(item));
    return true;
  }
  const std::size_t column = layout_.column(sequence.begin);
  const std::size_t at = layout_.item_end(sequence, sequence.items.size() - 1);
  change({at, at}, item_lines(item, column, layout_.newline()), column);
  return true;
}

bool Editor::fill(const Node& map, std::size_t index, const Values& entries) {
  const Entry& entry = map.entries[index];
  if (is_blocked_by(map) || is_blocked_by(entry.value)) return false;
  if (entry.value.is_map()) return append(entry.value, entries);
  const std::size_t column = layout_.column(entry.key.begin) + 2;
  std::string lines;
  for (const auto& [key, value] : entries) {
    lines += entry_lines(key, value, column, layout_.newline());
  }
  return fill_null(map, index, "{" + flow_entries(entries) + "}", std::move(lines));
}

bool Editor::fill_list(const Node& map, std::size_t index, const Node& item) {
  const Entry& entry = map.entries[index];
  if (is_blocked_by(map) || is_blocked_by(entry.value)) return false;
  const std::size_t column = layout_.column(entry.key.begin);
  return fill_null(map, index, "[" + json_text(item) + "]",
                   item_lines(item, column, layout_.newline()));
}

bool Editor::fill_null(const Node& map, std::size_t index, std::string in_brackets,
                       std::string lines) {
  const Entry& entry = map.entries[index];
  if (entry.value.kind != Node::Kind::kNull || entry.value.anchor != 0) return false;
  // null and ~ are written out; nothing after the colon has no place of its own.
  const std::string_view written = layout_.text().substr(entry.value.begin);
  const std::size_t word = written.starts_with("null") ? 4 : written.starts_with("~") ? 1 : 0;
  if (word > 0 && layout_.line_begin(entry.value.begin) == layout_.line_begin(entry.key.begin)) {
    change({entry.value.begin, entry.value.begin + word}, std::move(in_brackets));
    return true;
  }
  if (map.is_flow) return false;
  const std::size_t at = layout_.line_end(entry.key.begin);
  change({at, at}, std::move(lines), layout_.column(entry.key.begin) + 2);
  return true;
}

bool Editor::replace(const Node& value, std::string_view raw) {
  if (is_blocked_by(value)) return false;
  const auto extent = layout_.value_extent(value);
  if (!extent) return false;
  change(*extent, std::string(raw));
  return true;
}

std::string_view Editor::raw_text(const Node& value) const {
  const auto extent = layout_.value_extent(value);
  if (!extent) return {};
  return layout_.text().substr(extent->begin, extent->end - extent->begin);
}

Extent Editor::extent_of(const Node& map, std::size_t index) const {
  const std::size_t begin = map.entries[index].key.begin;
  const std::size_t end = layout_.entry_end(map, index);
  const bool is_last = index + 1 == map.entries.size();
  if (map.is_flow) {
    const auto next = is_last ? std::nullopt : std::optional(map.entries[index + 1].key.begin);
    return extent_in_brackets(begin, end, next);
  }
  // The first entry of an item shares its line with the dash.
  if (!layout_.begins_line(begin) && !is_last) return {begin, map.entries[index + 1].key.begin};
  return {layout_.line_begin(begin), end};
}

void Editor::remove(const Node& map, std::size_t index) {
  if (is_blocked_by(map) || is_blocked_within(map.entries[index].value)) return;
  change(extent_of(map, index), "");
}

void Editor::empty(const Node& collection) {
  if (is_blocked_within(collection)) return;
  const bool is_map = collection.is_map();
  const std::size_t first =
      is_map ? collection.entries.front().key.begin : layout_.dash_of(collection, 0);
  const std::size_t end = is_map ? layout_.entry_end(collection, collection.entries.size() - 1)
                                 : layout_.item_end(collection, collection.items.size() - 1);
  change({layout_.line_begin(first), end}, "");
}

void Editor::remove_item(const Node& sequence, std::size_t index) {
  if (is_blocked_by(sequence) || is_blocked_within(sequence.items[index])) return;
  const std::size_t end = layout_.item_end(sequence, index);
  if (!sequence.is_flow) {
    return change({layout_.line_begin(layout_.dash_of(sequence, index)), end}, "");
  }
  const bool is_last = index + 1 == sequence.items.size();
  const auto next = is_last ? std::nullopt : std::optional(sequence.items[index + 1].begin);
  change(extent_in_brackets(sequence.items[index].begin, end, next), "");
}

std::string Editor::take_out(const Node& map, std::size_t index) {
  if (is_blocked_by(map) || is_blocked_within(map.entries[index].value)) return {};
  Extent extent = extent_of(map, index);
  if (index > 0) extent = {layout_.entry_end(map, index - 1), layout_.entry_end(map, index)};
  const bool is_first_of_many = index == 0 && map.entries.size() > 1;
  if (is_first_of_many && !map.is_flow && layout_.begins_line(map.entries[0].key.begin)) {
    extent.end = layout_.line_begin(map.entries[1].key.begin);
  }
  change(extent, "");
  return std::string(layout_.text().substr(extent.begin, extent.end - extent.begin));
}

void Editor::put_back(const Node& map, std::optional<std::size_t> after, std::string_view taken) {
  if (is_blocked_by(map)) return;
  const std::size_t first = map.entries.front().key.begin;
  // Whole lines go before the line of the first entry, others behind its dash or bracket.
  const bool has_lines = !map.is_flow && taken.ends_with('\n');
  const std::size_t before = has_lines ? layout_.line_begin(first) : first;
  const std::size_t at = after ? layout_.entry_end(map, *after) : before;
  change({at, at}, std::string(taken), layout_.column(first));
}

void Editor::roll_back(std::size_t count) {
  changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(count), changes_.end());
  blocked_ = nullptr;
}

std::string Editor::apply() const {
  std::vector<Change> changes = changes_;
  std::ranges::stable_sort(changes, [](const Change& a, const Change& b) {
    if (a.extent.begin != b.extent.begin) return a.extent.begin < b.extent.begin;
    return a.depth > b.depth;
  });
  const std::string_view text = layout_.text();
  std::string result;
  std::size_t from = 0;
  for (const Change& change : changes) {
    if (change.extent.begin > from) result += text.substr(from, change.extent.begin - from);
    result += change.text;
    from = std::max(from, change.extent.end);
  }
  result += text.substr(from);
  return result;
}

}  // namespace bellows::injector
