#include "tests/support/fake_api_request.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace bellows::test {

namespace {

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ec == std::errc()) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::string FakeApiRequest::parameter(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

std::string FakeApiRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

FakeApiRequest parse_request_head(std::string_view head) {
  FakeApiRequest request;
  const auto lines = split(head, '\n');
  const auto words = split(lines.at(0), ' ');
  request.method = words.at(0);
  const std::string& target = words.at(1);
  const auto question = std::min(target.find('?'), target.size());
  request.path = decoded(target.substr(0, question));
  for (const std::string& pair : split(target.substr(std::min(question + 1, target.size())), '&')) {
    const auto equals = std::min(pair.find('='), pair.size());
    request.query[decoded(pair.substr(0, equals))] =
        decoded(pair.substr(std::min(equals + 1, pair.size())));
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = lines[i].find(':');
    if (colon == std::string::npos) continue;
    std::string name = lines[i].substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string value = lines[i].substr(colon + 1);
    value.erase(value.find_last_not_of("\r ") + 1);
    value.erase(0, value.find_first_not_of(' '));
    request.headers[name] = value;
  }
  return request;
}

std::optional<FakeApiPath> parse_api_path(std::string_view path) {
  auto parts = split(path, '/');
  FakeApiPath made;
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    made.resource.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    made.resource.group = parts[1];
    made.resource.version = parts[2];
    at = 3;
  } else {
    return std::nullopt;
  }
  if (parts[at] == "namespaces" && parts.size() > at + 2) {
    made.ns = parts[at + 1];
    at += 2;
  }
  made.resource.plural = parts[at];
  if (parts.size() > at + 1) made.name = parts[at + 1];
  if (parts.size() > at + 2) made.subresource = parts[at + 2];
  return parts.size() > at + 3 ? std::nullopt : std::optional(made);
}

}  // namespace bellows::test
