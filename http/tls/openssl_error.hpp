// Errors of OpenSSL as error codes. Within http/tls and kubernetes/io.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

namespace bellows::http {

/// Takes the first error of OpenSSL's queue, and empties the queue.
boost::system::error_code take_openssl_error();

/// Does the same and returns text, for errors of files: "wrong tag".
std::string take_openssl_text();

/// Returns true if the peer does not speak TLS.
bool is_no_tls(const boost::system::error_code& error);

}  // namespace bellows::http
