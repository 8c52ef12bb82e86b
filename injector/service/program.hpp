// `injector serve`: the webhook as a program.
#pragma once

#include <memory>
#include <optional>

#include "base/sys/clock.hpp"
#include "http/io/admin_server.hpp"
#include "http/io/event.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "http/io/tls.hpp"
#include "injector/service/serve_settings.hpp"
#include "injector/service/webhook.hpp"
#include "kubernetes/io/api_client.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::injector {

/// Owner: main(). Thread: the io thread. The arguments of the constructor outlive it.
class Program {
 public:
  /// `api` is asked for its version, which decides about native sidecars, at the start and then
  /// every minute: a server may be exchanged for an older one. nullptr: the settings decide.
  Program(http::net::io_context& io, const sys::Clock& clock, const ServeSettings& settings,
          InjectOptions options, http::TlsContext& tls, kubernetes::ApiClient* api);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Opens the port. The error names the address. The program is ready as soon as it knows the
  /// version.
  Result<void> start();
  const Endpoint& address() const { return address_; }

  /// Starts the shutdown: serve_until_end() finishes the questions under way and returns.
  void end() { end_.set(); }
  http::Awaitable<void> serve_until_end();

 private:
  http::Readiness readiness() const;
  http::Awaitable<void> keep_asking();
  http::Awaitable<void> ask();

  const sys::Clock& clock_;
  const Endpoint listen_;
  kubernetes::ApiClient* const api_;
  metrics::prometheus::Registry metrics_;
  Webhook webhook_;
  http::ServiceServer server_;
  http::TaskGroup tasks_;
  Endpoint address_;
  http::Event end_;
  bool is_ending_ = false;
  bool knows_version_ = false;
  std::string ask_error_ = "the version of the API server is not known yet";
};

}  // namespace bellows::injector
