// TLS by OpenSSL, for clients and servers: version 1.2 at least, ALPN http/1.1, names verified.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

/// Certificates or a key in PEM form, from a file or a text.
struct Pem {
  std::string path;  ///< file, read again when it has changed (inode, size or time)
  std::string text;  ///< used if there is no path
  std::string name;  ///< name of the text in errors: "client-key-data of user dev"

  bool empty() const { return path.empty() && text.empty(); }
};

struct TlsClientSettings {
  Pem ca;                          ///< trusted CAs; empty: those of the system
  Pem certificate;                 ///< the client's own, with its chain; empty: none
  Pem key;                         ///< key of `certificate`
  std::string server_name;         ///< verified in place of the endpoint's host; empty: the host
  bool skip_verification = false;  ///< accepts any certificate
};

struct TlsServerSettings {
  Pem certificate;  ///< with its chain
  Pem key;
  Pem client_ca;  ///< CA of clients' certificates, which are required; empty: none is requested
};

/// Reads the files. Errors are kInvalidSetting, or kNotFound for a missing file, and name the file
/// and what is wrong with it. A file that changes later and cannot be used (half of a rotation,
/// say) is logged, and the previous content stays in force until the next change. Reading blocks
/// the io thread for the time of a few small files.
Result<std::unique_ptr<TlsContext>> make_tls_client(TlsClientSettings settings);
Result<std::unique_ptr<TlsContext>> make_tls_server(TlsServerSettings settings);

}  // namespace bellows::http
