#include "kubernetes/io/signing_key.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <memory>
#include <optional>

#include "http/tls/openssl_error.hpp"

namespace bellows::kubernetes {

namespace {

using http::KeyPtr;
using http::NumberPtr;

template <auto kFree>
struct FreedBy {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using BuilderPtr = std::unique_ptr<OSSL_PARAM_BLD, FreedBy<&OSSL_PARAM_BLD_free>>;
using ParametersPtr = std::unique_ptr<OSSL_PARAM, FreedBy<&OSSL_PARAM_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, FreedBy<&EVP_PKEY_CTX_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, FreedBy<&EVP_MD_CTX_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, FreedBy<&ECDSA_SIG_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

NumberPtr number_of(std::string_view bytes) {
  return NumberPtr(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

KeyPtr key_of(const char* kind, OSSL_PARAM_BLD& builder) {
  const ParametersPtr parameters(OSSL_PARAM_BLD_to_param(&builder));
  const KeyContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  const bool is_made =
      parameters && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) == 1;
  KeyPtr made(key);
  return is_made ? std::move(made) : nullptr;
}

KeyPtr rsa_key(const JsonWebKey& key) {
  const NumberPtr modulus = number_of(key.modulus);
  const NumberPtr exponent = number_of(key.exponent);
  const BuilderPtr builder(OSSL_PARAM_BLD_new());
  const bool is_built =
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) == 1;
  return is_built ? key_of("RSA", *builder) : nullptr;
}

const char* curve_of(const std::string& algorithm) {
  if (algorithm == "ES256") return "P-256";
  return algorithm == "ES384" ? "P-384" : "P-521";
}

KeyPtr elliptic_key(const JsonWebKey& key) {
  const std::string point = "\x04" + key.x + key.y;  // uncompressed (SEC 1, 2.3.3)
  const BuilderPtr builder(OSSL_PARAM_BLD_new());
  const bool is_built = OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME,
                                                        curve_of(key.algorithm), 0) == 1 &&
                        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY,
                                                         point.data(), point.size()) == 1;
  return is_built ? key_of("EC", *builder) : nullptr;
}

const EVP_MD* digest_of(const std::string& algorithm) {
  if (algorithm.ends_with("256")) return EVP_sha256();
  return algorithm.ends_with("384") ? EVP_sha384() : EVP_sha512();
}

/// A token has both numbers one behind the other, and OpenSSL wants ASN.1.
std::optional<std::string> asn1_of(std::string_view signature, const std::string& algorithm) {
  const std::size_t size = algorithm == "ES256" ? 32 : algorithm == "ES384" ? 48 : 66;
  if (signature.size() != 2 * size) return std::nullopt;
  NumberPtr r = number_of(signature.substr(0, size));
  NumberPtr s = number_of(signature.substr(size));
  const SignaturePtr both(ECDSA_SIG_new());
  if (!r || !s || !both || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return std::nullopt;
  static_cast<void>(r.release());  // `both` owns them now
  static_cast<void>(s.release());
  unsigned char* bytes = nullptr;
  const int length = i2d_ECDSA_SIG(both.get(), &bytes);
  if (length <= 0) return std::nullopt;
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return text;
}

}  // namespace

Result<SigningKey> SigningKey::make(const JsonWebKey& key) {
  KeyPtr made = key.modulus.empty() ? elliptic_key(key) : rsa_key(key);
  if (made) return SigningKey(key, std::move(made));
  return fail(ErrorKind::kMalformed, "key \"" + key.id + "\" of the API server",
              "cannot be used: " + http::take_openssl_text());
}

bool SigningKey::has_signed(std::string_view text, std::string_view signature) const {
  std::optional<std::string> asn1;
  if (algorithm_.starts_with("ES")) {
    asn1 = asn1_of(signature, algorithm_);
    if (!asn1) return false;
    signature = *asn1;
  }
  const DigestPtr digest(EVP_MD_CTX_new());
  const bool is_right = digest &&
                        EVP_DigestVerifyInit(digest.get(), nullptr, digest_of(algorithm_), nullptr,
                                             key_.get()) == 1 &&
                        EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(),
                                         bytes_of(text), text.size()) == 1;
  if (!is_right) ERR_clear_error();
  return is_right;
}

}  // namespace bellows::kubernetes
