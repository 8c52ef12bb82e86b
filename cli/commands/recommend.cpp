// bellows recommend: the recommended size of a service's replicas, and why.
#include <iostream>
#include <string>
#include <string_view>

#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "command/admin/admin_client.hpp"

namespace bellows::cli {

namespace {

/// The response of a Bellows whose services all have resources-mode off: it has no recommender.
constexpr std::string_view kNoPage = "responded 404: There is no page";

/// Returns "web-00001" for the replica "web-00001-1". A replica's name may be longer than a
/// service's.
std::string revision_of(const std::string& replica) {
  const std::size_t dash = replica.find_last_not_of("0123456789");
  const bool has_number = dash != std::string::npos && replica[dash] == '-' && dash > 0;
  return has_number ? replica.substr(0, dash) : replica;
}

/// `target`: "web" or "web-00001-1/app". On one machine the container of a replica is called app.
Result<std::string> explain_path(const std::string& target, const std::string& policy) {
  const std::size_t slash = target.find('/');
  const bool has_container = slash != std::string::npos;
  const std::string name = target.substr(0, slash);
  BELLOWS_CHECKED(service_name(has_container ? revision_of(name) : name));
  BELLOWS_TRY(const std::string container,
              service_name(has_container ? target.substr(slash + 1) : "app"));
  std::string path = "/v1/recommendations/" + name + "/" + container + "/explain";
  if (!policy.empty()) path += "?policy=" + policy;
  return path;
}

}  // namespace

int explain_size(const Invocation& invocation) {
  const auto settings = recommend_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& targets = invocation.arguments.positional;
  if (targets.size() != 1) {
    return usage_error(invocation, "want the NAME of one service, or REPLICA/CONTAINER");
  }
  const auto path = explain_path(targets.front(), settings->policy);
  if (!path) return usage_error(invocation, path.error());
  http::net::io_context io(1);
  const auto response =
      command::request_admin(io, command::admin_server_at(settings->admin), "GET", *path);
  if (!response && response.error().message().starts_with(kNoPage)) {
    return report_failure(invocation, {ErrorKind::kNotFound, targets.front(),
                                       "no service of this Bellows is measured; start it with "
                                       "`bellows run --recommend -- COMMAND`, or with "
                                       "resources-mode: advise in bellows.yaml"});
  }
  if (!response) return report_failure(invocation, response.error());
  std::cout << response->body;
  return kSuccess;
}

}  // namespace bellows::cli
