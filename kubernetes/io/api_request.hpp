// A call of the API server and its response.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/time.hpp"
#include "kubernetes/core/call_limiter.hpp"
#include "kubernetes/core/resource.hpp"
#include "kubernetes/core/status.hpp"

namespace bellows::kubernetes {

enum class ApiVerb : std::uint8_t { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete };

/// Returns the verb as in RBAC rules: "get", "list", "watch", "create", "update", "patch",
/// "delete".
std::string_view to_string(ApiVerb verb);

/// Made by its constructors rather than by braces, so that it may be used in a co_await (see
/// http/io/net.hpp).
struct ApiRequest {
  ApiRequest(ApiVerb its_verb, Resource its_resource, std::string its_ns = {},
             std::string its_name = {}, std::string its_subresource = {});
  /// Makes a GET of a path that is no resource: "/version".
  explicit ApiRequest(std::string its_path);

  ApiVerb verb = ApiVerb::kGet;
  Resource resource = {};
  std::string ns = {};           ///< empty: all namespaces, or a kind without them
  std::string name = {};         ///< empty: the collection
  std::string subresource = {};  ///< "scale", "status"
  std::string path = {};         ///< in place of the resource's: "/version"
  std::string query = {};        ///< without '?', percent-encoded: "limit=1&fieldManager=x"
  std::string content_type = "application/json";  ///< of the body; patches: core/patch.hpp
  std::string body = {};
  std::string accept = "application/json";
  Priority priority = Priority::kRead;
  bool is_restricted = true;                    ///< by ApiClient::restrict_writes(), if it writes
  Duration timeout = std::chrono::seconds(30);  ///< from the call to the end of the answer, with
                                                ///< waiting and retries
  std::size_t max_answer_bytes = std::size_t{16} * 1024 * 1024;

  /// Returns "/apis/apps/v1/namespaces/shop/deployments/web/scale?...".
  std::string target() const;
  /// Returns the culprit of its errors: "patch deployments.apps/scale shop/web".
  std::string description() const;
  /// Returns the key under which calls are counted: "deployments.apps/scale", or the path.
  std::string resource_text() const;
};

/// Any response of the server.
struct ApiAnswer {
  int http_status = 0;
  std::string body;
  std::string description;  ///< of the request

  bool is_success() const { return http_status >= 200 && http_status < 300; }
  /// Returns the Status of a failure.
  Status status() const { return parse_status(http_status, body); }
  /// Returns the failure as an Error; kinds and text are those of status_error(), which names verb,
  /// object, status code and the server's message.
  Error error() const { return status_error(description, status()); }
};

}  // namespace bellows::kubernetes
