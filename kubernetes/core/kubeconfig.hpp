// kubeconfig files: the server and the credentials. Pure: the files are read elsewhere. Source:
// Kubernetes, "Organizing Cluster Access Using kubeconfig Files".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::kubernetes {

/// Bytes in the kubeconfig itself (base64, decoded here) or in a separate file. If both are given,
/// those in the kubeconfig are used.
struct FileOrData {
  std::string file;  ///< absolute, or relative to the working directory like the kubeconfig's path
  std::string data;
  bool empty() const { return file.empty() && data.empty(); }
  bool operator==(const FileOrData&) const = default;
};

/// A program that prints credentials (exec_credential.hpp).
struct ExecPlugin {
  std::string api_version;  ///< client.authentication.k8s.io/v1 or v1beta1
  /// A name to look up in PATH, or a path (relative to the folder of the file).
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< added to our own
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string interactive_mode;  ///< "Never", "IfAvailable", "Always"; empty: unset
  bool operator==(const ExecPlugin&) const = default;
};

struct KubeconfigCluster {
  std::string server;                ///< URL
  FileOrData certificate_authority;  ///< empty: the system's CAs
  std::string tls_server_name;       ///< verified instead of the host; empty: the host
  bool skip_tls_verify = false;
  std::string proxy_url;    ///< not supported by the io layer unless empty
  std::string exec_config;  ///< JSON of the extension client.authentication.k8s.io/exec
};

struct KubeconfigUser {
  FileOrData client_certificate;
  FileOrData client_key;
  FileOrData token;  ///< a token's file is read again periodically
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;
  std::string impersonate;  ///< "as"
};

/// One context with everything that it refers to and that a connection needs.
struct KubeconfigContext {
  std::string name;
  std::string cluster_name;
  std::string user_name;  ///< empty: no credentials
  std::string ns;         ///< empty: "default"
  KubeconfigCluster cluster;
  KubeconfigUser user;
};

/// Merges several files by kubectl's rules: the first file that sets current-context, or that has
/// an entry of a name, takes precedence. Relative paths are relative to the folder of their file.
class Kubeconfig {
 public:
  /// Reads the documents. Errors are kMalformed or kInvalidSetting: "FILE:LINE: users[0].user.exec:
  /// ...".
  static Result<Kubeconfig> from(const std::vector<Document>& files);

  /// Returns the context of that name, or the current one if it is empty. If the context, cluster
  /// or user does not exist, or no context is current, it is kInvalidSetting, naming the files and
  /// their contexts.
  Result<KubeconfigContext> context(std::string_view name = {}) const;

 private:
  struct ContextEntry {
    std::string cluster;
    std::string user;
    std::string ns;
  };
  template <class T>
  using Named = std::vector<std::pair<std::string, T>>;

  std::string files_;  // names in messages: "a, b"
  std::string current_context_;
  Named<KubeconfigCluster> clusters_;
  Named<KubeconfigUser> users_;
  Named<ContextEntry> contexts_;

  Result<void> merge(const Document& file);
};

}  // namespace bellows::kubernetes
