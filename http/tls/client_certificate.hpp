// What an app is told about a caller's certificate. Within http/tls.
#pragma once

#include <string>

struct x509_st;

namespace bellows::http {

/// A verified certificate as the value of X-Forwarded-Client-Cert, in Envoy's syntax:
/// Hash=HEX;Subject="CN=alice,O=shop";URI=spiffe://shop/alice;DNS=alice.shop. Printable ASCII.
std::string client_certificate_text(const x509_st& certificate);

}  // namespace bellows::http
