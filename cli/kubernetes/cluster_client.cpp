#include "cli/kubernetes/cluster_client.hpp"

#include <utility>

#include "base/sys/entropy.hpp"
#include "base/version.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "command/admin/run_blocking.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::cli {

namespace {

using kubernetes::ApiAnswer;
using kubernetes::ApiRequest;
using kubernetes::ApiVerb;

constexpr Duration kTimeout = std::chrono::seconds(15);
/// The status of 3,000 revisions with 30,000 replicas has 12 MB.
constexpr std::size_t kMaxPage = std::size_t{64} * 1024 * 1024;

kubernetes::Resource revisions_resource() {
  return kubernetes::resource_of(cluster::kApiVersion, cluster::kRevisionPlural);
}

/// Returns true for a response of the API server itself, false for a page that its proxy forwarded.
bool is_servers_own(const ApiAnswer& answer) {
  const auto object = json::parse(answer.body, "answer");
  return object && object->text("kind").value_or("") == "Status";
}

}  // namespace

ClusterClient::ClusterClient(http::net::io_context& io, ClusterFlags flags,
                             std::shared_ptr<kubernetes::Credentials> credentials)
    : io_(io),
      flags_(std::move(flags)),
      ns_(flags_.ns.empty() ? credentials->ns() : flags_.ns),
      random_(sys::random_seed()),
      api_(std::make_unique<kubernetes::ApiClient>(
          io, std::move(credentials), random_,
          kubernetes::ApiClientOptions{.user_agent = "bellows/" + std::string(kVersion)})) {}

Result<std::unique_ptr<ClusterClient>> ClusterClient::open(http::net::io_context& io,
                                                           ClusterFlags flags,
                                                           const config::Environment& environment) {
  auto credentials = kubernetes::load_credentials(
      io, {.kubeconfig = flags.kubeconfig, .context = flags.context, .environment = environment});
  if (!credentials) {
    const Error& error = credentials.error();
    return fail(ErrorKind::kInvalidSetting, error.culprit(), error.message());
  }
  return std::unique_ptr<ClusterClient>(
      new ClusterClient(io, std::move(flags), *std::move(credentials)));
}

Result<ApiAnswer> ClusterClient::send(ApiRequest request) {
  request.timeout = kTimeout;
  return command::run_blocking(io_, api_->send(std::move(request)));
}

command::AdminServer ClusterClient::autoscaler() {
  return {.name = flags_.autoscaler + " of " + api_->server().url,
          .hint =
              "is the autoscaler running? `bellows check` finds out; --autoscaler-service names "
              "another Service",
          .send = [this](std::string method, std::string target) {
            return ask_autoscaler(std::move(method), std::move(target));
          }};
}

http::Awaitable<Result<http::Response>> ClusterClient::ask_autoscaler(std::string method,
                                                                      std::string target) {
  const NamespacedName service = namespaced_name(flags_.autoscaler, "").value();
  ApiRequest request(
      kubernetes::object_path(kubernetes::services(), service.ns, service.name + ":http", "proxy") +
      target);
  request.verb = method == "POST" ? ApiVerb::kCreate : ApiVerb::kGet;
  request.accept = "*/*";
  request.timeout = kTimeout;
  request.max_answer_bytes = kMaxPage;
  const auto answer = co_await api_->send(std::move(request));
  if (!answer) co_return fail(answer.error());
  const bool is_refused = answer->http_status == 403;  // so nobody knows whether it runs
  const bool is_page = answer->is_success() || !is_servers_own(*answer);
  if (!is_page && !is_refused) co_return fail(answer->error());
  http::Response response;
  response.status = answer->http_status;
  response.body = is_page ? answer->body : answer->status().message;
  co_return response;
}

Result<std::string> ClusterClient::revision(const NamespacedName& revision) {
  ApiRequest request(ApiVerb::kGet, revisions_resource(), revision.ns, revision.name);
  BELLOWS_TRY(ApiAnswer answer, send(std::move(request)));
  if (!answer.is_success()) return fail(answer.error());
  return std::move(answer.body);
}

Result<void> ClusterClient::set_state(const NamespacedName& revision, const std::string& state) {
  ApiRequest request(ApiVerb::kPatch, revisions_resource(), revision.ns, revision.name);
  request.content_type = kubernetes::kMergePatchType;
  request.body = json::Writer().open("spec").text("state", state).close().end();
  request.query = "fieldManager=bellows";
  request.priority = kubernetes::Priority::kOrder;
  BELLOWS_TRY(const ApiAnswer answer, send(std::move(request)));
  if (!answer.is_success()) return fail(answer.error());
  return {};
}

}  // namespace bellows::cli
