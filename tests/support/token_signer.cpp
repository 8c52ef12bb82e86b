#include "tests/support/token_signer.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "tests/support/base64url.hpp"

namespace bellows::test {

namespace {

void check(bool is_fine, const char* what) {
  if (!is_fine) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string number_text(const EVP_PKEY* key, const char* name, int size) {
  BIGNUM* number = nullptr;
  check(EVP_PKEY_get_bn_param(key, name, &number) == 1, name);
  std::string bytes(static_cast<std::size_t>(size > 0 ? size : BN_num_bytes(number)), '\0');
  check(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()),
                     static_cast<int>(bytes.size())) > 0,
        "number");
  BN_free(number);
  return to_base64url(bytes);
}

/// Both numbers one behind the other.
std::string raw_of(const std::string& asn1, int size) {
  const unsigned char* at = bytes_of(asn1);
  ECDSA_SIG* const both = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(asn1.size()));
  check(both != nullptr, "signature");
  std::string raw(static_cast<std::size_t>(2 * size), '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(both), bytes, size);
  BN_bn2binpad(ECDSA_SIG_get0_s(both), bytes + size, size);
  ECDSA_SIG_free(both);
  return raw;
}

}  // namespace

struct TokenSigner::Key {
  ~Key() { EVP_PKEY_free(pkey); }
  EVP_PKEY* pkey = nullptr;
  const EVP_MD* digest = nullptr;
  std::string curve;  // empty: RSA
  int size = 0;       // of a coordinate
};

TokenSigner::TokenSigner(std::string id, std::string algorithm)
    : id_(std::move(id)), algorithm_(std::move(algorithm)), key_(std::make_unique<Key>()) {
  const std::string bits = algorithm_.substr(2);
  key_->digest = bits == "256" ? EVP_sha256() : bits == "384" ? EVP_sha384() : EVP_sha512();
  if (algorithm_.starts_with("RS")) {
    key_->pkey = EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(2048));
  } else {
    key_->curve = bits == "512" ? "P-521" : "P-" + bits;
    key_->size = bits == "256" ? 32 : bits == "384" ? 48 : 66;
    key_->pkey = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", key_->curve.data());
  }
  check(key_->pkey != nullptr, "key");
}

TokenSigner::~TokenSigner() = default;

std::string TokenSigner::json(std::string_view more) const {
  std::string text = R"({"use":"sig","kid":")" + id_ + R"(","alg":")" + algorithm_ + "\",";
  if (key_->curve.empty()) {
    text += R"("kty":"RSA","n":")" + number_text(key_->pkey, OSSL_PKEY_PARAM_RSA_N, 0) +
            R"(","e":")" + number_text(key_->pkey, OSSL_PKEY_PARAM_RSA_E, 0) + '"';
  } else {
    text += R"("kty":"EC","crv":")" + key_->curve + R"(","x":")" +
            number_text(key_->pkey, OSSL_PKEY_PARAM_EC_PUB_X, key_->size) + R"(","y":")" +
            number_text(key_->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, key_->size) + '"';
  }
  return text.append(more) + "}";
}

std::string TokenSigner::public_pem() const {
  BIO* const bio = BIO_new(BIO_s_mem());
  check(PEM_write_bio_PUBKEY(bio, key_->pkey) == 1, "PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string TokenSigner::signature(std::string_view text) const {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  check(EVP_DigestSignInit(context, nullptr, key_->digest, nullptr, key_->pkey) == 1, "sign");
  std::string bytes(1024, '\0');
  std::size_t size = bytes.size();
  check(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(bytes.data()), &size,
                       bytes_of(text), text.size()) == 1,
        "sign");
  EVP_MD_CTX_free(context);
  bytes.resize(size);
  return key_->curve.empty() ? bytes : raw_of(bytes, key_->size);
}

std::string TokenSigner::token(std::string_view head, std::string_view claims) const {
  const std::string text = to_base64url(head) + "." + to_base64url(claims);
  return text + "." + to_base64url(signature(text));
}

std::string TokenSigner::token(std::string_view claims) const {
  return token(head(), claims);
}

std::string TokenSigner::head() const {
  return R"({"alg":")" + algorithm_ + R"(","kid":")" + id_ + R"("})";
}

std::string key_set(const std::vector<const TokenSigner*>& signers) {
  std::string text;
  for (const TokenSigner* each : signers) text += (text.empty() ? "" : ",") + each->json();
  return R"({"keys":[)" + text + "]}";
}

std::string hmac(std::string_view secret, std::string_view text) {
  std::array<unsigned char, 32> bytes{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes_of(text), text.size(),
       bytes.data(), &size);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

std::string TokenClaims::json() const {
  return R"({"aud":)" + audience + R"(,"exp":)" + expires + R"(,"iat":)" + issued + R"(,"iss":)" +
         issuer + R"(,"kubernetes.io":{"namespace":)" + ns + R"(,"pod":)" + pod +
         R"(,"serviceaccount":{"name":")" + account + R"(","uid":"uid of the account"}},"nbf":)" +
         not_before + R"(,"sub":"system:serviceaccount:)" + ns.substr(1, ns.size() - 2) + ":" +
         account + "\"}";
}

}  // namespace bellows::test
