// Which files of a folder are a certificate and its key, as certbot, a mounted secret of Kubernetes
// or a hand has laid them out. Within http/tls.
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

/// The pairs among `files`, paths relative to `folder` ("shop.crt", "shop.example/privkey.pem"):
/// NAME.crt or NAME.pem with NAME.key, or fullchain.pem with privkey.pem. Others are left alone, as
/// are cert.pem and chain.pem beside the latter, and a ca.crt without key. The one for callers that
/// name no host comes first: "default", else tls or fullchain of the folder itself, else the first
/// by name. kInvalidSetting: a certificate without key, a key without certificate, or no pair at
/// all.
Result<std::vector<CertificateFiles>> pair_up(const std::string& folder,
                                              std::vector<std::string> files);

/// The same for the files that are there: in the folder and its sub-folders. Names that begin with
/// a dot are left alone (Kubernetes keeps its own there). Blocks for the time of a few readdir().
Result<std::vector<CertificateFiles>> certificates_in(const std::string& folder);

}  // namespace bellows::http
