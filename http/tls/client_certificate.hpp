// Describes a caller's certificate for the app. Within http/tls.
#pragma once

#include <string>

struct x509_st;

namespace bellows::http {

/// Returns a verified certificate as the value of X-Forwarded-Client-Cert, in Envoy's syntax:
/// Hash=HEX;Subject="CN=alice,O=shop";URI=spiffe://shop/alice;DNS=alice.shop. It is printable
/// ASCII.
std::string client_certificate_text(const x509_st& certificate);

}  // namespace bellows::http
