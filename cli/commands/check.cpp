// bellows check: finds what a Kubernetes cluster, or this machine, lacks for Bellows, and problems
// of services.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/query.hpp"
#include "base/sys/clock.hpp"
#include "base/yaml/document_reader.hpp"
#include "cli/check/activators.hpp"
#include "cli/check/findings.hpp"
#include "cli/check/machine/machine_checks.hpp"
#include "cli/check/rights.hpp"
#include "cli/commands.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/target.hpp"
#include "cluster/kubernetes/core/crd.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "command/admin/run_blocking.hpp"
#include "config/sources/environment.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::cli {

namespace {

using kubernetes::ApiAnswer;
using kubernetes::ApiRequest;
using kubernetes::ApiVerb;
using Items = std::vector<CheckItem>;

constexpr int kForbidden = 403;
constexpr int kMissing = 404;

/// Runs one check after the other. Owner: the command.
class Checks {
 public:
  Checks(http::net::io_context& io, ClusterClient& cluster) : io_(io), cluster_(cluster) {}

  /// Returns the items; or the error of a setting that cannot be used.
  Result<Items> run() {
    const auto features = command::run_blocking(io_, kubernetes::discover(cluster_.api()));
    if (!features && features.error().kind() == ErrorKind::kInvalidSetting) {
      return fail(features.error());
    }
    if (!features) {
      items_.push_back(failed("API server", to_string(features.error()),
                              "--context and --kubeconfig name another one"));
      return std::move(items_);
    }
    items_.push_back(version_item(features->version, cluster_.api().server().url));
    const auto no_activators = find_activators();
    check_custom_resource();
    check_own_rights();
    check_autoscaler_rights(*features);
    check_autoscaler();
    check_arguments();
    if (no_activators) items_.push_back(*no_activators);
    for (const std::string& key : activators_) check_activator(key);
    check_labels();
    check_revisions();
    return std::move(items_);
  }

 private:
  void check_custom_resource() {
    const auto answer = cluster_.send(
        ApiRequest(ApiVerb::kGet, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "",
                   "revisions.bellows.dev"));
    if (answer && answer->is_success()) {
      const auto ours = yaml::parse_document("deploy/crd.yaml", cluster::crd_yaml());
      items_.push_back(custom_resource_item(answer->body, ours.value()));
    } else if (answer && answer->http_status == kMissing) {
      items_.push_back(failed("custom resource", "revisions.bellows.dev is not installed",
                              apply_hint("bellows.yaml")));
    } else {
      add_unknown("custom resource", answer);
    }
  }

  void check_own_rights() {
    const NamespacedName autoscaler = autoscaler_service();
    const std::string group(cluster::kGroup);
    const std::string plural(cluster::kRevisionPlural);
    check_right({"list", group, plural}, scope(), "", "your rights");
    check_right({"patch", group, plural}, scope(), "", "your rights");
    check_right({"get", "", "services", "proxy"}, autoscaler.ns, "", "your rights");
  }

  void check_autoscaler_rights(const kubernetes::ServerFeatures& features) {
    const NamespacedName account = autoscaler_service();
    const std::string user = user_of_autoscaler();
    const std::string name = "rights of " + cluster_.flags().autoscaler;
    const std::string ns_of_activators(
        activators_.empty() ? account.ns : kubernetes::split_key(activators_.front()).ns);
    const auto rights = autoscaler_rights(features, ns_of_activators);
    const bool serves_one = serves_one_namespace(user);
    std::size_t allowed = 0;
    for (const Right& right : rights) {
      const auto may = review(right, "", user);
      if (!may) {
        items_.push_back(unknown(name, to_string(may.error()),
                                 "ask for the right to create subjectaccessreviews"));
        return;
      }
      // A right in the one namespace that it serves suffices.
      const bool is_needed = right.name.empty() || !serves_one;
      const bool is_allowed =
          *may || !is_needed || (!scope().empty() && review(right, scope(), user).value_or(false));
      if (is_allowed) {
        ++allowed;
      } else {
        items_.push_back(failed(name, "it may not " + to_string(right), apply_hint("rbac.yaml")));
      }
    }
    if (allowed == rights.size()) {
      items_.push_back(passed(name, "all " + std::to_string(allowed) + " that it needs"));
    }
  }

  /// Returns true if its rights are those of the namespace to check alone: then it reads no object
  /// without a namespace.
  bool serves_one_namespace(const std::string& user) {
    const Right right{"list", std::string(cluster::kGroup), std::string(cluster::kRevisionPlural)};
    return !scope().empty() && !review(right, "", user).value_or(true) &&
           review(right, scope(), user).value_or(false);
  }

  void check_autoscaler() {
    const auto ready = command::run_blocking(io_, cluster_.autoscaler().send("GET", "/readyz"));
    const NamespacedName service = autoscaler_service();
    const std::string hint = "kubectl -n " + service.ns + " get pods,endpoints";
    if (!ready) {
      items_.push_back(failed("autoscaler", to_string(ready.error()), hint));
    } else if (ready->status != 200) {
      items_.push_back(failed("autoscaler", "not ready: " + first_line(ready->body), hint));
    } else {
      items_.push_back(passed("autoscaler", "ready"));
    }
  }

  /// Checks what the arguments of the Deployment need: a Lease, the keys of tokens.
  void check_arguments() {
    const NamespacedName autoscaler = autoscaler_service();
    const auto deployment = cluster_.send(
        ApiRequest(ApiVerb::kGet, kubernetes::deployments(), autoscaler.ns, autoscaler.name));
    if (deployment && deployment->http_status == kMissing) return;  // it runs elsewhere
    if (!deployment || !deployment->is_success()) return add_unknown("lease", deployment);
    const auto lease = flag_of(deployment->body, "--lease");
    const auto stats_auth = flag_of(deployment->body, "--stats-auth");
    if (stats_auth == "on") check_rights(rights_to_token_keys(), "");
    if (!lease) return items_.push_back(unknown("lease", to_string(lease.error()), ""));
    if (!lease->empty()) check_lease(*lease);
  }

  /// Of several autoscalers the one that holds the Lease orders; without rights to it none does.
  void check_lease(const std::string& key) {
    const std::string ns(kubernetes::split_key(key).ns);
    const std::string name(kubernetes::split_key(key).name);
    check_rights(rights_to_lease(name), ns);
    const auto answer = cluster_.send(ApiRequest(ApiVerb::kGet, kubernetes::leases(), ns, name));
    if (answer && answer->http_status == kMissing) {
      const NamespacedName autoscaler = autoscaler_service();
      items_.push_back(
          failed("lease", key + " does not exist, so nobody orders replicas",
                 "kubectl -n " + autoscaler.ns + " logs deployment/" + autoscaler.name));
    } else if (answer && answer->is_success()) {
      items_.push_back(lease_item(answer->body, sys::system_clock().wall_now()));
    } else {
      add_unknown("lease", answer);
    }
  }

  /// Adds an item for each right that the autoscaler lacks in this namespace; "": in all of them.
  void check_rights(const std::vector<Right>& rights, const std::string& ns) {
    const std::string where = ns.empty() ? "" : " in " + ns;
    for (const Right& right : rights) {
      const auto may = review(right, ns, user_of_autoscaler());
      if (!may || *may) continue;  // check_autoscaler_rights() says so if it cannot be asked
      items_.push_back(failed("rights of " + cluster_.flags().autoscaler,
                              "it may not " + to_string(right) + where, apply_hint("rbac.yaml")));
    }
  }

  /// Fills activators_. They are beside the autoscaler unless its --activator-service names another
  /// namespace. Returns the item for a cluster where none is found.
  std::optional<CheckItem> find_activators() {
    const std::string beside = autoscaler_service().ns;
    for (const std::string& ns : {beside, std::string()}) {
      ApiRequest list(ApiVerb::kList, kubernetes::pods(), ns);
      list.query = "labelSelector=app.kubernetes.io%2Fname%3Dbellows-activator&limit=50";
      const auto answer = cluster_.send(std::move(list));
      if (!answer || !answer->is_success()) return unknown_of("activators", answer);
      const auto keys = kubernetes::read_object_keys(answer->body);
      if (!keys) return unknown("activators", to_string(keys.error()), "");
      activators_ = *keys;
      if (!activators_.empty()) return std::nullopt;
    }
    return unknown("activators", "none in any namespace: no revision can leave zero",
                   apply_hint("bellows.yaml"));
  }

  /// Asks the activator itself: only it knows what it reaches.
  void check_activator(const std::string& key) {
    const kubernetes::ObjectName pod = kubernetes::split_key(key);
    ApiRequest metrics(kubernetes::object_path(kubernetes::pods(), pod.ns,
                                               std::string(pod.name) + ":8022", "proxy") +
                       "/metrics");
    metrics.accept = "text/plain";
    const std::string name = "activator " + key;
    const auto answer = cluster_.send(std::move(metrics));
    if (!answer || !answer->is_success()) return add_unknown(name, answer);
    const auto found = activator_items(name, answer->body);
    items_.insert(items_.end(), found.begin(), found.end());
  }

  /// Hands each page of a list to `take`. Returns false after a page that cannot be read: then
  /// there is an item that says so.
  template <class Page, class Take>
  bool follow_pages(const std::string& what, const kubernetes::Resource& resource,
                    const std::string& selection, Result<Page> (*read)(std::string_view),
                    Take take) {
    std::string continue_token;
    do {
      const auto answer = cluster_.send(page_of(resource, selection, continue_token));
      if (!answer || !answer->is_success()) {
        add_unknown(what, answer);
        return false;
      }
      const Result<Page> page = read(answer->body);
      if (!page) {
        items_.push_back(unknown(what, to_string(page.error()), ""));
        return false;
      }
      take(*page);
      continue_token = page->continue_token;
    } while (!continue_token.empty());
    return true;
  }

  /// A wrong value has no effect, so no object of Bellows can tell of it.
  void check_labels() {
    follow_pages("labels", kubernetes::deployments(),
                 "&labelSelector=" + percent_encoded(cluster::kAutoscaleLabel), &read_labels,
                 [this](const LabelPage& page) {
                   items_.insert(items_.end(), page.wrong.begin(), page.wrong.end());
                 });
  }

  void check_revisions() {
    std::size_t ready = 0;
    std::size_t all = 0;
    const auto revisions = kubernetes::resource_of(cluster::kApiVersion, cluster::kRevisionPlural);
    const bool is_whole =
        follow_pages("revisions", revisions, "", &read_revisions, [&](const RevisionPage& page) {
          ready += page.ready;
          all += page.all;
          items_.insert(items_.end(), page.troubled.begin(), page.troubled.end());
        });
    if (!is_whole) return;
    const std::string where = scope().empty() ? "" : " in " + scope();
    if (all == 0) {
      items_.push_back(unknown("revisions", "none" + where,
                               "kubectl label deployment NAME bellows.dev/autoscale=true"));
    } else if (ready > 0) {
      items_.push_back(passed("revisions", std::to_string(ready) + " of " + std::to_string(all) +
                                               where + " are ready"));
    }
  }

  ApiRequest page_of(kubernetes::Resource resource, const std::string& selection,
                     const std::string& continue_token) const {
    ApiRequest request(ApiVerb::kList, std::move(resource), scope());
    request.query = "limit=200" + selection;
    if (!continue_token.empty()) {
      request.query += "&continue=" + percent_encoded(continue_token);
    }
    return request;
  }

  void check_right(const Right& right, const std::string& ns, const std::string& user,
                   const std::string& name) {
    const auto may = review(right, ns, user);
    const std::string where = ns.empty() ? " in all namespaces" : " in " + ns;
    if (!may) {
      items_.push_back(unknown(name, to_string(may.error()), ""));
    } else if (*may) {
      items_.push_back(passed(name, "you may " + to_string(right) + where));
    } else {
      items_.push_back(failed(name, "you may not " + to_string(right) + where,
                              "ask an administrator for a role with it"));
    }
  }

  Result<bool> review(const Right& right, const std::string& ns, const std::string& user) {
    ApiRequest request(ApiVerb::kCreate,
                       {"authorization.k8s.io", "v1",
                        user.empty() ? "selfsubjectaccessreviews" : "subjectaccessreviews"});
    request.body = access_review(right, ns, user);
    BELLOWS_TRY(const ApiAnswer answer, cluster_.send(std::move(request)));
    if (!answer.is_success()) return fail(answer.error());
    return is_allowed(answer.body);
  }

  static CheckItem unknown_of(const std::string& name, const Result<ApiAnswer>& answer) {
    const Error error = answer ? answer->error() : answer.error();
    const bool is_forbidden = answer && answer->http_status == kForbidden;
    return unknown(name, to_string(error), is_forbidden ? "ask for the right to read it" : "");
  }

  void add_unknown(const std::string& name, const Result<ApiAnswer>& answer) {
    items_.push_back(unknown_of(name, answer));
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  NamespacedName autoscaler_service() const {
    return namespaced_name(cluster_.flags().autoscaler, "").value();
  }

  std::string user_of_autoscaler() const {
    const NamespacedName account = autoscaler_service();
    return "system:serviceaccount:" + account.ns + ":" + account.name;
  }

  /// Returns the namespace to check; empty: all.
  std::string scope() const { return cluster_.flags().all_namespaces ? "" : cluster_.ns(); }

  http::net::io_context& io_;
  ClusterClient& cluster_;
  std::vector<std::string> activators_;  // NAMESPACE/NAME of their pods
  Items items_;
};

}  // namespace

namespace {

int print_items(const Items& items, Output output) {
  if (output == Output::kJson) {
    std::cout << check_json(items);
  } else {
    for (const std::string& line : check_lines(items, detect_terminal().has_colour)) {
      std::cout << line << "\n";
    }
  }
  return has_failed(items) ? kFailure : kSuccess;
}

int check_cluster(const Invocation& invocation, const ClientSettings& settings) {
  if (!invocation.arguments.positional.empty()) {
    return usage_error(invocation,
                       "want no FILE with a cluster; -n NAMESPACE or -A selects what to check");
  }
  http::net::io_context io(1);
  auto cluster = ClusterClient::open(io, settings.cluster, config::read_environment());
  if (!cluster) return report_target_error(invocation, cluster.error());
  const auto items = Checks(io, **cluster).run();
  if (!items) return report_target_error(invocation, items.error());
  return print_items(*items, settings.output);
}

}  // namespace

int check(const Invocation& invocation) {
  const auto settings = check_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (settings->cluster.name_a_cluster()) return check_cluster(invocation, *settings);
  const auto& files = invocation.arguments.positional;
  if (files.size() > 1) return usage_error(invocation, "want one FILE");
  http::net::io_context io(1);
  const auto items = MachineChecks(io, *settings).run(files.empty() ? "" : files.front());
  if (!items) return usage_error(invocation, items.error());
  return print_items(*items, settings->output);
}

}  // namespace bellows::cli
