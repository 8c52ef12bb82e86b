#include "http/tls/tls_context.hpp"

#include <openssl/ssl.h>

#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sys/file_stamp.hpp"
#include "base/sys/log.hpp"
#include "http/tls/certificates.hpp"
#include "http/tls/openssl_context.hpp"
#include "http/tls/openssl_session.hpp"

namespace bellows::http {

namespace {

/// The protocol in ALPN's format: length and name (RFC 7301).
constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

Result<ContextPtr> client_context(const TlsClientSettings& settings) {
  BELLOWS_TRY(ContextPtr context, new_context(TLS_client_method()));
  SSL_CTX_set_alpn_protos(context.get(), kHttp11.data(), kHttp11.size());
  if (!settings.skip_verification) {
    BELLOWS_CHECKED(trust(*context, settings.ca));
    // A certificate that is named as trusted is accepted even if it is no root, as in Go's clients.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!settings.certificate.empty()) {
    BELLOWS_CHECKED(present(*context, settings.certificate, settings.key));
  }
  return context;
}

int choose_http11(SSL*, const unsigned char** chosen, unsigned char* size,
                  const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* selected = nullptr;
  const int outcome =
      SSL_select_next_proto(&selected, size, kHttp11.data(), kHttp11.size(), offered, offered_size);
  *chosen = selected;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Result<ContextPtr> server_context(const TlsServerSettings& settings) {
  BELLOWS_TRY(ContextPtr context, new_context(TLS_server_method()));
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http11, nullptr);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);  // sessions are not resumed
  SSL_CTX_set_num_tickets(context.get(), 0);
  BELLOWS_CHECKED(present(*context, settings.certificate, settings.key));
  if (!settings.client_ca.empty()) BELLOWS_CHECKED(ask_clients(*context, settings.client_ca));
  return context;
}

/// Rebuilds OpenSSL's context when a file of its settings has changed.
class OpenSslContext final : public TlsContext {
 public:
  struct Parts {
    TlsSide side = TlsSide::kClient;
    std::function<Result<ContextPtr>()> build;
    std::vector<std::string> paths;  // files that `build` reads
    std::string server_name;         // client only: verified in place of the endpoint's host
    std::string trusted;             // client only: for errors
  };

  explicit OpenSslContext(Parts parts) : parts_(std::move(parts)) {}

  Result<void> load() {
    read_stamps();
    BELLOWS_TRY(context_, parts_.build());
    return {};
  }

  Result<std::unique_ptr<TlsSession>> start(const std::string& server_name) override {
    if (read_stamps()) reload();
    const std::string& name = parts_.server_name.empty() ? server_name : parts_.server_name;
    return make_openssl_session(*context_, parts_.side,
                                {.server_name = name, .trusted = parts_.trusted});
  }

 private:
  /// Returns true if a file has changed. It runs before the files are read, so that no change is
  /// missed.
  bool read_stamps() {
    std::vector<sys::FileStamp> now;
    for (const std::string& path : parts_.paths) now.push_back(sys::stamp_of(path));
    return std::exchange(stamps_, now) != now;
  }

  void reload() {
    Result<ContextPtr> fresh = parts_.build();
    if (fresh) {
      context_ = std::move(*fresh);
    } else {
      sys::log::warning(
          "a TLS file has changed and cannot be used; its previous content stays in force",
          {{"error", to_string(fresh.error())}});
    }
  }

  Parts parts_;
  std::vector<sys::FileStamp> stamps_;
  ContextPtr context_;
};

std::vector<std::string> paths_of(std::initializer_list<const Pem*> all) {
  std::vector<std::string> paths;
  for (const Pem* const pem : all) {
    if (!pem->path.empty()) paths.push_back(pem->path);
  }
  return paths;
}

std::string trusted_text(const TlsClientSettings& settings) {
  if (settings.ca.empty()) return "the system";
  return name_of(settings.ca);
}

Result<std::unique_ptr<TlsContext>> loaded(OpenSslContext::Parts parts) {
  auto context = std::make_unique<OpenSslContext>(std::move(parts));
  BELLOWS_CHECKED(context->load());
  return context;
}

}  // namespace

Result<std::unique_ptr<TlsContext>> make_tls_client(TlsClientSettings settings) {
  OpenSslContext::Parts parts;
  parts.paths = paths_of({&settings.ca, &settings.certificate, &settings.key});
  parts.server_name = settings.server_name;
  parts.trusted = trusted_text(settings);
  parts.build = [settings = std::move(settings)] { return client_context(settings); };
  return loaded(std::move(parts));
}

Result<std::unique_ptr<TlsContext>> make_tls_server(TlsServerSettings settings) {
  OpenSslContext::Parts parts;
  parts.side = TlsSide::kServer;
  parts.paths = paths_of({&settings.certificate, &settings.key, &settings.client_ca});
  parts.build = [settings = std::move(settings)] { return server_context(settings); };
  return loaded(std::move(parts));
}

}  // namespace bellows::http
