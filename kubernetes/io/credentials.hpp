// Selects the API server and the credentials: from kubeconfig files, or from the files in a pod.
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

/// Choices of the user; empty ones are determined by the usual rules.
struct CredentialsOptions {
  std::string kubeconfig = {};                          ///< a file; $KUBECONFIG is then ignored
  std::string context = {};                             ///< replaces the current one
  std::map<std::string, std::string> environment = {};  ///< KUBECONFIG, HOME, KUBERNETES_SERVICE_*
  /// Folder with token, ca.crt and namespace of a pod's service account.
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The server's address.
struct ApiServer {
  Endpoint endpoint;
  std::string base_path;  ///< before each path, "" or "/k8s/clusters/c-1"
  std::string url;        ///< "https://10.0.0.1:6443", for people
};

/// The credentials of one connection and its requests.
struct Access {
  std::shared_ptr<http::TlsContext> tls;  ///< null: plain http. Another one than last time: other
                                          ///< certificates, so connections have to be reopened
  std::string authorization;              ///< value of that header; empty: none
  std::string impersonate;                ///< value of Impersonate-User; empty: none
};

/// Credentials of one server, renewed as they rotate: a token's file is read again once a minute
/// and after a 401, certificates when their files have changed; an exec plugin runs again when its
/// output has expired and after a 401. Owners: the ApiClients that use it. Thread: the io thread.
class Credentials {
 public:
  virtual ~Credentials() = default;

  virtual const ApiServer& server() const = 0;
  /// Returns the namespace of the context or of the pod; "default" if neither sets one.
  virtual const std::string& ns() const = 0;
  /// Returns one line for people: "context dev of /home/a/.kube/config, https://10.0.0.1:6443, user
  /// a", "the pod's service account, ...". It contains no secrets.
  virtual const std::string& description() const = 0;

  /// Returns the access for the next request. It waits only for an exec plugin, until `deadline`,
  /// or a minute if it already runs for another request; a failure is kept for 5 s before the
  /// plugin runs again. Errors name the file or the plugin: kInvalidSetting, kNotFound, kTimeout,
  /// kUnavailable (the plugin failed; its standard error is quoted).
  virtual http::Awaitable<Result<Access>> access(TimePoint deadline) = 0;

  /// Renews the credentials before the next request, because the server has answered 401.
  virtual void reject() = 0;
};

/// Applies the first of the usual rules that fits: `options.kubeconfig`; the files of $KUBECONFIG,
/// joined by ':' and merged; ~/.kube/config; the service account of the pod. Files are read here,
/// plugins run later. Errors are kInvalidSetting or kNotFound, one line that names file, context or
/// key: nothing found, a context that does not exist, a certificate that cannot be used, a setting
/// that is not supported (proxy-url).
Result<std::shared_ptr<Credentials>> load_credentials(http::net::io_context& io,
                                                      const CredentialsOptions& options);

}  // namespace bellows::kubernetes
