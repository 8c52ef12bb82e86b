#include "config/route.hpp"

#include <algorithm>
#include <utility>

#include "base/text_parts.hpp"
#include "config/header_text.hpp"

namespace bellows::config {
namespace {

std::string headers_text(const std::vector<HeaderMatch>& headers) {
  std::string text;
  for (const HeaderMatch& header : headers) text += (text.empty() ? "" : ", ") + to_string(header);
  return text;
}

}  // namespace

std::vector<RouteRule> rules_of(const Route& route) {
  std::vector<RouteRule> rules = {
      {.host = route.host, .path_prefix = route.path_prefix, .headers = route.headers}};
  rules.insert(rules.end(), route.more.begin(), route.more.end());
  return rules;
}

Route route_of(const std::vector<RouteRule>& rules) {
  if (rules.empty()) return {};
  const RouteRule& first = rules.front();
  return {.host = first.host,
          .path_prefix = first.path_prefix,
          .headers = first.headers,
          .more = {rules.begin() + 1, rules.end()}};
}

std::vector<RouteRule> tag_rules(const Route& route) {
  std::vector<RouteRule> rules;
  if (route.tags.empty()) return rules;
  for (const RouteRule& rule : rules_of(route)) {
    if (rule.host.empty() || rule.host.starts_with('*')) continue;
    for (const std::string& tag : route.tags) {
      rules.push_back(rule);
      rules.back().host = tag + "." + rule.host;
    }
  }
  return rules;
}

bool may_have_tags(const Route& route) {
  const std::vector<RouteRule> rules = rules_of(route);
  return std::ranges::any_of(rules, [](const RouteRule& rule) {
    return !rule.host.empty() && !rule.host.starts_with('*');
  });
}

Result<HeaderMatch> read_header_match(std::string_view text) {
  const std::size_t colon = text.find(':');
  HeaderMatch match{.name = lower_case(trimmed(text.substr(0, colon), " \t"))};
  bool is_valid = is_field_name(match.name);
  if (colon != std::string_view::npos) {
    match.value = trimmed(text.substr(colon + 1), " \t");
    is_valid = is_valid && !match.value->empty() && is_field_value(*match.value);
  }
  if (!is_valid) {
    return fail(ErrorKind::kInvalidSetting, "headers",
                "\"" + std::string(text) +
                    "\": want the name of a header field (X-Debug) or a name and a value "
                    "(X-Version: 2)");
  }
  if (match.name == "host") {
    return fail(ErrorKind::kInvalidSetting, "headers",
                "\"" + std::string(text) + "\": want the host under host");
  }
  return match;
}

void put_in_order(std::vector<HeaderMatch>& headers) {
  std::ranges::sort(headers);
  headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
}

std::string to_string(const HeaderMatch& match) {
  return match.value ? match.name + ": " + *match.value : match.name;
}

std::string to_string(const RouteRule& rule) {
  std::string text = rule.host + rule.path_prefix;
  if (text.empty()) text = "any host";
  if (!rule.headers.empty()) text += " (" + headers_text(rule.headers) + ")";
  return text;
}

std::string to_string(const Route& route) {
  std::string text;
  for (const RouteRule& rule : rules_of(route)) {
    text += (text.empty() ? "" : ", ") + to_string(rule);
  }
  return text;
}

std::string described(const RouteRule& rule) {
  std::string text = rule.host.empty() ? "any host" : "host " + rule.host;
  text += rule.path_prefix.empty() ? " and any path" : " and path-prefix " + rule.path_prefix;
  if (!rule.headers.empty()) text += " and headers " + headers_text(rule.headers);
  return text;
}

}  // namespace bellows::config
