#include "recommender/service/explain_page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "http/core/status.hpp"
#include "json/error_page.hpp"

namespace bellows::recommender {

namespace {

constexpr std::string_view kPath = "/v1/recommendations/";
constexpr std::string_view kExplain = "/explain";

Result<std::vector<std::string>> answer(const Explain& explain, const http::Request& request) {
  std::string_view rest = request.path;
  rest.remove_prefix(std::min(kPath.size(), rest.size()));
  const bool is_explain = rest.ends_with(kExplain);
  if (is_explain) rest.remove_suffix(kExplain.size());
  const std::size_t slash = rest.rfind('/');
  if (!is_explain || slash == std::string_view::npos) {
    return fail(ErrorKind::kNotFound, request.path,
                "no such page, want /v1/recommendations/WORKLOAD/CONTAINER/explain");
  }
  return explain(std::string(rest.substr(0, slash)), ContainerName(rest.substr(slash + 1)),
                 request.parameter("policy"));
}

http::Response page_of(const Result<std::vector<std::string>>& lines) {
  if (!lines) {
    return http::json_response(json::error_page(lines.error()), http::status_of(lines.error()));
  }
  http::Response response;
  for (const std::string& line : *lines) response.body += line + "\n";
  return response;
}

}  // namespace

void add_explain_page(http::ServiceServer& server, Explain explain) {
  server.route(
      "GET", std::string(kPath),
      [explain = std::move(explain)](http::Request request) -> http::Awaitable<http::Response> {
        co_return page_of(answer(explain, request));
      });
}

}  // namespace bellows::recommender
