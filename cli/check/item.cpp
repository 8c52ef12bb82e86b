#include "cli/check/item.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "json/writer.hpp"

namespace bellows::cli {

namespace {

std::string_view result_text(CheckItem::Result result) {
  switch (result) {
    case CheckItem::Result::kOk:
      return "ok";
    case CheckItem::Result::kFailed:
      return "failed";
    case CheckItem::Result::kNote:
      return "note";
    case CheckItem::Result::kUnknown:
      break;
  }
  return "unknown";
}

/// Escape sequences of ECMA-48: green, red, blue, yellow.
std::string_view colour_of(CheckItem::Result result) {
  switch (result) {
    case CheckItem::Result::kOk:
      return "\x1b[32m";
    case CheckItem::Result::kFailed:
      return "\x1b[31m";
    case CheckItem::Result::kNote:
      return "\x1b[34m";
    case CheckItem::Result::kUnknown:
      break;
  }
  return "\x1b[33m";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

constexpr std::size_t kResultWidth = 9;  // of "unknown" and two blanks
constexpr std::size_t kMostAlike = 3;    // items that differ only in the object, each on its line

/// Returns "revision" of "revision shop/web".
std::string_view kind_of(const CheckItem& item) {
  return std::string_view(item.name).substr(0, item.name.find(' '));
}

bool is_alike(const CheckItem& a, const CheckItem& b) {
  return a.result == b.result && kind_of(a) == kind_of(b) && a.text == b.text && a.hint == b.hint;
}

/// Returns items for people: of more than three that differ only in the object, the first one, with
/// the names or the number of the others.
std::vector<CheckItem> merged(const std::vector<CheckItem>& items) {
  std::vector<CheckItem> all;
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::ranges::find(done, i) != done.end()) continue;
    std::vector<std::size_t> others;
    for (std::size_t j = i + 1; j < items.size(); ++j) {
      if (is_alike(items[i], items[j])) others.push_back(j);
    }
    all.push_back(items[i]);
    if (others.size() < kMostAlike) continue;
    std::string names;
    for (std::size_t k = 0; k < std::min(others.size(), kMostAlike); ++k) {
      const CheckItem& other = items[others[k]];
      names += ", " + other.name.substr(std::min(kind_of(other).size() + 1, other.name.size()));
    }
    const std::size_t rest = others.size() - std::min(others.size(), kMostAlike);
    if (rest > 0) names += " and " + std::to_string(rest) + " more";
    all.back().text += " (as well: " + names.substr(2) + ")";
    done.insert(done.end(), others.begin(), others.end());
  }
  return all;
}

}  // namespace

CheckItem passed(std::string name, std::string text) {
  return {CheckItem::Result::kOk, std::move(name), std::move(text), ""};
}

CheckItem failed(std::string name, std::string text, std::string hint) {
  return {CheckItem::Result::kFailed, std::move(name), std::move(text), std::move(hint)};
}

CheckItem noted(std::string name, std::string text, std::string hint) {
  return {CheckItem::Result::kNote, std::move(name), std::move(text), std::move(hint)};
}

CheckItem unknown(std::string name, std::string text, std::string hint) {
  return {CheckItem::Result::kUnknown, std::move(name), std::move(text), std::move(hint)};
}

std::string apply_hint(std::string_view file) {
  return "helm upgrade, or kubectl apply -f deploy/" + std::string(file);
}

bool has_failed(const std::vector<CheckItem>& items) {
  return std::ranges::any_of(
      items, [](const CheckItem& item) { return item.result == CheckItem::Result::kFailed; });
}

std::vector<std::string> check_lines(const std::vector<CheckItem>& found, bool with_colour) {
  const std::vector<CheckItem> items = merged(found);
  std::size_t width = 0;
  for (const CheckItem& item : items) width = std::max(width, item.name.size());
  std::vector<std::string> lines;
  for (const CheckItem& item : items) {
    std::string result = padded(std::string(result_text(item.result)), kResultWidth);
    if (with_colour) result = std::string(colour_of(item.result)) + result + "\x1b[0m";
    lines.push_back(result + padded(item.name, width) + "  " + item.text);
    if (!item.hint.empty()) {
      lines.push_back(std::string(kResultWidth + width, ' ') + "  hint: " + item.hint);
    }
  }
  return lines;
}

std::string check_json(const std::vector<CheckItem>& items) {
  json::Writer writer;
  writer.integer("version", 1);
  writer.text("result",
              result_text(has_failed(items) ? CheckItem::Result::kFailed : CheckItem::Result::kOk));
  writer.open_list("items");
  for (const CheckItem& item : items) {
    writer.open().text("name", item.name).text("result", result_text(item.result));
    writer.text("text", item.text);
    if (!item.hint.empty()) writer.text("hint", item.hint);
    writer.close();
  }
  writer.close();
  return writer.end_line();
}

}  // namespace bellows::cli
