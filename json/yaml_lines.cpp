#include "json/yaml_lines.hpp"

#include <utility>

namespace bellows::json {

YamlLines& YamlLines::open(std::string_view key) {
  line(std::string(key) + ":");
  ++depth_;
  return *this;
}

YamlLines& YamlLines::item(std::string_view first) {
  line("- " + std::string(first));
  ++depth_;
  return *this;
}

YamlLines& YamlLines::close() {
  --depth_;
  return *this;
}

YamlLines& YamlLines::plain(std::string_view key, std::string_view value) {
  return line(std::string(key) + ": " + std::string(value));
}

YamlLines& YamlLines::texts(std::string_view key, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + json::quoted(value);
  return plain(key, "[" + list + "]");
}

YamlLines& YamlLines::line(std::string_view text) {
  text_.append(2 * depth_, ' ').append(text).push_back('\n');
  return *this;
}

std::string YamlLines::end() {
  return std::move(text_);
}

}  // namespace bellows::json
