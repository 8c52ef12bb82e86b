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

bool has_one_host(const BeastRequest& message) {
  constexpr unsigned kHttp11 = 11;
  const std::size_t count = message.count(beast::http::field::host);
  return count == 1 || (count == 0 && message.version() < kHttp11);
}

std::string_view path_of(const BeastRequest& message) {
  const std::string_view target(message.target().data(), message.target().size());
  return target.substr(0, target.find('?'));
}

Request to_request(BeastRequest message) {
  Request request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  request.path = std::string(path_of(message));
  if (request.path.size() < target.size()) request.query = target.substr(request.path.size() + 1);
  for (const auto& field : message)
    request.headers.emplace_back(field.name_string(), field.value());
  request.body = std::move(message.body());
  return request;
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

BeastResponse to_message(Response response, unsigned version, bool is_kept_alive, bool is_head) {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  BeastResponse message;
  message.version(version);
  message.result(static_cast<unsigned>(response.status));
  message.set(beast::http::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(is_kept_alive);
  if (response.status == kNoContent || response.status == kNotModified) return message;
  message.content_length(response.body.size());
  if (!is_head) message.body() = std::move(response.body);
  return message;
}

}  // namespace bellows::http
