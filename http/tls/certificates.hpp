// Loads PEM into OpenSSL's contexts. Within http/tls.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "http/tls/tls_context.hpp"

struct ssl_ctx_st;
struct x509_st;

namespace bellows::http {

/// The file, or the name of the text.
std::string name_of(const Pem& pem);

/// Makes `context` trust the certificates of `ca`, or those of the system if it is empty.
Result<void> trust(ssl_ctx_st& context, const Pem& ca);

/// Makes `context` present `certificate`, whose key must be `key`.
Result<void> present(ssl_ctx_st& context, const Pem& certificate, const Pem& key);

/// Makes a server's `context` request a certificate of one of the CAs of `ca`, by name too. Without
/// `is_required`, clients without one are served.
Result<void> ask_clients(ssl_ctx_st& context, const Pem& ca, bool is_required = true);

/// Returns the common name of the subject (or issuer), such as "kubernetes", else the whole name.
std::string subject_text(const x509_st& certificate);
std::string issuer_text(const x509_st& certificate);
/// Returns the alternative names that are hosts: "kubernetes.default", "*.example.org", "10.0.0.1".
std::vector<std::string> host_names(const x509_st& certificate);
/// Returns the names that a certificate is valid for: "10.0.0.1, kubernetes.default".
std::string names_text(const x509_st& certificate);
/// Returns the end (or begin) of its validity: "2030-01-31 12:00:00Z".
std::string valid_until_text(const x509_st& certificate);
std::string valid_from_text(const x509_st& certificate);
/// Returns the end of its validity as an instant.
Result<WallTime> valid_until(const x509_st& certificate);
Result<WallTime> valid_from(const x509_st& certificate);

}  // namespace bellows::http
