// SERVING_READINESS_PROBE: how Kubernetes writes a probe down, and what we take from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// How to see that the app is ready, and with how much patience. The defaults are Kubernetes'.
struct ReadinessProbe {
  std::string path = {};   ///< of HTTP; empty: a TCP connect
  std::string host = {};   ///< empty: the app's
  std::uint16_t port = 0;  ///< 0: the app's
  Duration timeout = std::chrono::seconds(1);
  Duration period = std::chrono::seconds(10);  ///< while the app is ready
  std::int32_t failure_threshold = 3;          ///< so many in a row and it is not

  bool operator==(const ReadinessProbe&) const = default;
};

/// Takes a bare path, nothing at all, or the JSON of a Kubernetes probe with `httpGet` or
/// `tcpSocket`; nothing if `text` is none of these. Of the JSON count path, host, port,
/// timeoutSeconds, periodSeconds and failureThreshold; 0 stands for the default, as Knative writes
/// it. Legal without a meaning here are initialDelaySeconds and successThreshold (a starting app is
/// asked at once, at our own pace, and believed at once) and httpHeaders. Refused are `exec`,
/// `grpc`, the scheme HTTPS and ports by name.
std::optional<ReadinessProbe> read_readiness_probe(std::string_view text);

/// What read_readiness_probe() reads back: nothing for a plain TCP connect, a bare path where that
/// says all, else JSON.
std::string to_string(const ReadinessProbe& probe);

/// What such a text looks like, as a setting.
TextFormat readiness_probe_format();

template <>
struct Member<ReadinessProbe> {
  static constexpr Kind kKind = Kind::kText;
  static Value value(const ReadinessProbe& member) { return to_string(member); }
  /// The text has passed readiness_probe_format().
  static void assign(ReadinessProbe& member, const Value& value) {
    member = read_readiness_probe(std::get<std::string>(value)).value_or(ReadinessProbe());
  }
};

}  // namespace bellows::config
