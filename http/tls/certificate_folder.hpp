// Finds certificates and their keys in a folder that certbot, a mounted secret of Kubernetes or a
// person has filled. Within http/tls.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bellows::http {

/// A certificate with its chain, and its key: paths of PEM files.
struct CertificateFiles {
  std::string name;  ///< short, for metrics and logs: "shop", "shop.example"
  std::string certificate;
  std::string key;

  bool operator==(const CertificateFiles&) const = default;
};

/// Pairs certificates with keys among `files`, which are paths relative to `folder` ("shop.crt",
/// "shop.example/privkey.pem"): NAME.crt or NAME.pem with NAME.key, or fullchain.pem with
/// privkey.pem. Ignores other files, cert.pem and chain.pem beside the latter, and a ca.crt without
/// key. The first pair is the one for callers that name no host: "default", else tls or fullchain
/// of the folder itself, else the first by name. A certificate without key, a key without
/// certificate, or no pair at all is kInvalidSetting.
Result<std::vector<CertificateFiles>> pair_up(const std::string& folder,
                                              std::vector<std::string> files);

/// Does the same for the existing files in the folder and its sub-folders. Ignores names that begin
/// with a dot, which Kubernetes uses for its own. It blocks for the time of a few readdir().
Result<std::vector<CertificateFiles>> certificates_in(const std::string& folder);

}  // namespace bellows::http
