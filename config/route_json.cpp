#include "config/route_json.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text_formats.hpp"
#include "json/texts.hpp"

namespace bellows::config {
namespace {

void write_headers(json::Writer& out, const std::vector<HeaderMatch>& headers) {
  if (headers.empty()) return;
  out.open_list("headers");
  for (const HeaderMatch& header : headers) out.text(to_string(header));
  out.close();
}

Result<std::string> read_one_text(const json::Object& object, std::string_view key,
                                  const TextFormat& format) {
  BELLOWS_TRY(const std::string given, object.text(key));
  if (auto value = format.read(given)) return *std::move(value);
  return fail(object.invalid(key, format.want));
}

/// Reads the texts of a list that may be missing.
Result<std::vector<std::string>> read_texts(const json::Object& object, std::string_view key) {
  if (!object.has(key)) return std::vector<std::string>();
  return json::texts(object, key);
}

/// Selects if host and path_prefix may be left out.
enum class Missing : std::uint8_t { kError, kAny };

Result<RouteRule> read_rule(const json::Object& object, Missing missing) {
  const auto is_asked = [&](std::string_view key) {
    return missing == Missing::kError || object.has(key);
  };
  RouteRule rule;
  if (is_asked("host")) {
    BELLOWS_TRY(rule.host, read_one_text(object, "host", host_pattern_format()));
  }
  if (is_asked("path_prefix")) {
    BELLOWS_TRY(rule.path_prefix, read_one_text(object, "path_prefix", path_prefix_format()));
  }
  BELLOWS_TRY(const std::vector<std::string> headers, read_texts(object, "headers"));
  if (headers.size() > kMaxHeaderMatches) return fail(object.invalid("headers", "at most 16"));
  for (const std::string& text : headers) {
    BELLOWS_TRY(HeaderMatch match, read_header_match(text));
    rule.headers.push_back(std::move(match));
  }
  put_in_order(rule.headers);
  return rule;
}

Result<Route> read_rules(const json::Object& object, Missing missing) {
  BELLOWS_TRY(RouteRule first, read_rule(object, missing));
  Route route{.host = std::move(first.host),
              .path_prefix = std::move(first.path_prefix),
              .headers = std::move(first.headers)};
  if (!object.has("more")) return route;
  BELLOWS_TRY(const std::vector<json::Object> more, object.objects("more"));
  if (more.size() >= kMaxRouteRules) return fail(object.invalid("more", "at most 255 rules"));
  for (const json::Object& each : more) {
    for (const std::string_view key : each.keys()) {
      const bool is_known = key == "host" || key == "path_prefix" || key == "headers";
      if (!is_known) return fail(each.invalid(key, "host, path_prefix or headers"));
    }
    BELLOWS_TRY(RouteRule rule, read_rule(each, missing));
    route.more.push_back(std::move(rule));
  }
  return route;
}

}  // namespace

void write_route(json::Writer& out, const Route& route) {
  out.text("host", route.host).text("path_prefix", route.path_prefix);
  write_headers(out, route.headers);
  if (!route.more.empty()) {
    out.open_list("more");
    for (const RouteRule& rule : route.more) {
      out.open().text("host", rule.host).text("path_prefix", rule.path_prefix);
      write_headers(out, rule.headers);
      out.close();
    }
    out.close();
  }
  if (!route.tags.empty()) {
    out.open_list("tags");
    for (const std::string& tag : route.tags) out.text(tag);
    out.close();
  }
}

Result<Route> read_route(const json::Object& object) {
  BELLOWS_TRY(Route route, read_rules(object, Missing::kError));
  BELLOWS_TRY(route.tags, read_texts(object, "tags"));
  for (const std::string& tag : route.tags) {
    if (!name_format().read(tag)) return fail(object.invalid("tags", name_format().want));
  }
  return route;
}

Result<Route> read_asked_route(const json::Object& object) {
  return read_rules(object, Missing::kAny);
}

}  // namespace bellows::config
