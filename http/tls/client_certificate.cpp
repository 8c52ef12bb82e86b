#include "http/tls/client_certificate.hpp"

#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "http/tls/openssl_owned.hpp"

namespace bellows::http {

namespace {

/// A header line of this size is within the default limits; further names are dropped.
constexpr std::size_t kMaxBytes = 4096;

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// Returns the text as it is, or in quotes.
std::string value_of(std::string_view text, bool is_quoted) {
  if (!is_quoted && text.find_first_of(",;=\"\\") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string hash_text(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  X509_digest(&certificate, EVP_sha256(), digest.data(), &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] / 16];
    text += "0123456789abcdef"[digest[i] % 16];
  }
  return text;
}

/// Returns the subject by RFC 2253, with everything but printable ASCII escaped.
std::string subject_of(const X509& certificate) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), X509_get_subject_name(&certificate), 0,
                     XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_UTF8_CONVERT));
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  std::string text(data, static_cast<std::size_t>(std::max(size, 0L)));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

void append_names(const X509& certificate, std::string& text) {
  const NamesPtr names = alternative_names_of(certificate);
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME& name = *sk_GENERAL_NAME_value(names.get(), i);
    if (name.type != GEN_DNS && name.type != GEN_URI) continue;
    const ASN1_STRING* const value = name.d.ia5;
    const std::string_view bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                                 static_cast<std::size_t>(ASN1_STRING_length(value)));
    if (!is_printable(bytes)) continue;
    const std::string more = (name.type == GEN_DNS ? ";DNS=" : ";URI=") + value_of(bytes, false);
    if (text.size() + more.size() <= kMaxBytes) text += more;
  }
}

}  // namespace

std::string client_certificate_text(const x509_st& certificate) {
  std::string text = "Hash=" + hash_text(certificate);
  const std::string subject = ";Subject=" + value_of(subject_of(certificate), true);
  if (text.size() + subject.size() <= kMaxBytes) text += subject;
  append_names(certificate, text);
  return text;
}

}  // namespace bellows::http
