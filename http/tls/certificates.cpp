#include "http/tls/certificates.hpp"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "base/sys/file.hpp"
#include "http/tls/openssl_error.hpp"
#include "http/tls/openssl_owned.hpp"

namespace bellows::http {

namespace {

tl::unexpected<Error> invalid(const Pem& pem, std::string message) {
  return fail(ErrorKind::kInvalidSetting, name_of(pem), std::move(message));
}

Result<std::string> text_of(const Pem& pem) {
  if (pem.path.empty()) return pem.text;
  return sys::read_whole_file(pem.path);
}

BioPtr reader_of(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Refuses an encrypted key, because no user can enter its password.
int no_password(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

Result<std::vector<CertificatePtr>> certificates_of(const Pem& pem) {
  BELLOWS_TRY(const std::string text, text_of(pem));
  const BioPtr reader = reader_of(text);
  std::vector<CertificatePtr> certificates;
  while (CertificatePtr next{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)}) {
    certificates.push_back(std::move(next));
  }
  const std::string why = take_openssl_text();
  if (!certificates.empty()) return certificates;
  return invalid(pem, "no certificate can be read: " + why +
                          "; want one in PEM form (-----BEGIN CERTIFICATE-----)");
}

Result<KeyPtr> key_of(const Pem& pem) {
  BELLOWS_TRY(const std::string text, text_of(pem));
  const BioPtr reader = reader_of(text);
  bool is_encrypted = false;
  KeyPtr key(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_password, &is_encrypted));
  const std::string why = take_openssl_text();
  if (key) return key;
  if (is_encrypted) return invalid(pem, "the key is encrypted; want one without a password");
  const std::string want = "; want one in PEM form (-----BEGIN PRIVATE KEY-----)";
  if (text.find("PRIVATE KEY-----") == std::string::npos) {
    return invalid(pem, "no private key can be read: there is none in it" + want);
  }
  return invalid(pem, "no private key can be read: it is damaged (" + why + ")" + want);
}

/// Returns the common name, which is shorter than the whole name and clearer.
std::string name_text(const X509_NAME* name) {
  std::array<char, 256> text{};
  if (X509_NAME_get_text_by_NID(name, NID_commonName, text.data(), text.size()) > 0) {
    return text.data();
  }
  X509_NAME_oneline(name, text.data(), text.size());
  return text.data();
}

std::string time_text(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable time";
  std::array<char, 80> text{};  // holds the name in any case
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d %02d:%02d:%02dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text.data();
}

Result<WallTime> wall_time_of(const ASN1_TIME* time, const X509& certificate) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) {
    return fail(ErrorKind::kInvalidSetting, "certificate \"" + subject_text(certificate) + "\"",
                "its validity cannot be read");
  }
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

std::string alternative_text(const GENERAL_NAME& name) {
  if (name.type != GEN_DNS && name.type != GEN_IPADD) return {};
  const ASN1_STRING* const value = name.type == GEN_DNS ? name.d.dNSName : name.d.iPAddress;
  const auto* const bytes = ASN1_STRING_get0_data(value);
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
  if (name.type == GEN_DNS) return {bytes, bytes + size};
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(size == sizeof(in_addr) ? AF_INET : AF_INET6, bytes, text.data(), text.size());
  return text.data();
}

}  // namespace

std::string name_of(const Pem& pem) {
  return pem.path.empty() ? pem.name : pem.path;
}

Result<void> trust(ssl_ctx_st& context, const Pem& ca) {
  if (ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(&context) == 1) return {};
    return fail(ErrorKind::kInvalidSetting, "the system's CA certificates", take_openssl_text());
  }
  BELLOWS_TRY(const auto certificates, certificates_of(ca));
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  for (const CertificatePtr& each : certificates) X509_STORE_add_cert(store, each.get());
  return {};
}

Result<void> present(ssl_ctx_st& context, const Pem& certificate, const Pem& key) {
  BELLOWS_TRY(const auto chain, certificates_of(certificate));
  BELLOWS_TRY(const KeyPtr secret, key_of(key));
  if (SSL_CTX_use_certificate(&context, chain.front().get()) != 1) {
    return invalid(certificate, "cannot be used: " + take_openssl_text());
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    SSL_CTX_add1_chain_cert(&context, chain[i].get());
  }
  if (SSL_CTX_use_PrivateKey(&context, secret.get()) == 1) return {};
  const std::string why = take_openssl_text();
  if (X509_check_private_key(chain.front().get(), secret.get()) == 1) {
    return invalid(key, "cannot be used: " + why);
  }
  return invalid(key, "is not the key of the certificate " + name_of(certificate) + " (" +
                          subject_text(*chain.front()) + ")");
}

Result<void> ask_clients(ssl_ctx_st& context, const Pem& ca, bool is_required) {
  BELLOWS_CHECKED(trust(context, ca));
  BELLOWS_TRY(const auto certificates, certificates_of(ca));
  for (const CertificatePtr& each : certificates) SSL_CTX_add_client_CA(&context, each.get());
  const int fails_without = is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | fails_without, nullptr);
  return {};
}

std::string subject_text(const x509_st& certificate) {
  return name_text(X509_get_subject_name(&certificate));
}

std::string issuer_text(const x509_st& certificate) {
  return name_text(X509_get_issuer_name(&certificate));
}

std::vector<std::string> host_names(const x509_st& certificate) {
  const NamesPtr names = alternative_names_of(certificate);
  std::vector<std::string> found;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    std::string name = alternative_text(*sk_GENERAL_NAME_value(names.get(), i));
    if (!name.empty()) found.push_back(std::move(name));
  }
  return found;
}

std::string names_text(const x509_st& certificate) {
  std::string text;
  for (const std::string& name : host_names(certificate)) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text.empty() ? "no host" : text;
}

Result<WallTime> valid_until(const x509_st& certificate) {
  return wall_time_of(X509_get0_notAfter(&certificate), certificate);
}

Result<WallTime> valid_from(const x509_st& certificate) {
  return wall_time_of(X509_get0_notBefore(&certificate), certificate);
}

std::string valid_until_text(const x509_st& certificate) {
  return time_text(X509_get0_notAfter(&certificate));
}

std::string valid_from_text(const x509_st& certificate) {
  return time_text(X509_get0_notBefore(&certificate));
}

}  // namespace bellows::http
