// TLS by OpenSSL, for clients and servers: version 1.2 at least, ALPN http/1.1, names are verified.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

/// Certificates or a key in PEM form: those of a file, or a text.
struct Pem {
  std::string path;  ///< read again when the file has changed (inode, size or time)
  std::string text;  ///< if there is no path
  std::string name;  ///< how errors name the text: "client-key-data of user dev"

  bool empty() const { return path.empty() && text.empty(); }
};

struct TlsClientSettings {
  Pem ca;                          ///< whom to trust; empty: the system's CAs
  Pem certificate;                 ///< of the client, with its chain; empty: none
  Pem key;                         ///< of the certificate
  std::string server_name;         ///< verified in place of the endpoint's host; empty: the host
  bool skip_verification = false;  ///< any certificate will do
};

struct TlsServerSettings {
  Pem certificate;  ///< with its chain
  Pem key;
  Pem client_ca;  ///< clients must have a certificate of it; empty: none is asked for
};

/// Reads the files. kInvalidSetting (kNotFound for a file that is missing): names the file and what
/// is wrong with it. Later, when a file has changed and cannot be used (half of a rotation, say),
/// that is logged, and what was read before stays in force until the next change. Reading blocks
/// the io thread for the time of a few small files.
Result<std::unique_ptr<TlsContext>> make_tls_client(TlsClientSettings settings);
Result<std::unique_ptr<TlsContext>> make_tls_server(TlsServerSettings settings);

}  // namespace bellows::http
