// Handles a request at the activator: replies to a probe, or routes, queues, forwards and retries.
#pragma once

#include <cstdint>
#include <optional>

#include "activator/service/pending_request.hpp"
#include "activator/service/revision_ports.hpp"
#include "activator/service/revision_router.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::activator {

/// Handles the requests of one worker. The arguments outlive it, and it outlives its requests.
/// Owner: the ActivatorService, or a Worker. Thread: that of the worker.
class ActivationHandler final : public proxy::RequestHandler {
 public:
  /// `settled` is that of the worker; nullptr: there is one worker.
  ActivationHandler(RevisionRouter& router, proxy::UpstreamPool& pool, SettledRequests* settled,
                    ColdStartObserver on_cold_start, bool keeps_notes);

  http::Task<void> handle(proxy::Exchange& exchange) override;

  /// Makes the reply to probes 503 from now on.
  void start_draining() { is_serving_ = false; }
  /// Returns the last arrival of a request that is no probe; nullopt: there was none.
  std::optional<TimePoint> last_arrival() const { return last_arrival_; }
  /// Returns the number of requests without a matching service, or for a retired one.
  std::uint64_t unrouted() const { return unrouted_; }

 private:
  http::Task<void> route(proxy::Exchange& exchange);
  http::Task<void> begin(std::optional<PendingRequest>& request, proxy::Exchange& exchange);
  http::Task<void> wait_for_list(proxy::Exchange& exchange);
  Result<RevisionHandle*> find(const http::RequestHead& head, const RevisionPort* port)
      BELLOWS_REQUIRES(kWorkerData);
  http::Task<void> send_probe_reply(proxy::Exchange& exchange, proxy::LocalReply answer) const;
  void enqueue(std::optional<PendingRequest>& request, RevisionHandle& handle,
               proxy::Exchange& exchange, WorkerLock::Hold& hold) BELLOWS_RELEASE(kWorkerData);
  http::Task<void> serve_or_meanwhile(std::optional<PendingRequest>& request,
                                      proxy::Exchange& exchange);
  http::Task<void> serve(PendingRequest& request, proxy::Exchange& exchange);
  http::Task<bool> forward_granted(PendingRequest& request, proxy::Exchange& exchange);
  static http::Task<void> refuse(PendingRequest& request, proxy::Exchange& exchange);
  void fall_back(std::optional<PendingRequest>& request, proxy::Exchange& exchange);
  RevisionHandle* fallback_of(const RevisionHandle& handle) BELLOWS_REQUIRES(kWorkerData);

  RevisionRouter& router_;
  proxy::UpstreamPool& pool_;
  SettledRequests* const settled_;
  ColdStartObserver on_cold_start_;
  std::uint64_t unrouted_ = 0;
  const bool keeps_notes_;  // for an access log or spans
  bool is_serving_ = true;
  std::optional<TimePoint> last_arrival_;
};

}  // namespace bellows::activator
