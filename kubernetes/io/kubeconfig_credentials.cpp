#include "kubernetes/io/kubeconfig_credentials.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "base/base64.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/file.hpp"
#include "http/io/event.hpp"
#include "http/tls/tls_context.hpp"
#include "kubernetes/core/exec_credential.hpp"
#include "kubernetes/io/exec_plugin.hpp"
#include "kubernetes/io/server_url.hpp"
#include "kubernetes/io/token_file.hpp"

namespace bellows::kubernetes {

namespace {

using http::Awaitable;

http::Pem to_pem(const FileOrData& source, const std::string& name) {
  if (!source.data.empty()) return {.path = {}, .text = source.data, .name = name};
  return {.path = source.file, .text = {}, .name = {}};
}

class KubeconfigCredentials final : public Credentials {
 public:
  KubeconfigCredentials(http::net::io_context& io, KubeconfigContext context, ServerUrl url,
                        const std::string& files);

  /// Reads everything that needs no run of a plugin. Call it once.
  Result<void> prepare();

  const ApiServer& server() const override { return url_.server; }
  const std::string& ns() const override { return context_.ns; }
  const std::string& description() const override { return description_; }
  Awaitable<Result<Access>> access(TimePoint deadline) override;
  void reject() override;

 private:
  http::TlsClientSettings tls_settings() const;
  Result<std::string> authorization();
  bool plugin_is_due() const;
  Awaitable<Result<void>> renew(TimePoint deadline);
  Awaitable<Result<void>> run_plugin(TimePoint deadline);
  Awaitable<Result<ExecCredential>> ask_plugin(TimePoint deadline);
  Result<void> use(ExecCredential credential);

  http::net::io_context& io_;
  KubeconfigContext context_;
  ServerUrl url_;
  std::string description_;
  std::shared_ptr<http::TlsContext> tls_;  // owners: this and the connections
  std::optional<TokenFile> token_file_;
  std::optional<ExecCredential> plugin_;  // output of its last run
  struct Failure {
    Error error;
    TimePoint until;
  };
  // Kept for a while, so that it does not run on every request.
  std::optional<Failure> plugin_failure_;
  bool is_rejected_ = false;              // the server has rejected that output
  std::shared_ptr<http::Event> renewal_;  // while it runs; owners: this and those that wait for it
};

KubeconfigCredentials::KubeconfigCredentials(http::net::io_context& io, KubeconfigContext context,
                                             ServerUrl url, const std::string& files)
    : io_(io), context_(std::move(context)), url_(std::move(url)) {
  if (context_.ns.empty()) context_.ns = "default";
  description_ = "context " + context_.name + " of " + files + ", " + url_.server.url;
  if (!context_.user_name.empty()) description_ += ", user " + context_.user_name;
  if (context_.user.token.data.empty() && !context_.user.token.file.empty()) {
    token_file_.emplace(context_.user.token.file);
  }
}

http::TlsClientSettings KubeconfigCredentials::tls_settings() const {
  const KubeconfigUser& user = context_.user;
  http::TlsClientSettings settings;
  settings.ca = to_pem(context_.cluster.certificate_authority,
                       "certificate-authority-data of cluster " + context_.cluster_name);
  settings.server_name = context_.cluster.tls_server_name;
  settings.skip_verification = context_.cluster.skip_tls_verify;
  settings.certificate =
      to_pem(user.client_certificate, "client-certificate-data of user " + context_.user_name);
  settings.key = to_pem(user.client_key, "client-key-data of user " + context_.user_name);
  if (plugin_ && !plugin_->client_certificate.empty()) {
    const std::string name = " of the plugin " + user.exec->command;
    settings.certificate = {
        .path = {}, .text = plugin_->client_certificate, .name = "the certificate" + name};
    settings.key = {.path = {}, .text = plugin_->client_key, .name = "the key" + name};
  }
  return settings;
}

Result<void> KubeconfigCredentials::prepare() {
  if (url_.is_tls) {
    BELLOWS_TRY(tls_, http::make_tls_client(tls_settings()));
  }
  if (context_.user.exec) return {};
  BELLOWS_CHECKED(authorization());
  return {};
}

/// Returns the header's value from sources that need no run of a plugin.
Result<std::string> KubeconfigCredentials::authorization() {
  const KubeconfigUser& user = context_.user;
  if (!user.token.data.empty()) {
    BELLOWS_TRY(const std::string token,
                checked_token(user.token.data, "token of user " + context_.user_name));
    return "Bearer " + token;
  }
  if (token_file_) {
    BELLOWS_TRY(const std::string token, token_file_->token(sys::system_clock().now()));
    return "Bearer " + token;
  }
  if (plugin_ && !plugin_->token.empty()) {
    BELLOWS_TRY(const std::string token,
                checked_token(plugin_->token, "token of the plugin " + user.exec->command));
    return "Bearer " + token;
  }
  if (user.username.empty()) return std::string();
  return "Basic " + to_base64(user.username + ":" + user.password);
}

bool KubeconfigCredentials::plugin_is_due() const {
  if (!context_.user.exec) return false;
  if (!plugin_ || is_rejected_) return true;
  return plugin_->expires && sys::system_clock().wall_now() >= *plugin_->expires;
}

Awaitable<Result<Access>> KubeconfigCredentials::access(TimePoint deadline) {
  if (plugin_is_due()) BELLOWS_CO_CHECKED(co_await renew(deadline));
  BELLOWS_CO_TRY(std::string header, authorization());
  co_return Access{
      .tls = tls_, .authorization = std::move(header), .impersonate = context_.user.impersonate};
}

/// Runs the plugin once for all callers that wait for it.
Awaitable<Result<void>> KubeconfigCredentials::renew(TimePoint deadline) {
  while (renewal_) {
    const std::shared_ptr<http::Event> other = renewal_;
    co_await other->wait();
    if (!plugin_is_due()) co_return Result<void>();
  }
  struct Ends {
    std::shared_ptr<http::Event>& renewal;
    ~Ends() { std::exchange(renewal, nullptr)->set(); }
  };
  renewal_ = std::make_shared<http::Event>(io_);
  const Ends ends{renewal_};
  co_return co_await run_plugin(deadline);
}

Awaitable<Result<void>> KubeconfigCredentials::run_plugin(TimePoint deadline) {
  constexpr Duration kFailureHolds = std::chrono::seconds(5);
  if (plugin_failure_ && sys::system_clock().now() < plugin_failure_->until) {
    co_return fail(plugin_failure_->error);
  }
  plugin_failure_.reset();
  Result<ExecCredential> answer = co_await ask_plugin(deadline);
  if (answer) co_return use(std::move(*answer));
  plugin_failure_ = Failure{answer.error(), sys::system_clock().now() + kFailureHolds};
  co_return fail(std::move(answer).error());
}

Awaitable<Result<ExecCredential>> KubeconfigCredentials::ask_plugin(TimePoint deadline) {
  const ExecPlugin& plugin = *context_.user.exec;
  const FileOrData& ca = context_.cluster.certificate_authority;
  std::string ca_text = ca.data;
  if (plugin.provide_cluster_info && ca_text.empty() && !ca.file.empty()) {
    BELLOWS_CO_TRY(ca_text, sys::read_whole_file(ca.file));
  }
  const std::string asked = exec_credential_request(plugin, context_.cluster, ca_text);
  BELLOWS_CO_TRY(const std::string output, co_await run_exec_plugin(plugin, asked, deadline));
  co_return parse_exec_credential(plugin, output);
}

Result<void> KubeconfigCredentials::use(ExecCredential credential) {
  const bool is_same_certificate = plugin_ &&
                                   plugin_->client_certificate == credential.client_certificate &&
                                   plugin_->client_key == credential.client_key;
  const bool is_first_without = !plugin_ && credential.client_certificate.empty();
  plugin_ = std::move(credential);
  is_rejected_ = false;
  if (is_same_certificate || is_first_without || !url_.is_tls) return {};
  BELLOWS_TRY(tls_, http::make_tls_client(tls_settings()));
  return {};
}

void KubeconfigCredentials::reject() {
  is_rejected_ = true;
  if (token_file_) token_file_->forget();
}

}  // namespace

Result<std::shared_ptr<Credentials>> load_kubeconfig_credentials(http::net::io_context& io,
                                                                 KubeconfigContext context,
                                                                 const std::string& files) {
  const std::string cluster = files + ": cluster " + context.cluster_name;
  if (!context.cluster.proxy_url.empty()) {
    return fail(ErrorKind::kInvalidSetting, cluster,
                "proxy-url \"" + context.cluster.proxy_url +
                    "\": proxies are not supported; want a server that is reached directly");
  }
  BELLOWS_TRY(ServerUrl url, parse_server_url(context.cluster.server, cluster + ": server"));
  auto credentials =
      std::make_shared<KubeconfigCredentials>(io, std::move(context), std::move(url), files);
  BELLOWS_CHECKED(credentials->prepare());
  return credentials;
}

}  // namespace bellows::kubernetes
