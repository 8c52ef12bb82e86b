// From PEM to OpenSSL's contexts. Within http/tls.
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

/// Has a server's `context` ask for a certificate of one of the CAs of `ca`, by name too.
/// `is_required` false: clients without one are served.
Result<void> ask_clients(ssl_ctx_st& context, const Pem& ca, bool is_required = true);

/// "kubernetes": the common name of the subject (or issuer), else the whole name.
std::string subject_text(const x509_st& certificate);
std::string issuer_text(const x509_st& certificate);
/// "kubernetes.default", "*.example.org", "10.0.0.1": the alternative names that are hosts.
std::vector<std::string> host_names(const x509_st& certificate);
/// "10.0.0.1, kubernetes.default": the names that a certificate is for.
std::string names_text(const x509_st& certificate);
/// "2030-01-31 12:00:00Z": the end (or begin) of its validity.
std::string valid_until_text(const x509_st& certificate);
std::string valid_from_text(const x509_st& certificate);
/// The same as an instant.
Result<WallTime> valid_until(const x509_st& certificate);
Result<WallTime> valid_from(const x509_st& certificate);

}  // namespace bellows::http
