// One request on its way through the activator: it waits, has a slot, is answered, is over.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "activator/core/cold_start.hpp"
#include "activator/core/held_request.hpp"
#include "activator/service/revision_line.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::activator {

using ColdStartObserver = std::function<void(const ColdStart&)>;

/// Owner: the task that handles the request. A task may be destroyed wherever it waits, so the end
/// of a passage leaves the line, gives the slot back and counts the request.
class Passage final : public HeldRequest, public proxy::ResponseHook {
 public:
  /// `on_cold_start` outlives it.
  Passage(RevisionLine& line, proxy::Exchange& exchange, const ColdStartObserver& on_cold_start);
  ~Passage() override;

  /// From now on the exchange's notes tell where it went.
  void keep_notes();

  /// Asks for a replica, and for another one after the first has failed.
  void enter();
  void enter_again();

  /// Ends when state() is no longer kWaiting: kGranted, kRefused, or kOutside because the caller
  /// hung up or the server stops. However it ends, the time is noted in the exchange.
  http::Task<void> wait();

  /// Of kGranted: passes the request to the replica and gives the slot back.
  http::Task<Result<void>> forward(proxy::UpstreamPool& pool);

  /// Of kRefused.
  proxy::Answer refusal_answer() const;

 private:
  void on_settled() override;
  void on_response_head(const http::ResponseHead& head, std::string& extra_lines) override;
  void note_entered(HoldState state);
  void note_granted();
  proxy::ForwardOptions forward_options();
  void give_back(const Result<void>& passed);
  bool tells_queue_time() const;
  void report_cold_start();
  TimePoint now() const { return exchange_.reactor().now(); }

  RevisionLine& line_;
  proxy::Exchange& exchange_;
  const ColdStartObserver& on_cold_start_;
  bool keeps_notes_ = false;
  bool was_held_ = false;
  TimePoint waits_since_{};  // the latest time it asked for a replica
  FailureReason last_failure_ = FailureReason::kOther;
  bool has_answer_ = false;                   // its replica has begun to answer
  std::optional<FailureReason> app_failure_;  // and said that its app did not
  std::optional<TimePoint> held_since_;       // it is the first after the revision slept
  TimePoint forwarded_{};
};

}  // namespace bellows::activator
