#include "simulator/comparison.hpp"

#include <array>
#include <cmath>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "json/writer.hpp"
#include "report/plot.hpp"

namespace bellows::simulator {
namespace {

using json::Writer;

constexpr std::array<report::Measure, 18> kMeasures = {{
    {"policy",
     "one row for each set of settings; oracle knows all arrivals beforehand, and no policy can "
     "use less than the load itself without losing requests"},
    {"wait p50", "half of the requests wait no longer before their service starts"},
    {"wait p95", "95 % of them wait no longer"},
    {"wait p99", "99 % of them wait no longer"},
    {"wait p99.9", "99.9 % of them wait no longer"},
    {"wait max", "the longest wait of all requests"},
    {"cold", "requests that waited for a replica that was not ready on their arrival"},
    {"lost", "requests that were rejected, timed out, aborted or never served"},
    {"replica-s",
     "replica-seconds, each replica from its order to its exit; what the service costs"},
    {"waste", "replica-seconds beyond the load itself"},
    {"of load", "waste beside the load itself"},
    {"overshoot", "maximum, over all seconds, of replicas beyond those that the requests fill"},
    {"changes", "orders that changed the number of replicas"},
    {"starts", "replicas started"},
    {"ahead", "starts before a request arrived: those ready for one / those that served none"},
    {"idle", "replica-seconds without a request for each one with"},
    {"over target s", "seconds that began with more requests than the ready replicas can serve"},
    {"panic s", "seconds in panic mode"},
}};

std::string wait_text(Duration wait) {
  return wait == Duration::zero() ? "0" : rounded_duration_text(wait);
}

std::string percent(double share) {
  return std::to_string(static_cast<long>(std::lround(share * 100))) + "%";
}

/// Writes "12 / 3": starts ahead that were ready for a request, and those that served none.
std::string ahead_text(const Outcome& outcome) {
  if (outcome.starts_ahead == 0) return "-";
  return grouped(static_cast<double>(outcome.hits_ahead)) + " / " +
         grouped(static_cast<double>(outcome.misses_ahead));
}

/// Writes "2.3x": idle replica-seconds for each one with a request.
std::string idle_text(const Outcome& outcome) {
  const double busy = outcome.busy_seconds();
  if (busy <= 0) return "-";
  return report::three_digits_text(outcome.idle_seconds / busy) + "x";
}

std::vector<std::string> row(const Outcome& outcome) {
  const double offered = outcome.offered_replica_seconds;
  return {outcome.policy,
          wait_text(outcome.waits.p50),
          wait_text(outcome.waits.p95),
          wait_text(outcome.waits.p99),
          wait_text(outcome.waits.p999),
          wait_text(outcome.waits.worst),
          grouped(static_cast<double>(outcome.cold_starts)),
          grouped(static_cast<double>(outcome.lost())),
          grouped(outcome.replica_seconds),
          grouped(outcome.waste()),
          offered > 0 ? percent(outcome.waste() / offered) : "-",
          grouped(outcome.worst_overshoot),
          grouped(static_cast<double>(outcome.scale_changes)),
          grouped(static_cast<double>(outcome.starts)),
          ahead_text(outcome),
          idle_text(outcome),
          grouped(static_cast<double>(outcome.seconds_over_target)),
          grouped(outcome.panic_seconds)};
}

std::vector<std::string> load_row(const Outcome& any) {
  std::vector<std::string> cells(18, "-");
  cells[0] = "the load itself";
  cells[8] = grouped(any.offered_replica_seconds);
  cells[9] = "0";
  cells[10] = "0%";
  return cells;
}

void write(Writer& json, const Waits& waits) {
  json.open("wait_seconds");
  json.member("p50", to_seconds(waits.p50))
      .member("p95", to_seconds(waits.p95))
      .member("p99", to_seconds(waits.p99))
      .member("p99.9", to_seconds(waits.p999))
      .member("worst", to_seconds(waits.worst))
      .member("mean", waits.mean_seconds)
      .close();
  json.member("waited", waits.waited);
}

/// Writes the members into the open object.
void write(Writer& json, const Outcome& outcome) {
  json.member("policy", outcome.policy)
      .member("arrivals", outcome.arrivals)
      .member("served", outcome.served)
      .member("refused", outcome.rejected)
      .member("timed_out", outcome.timed_out)
      .member("broken_off", outcome.aborted)
      .member("unfinished", outcome.unfinished)
      .member("cold_starts", outcome.cold_starts);
  write(json, outcome.waits);
  json.member("replica_seconds", outcome.replica_seconds)
      .member("waste_replica_seconds", outcome.waste())
      .member("most_replicas", outcome.max_replicas)
      .member("worst_overshoot", outcome.worst_overshoot)
      .member("scale_changes", outcome.scale_changes)
      .member("starts", outcome.starts)
      .member("starts_ahead", outcome.starts_ahead)
      .member("hits_ahead", outcome.hits_ahead)
      .member("misses_ahead", outcome.misses_ahead)
      .member("idle_replica_seconds", outcome.idle_seconds)
      .member("seconds_over_target", outcome.seconds_over_target)
      .member("panic_seconds", outcome.panic_seconds);
}

}  // namespace

std::string grouped(double value) {
  constexpr double kMaxDigits = 1e18;
  if (std::abs(value) >= kMaxDigits) return shortest_text(value);
  std::string digits = std::to_string(std::llround(std::abs(value)));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return value <= -0.5 ? "-" + digits : digits;
}

std::string load_text(double value) {
  return value >= 10 ? grouped(value) : report::three_digits_text(value);
}

report::Rows comparison_rows(const Comparison& comparison) {
  report::Rows rows;
  for (const Outcome& outcome : comparison.outcomes) rows.push_back(row(outcome));
  rows.push_back(row(comparison.oracle));
  rows.push_back(load_row(comparison.oracle));
  return rows;
}

std::span<const report::Measure> comparison_columns() {
  return kMeasures;
}

std::string comparison_json(const Comparison& comparison) {
  Writer json;
  json.member("version", 1)
      .member("trace", comparison.trace)
      .member("app", comparison.app)
      .member("seed", comparison.seed)
      .member("scale", comparison.scale)
      .member("dispersion", comparison.dispersion)
      .member("slots", comparison.slots)
      .member("full_by", to_string(comparison.full_by))
      .member("requests", comparison.requests)
      .member("warm_up_seconds", to_seconds(comparison.warm_up))
      .member("counted_seconds", to_seconds(comparison.oracle.length))
      .member("mean_load", comparison.mean_load)
      .member("most_load", comparison.max_load)
      .member("offered_replica_seconds", comparison.oracle.offered_replica_seconds);
  json.open_list("policies");
  for (const Outcome& outcome : comparison.outcomes) {
    write(json.open(), outcome);
    json.close();
  }
  write(json.close().open("oracle"), comparison.oracle);
  return json.close().end_line();
}

}  // namespace bellows::simulator
