#include "http/io/service_message.hpp"

#include <utility>

#include "http/core/status.hpp"

namespace bellows::http {

Response text_response(int status, std::string text) {
  Response response;
  response.status = status;
  response.body = std::move(text) + "\n";
  return response;
}

Response head_error_response(HeadFault fault, const HeadLimits& limits) {
  const int status = status_of(fault);
  switch (fault) {
    case HeadFault::kTargetTooLong:
    case HeadFault::kLineTooLong:
    case HeadFault::kHeadTooLarge:
      return text_response(
          status, "The header is over the limit of " + std::to_string(limits.total) + " bytes.");
    default:
      return text_response(status, "Malformed request: " + std::string(fault_text(fault)) + ".");
  }
}

Response body_limit_response(std::size_t max_body_bytes) {
  constexpr int kContentTooLarge = 413;
  return text_response(kContentTooLarge, "The body is over the limit of " +
                                             std::to_string(max_body_bytes) + " bytes.");
}

Request to_request(const RequestHead& head) {
  Request request;
  request.method = head.method;
  request.path = head.path;
  if (!head.query.empty()) request.query = head.query.substr(1);
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    request.headers.emplace_back(head.fields.name(i), head.fields.value(i));
  }
  return request;
}

bool is_websocket_upgrade(const RequestHead& head) {
  if (head.method != "GET" || head.minor_version == 0 || !head.connection.upgrade) return false;
  bool is_websocket = false;
  for_each_upgrade(head.fields, [&](std::string_view protocol) {
    is_websocket |= equals_lower(protocol, "websocket");
  });
  return is_websocket;
}

std::string serialize(const Response& response, ResponseFraming framing) {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  const auto add_line = [](std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
  };
  std::string out = framing.minor_version == 0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  out += std::to_string(response.status);
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  if (!response.content_type.empty()) add_line(out, "Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) add_line(out, name, value);
  if (!framing.keep_alive) {
    add_line(out, "Connection", "close");
  } else if (framing.minor_version == 0) {
    add_line(out, "Connection", "keep-alive");
  }
  const bool has_body = response.status != kNoContent && response.status != kNotModified;
  if (has_body) add_line(out, "Content-Length", std::to_string(response.body.size()));
  out += "\r\n";
  if (has_body && !framing.omit_body) out += response.body;
  return out;
}

std::string events_head(int minor_version) {
  return std::string(minor_version == 0 ? "HTTP/1.0" : "HTTP/1.1") +
         " 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
         "Connection: close\r\n\r\n";
}

std::string defect_of(const Response& response) {
  if (response.status < 200 || response.status > 599)
    return "status " + std::to_string(response.status) + " is not a final one";
  const auto breaks_line = [](const std::string& text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
  };
  if (breaks_line(response.content_type)) return "the content type contains a line break";
  for (const auto& [name, value] : response.headers)
    if (name.empty() || breaks_line(name) || breaks_line(value))
      return "header \"" + name + "\" is empty or contains a line break";
  return {};
}

}  // namespace bellows::http
