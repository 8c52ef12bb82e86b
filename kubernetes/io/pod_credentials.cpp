#include "kubernetes/io/pod_credentials.hpp"

#include <utility>

#include "base/sys/clock.hpp"
#include "base/sys/file.hpp"
#include "http/tls/tls_context.hpp"
#include "kubernetes/io/server_url.hpp"
#include "kubernetes/io/token_file.hpp"

namespace bellows::kubernetes {

namespace {

std::string variable(const CredentialsOptions& options, const std::string& name) {
  const auto found = options.environment.find(name);
  return found == options.environment.end() ? std::string() : found->second;
}

class PodCredentials final : public Credentials {
 public:
  PodCredentials(ApiServer server, std::shared_ptr<http::TlsContext> tls, std::string ns,
                 const std::string& folder)
      : server_(std::move(server)),
        tls_(std::move(tls)),
        ns_(std::move(ns)),
        description_("the service account of this pod (" + folder + "), " + server_.url),
        token_(folder + "/token") {}

  const ApiServer& server() const override { return server_; }
  const std::string& ns() const override { return ns_; }
  const std::string& description() const override { return description_; }

  http::Awaitable<Result<Access>> access(TimePoint) override {
    BELLOWS_CO_TRY(const std::string token, token_.token(sys::system_clock().now()));
    co_return Access{.tls = tls_, .authorization = "Bearer " + token, .impersonate = {}};
  }

  void reject() override { token_.forget(); }

 private:
  ApiServer server_;
  std::shared_ptr<http::TlsContext> tls_;  // owners: this and the connections
  std::string ns_;
  std::string description_;
  TokenFile token_;
};

}  // namespace

bool is_in_pod(const CredentialsOptions& options) {
  return !variable(options, "KUBERNETES_SERVICE_HOST").empty();
}

Result<std::shared_ptr<Credentials>> load_pod_credentials(const CredentialsOptions& options) {
  const std::string host = variable(options, "KUBERNETES_SERVICE_HOST");
  const std::string port = variable(options, "KUBERNETES_SERVICE_PORT");
  const bool is_bare_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
  const std::string authority = is_bare_v6 ? "[" + host + "]" : host;
  BELLOWS_TRY(ServerUrl url,
              parse_server_url("https://" + authority + ":" + (port.empty() ? "443" : port),
                               "environment KUBERNETES_SERVICE_HOST and _PORT"));
  const std::string& folder = options.service_account;
  http::TlsClientSettings settings;
  settings.ca.path = folder + "/ca.crt";
  BELLOWS_TRY(auto tls, http::make_tls_client(std::move(settings)));
  BELLOWS_CHECKED(TokenFile(folder + "/token").token({}));
  const auto ns = sys::read_whole_file(folder + "/namespace");
  std::string name = ns && !ns->empty() ? ns->substr(0, ns->find('\n')) : "default";
  return std::make_shared<PodCredentials>(std::move(url.server), std::move(tls), std::move(name),
                                          folder);
}

}  // namespace bellows::kubernetes
