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

std::vector<std::string> check_lines(const std::vector<CheckItem>& items, bool with_colour) {
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
