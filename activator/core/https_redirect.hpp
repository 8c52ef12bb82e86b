// Redirects plain http requests to https, and recognizes challenges of ACME. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::activator {

/// Path of the challenges of ACME (RFC 8555 8.3).
inline constexpr std::string_view kChallenges = "/.well-known/acme-challenge/";

/// Returns the https URL of the request: "https://shop.example:8443/a?b=c"; without the port if it
/// is 443. Returns nullopt if the request names no host.
std::optional<std::string> https_location(const http::RequestHead& head, std::uint16_t port);

/// Returns the token of a path below kChallenges: 1 to 128 letters, digits, '-' and '_', so that it
/// can only be the name of a file in one folder. Returns nullopt for another path, and an empty
/// token for a path below kChallenges without a valid one.
std::optional<std::string_view> acme_token(std::string_view path);

}  // namespace bellows::activator
