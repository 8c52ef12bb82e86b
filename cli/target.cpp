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

namespace {

using Shares = Result<std::vector<std::pair<std::int64_t, std::string>>>;

/// Returns the revisions on the page of one service with their shares, the largest first.
Shares revisions_on(const std::string& page) {
  BELLOWS_TRY(const json::Object whole, json::parse(page, "/v1/services"));
  BELLOWS_TRY(const std::vector<json::Object> services, whole.objects("services"));
  std::vector<std::pair<std::int64_t, std::string>> shares;
  for (const json::Object& service : services) {
    BELLOWS_TRY(const std::vector<json::Object> revisions, service.objects("revisions"));
    for (const json::Object& revision : revisions) {
      BELLOWS_TRY(const std::int64_t share, revision.integer("share", 0, 100));
      BELLOWS_TRY(std::string name, revision.text("name"));
      shares.emplace_back(share, std::move(name));
    }
  }
  std::ranges::stable_sort(shares, std::greater<>(), [](const auto& each) { return each.first; });
  return shares;
}

}  // namespace

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

Result<std::string> Target::revision(const std::string& word) {
  BELLOWS_TRY(std::vector<std::string> all, revisions(word));
  return std::move(all.front());
}

Result<std::vector<std::string>> Target::revisions(const std::string& word) {
  if (is_cluster()) {
    BELLOWS_TRY(const NamespacedName name, namespaced_name(word, cluster_->ns()));
    return std::vector{name.ns + "/" + name.name};
  }
  BELLOWS_TRY(const std::string name, revision_name(word));
  std::vector<std::string> names;
  // Without that page, of a Bellows on one machine, the name is that of a revision.
  const auto page = request("GET", "/v1/services/" + name);
  const auto all = page ? revisions_on(page->body) : Shares();
  if (all) {
    for (const auto& [share, revision] : *all) {
      if (share > 0) names.push_back(revision);
    }
  }
  if (names.empty() || std::ranges::find(names, name) != names.end()) names = {name};
  return names;
}

std::vector<std::string> Target::revisions_of(const std::string& service) {
  std::vector<std::string> names;
  if (is_cluster() || !revision_name(service)) return names;
  const auto page = request("GET", "/v1/services/" + service);
  const auto all = page ? revisions_on(page->body) : Shares();
  if (!all) return names;
  for (const auto& [share, revision] : *all) names.push_back(revision);
  return names;
}

Result<std::vector<std::string>> Target::named(const std::string& word, const Status& status) {
  std::vector<std::string> all = revisions_of(word);
  all.push_back(word);
  std::vector<std::string> known;
  for (const RevisionStatus& revision : status.revisions) known.push_back(revision.name);
  std::erase_if(all, [&known](const std::string& name) {
    return std::ranges::find(known, name) == known.end();
  });
  if (all.empty()) return fail(unknown_name(noun(), word, known));
  return all;
}

void Target::narrow(Status& status) const {
  if (!is_cluster() || cluster_->flags().all_namespaces) return;
  const std::string prefix = cluster_->ns() + "/";
  std::erase_if(status.revisions, [&prefix](const RevisionStatus& revision) {
    return !revision.name.starts_with(prefix);
  });
  for (RevisionStatus& revision : status.revisions) revision.name.erase(0, prefix.size());
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

Result<void> Target::set_state(const std::string& revision, const std::string& action,
                               const std::string& state) {
  if (is_cluster()) {
    BELLOWS_TRY(const NamespacedName name, namespaced_name(revision, cluster_->ns()));
    return cluster_->set_state(name, state);
  }
  BELLOWS_TRY(const command::AdminServer control, control_of_machine());
  BELLOWS_TRY(
      [[maybe_unused]] const http::Response done,
      command::request_admin(*io_, control, "POST", "/v1/revisions/" + revision + "/" + action));
  return {};
}

int report_target_error(const command::Invocation& invocation, const Error& error) {
  const int code = command::report_failure(invocation, error);
  return error.kind() == ErrorKind::kInvalidSetting ? command::kUsageError : code;
}

}  // namespace bellows::cli
