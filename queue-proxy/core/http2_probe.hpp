// Probes an app over HTTP/2: whether it speaks HTTP/2, and the status of its health service
// (grpc.health.v1). It writes its few frames itself, so a probe uses no library. Sources: RFC 9113,
// RFC 7541, gRPC health checking protocol. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bellows::queue_proxy {

/// Returns the preface and SETTINGS, with which an HTTP/2 connection begins.
std::string http2_greeting();

/// Returns the greeting and a call of grpc.health.v1.Health/Check. `authority` is the app's
/// address. An empty `service` asks for the app as a whole.
std::string health_call(std::string_view authority, std::string_view service);

/// Health that an app has reported.
enum class Health : std::uint8_t {
  kServing,
  kNotServing,  ///< or unknown
  kFailed,      ///< the call failed: no such service, or no health service
};

/// Reads the frames of an app. Owner: one probe.
class Http2Answer {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} * 1024;

  /// Adds bytes in order of arrival. Returns false if they are not HTTP/2, or more than a probe
  /// reads.
  bool feed(std::string_view bytes);
  /// Returns true once the app's SETTINGS have arrived.
  bool speaks_http2() const { return has_settings_; }
  /// Returns nullopt until it has arrived.
  std::optional<Health> health() const { return health_; }
  /// Returns and removes the bytes to send back: the acknowledgement of SETTINGS.
  std::string take_reply();

 private:
  struct Frame;
  bool take_frame(const Frame& frame);
  void take_data(const Frame& frame);

  std::string bytes_;
  std::size_t total_ = 0;
  std::string message_;  // received so far of the call's reply
  std::string reply_;
  bool has_settings_ = false;
  std::optional<Health> health_;
};

}  // namespace bellows::queue_proxy
