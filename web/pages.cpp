#include "web/pages.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "web/assets.hpp"

namespace bellows::web {
namespace {

/// The page requests only its own server and loads scripts and styles only from there. So a name or
/// a reason that is inserted as markup by a mistake of ours would run nothing.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view header_of(const http::Request& request, std::string_view lower_name) {
  for (const auto& [name, value] : request.headers) {
    const bool is_it = std::ranges::equal(
        name, lower_name, [](unsigned char a, char b) { return std::tolower(a) == b; });
    if (is_it) return value;
  }
  return {};
}

http::Response response_of(const Asset& asset, const http::Request& request) {
  http::Response response;
  const std::string tag = "\"" + std::string(asset.tag) + "\"";
  response.content_type = asset.content_type;
  response.headers = {
      {"Cache-Control", "no-cache"},      {"ETag", tag},
      {"Vary", "Accept-Encoding"},        {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"}, {"Content-Security-Policy", std::string(kPolicy)}};
  if (header_of(request, "if-none-match") == tag) {
    response.status = 304;
  } else if (header_of(request, "accept-encoding").find("gzip") != std::string_view::npos) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = asset.packed;
  } else {
    response.body = asset.plain;
  }
  return response;
}

}  // namespace

void add_pages(http::ServiceServer& server) {
  for (const Asset& asset : assets()) {
    server.route("GET", std::string(asset.path),
                 [&asset](http::Request request) -> http::Awaitable<http::Response> {
                   co_return response_of(asset, request);
                 });
  }
}

}  // namespace bellows::web
