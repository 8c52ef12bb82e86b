#include "activator/service/redirect_port.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "activator/core/https_redirect.hpp"
#include "base/sys/file.hpp"
#include "proxy/io/descriptors.hpp"

namespace bellows::activator {

namespace {

/// A key authorization (RFC 8555 8.1) is about 90 bytes long.
constexpr std::size_t kMaxChallengeBytes = 4096;

proxy::LocalReply text_reply(int status, std::string_view reason, std::string body) {
  proxy::LocalReply reply;
  reply.status = status;
  reply.reason = reason;
  reply.body = std::move(body);
  return reply;
}

/// Limits the connections to a few, so that they take no descriptors from the port for requests.
/// They are short, and at the limit a new one replaces the one that has waited longest.
RedirectOptions limited(RedirectOptions options) {
  constexpr std::size_t kMost = 512;
  options.server.max_connections = std::min(proxy::own_descriptors(), kMost);
  return options;
}

/// Reads a challenge. A client with a webroot (certbot, lego) makes the folders of the URL in it;
/// others (dehydrated, acme-tiny) write directly into the given folder.
std::optional<std::string> read_challenge(const std::string& folder, const std::string& token) {
  for (const std::string& path :
       {folder + std::string(kChallenges) + token, folder + "/" + token}) {
    // A link could lead out of the folder.
    auto content =
        sys::read_regular_file(path, "challenge", kMaxChallengeBytes, sys::Links::kRefuse);
    if (content) return *std::move(content);
  }
  return std::nullopt;
}

}  // namespace

RedirectPort::RedirectPort(http::Reactor& reactor, RedirectOptions options)
    : options_(limited(std::move(options))),
      reserve_(options_.server.max_connections),
      server_(reactor, *this, options_.server) {}

Result<Endpoint> RedirectPort::start(std::uint16_t https_port) {
  https_port_ = https_port;
  return server_.listen(options_.listen);
}

http::Awaitable<void> RedirectPort::stop(TimePoint deadline) {
  co_await server_.stop(deadline);
}

http::Task<void> RedirectPort::handle(proxy::Exchange& exchange) {
  proxy::LocalReply reply = reply_to(exchange.head());
  co_await exchange.send_local_reply(std::move(reply));
}

proxy::LocalReply RedirectPort::reply_to(const http::RequestHead& head) const {
  const auto token = acme_token(head.path);
  if (token && !options_.acme_folder.empty()) return challenge(head, *token);
  const auto location = https_location(head, https_port_);
  if (!location) {
    return proxy::local_reply_for(
        Error(ErrorKind::kMalformed, "request",
              "it names no host, so it has no https address; want a Host field with one",
              ErrorSide::kDownstream));
  }
  proxy::LocalReply reply = text_reply(308, "https", "This is at " + *location);
  reply.extra_lines = "Location: " + *location + "\r\n";
  return reply;
}

proxy::LocalReply RedirectPort::challenge(const http::RequestHead& head,
                                          std::string_view token) const {
  if (head.method != "GET" && head.method != "HEAD") {
    proxy::LocalReply reply = text_reply(405, "challenge", "Use GET for a challenge.");
    reply.extra_lines = "Allow: GET, HEAD\r\n";
    return reply;
  }
  std::optional<std::string> content;
  if (!token.empty()) content = read_challenge(options_.acme_folder, std::string(token));
  if (!content) return text_reply(404, "challenge", "There is no such challenge here.");
  return text_reply(200, "challenge", std::move(*content));
}

}  // namespace bellows::activator
