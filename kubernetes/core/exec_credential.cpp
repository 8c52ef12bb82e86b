#include "kubernetes/core/exec_credential.hpp"

#include <boost/json/object.hpp>

#include "base/base64.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

std::string exec_credential_request(const ExecPlugin& plugin, const KubeconfigCluster& cluster,
                                    std::string_view ca_data) {
  json::Writer writer;
  writer.text("kind", "ExecCredential").text("apiVersion", plugin.api_version).open("spec");
  writer.flag("interactive", false);
  if (plugin.provide_cluster_info) {
    writer.open("cluster").text("server", cluster.server);
    if (!cluster.tls_server_name.empty()) writer.text("tls-server-name", cluster.tls_server_name);
    if (cluster.skip_tls_verify) writer.flag("insecure-skip-tls-verify", true);
    if (!ca_data.empty()) writer.text("certificate-authority-data", to_base64(ca_data));
    if (!cluster.exec_config.empty()) writer.raw("config", cluster.exec_config);
    writer.close();
  }
  return writer.close().end();
}

Result<ExecCredential> parse_exec_credential(const ExecPlugin& plugin, std::string_view output) {
  const auto document = parse_document(output);
  const auto invalid = [&plugin](std::string message) {
    return fail(ErrorKind::kMalformed, "output of " + plugin.command, std::move(message));
  };
  if (!document) return invalid("want an ExecCredential as JSON");
  std::optional<Error> wrong_type;
  const Fields from(**document, "ExecCredential", wrong_type);
  if (from.view("kind") != "ExecCredential" || from.view("apiVersion") != plugin.api_version) {
    return invalid("kind " + from.text("kind") + ", apiVersion " + from.text("apiVersion") +
                   ": want an ExecCredential of " + plugin.api_version);
  }
  const Fields status = from.object("status");
  ExecCredential credential{.token = status.text("token"),
                            .client_certificate = status.text("clientCertificateData"),
                            .client_key = status.text("clientKeyData"),
                            .expires = status.time("expirationTimestamp")};
  // A message about the wrong type would contain the value, which may be a secret.
  if (wrong_type) return invalid("a member of status has a wrong type");
  if (credential.client_certificate.empty() != credential.client_key.empty()) {
    return invalid("want both clientCertificateData and clientKeyData, or neither");
  }
  if (credential.token.empty() && credential.client_certificate.empty()) {
    return invalid("status has neither a token nor a certificate");
  }
  return credential;
}

}  // namespace bellows::kubernetes
