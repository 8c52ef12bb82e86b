#include "http/tls/openssl_owned.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

namespace bellows::http {

void Freed::operator()(X509_extension_st* extension) const {
  X509_EXTENSION_free(extension);
}
void Freed::operator()(bignum_st* number) const {
  BN_free(number);
}
void Freed::operator()(bio_st* bio) const {
  BIO_free(bio);
}
void Freed::operator()(evp_pkey_st* key) const {
  EVP_PKEY_free(key);
}
void Freed::operator()(stack_st_GENERAL_NAME* names) const {
  GENERAL_NAMES_free(names);
}
void Freed::operator()(x509_st* certificate) const {
  X509_free(certificate);
}

NamesPtr alternative_names_of(const x509_st& certificate) {
  return NamesPtr(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
}

}  // namespace bellows::http
