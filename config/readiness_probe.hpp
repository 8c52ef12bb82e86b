// SERVING_READINESS_PROBE: a Kubernetes probe as JSON, or only a path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// How the readiness of the app is checked. The defaults are Kubernetes'.
struct ReadinessProbe {
  std::string path = {};   ///< of HTTP; empty: a TCP connect
  std::string host = {};   ///< empty: the app's
  std::uint16_t port = 0;  ///< 0: the app's
  Duration timeout = std::chrono::seconds(1);
  Duration period = std::chrono::seconds(10);  ///< while the app is ready
  std::int32_t failure_threshold = 3;          ///< consecutive failures until it is not ready

  bool operator==(const ReadinessProbe&) const = default;
};

/// Reads a path, an empty text, or the JSON of a Kubernetes probe with `httpGet` or `tcpSocket`;
/// returns nothing if `text` is anything else. Of the JSON it uses path, host, port,
/// timeoutSeconds, periodSeconds and failureThreshold; 0 means the default, as in Knative.
/// initialDelaySeconds, successThreshold and httpHeaders are accepted without effect: a starting
/// app is probed at once and is ready after one success. `exec`, `grpc`, the scheme HTTPS and named
/// ports are invalid.
std::optional<ReadinessProbe> read_readiness_probe(std::string_view text);

/// The text that read_readiness_probe() reads back: empty for a plain TCP connect, a path if all
/// else is default, else JSON.
std::string to_string(const ReadinessProbe& probe);

/// The format of the setting.
TextFormat readiness_probe_format();

template <>
struct Member<ReadinessProbe> {
  static constexpr Kind kKind = Kind::kText;
  static Value value(const ReadinessProbe& member) { return to_string(member); }
  /// The text is valid by readiness_probe_format().
  static void assign(ReadinessProbe& member, const Value& value) {
    member = read_readiness_probe(std::get<std::string>(value)).value_or(ReadinessProbe());
  }
};

}  // namespace bellows::config
