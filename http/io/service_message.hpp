// What the service side's server says by itself. Within http/io.
#pragma once

#include <boost/system/error_code.hpp>
#include <optional>
#include <string>

#include "http/io/message.hpp"

namespace bellows::http {

Response text_response(int status, std::string text);

/// The answer to a request that could not be read, if there is anybody to answer.
std::optional<Response> refusal(const boost::system::error_code& error,
                                std::size_t max_header_bytes, std::size_t max_body_bytes);

/// What keeps a handler's response from being sent, or empty.
std::string defect_of(const Response& response);

}  // namespace bellows::http
