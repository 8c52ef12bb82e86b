// SERVING_READINESS_PROBE: a Kubernetes probe as JSON, or only a path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "config/member.hpp"

namespace bellows::config {

/// A further check of a list: all must succeed.
struct ReadinessCheck {
  std::string path = {};  ///< as in ReadinessProbe
  std::string host = {};
  std::uint16_t port = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<std::string> grpc_service = {};

  bool operator==(const ReadinessCheck&) const = default;
};

/// The check of the app's readiness. The defaults are Kubernetes'.
struct ReadinessProbe {
  std::string path = {};   ///< of HTTP, with its query; empty: a TCP connect
  std::string host = {};   ///< empty: the app's
  std::uint16_t port = 0;  ///< 0: the app's
  Duration timeout = std::chrono::seconds(1);
  Duration period = std::chrono::seconds(10);  ///< while the app is ready
  std::int32_t failure_threshold = 3;          ///< consecutive failures until it is not ready
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< of HTTP: name, value
  /// grpc.health.v1 instead of HTTP or a TCP connect; empty: of the app as a whole.
  std::optional<std::string> grpc_service = {};
  std::vector<ReadinessCheck> others =
      {};                     ///< of a list; times and threshold are those of the first
  std::string text = {};      ///< the JSON of a probe that has more than a path or a port
  std::string weakened = {};  ///< the checks that became a TCP connect, with reasons; empty: none

  bool operator==(const ReadinessProbe&) const = default;
};

/// Reads a path, `grpc` or `grpc:SERVICE`, an empty text, the JSON of a Kubernetes probe, or a list
/// of them; nullopt for any other text. The JSON may have path, httpHeaders, host, port,
/// timeoutSeconds, periodSeconds and failureThreshold; 0 means the default, as in Knative.
/// initialDelaySeconds and successThreshold are accepted without effect: a starting app is probed
/// at once and is ready after one success. An unsupported check (the scheme HTTPS, `exec`, a named
/// port) becomes a TCP connect and is listed in `weakened`, because Knative passes such probes on,
/// and a replica must not end because of its probe.
std::optional<ReadinessProbe> read_readiness_probe(std::string_view text);

/// Returns the text that read_readiness_probe() reads back: empty for a plain TCP connect, a path
/// if all else is default, else JSON.
std::string to_string(const ReadinessProbe& probe);

/// Returns the name of a health service after "grpc" or "grpc:"; nullopt for any other text.
std::optional<std::string> read_grpc_check(std::string_view text);

/// Returns the format of the setting.
TextFormat readiness_probe_format();
/// Returns the format for a service: a path, a health service, or empty.
TextFormat readiness_path_format();

template <>
struct Member<ReadinessProbe> {
  static constexpr Kind kKind = Kind::kText;
  static Value value(const ReadinessProbe& member) { return to_string(member); }
  /// Reads a text that readiness_probe_format() accepts.
  static void assign(ReadinessProbe& member, const Value& value) {
    member = read_readiness_probe(std::get<std::string>(value)).value_or(ReadinessProbe());
  }
};

}  // namespace bellows::config
