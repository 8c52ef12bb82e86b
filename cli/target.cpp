#include "cli/target.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/name_list.hpp"
#include "command/errors.hpp"
#include "config/sources/environment.hpp"
#include "json/object.hpp"

namespace bellows::cli {

Result<Target> Target::open(http::net::io_context& io, const ClientSettings& settings) {
  Target target(io);
  if (!settings.cluster.name_a_cluster()) {
    target.admin_ = command::admin_server_at(settings.admin);
    return target;
  }
  BELLOWS_TRY(target.cluster_,
              ClusterClient::open(io, settings.cluster, config::read_environment()));
  target.admin_ = target.cluster_->autoscaler();
  return target;
}

Result<http::Response> Target::request(std::string method, std::string target) {
  return command::request_admin(*io_, admin_, std::move(method), std::move(target));
}

Result<std::string> Target::page_name(const std::string& word) const {
  if (!is_cluster()) return revision_name(word);
  BELLOWS_TRY(const NamespacedName name, namespaced_name(word, cluster_->ns()));
  return name.ns + "/" + name.name;
}

Result<ServiceStatus> Target::named(const std::string& word, const Status& status) const {
  if (const ServiceStatus* const found = find(status, word)) return *found;
  std::vector<std::string> known;
  for (const ServiceStatus& service : status.services) known.push_back(service.name);
  return fail(unknown_name(noun(), word, known));
}

void Target::narrow(Status& status) const {
  if (!is_cluster() || cluster_->flags().all_namespaces) return;
  const std::string prefix = cluster_->ns() + "/";
  std::erase_if(status.services, [&prefix](const ServiceStatus& service) {
    return !service.name.starts_with(prefix);
  });
  for (ServiceStatus& service : status.services) service.name.erase(0, prefix.size());
}

/// Changes are sent to a socket, whose file has an owner; a port has none.
Result<command::AdminServer> Target::control_of_machine() {
  BELLOWS_TRY(const http::Response page, request("GET", "/v1/control"));
  BELLOWS_TRY(const json::Object control, json::parse(page.body, "/v1/control"));
  if (control.has("trouble")) {
    return fail(ErrorKind::kUnavailable, admin_.name, control.text("trouble").value_or(""));
  }
  BELLOWS_TRY(const std::string socket, control.text("socket"));
  command::AdminServer server =
      command::admin_server_at({.host = {}, .port = 0, .unix_path = socket});
  server.hint = "only the user that runs it, and root, may change something";
  return server;
}

Result<void> Target::set_state(const std::string& name, const std::string& action,
                               const std::string& state) {
  if (is_cluster()) {
    BELLOWS_TRY(const NamespacedName object, namespaced_name(name, cluster_->ns()));
    return cluster_->set_state(object, state);
  }
  BELLOWS_TRY(const std::string page, page_name(name));
  BELLOWS_TRY(const command::AdminServer control, control_of_machine());
  BELLOWS_TRY(
      [[maybe_unused]] const http::Response done,
      command::request_admin(*io_, control, "POST", "/v1/revisions/" + page + "/" + action));
  return {};
}

int report_target_error(const command::Invocation& invocation, const Error& error) {
  const int code = command::report_failure(invocation, error);
  return error.kind() == ErrorKind::kInvalidSetting ? command::kUsageError : code;
}

}  // namespace bellows::cli
