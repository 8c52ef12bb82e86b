#include "http/tls/port_certificates.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text_parts.hpp"
#include "http/tls/certificate_folder.hpp"
#include "http/tls/certificates.hpp"
#include "http/tls/openssl_error.hpp"
#include "http/tls/openssl_session.hpp"

namespace bellows::http {

namespace {

/// The protocols in ALPN's format: length and name (RFC 7301). HTTP/2 comes first, for servers that
/// speak it. A caller of HTTP/1.0 (curl --http1.0) may offer nothing else.
constexpr std::array<unsigned char, 21> kProtocols = {2,   'h', '2', 8,   'h', 't', 't',
                                                      'p', '/', '1', '.', '1', 8,   'h',
                                                      't', 't', 'p', '/', '1', '.', '0'};
constexpr std::size_t kHttp11At = 3;

/// Ciphers with forward secrecy and authenticated encryption; TLS 1.3 has only such.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

/// Tickets live for two to three rotations of their keys; the caller is informed of two.
constexpr long kTicketSeconds = 7200;

std::string file_of(const Pem& pem) {
  return pem.path.empty() ? pem.name : pem.path;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void* with_http2) {
  const auto ours = std::span(kProtocols).subspan(with_http2 == nullptr ? kHttp11At : 0);
  unsigned char* selected = nullptr;
  const int outcome = SSL_select_next_proto(
      &selected, size, ours.data(), static_cast<unsigned>(ours.size()), offered, offered_size);
  *chosen = selected;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

int choose_certificate(SSL* ssl, int*, void*) {
  const char* const host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  const PortCertificates* const certificates = port_certificates_of(*ssl);
  if (host == nullptr || certificates == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_SSL_CTX(ssl, &certificates->context_for(host));
  return SSL_TLSEXT_ERR_OK;
}

Result<ContextPtr> port_context(const TlsPortSettings& settings) {
  BELLOWS_TRY(ContextPtr context, new_context(TLS_server_method()));
  SSL_CTX* const raw = context.get();
  if (!settings.allows_tls12) SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_cipher_list(raw, kTls12Ciphers);
  static char has_http2 = 0;  // only its address is used
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, settings.offers_http2 ? &has_http2 : nullptr);
  SSL_CTX_set_tlsext_servername_callback(raw, choose_certificate);
  SSL_CTX_set_timeout(raw, kTicketSeconds);
  SSL_CTX_set_num_tickets(raw, 1);  // TLS 1.3: each connection brings one for the next
  constexpr std::array<unsigned char, 7> kId = {'b', 'e', 'l', 'l', 'o', 'w', 's'};
  SSL_CTX_set_session_id_context(raw, kId.data(), kId.size());
  use_ticket_keys(*context);
  if (settings.client_ca.empty()) return context;
  const bool is_required = settings.clients == ClientCertificates::kRequired;
  BELLOWS_CHECKED(ask_clients(*context, settings.client_ca, is_required));
  return context;
}

/// Returns the leaf, then the other certificates of the file, in order.
std::vector<const X509*> chain_of(SSL_CTX& context) {
  std::vector<const X509*> chain{SSL_CTX_get0_certificate(&context)};
  STACK_OF(X509)* more = nullptr;
  SSL_CTX_get0_chain_certs(&context, &more);
  for (int i = 0; i < sk_X509_num(more); ++i) chain.push_back(sk_X509_value(more, i));
  return chain;
}

Result<void> check_validity(const X509& certificate, const std::string& file, WallTime now) {
  BELLOWS_TRY(const WallTime from, valid_from(certificate));
  BELLOWS_TRY(const WallTime until, valid_until(certificate));
  const std::string subject = "the certificate \"" + subject_text(certificate) + "\" ";
  if (until <= now) {
    return fail(ErrorKind::kInvalidSetting, file,
                subject + "expired at " + valid_until_text(certificate) + "; want a renewed one");
  }
  if (from > now) {
    return fail(ErrorKind::kInvalidSetting, file,
                subject + "is not valid before " + valid_from_text(certificate) +
                    "; want one that is valid now, or the right time on this machine");
  }
  return {};
}

Result<WallTime> check_chain(SSL_CTX& context, const std::string& file, WallTime now) {
  const std::vector<const X509*> chain = chain_of(context);
  WallTime first_end = WallTime::max();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    BELLOWS_CHECKED(check_validity(*chain[i], file, now));
    BELLOWS_TRY(const WallTime end, valid_until(*chain[i]));
    first_end = std::min(first_end, end);
    if (i == 0) continue;
    // OpenSSL's function writes to caches in the certificates.
    const bool is_signed = X509_check_issued(const_cast<X509*>(chain[i]),  // NOLINT
                                             const_cast<X509*>(chain[i - 1])) == X509_V_OK;
    if (!is_signed) {
      return fail(ErrorKind::kInvalidSetting, file,
                  "its certificate \"" + subject_text(*chain[i]) + "\" has not signed \"" +
                      subject_text(*chain[i - 1]) +
                      "\" before it; want the host's certificate first, then each one's issuer");
    }
  }
  return first_end;
}

EVP_PKEY& private_key(SSL_CTX& context) {
  return *SSL_CTX_get0_privatekey(&context);
}

/// Returns "RSA" or "ECDSA". One name may have certificates of two kinds, because not all callers
/// can verify both.
std::string kind_text(SSL_CTX& context) {
  const EVP_PKEY& key = private_key(context);
  if (EVP_PKEY_get_base_id(&key) == EVP_PKEY_EC) return "ECDSA";
  return EVP_PKEY_get0_type_name(&key);
}

/// Adds the certificate of `from` to those that `to` presents.
Result<void> present_too(SSL_CTX& from, const std::string& file, SSL_CTX& to) {
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(&from, &chain);
  constexpr int kReplace = 0;
  const bool is_taken = SSL_CTX_use_cert_and_key(&to, SSL_CTX_get0_certificate(&from),
                                                 &private_key(from), chain, kReplace) == 1;
  if (is_taken) return {};
  return fail(ErrorKind::kInvalidSetting, file, "cannot be used: " + take_openssl_text());
}

Result<std::vector<CertificateSource>> sources_of(const TlsPortSettings& settings) {
  std::vector<CertificateSource> sources = settings.certificates;
  if (settings.folder.empty()) return sources;
  BELLOWS_TRY(std::vector<CertificateFiles> files, certificates_in(settings.folder));
  for (CertificateFiles& each : files) {
    sources.push_back({.name = std::move(each.name),
                       .certificate = {.path = std::move(each.certificate), .text = {}, .name = {}},
                       .key = {.path = std::move(each.key), .text = {}, .name = {}}});
  }
  return sources;
}

}  // namespace

Result<std::shared_ptr<const PortCertificates>> PortCertificates::load(
    const TlsPortSettings& settings, std::shared_ptr<const TicketKeys> keys, WallTime now) {
  BELLOWS_TRY(const std::vector<CertificateSource> sources, sources_of(settings));
  if (sources.empty()) {
    return fail(ErrorKind::kInvalidSetting, "TLS", "no certificate; want one and its key");
  }
  auto loaded = std::make_shared<PortCertificates>();
  loaded->keys_ = std::move(keys);
  for (const CertificateSource& source : sources) {
    BELLOWS_CHECKED(loaded->add(source, settings, now));
  }
  BELLOWS_CHECKED(loaded->join_kinds(settings));
  return loaded;
}

Result<void> PortCertificates::add(const CertificateSource& source, const TlsPortSettings& settings,
                                   WallTime now) {
  BELLOWS_TRY(ContextPtr context, port_context(settings));
  BELLOWS_CHECKED(present(*context, source.certificate, source.key));
  const std::string file = file_of(source.certificate);
  BELLOWS_TRY(const WallTime end, check_chain(*context, file, now));
  const X509& leaf = *SSL_CTX_get0_certificate(context.get());
  contexts_.push_back(std::move(context));
  list_.push_back(
      {.name = source.name, .file = file, .hosts = host_names(leaf), .valid_until = end});
  return add_names(list_.size() - 1);
}

Result<void> PortCertificates::add_names(std::size_t index) {
  const PortCertificate& certificate = list_[index];
  const std::string kind = kind_text(*contexts_[index]);
  for (const std::string& host : certificate.hosts) {
    std::vector<std::size_t>& others = by_host_[lower_case(host)].certificates;
    if (!others.empty() && others.back() == index) continue;  // it names the host twice
    for (const std::size_t other : others) {
      if (kind_text(*contexts_[other]) != kind) continue;
      return fail(ErrorKind::kInvalidSetting, certificate.file,
                  "is for " + host + ", as is " + list_[other].file + ", and both have keys of " +
                      kind + "; want one certificate of a kind for a name");
    }
    others.push_back(index);
  }
  return {};
}

Result<void> PortCertificates::join_kinds(const TlsPortSettings& settings) {
  for (auto& [host, place] : by_host_) {
    BELLOWS_TRY(place.context, context_of(place.certificates, settings));
  }
  const std::vector<std::string>& hosts = list_.front().hosts;
  first_ = hosts.empty() ? contexts_.front().get() : by_host_.at(lower_case(hosts.front())).context;
  return {};
}

Result<ssl_ctx_st*> PortCertificates::context_of(const std::vector<std::size_t>& certificates,
                                                 const TlsPortSettings& settings) {
  if (certificates.size() == 1) return contexts_[certificates.front()].get();
  ContextPtr& joined = joined_[certificates];
  if (joined) return joined.get();
  BELLOWS_TRY(joined, port_context(settings));
  for (const std::size_t each : certificates) {
    BELLOWS_CHECKED(present_too(*contexts_[each], list_[each].file, *joined));
  }
  return joined.get();
}

ssl_ctx_st& PortCertificates::context_for(std::string_view host) const {
  const std::string name = lower_case(host.substr(0, host.find_last_not_of('.') + 1));
  if (const auto exact = by_host_.find(name); exact != by_host_.end()) {
    return *exact->second.context;
  }
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos && dot > 0) {
    const auto wildcard = by_host_.find("*" + name.substr(dot));
    if (wildcard != by_host_.end()) return *wildcard->second.context;
  }
  return first();
}

}  // namespace bellows::http
