#include "cluster/local/environment_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "base/text_parts.hpp"

namespace bellows::cluster {

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(
             text, [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; });
}

std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.front() == value.back() &&
                         (value.front() == '"' || value.front() == '\'');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

Result<std::map<std::string, std::string>> parse_environment_file(std::string_view text,
                                                                  const std::string& name) {
  std::map<std::string, std::string> variables;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = next_part(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t sign = line.find('=');
    const std::string_view key = line.substr(0, sign);
    const std::string culprit = name + ":" + std::to_string(number);
    // The value may be a secret, so the error does not contain it.
    if (sign == std::string_view::npos || !is_name(key)) {
      return fail(ErrorKind::kInvalidSetting, culprit,
                  "want NAME=VALUE, an empty line or # and text");
    }
    if (key == "PORT") {
      return fail(ErrorKind::kInvalidSetting, culprit,
                  "PORT is set by Bellows, a different port for every replica; want it left out");
    }
    variables.insert_or_assign(std::string(key), std::string(unquoted(line.substr(sign + 1))));
  }
  return variables;
}

}  // namespace bellows::cluster
