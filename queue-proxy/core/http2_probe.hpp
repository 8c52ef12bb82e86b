// What a probe says to an app over HTTP/2, and what its answer means: whether it speaks HTTP/2 at
// all, and what its health service says (grpc.health.v1). The few frames of it are written here, so
// that a probe touches no library. Sources: RFC 9113, RFC 7541, gRPC health checking protocol.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bellows::queue_proxy {

/// The preface and SETTINGS: what a connection of HTTP/2 begins with.
std::string http2_greeting();

/// The greeting and a call of grpc.health.v1.Health/Check. `authority`: the app's address.
/// `service`: empty asks for the app as a whole.
std::string health_call(std::string_view authority, std::string_view service);

/// What an app has said about its health.
enum class Health : std::uint8_t {
  kServing,
  kNotServing,  ///< or unknown
  kFailed,      ///< the call failed: there is no such service, or no health service at all
};

/// Reads the frames of an app. Owner: one probe.
class Http2Answer {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} * 1024;

  /// What has arrived next. False: it is no HTTP/2, or more than a probe reads.
  bool feed(std::string_view bytes);
  /// The app's SETTINGS have come.
  bool speaks_http2() const { return has_settings_; }
  /// nullopt: it has not come yet.
  std::optional<Health> health() const { return health_; }
  /// What has to be sent back: the acknowledgement of SETTINGS. Empties it.
  std::string take_reply();

 private:
  struct Frame;
  bool take_frame(const Frame& frame);
  void take_data(const Frame& frame);

  std::string bytes_;
  std::size_t total_ = 0;
  std::string message_;  // of the call's reply
  std::string reply_;
  bool has_settings_ = false;
  std::optional<Health> health_;
};

}  // namespace bellows::queue_proxy
