// Objects of OpenSSL with one owner. Within http/tls and kubernetes/io.
#pragma once

#include <memory>

struct X509_extension_st;
struct bignum_st;
struct bio_st;
struct evp_pkey_st;
struct stack_st_GENERAL_NAME;
struct x509_st;

namespace bellows::http {

/// OpenSSL's function for each type.
struct Freed {
  void operator()(X509_extension_st* extension) const;
  void operator()(bignum_st* number) const;
  void operator()(bio_st* bio) const;
  void operator()(evp_pkey_st* key) const;
  void operator()(stack_st_GENERAL_NAME* names) const;
  void operator()(x509_st* certificate) const;
};
using BioPtr = std::unique_ptr<bio_st, Freed>;
using CertificatePtr = std::unique_ptr<x509_st, Freed>;
using ExtensionPtr = std::unique_ptr<X509_extension_st, Freed>;
using KeyPtr = std::unique_ptr<evp_pkey_st, Freed>;
using NamesPtr = std::unique_ptr<stack_st_GENERAL_NAME, Freed>;
using NumberPtr = std::unique_ptr<bignum_st, Freed>;

/// Returns the alternative names that the certificate is valid for; nullptr if it has none.
NamesPtr alternative_names_of(const x509_st& certificate);

}  // namespace bellows::http
