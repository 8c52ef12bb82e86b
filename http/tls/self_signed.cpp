#include "http/tls/self_signed.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <span>

#include "base/ip_range.hpp"
#include "http/tls/openssl_error.hpp"
#include "http/tls/openssl_owned.hpp"

namespace bellows::http {

namespace {

tl::unexpected<Error> failed(const char* what) {
  return fail(ErrorKind::kSystem, "self-signed certificate",
              std::string(what) + ": " + take_openssl_text());
}

std::string written(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool extend(X509& certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

/// Returns "DNS:localhost,IP:127.0.0.1". Rejects characters with a meaning in that syntax, which no
/// host contains.
Result<std::string> alternative_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (name.empty() || name.find_first_of(",;= \t\r\n") != std::string::npos) {
      return fail(ErrorKind::kInvalidSetting, "name \"" + name + "\" of a certificate",
                  "want a host name or an IP address");
    }
    text += (text.empty() ? "" : ",") +
            std::string(parse_ip_address(name).has_value() ? "IP:" : "DNS:") + name;
  }
  return text;
}

std::string hex_text(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    if (!text.empty()) text += ':';
    text += "0123456789ABCDEF"[byte / 16];
    text += "0123456789ABCDEF"[byte % 16];
  }
  return text;
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  X509_digest(&certificate, EVP_sha256(), digest.data(), &size);
  return hex_text(std::span(digest).first(size));
}

/// Returns the pin of the key (RFC 7469 2.4).
std::string pin_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
  unsigned char* encoded = nullptr;
  const int size = i2d_PUBKEY(X509_get0_pubkey(&certificate), &encoded);
  if (size <= 0) return {};
  unsigned digest_size = 0;
  EVP_Digest(encoded, static_cast<std::size_t>(size), digest.data(), &digest_size, EVP_sha256(),
             nullptr);
  OPENSSL_free(encoded);
  const int text_size = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest_size));
  return "sha256//" + std::string(text.data(), text.data() + text_size);
}

bool set_identity(X509& certificate, int days) {
  constexpr long kHour = 3600;
  std::array<unsigned char, 16> serial{};
  if (RAND_bytes(serial.data(), serial.size()) != 1) return false;
  serial[0] &= 0x7F;  // positive
  const NumberPtr number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate));
  X509_set_version(&certificate, X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(&certificate), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(&certificate), days * 24 * kHour);
  X509_NAME* const name = X509_get_subject_name(&certificate);
  constexpr std::array<unsigned char, 20> kName = {"Bellows self-signed"};
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, kName.data(),
                                    static_cast<int>(kName.size()) - 1, -1, 0) == 1 &&
         X509_set_issuer_name(&certificate, name) == 1;
}

}  // namespace

Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, int days) {
  BELLOWS_TRY(const std::string hosts, alternative_names(names));
  char curve[] = "P-256";
  const KeyPtr key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
  const CertificatePtr certificate(X509_new());
  if (!key || !certificate || !set_identity(*certificate, days)) return failed("key");
  X509_set_pubkey(certificate.get(), key.get());
  const bool is_extended = extend(*certificate, NID_subject_alt_name, hosts) &&
                           extend(*certificate, NID_basic_constraints, "critical,CA:FALSE") &&
                           extend(*certificate, NID_ext_key_usage, "serverAuth");
  if (!is_extended) return failed("names");
  if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) return failed("signature");
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return failed("PEM");
  }
  return SelfSigned{.certificate = written(*certificate_text),
                    .key = written(*key_text),
                    .fingerprint = fingerprint_of(*certificate),
                    .pin = pin_of(*certificate)};
}

}  // namespace bellows::http
