// Where a request by plain http is sent to, and which challenge of ACME it asks for. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::activator {

/// Where the challenges of ACME are (RFC 8555 8.3).
inline constexpr std::string_view kChallenges = "/.well-known/acme-challenge/";

/// The same place by https: "https://shop.example:8443/a?b=c"; without the port if it is 443.
/// nullopt: the request names no host.
std::optional<std::string> https_location(const http::RequestHead& head, std::uint16_t port);

/// The token of a path below kChallenges: letters, digits, '-' and '_', 1 to 128 of them, so that
/// it is the name of a file in one folder and nothing else. nullopt: another path. Empty: a path
/// below that one whose rest is no token.
std::optional<std::string_view> acme_token(std::string_view path);

}  // namespace bellows::activator
