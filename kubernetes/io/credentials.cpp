#include "kubernetes/io/credentials.hpp"

#include <sys/stat.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/yaml/document_reader.hpp"
#include "kubernetes/core/kubeconfig.hpp"
#include "kubernetes/io/kubeconfig_credentials.hpp"
#include "kubernetes/io/pod_credentials.hpp"

namespace bellows::kubernetes {

namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

/// Returns the files of a list joined by ':'. Missing ones are skipped, as kubectl does, unless
/// none is left.
Result<std::vector<std::string>> existing_files(std::string_view list) {
  std::vector<std::string> files;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string file(rest.substr(0, colon));
    rest.remove_prefix(colon == rest.npos ? rest.size() : colon + 1);
    if (!file.empty() && exists(file)) files.push_back(file);
  }
  if (!files.empty()) return files;
  return fail(ErrorKind::kNotFound, "environment KUBECONFIG",
              "\"" + std::string(list) + "\": there is no such file");
}

/// Returns the files selected by the rules; empty: none.
Result<std::vector<std::string>> files_of(const CredentialsOptions& options) {
  if (!options.kubeconfig.empty()) return std::vector{options.kubeconfig};
  const auto variable = [&options](const char* name) {
    const auto found = options.environment.find(name);
    return found == options.environment.end() ? std::string() : found->second;
  };
  const std::string list = variable("KUBECONFIG");
  if (!list.empty()) return existing_files(list);
  const std::string home = variable("HOME");
  const std::string usual = home + "/.kube/config";
  if (!home.empty() && exists(usual)) return std::vector{usual};
  return std::vector<std::string>();
}

Result<std::shared_ptr<Credentials>> load_files(http::net::io_context& io,
                                                const std::vector<std::string>& files,
                                                const std::string& context) {
  std::vector<Document> documents;
  std::string names;
  for (const std::string& file : files) {
    auto document = yaml::read_document(file);
    if (!document) return fail(document.error().front());
    documents.push_back(std::move(*document));
    if (!names.empty()) names += ":";
    names += file;
  }
  BELLOWS_TRY(const Kubeconfig kubeconfig, Kubeconfig::from(documents));
  BELLOWS_TRY(KubeconfigContext chosen, kubeconfig.context(context));
  return load_kubeconfig_credentials(io, std::move(chosen), names);
}

}  // namespace

Result<std::shared_ptr<Credentials>> load_credentials(http::net::io_context& io,
                                                      const CredentialsOptions& options) {
  BELLOWS_TRY(const std::vector<std::string> files, files_of(options));
  if (!files.empty()) return load_files(io, files, options.context);
  if (is_in_pod(options)) return load_pod_credentials(options);
  return fail(ErrorKind::kNotFound, "Kubernetes credentials",
              "there is no --kubeconfig, no $KUBECONFIG, no ~/.kube/config, and this is no pod "
              "($KUBERNETES_SERVICE_HOST is not set); want one of them");
}

}  // namespace bellows::kubernetes
