// The service side's messages as Beast has them and as handlers do. Within http/io.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "http/io/message.hpp"

namespace bellows::http {

using BeastRequest = boost::beast::http::request<boost::beast::http::string_body>;
using BeastResponse = boost::beast::http::response<boost::beast::http::string_body>;

Response text_response(int status, std::string text);

/// The answer to a request that could not be read, if there is anybody to answer.
std::optional<Response> refusal(const boost::system::error_code& error,
                                std::size_t max_header_bytes, std::size_t max_body_bytes);

bool has_one_host(const BeastRequest& message);
std::string_view path_of(const BeastRequest& message);
Request to_request(BeastRequest message);

/// What keeps a handler's response from being sent, or empty.
std::string defect_of(const Response& response);

BeastResponse to_message(Response response, unsigned version, bool is_kept_alive, bool is_head);

}  // namespace bellows::http
