// Which API server, and with whose credentials: kubeconfig files, or the files in a pod.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/net.hpp"
#include "http/io/tls.hpp"

namespace bellows::kubernetes {

/// What a user may choose; empty ones are found by the usual rules.
struct CredentialsOptions {
  std::string kubeconfig = {};  ///< a file; then $KUBECONFIG is not looked at
  std::string context = {};     ///< instead of the current one
  std::map<std::string, std::string> environment = {};  ///< KUBECONFIG, HOME, KUBERNETES_SERVICE_*
  /// Where a pod's service account has token, ca.crt and namespace.
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The server's address.
struct ApiServer {
  Endpoint endpoint;
  std::string base_path;  ///< before each path, "" or "/k8s/clusters/c-1"
  std::string url;        ///< "https://10.0.0.1:6443", for people
};

/// What one connection and its requests need.
struct Access {
  std::shared_ptr<http::TlsContext> tls;  ///< null: plain http. Another one than last time: other
                                          ///< certificates, so connections have to be opened anew
  std::string authorization;              ///< the value of that header; empty: none
  std::string impersonate;                ///< of Impersonate-User; empty: none
};

/// Credentials of one server, renewed as they rotate: a token's file is read again once a minute
/// and after a 401, certificates when their files have changed, an exec plugin runs again when its
/// answer has expired and after a 401. Owners: the ApiClients that use it. Thread: the io thread.
class Credentials {
 public:
  virtual ~Credentials() = default;

  virtual const ApiServer& server() const = 0;
  /// The namespace of the context or of the pod; "default" if neither says one.
  virtual const std::string& ns() const = 0;
  /// One line for people: "context dev of /home/a/.kube/config, https://10.0.0.1:6443, user a",
  /// "the pod's service account, ...". No secrets.
  virtual const std::string& description() const = 0;

  /// For the next request. Waits only for an exec plugin, until `deadline`, or a minute if it runs
  /// for another request already; its failure counts for 5 s before it runs again. Errors name the
  /// file or the plugin: kInvalidSetting, kNotFound, kTimeout, kUnavailable (the plugin failed;
  /// what it wrote to its standard error is quoted).
  virtual http::Awaitable<Result<Access>> access(TimePoint deadline) = 0;

  /// The server has answered 401: what access() gave is read again before the next request.
  virtual void reject() = 0;
};

/// By the usual rules, the first that applies: `options.kubeconfig`; the files of $KUBECONFIG,
/// joined by ':' and merged; ~/.kube/config; the service account of the pod. Files are read here,
/// plugins run later. kInvalidSetting or kNotFound, one line that names file, context or key:
/// nothing found, a context that is not there, a certificate that cannot be used, a setting that is
/// not supported (proxy-url).
Result<std::shared_ptr<Credentials>> load_credentials(http::net::io_context& io,
                                                      const CredentialsOptions& options);

}  // namespace bellows::kubernetes
