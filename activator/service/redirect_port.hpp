// The second address, for plain http: it redirects every request to https, except ACME challenges.
#pragma once

#include <cstdint>
#include <string>

#include "base/endpoint.hpp"
#include "base/sys/descriptor_reserve.hpp"
#include "http/io/reactor.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/proxy_server.hpp"

namespace bellows::activator {

struct RedirectOptions {
  Endpoint listen;
  std::string acme_folder;  ///< empty: none is served
  proxy::ProxyServerOptions server;
};

/// Answers every request at once: no request here is held or starts a replica. Owner: an
/// ActivatorService. Thread: the io thread.
class RedirectPort final : private proxy::RequestHandler {
 public:
  RedirectPort(http::Reactor& reactor, RedirectOptions options);

  /// Listens. The error names the address. `https_port` is the port in the addresses to which
  /// callers are redirected.
  Result<Endpoint> start(std::uint16_t https_port);
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Task<void> handle(proxy::Exchange& exchange) override;
  proxy::LocalReply reply_to(const http::RequestHead& head) const;
  proxy::LocalReply challenge(const http::RequestHead& head, std::string_view token) const;

  const RedirectOptions options_;
  const sys::DescriptorReserve reserve_;
  std::uint16_t https_port_ = 443;
  proxy::ProxyServer server_;
};

}  // namespace bellows::activator
