// Indicates what a port speaks, from one word about it. Conventions: appProtocol (Kubernetes, IANA
// service names), prefixes of port names (Istio, "explicit protocol selection"), registered and
// usual numbers, names of images.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bellows::injector {

enum class Protocol : std::uint8_t {
  kUnknown,
  kHttp,   ///< HTTP/1.1, WebSocket
  kHttp2,  ///< h2c, gRPC
  kTls,
  kOther,  ///< a database or the like
};

/// Returns the protocol of a port name, from its first word, then its last: "http", "http-api",
/// "grpc", "https-web", "tcp-redis".
Protocol protocol_of_name(std::string_view name);
/// Returns true for a name by which TLS ends before the pod perhaps, at a load balancer: the scheme
/// of HTTP with TLS ("https", "wss-api"), in contrast to "tls" and "ssl".
bool is_scheme_name(std::string_view name);
/// Returns the protocol of an appProtocol: "http", "kubernetes.io/h2c", ... An unknown one is
/// kOther: users set it for what is not HTTP.
Protocol protocol_of_app(std::string_view app_protocol);
/// Returns the protocol that a number is registered for, or that most programs use it for.
Protocol protocol_of_number(std::int64_t port);
/// Returns the protocol of an image, from the program in its name: "bitnami/redis:7", "php:8-fpm".
Protocol protocol_of_image(std::string_view image);

/// Returns true for the name of a port of metrics, health or administration, which never takes the
/// app's requests.
bool is_management_name(std::string_view name);

/// The words and numbers that these functions know, for rules in another language (policy.hpp);
/// those of HTTP/2 are among those of HTTP.
struct ProtocolLists {
  std::vector<std::string_view> http_words;
  std::vector<std::string_view> other_words;
  std::vector<std::uint16_t> http_ports;
  std::span<const std::string_view> management_parts;  ///< anywhere in a name
  std::span<const std::string_view> management_words;  ///< between dashes
};
ProtocolLists protocol_lists();

inline bool is_http(Protocol protocol) {
  return protocol == Protocol::kHttp || protocol == Protocol::kHttp2;
}

}  // namespace bellows::injector
