// A small HTTP message, whole in memory, for a program's own pages and calls. Traffic uses
// proxy/io.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::http {

/// A whole request. `path` has no query; `query` is the part after '?', not decoded.
struct Request {
  std::string method;
  std::string path;
  std::string query;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool may_see_detail = false;  ///< set by the server; see AccessRules::details

  /// Returns the first value of a query parameter, percent-decoded ('+' is a space), or an empty
  /// text. A broken escape stays as it is.
  std::string parameter(std::string_view name) const;
};

/// A whole response.
struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Makes a response whose `body` is JSON.
Response json_response(std::string body, int status = 200);

}  // namespace bellows::http
