#include "http/io/service_message.hpp"

#include <boost/beast/http/error.hpp>
#include <utility>

namespace bellows::http {

namespace beast = boost::beast;
using ErrorCode = boost::system::error_code;

Response text_response(int status, std::string text) {
  Response response;
  response.status = status;
  response.body = std::move(text) + "\n";
  return response;
}

std::optional<Response> refusal(const ErrorCode& error, std::size_t max_header_bytes,
                                std::size_t max_body_bytes) {
  using beast::http::error::body_limit, beast::http::error::header_limit;
  if (error.category() != make_error_code(body_limit).category()) return std::nullopt;
  if (error == beast::http::error::end_of_stream || error == beast::http::error::partial_message)
    return std::nullopt;
  if (error == body_limit) {
    return text_response(
        413, "The body is over the limit of " + std::to_string(max_body_bytes) + " bytes.");
  }
  if (error == header_limit || error == beast::http::error::buffer_overflow) {
    return text_response(
        431, "The header is over the limit of " + std::to_string(max_header_bytes) + " bytes.");
  }
  return text_response(400, "Malformed request: " + error.message() + ".");
}

std::string defect_of(const Response& response) {
  if (response.status < 200 || response.status > 599)
    return "status " + std::to_string(response.status) + " is not a final one";
  const auto breaks_line = [](const std::string& text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
  };
  if (breaks_line(response.content_type)) return "the content type breaks the line";
  for (const auto& [name, value] : response.headers)
    if (name.empty() || breaks_line(name) || breaks_line(value))
      return "header \"" + name + "\" breaks the line";
  return {};
}

}  // namespace bellows::http
