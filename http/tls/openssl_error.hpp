// What OpenSSL reports, as error codes. Within http/tls.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

namespace bellows::http {

/// Takes the first error of OpenSSL's queue, and empties that.
boost::system::error_code take_openssl_error();

/// The same as text, for errors of files: "wrong tag".
std::string take_openssl_text();

/// True if the peer does not speak TLS at all.
bool is_no_tls(const boost::system::error_code& error);

}  // namespace bellows::http
