// Settings of TLS on the port for requests: alike in the activator and in bellows run and up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::config {

enum class TlsSource : std::uint8_t {
  kFiles,       ///< tls-certificate and tls-folder; requests use no TLS without them
  kSelfSigned,  ///< a certificate that the program makes at its start
};
enum class TlsVersion : std::uint8_t { k12, k13 };
enum class ClientCertificate : std::uint8_t { kRequired, kOptional };

/// The fields are declared in tls_settings.cpp.
struct TlsSettings {
  TlsSource source = TlsSource::kFiles;
  std::string certificate;  ///< paths, separated by commas
  std::string key;          ///< as many paths
  std::string folder;       ///< of certificates and keys; empty: none
  TlsVersion minimum_version = TlsVersion::k12;
  std::string client_ca;  ///< path; empty: clients need no certificate
  ClientCertificate client_certificate = ClientCertificate::kRequired;
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration hsts = Duration::zero();           ///< max-age of Strict-Transport-Security; zero: none
  std::optional<Endpoint> redirect_listen;    ///< for http, which is redirected to https
  std::optional<std::int32_t> redirect_port;  ///< of the https addresses; unset: that of `listen`
  std::string acme_folder;                    ///< served at redirect_listen; empty: none

  /// Returns true if requests use TLS.
  bool is_on() const {
    return source == TlsSource::kSelfSigned || !certificate.empty() || !folder.empty();
  }
  bool operator==(const TlsSettings&) const = default;
};

/// Returns "a.crt,b.crt" as two paths.
std::vector<std::string> path_list(std::string_view text);

/// Returns the declarations, which every program with callers from outside includes.
const Schema<TlsSettings>& tls_schema();

}  // namespace bellows::config
