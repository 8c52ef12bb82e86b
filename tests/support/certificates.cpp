#include "tests/support/certificates.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace bellows::test {

namespace {

struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using CertificatePtr = std::unique_ptr<X509, FreeCertificate>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeKey>;

void check(bool is_fine, const char* what) {
  if (!is_fine) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

template <class F>
std::string pem_of(F write) {
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new(BIO_s_mem()));
  check(write(bio.get()) == 1, "PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  return pem_of([certificate](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string pem_of(EVP_PKEY* key) {
  return pem_of([key](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

void add_extension(X509& certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  check(extension != nullptr, "extension");
  X509_add_ext(&certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

CertificatePtr new_certificate(const CertificateSpec& spec, EVP_PKEY* key) {
  static long serial = 1;
  CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), spec.valid_from_seconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), spec.valid_to_seconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(spec.common_name.c_str()), -1,
                             -1, 0);
  return certificate;
}

std::string names_of(const CertificateSpec& spec) {
  std::string names;
  const auto add = [&names](const char* kind, const std::string& name) {
    if (!names.empty()) names += ",";
    names += kind + name;
  };
  for (const std::string& each : spec.dns_names) add("DNS:", each);
  for (const std::string& each : spec.addresses) add("IP:", each);
  return names;
}

/// EVP_EC_gen() casts a const away, which clang warns about.
KeyPtr new_ec_key() {
  char curve[] = "P-256";
  return KeyPtr(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
}

}  // namespace

struct TestCa::Parts {
  KeyPtr key;
  CertificatePtr certificate;
};

TestCa::TestCa(const std::string& common_name) : parts_(std::make_unique<Parts>()) {
  parts_->key = new_ec_key();
  check(parts_->key != nullptr, "key");
  parts_->certificate = new_certificate({.common_name = common_name}, parts_->key.get());
  X509* const self = parts_->certificate.get();
  X509_set_issuer_name(self, X509_get_subject_name(self));
  add_extension(*self, self, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(*self, self, NID_key_usage, "critical,keyCertSign,cRLSign");
  check(X509_sign(self, parts_->key.get(), EVP_sha256()) != 0, "signature");
  certificate_ = pem_of(self);
}

TestCa::~TestCa() = default;

TestCertificate TestCa::sign(const CertificateSpec& spec) const {
  const KeyPtr key(spec.is_rsa ? KeyPtr(EVP_RSA_gen(2048)) : new_ec_key());
  check(key != nullptr, "key");
  const CertificatePtr made = new_certificate(spec, key.get());
  X509_set_issuer_name(made.get(), X509_get_subject_name(parts_->certificate.get()));
  const std::string names = names_of(spec);
  if (!names.empty()) {
    add_extension(*made, parts_->certificate.get(), NID_subject_alt_name, names);
  }
  check(X509_sign(made.get(), parts_->key.get(), EVP_sha256()) != 0, "signature");
  return {.certificate = pem_of(made.get()), .key = pem_of(key.get())};
}

TestCertificate TestCa::sign_localhost() const {
  return sign(
      {.common_name = "local server", .dns_names = {"localhost"}, .addresses = {"127.0.0.1"}});
}

}  // namespace bellows::test
