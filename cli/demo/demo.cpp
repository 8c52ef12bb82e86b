#include "cli/demo/demo.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/duration_text.hpp"
#include "cli/status/status_follower.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kDemoPeriod = std::chrono::milliseconds(250);
constexpr Duration kLineInterval = std::chrono::seconds(2);  // if nothing can be redrawn
constexpr Duration kScaleToZeroTimeout = std::chrono::seconds(90);

/// Adds one step of a cold start, unless its begin or end is unknown.
void add_step(std::vector<std::string>& lines, const std::string& name,
              std::optional<TimePoint> from, std::optional<TimePoint> to) {
  if (!from || !to) return;
  std::string took = rounded_duration_text(*to - *from);
  took.insert(0, took.size() < 8 ? 8 - took.size() : 0, ' ');
  lines.push_back("    " + took + "  " + name);
}

void add_cold_start(std::vector<std::string>& lines, const activator::ColdStart& start) {
  lines.push_back("  cold start       " + rounded_duration_text(start.answered - start.held) +
                  " from the request to the first byte of its response:");
  add_step(lines, "request held until the process of the app was started", start.held,
           start.process_started);
  add_step(lines, "process started until the app was ready", start.process_started, start.ready);
  add_step(lines, "app ready until the request was forwarded", start.ready, start.forwarded);
  add_step(lines, "request forwarded until the first byte of the response", start.forwarded,
           start.answered);
}

}  // namespace

Demo::Demo(http::net::io_context& io, const sys::Clock& clock, const machine::Machine& machine,
           machine::MachineAddresses addresses, LiveArea& area)
    : clock_(clock),
      machine_(machine),
      addresses_(std::move(addresses)),
      area_(area),
      load_(io, clock, addresses_.listen),
      start_(clock.now()),
      last_line_(start_),
      last_request_(start_) {}

http::Awaitable<Result<void>> Demo::run() {
  for (const Phase& phase : demo_script()) BELLOWS_CO_CHECKED(co_await run(phase));
  co_return Result<void>();
}

http::Awaitable<Result<void>> Demo::run(const Phase& phase) {
  const bool is_last = phase.duration == Duration::zero();
  const TimePoint end = clock_.now() + (is_last ? kScaleToZeroTimeout : phase.duration);
  area_.print_above("");
  area_.print_above("── " + std::string(phase.title) + ": " + std::string(phase.description));
  if (phase.clients == 1) load_.send_one();
  if (phase.clients > 1) load_.send_from(phase.clients, end);
  BELLOWS_CO_CHECKED(co_await follow_status(
      command::admin_server_at(addresses_.admin), kDemoPeriod,
      [this, &phase, end](const Status& status) { return on_status(status, phase, end); }));
  if (is_last && !scaled_to_zero_after_) {
    co_return fail(ErrorKind::kTimeout, "service web",
                   "not scaled to zero " + rounded_duration_text(kScaleToZeroTimeout) +
                       " after the last request");
  }
  co_return Result<void>();
}

bool Demo::on_status(const Status& status, const Phase& phase, TimePoint end) {
  if (status.services.empty()) return clock_.now() < end;
  const ServiceStatus& web = status.services.front();
  max_replicas_ = std::max(max_replicas_, web.ready);
  saw_panic_ = saw_panic_ || web.mode == "panic";
  history_.add(web);
  show(web, phase);
  if (load_.in_flight() > 0) last_request_ = clock_.now();
  if (!is_over(web, phase, end)) return true;
  if (phase.duration == Duration::zero() && web.replicas.empty())
    scaled_to_zero_after_ = clock_.now() - last_request_;
  return false;
}

bool Demo::is_over(const ServiceStatus& web, const Phase& phase, TimePoint end) const {
  const TimePoint now = clock_.now();
  if (phase.duration == Duration::zero()) return web.replicas.empty() || now >= end;
  return now >= end && load_.in_flight() == 0;
}

void Demo::show(const ServiceStatus& web, const Phase& phase) {
  const TimePoint now = clock_.now();
  const std::string time =
      rounded_duration_text(std::chrono::round<std::chrono::seconds>(now - start_));
  if (!area_.terminal().is_interactive) {
    if (now - last_line_ < kLineInterval) return;
    last_line_ = now;
    area_.print_above("   " + time + "  " + one_line(web));
    return;
  }
  std::vector<std::string> lines = {"", time + "  " + std::string(phase.title)};
  for (const auto& part :
       {wide_lines({{web}}), std::vector<std::string>{""},
        chart_lines(history_, std::min<std::size_t>(area_.terminal().width, 120))}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  area_.draw(std::move(lines));
}

std::vector<std::string> Demo::summary() const {
  const LoadRecord& record = load_.record();
  std::vector<std::string> lines = {
      "",
      "── summary",
      "  requests         " + std::to_string(record.succeeded + record.failed) + ", failures " +
          std::to_string(record.failed),
      "  latency          p50 " + rounded_duration_text(record.percentile(0.5)) + "  p99 " +
          rounded_duration_text(record.percentile(0.99)) + "  max " +
          rounded_duration_text(record.percentile(1.0)),
  };
  for (const activator::ColdStart& start : machine_.cold_starts()) add_cold_start(lines, start);
  lines.push_back("  max replicas     " + std::to_string(max_replicas_) +
                  (saw_panic_ ? ", in panic mode" : ""));
  if (scaled_to_zero_after_)
    lines.push_back("  scaled to zero   " + rounded_duration_text(*scaled_to_zero_after_) +
                    " after the last response");
  if (!record.first_failure.empty()) lines.push_back("  first failure    " + record.first_failure);
  return lines;
}

}  // namespace bellows::cli
