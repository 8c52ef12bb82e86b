// What callers meet at the activator: which revision and replica a client stays with, and what it
// gets while none is ready (docs/routes.md). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// What a share of a revision is a part of.
enum class SplitBy : std::uint8_t {
  kRequest,  ///< requests, of all clients
  kClient,   ///< clients: each stays with one revision
};

/// Whether a client stays with one replica.
enum class SessionAffinity : std::uint8_t {
  kNone,
  kCookie,  ///< by a cookie of Bellows
};

/// Declared in caller_settings.cpp. Part of RevisionSettings; no replica is told.
struct CallerSettings {
  SplitBy split_by = SplitBy::kRequest;
  std::string client_header;  ///< that identifies a client, lower case; empty: a cookie of Bellows
  SessionAffinity session_affinity = SessionAffinity::kNone;
  std::string waiting_page;      ///< "built-in" or the path of a file; empty: none
  std::string fallback_service;  ///< its name; empty: none
  Duration fallback_after = std::chrono::seconds(1);  ///< how long a request waits before either
  std::string static_answers;  ///< a JSON list (static_answers.hpp), checked; empty: none

  bool operator==(const CallerSettings&) const = default;
};

const Schema<CallerSettings>& caller_schema();

}  // namespace bellows::config
