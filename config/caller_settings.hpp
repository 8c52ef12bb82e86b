// Settings of callers at the activator: the revision and replica of a client, and responses while
// no replica is ready (docs/routes.md). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace bellows::config {

/// The unit of the shares of revisions.
enum class SplitBy : std::uint8_t {
  kRequest,  ///< requests, of all clients
  kClient,   ///< clients: each stays with one revision
};

/// Selects whether a client stays with one replica.
enum class SessionAffinity : std::uint8_t {
  kNone,
  kCookie,  ///< by a cookie of Bellows
};

/// Part of RevisionSettings; replicas do not get it.
struct CallerSettings {
  SplitBy split_by = SplitBy::kRequest;
  std::string client_header;  ///< that identifies a client, lower case; empty: a cookie of Bellows
  SessionAffinity session_affinity = SessionAffinity::kNone;
  std::string waiting_page;      ///< "built-in" or the path of a file; empty: none
  std::string fallback_service;  ///< its name; empty: none
  Duration fallback_after = std::chrono::seconds(1);  ///< time that a request waits before either
  std::string static_answers;  ///< a JSON list (static_answers.hpp), checked; empty: none

  bool operator==(const CallerSettings&) const = default;
};

}  // namespace bellows::config
