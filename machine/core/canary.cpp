#include "machine/core/canary.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "base/check.hpp"
#include "base/duration_text.hpp"
#include "base/read_number.hpp"

namespace bellows::machine {
namespace {

std::string percent_text(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", part * 100);
  return std::string(text) + " %";
}

std::string limit_text(const LatencyLimit& limit) {
  return "p" + std::to_string(limit.percentile) + "=" + duration_text(limit.at_most);
}

Error invalid(std::string_view what, const std::string& value, std::string_view want) {
  return Error(ErrorKind::kInvalidSetting, std::string(what),
               "\"" + value + "\": want " + std::string(want));
}

std::string steps_text(const std::vector<std::int32_t>& shares) {
  std::string text;
  for (const std::int32_t share : shares) {
    text += (text.empty() ? "" : ",") + std::to_string(share) + "%";
  }
  return text;
}

}  // namespace

std::optional<LatencyLimit> read_latency_limit(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (!text.starts_with('p') || equals == std::string_view::npos) return std::nullopt;
  const auto percentile = read_number<std::int32_t>(text.substr(1, equals - 1));
  const auto at_most = parse_duration(text.substr(equals + 1));
  const bool is_valid =
      percentile && *percentile >= 1 && *percentile <= 99 && at_most && *at_most > Duration::zero();
  if (!is_valid) return std::nullopt;
  return LatencyLimit{*percentile, *at_most};
}

Result<void> check(const CanaryPlan& plan) {
  const bool is_growing =
      !plan.shares.empty() && plan.shares.front() > 0 && plan.shares.back() == 100 &&
      std::ranges::adjacent_find(plan.shares, std::greater_equal<>()) == plan.shares.end();
  if (!is_growing) {
    return fail(invalid("canary", steps_text(plan.shares),
                        "growing percentages that end with 100%: 5%,25%,100%"));
  }
  if (plan.step < std::chrono::seconds(1) || plan.step > std::chrono::hours(24)) {
    return fail(invalid("step", duration_text(plan.step), "a duration from 1s to 24h"));
  }
  if (!(plan.max_errors >= 0 && plan.max_errors < 1)) {
    return fail(invalid("max-errors", percent_text(plan.max_errors), "0% to below 100%"));
  }
  if (plan.min_requests < 1 || plan.min_requests > 1'000'000'000) {
    return fail(invalid("min-requests", std::to_string(plan.min_requests), "1 to 1000000000"));
  }
  return {};
}

Canary::Canary(CanaryPlan plan, std::string revision)
    : plan_(std::move(plan)), revision_(std::move(revision)) {}

void Canary::in_force(const Served& so_far, TimePoint now) {
  CHECK(stage_ == Stage::kShifting, "a share is in force once");
  since_ = now;
  before_ = so_far;
  seen_ = {};
  stage_ = step_ + 1 == plan_.shares.size() ? Stage::kDone : Stage::kWatching;
}

Canary::Stage Canary::look(const Served& so_far, TimePoint now) {
  if (stage_ != Stage::kWatching) return stage_;
  if (so_far.requests < before_.requests) before_ = {};  // the counters restarted
  seen_ = so_far.since(before_);
  if (std::string why = complaint(seen_); !why.empty()) {
    end(std::move(why));
  } else if (now - since_ >= plan_.step && seen_.requests >= plan_.min_requests) {
    ++step_;
    stage_ = Stage::kShifting;
  } else if (now - since_ >= kPatience * plan_.step) {
    end(std::to_string(seen_.requests) + " requests in " + duration_text(kPatience * plan_.step) +
        " are too few for a verdict, min-requests is " + std::to_string(plan_.min_requests));
  }
  return stage_;
}

void Canary::end(std::string why) {
  CHECK(!is_over(), "a canary ends once");
  stage_ = Stage::kBack;
  reason_ = std::move(why);
}

std::string Canary::complaint(const Served& seen) const {
  const auto counted = static_cast<double>(std::max(seen.requests, plan_.min_requests));
  const std::string of =
      " of " + std::to_string(seen.requests) + " requests at " + std::to_string(share()) + " % ";
  if (static_cast<double>(seen.errors) > plan_.max_errors * counted) {
    return std::to_string(seen.errors) + of + "failed, max-errors is " +
           percent_text(plan_.max_errors);
  }
  if (plan_.max_latency &&
      static_cast<double>(seen.slow) > plan_.max_latency->may_be_slower() * counted) {
    return std::to_string(seen.slow) + of + "took longer than " +
           duration_text(plan_.max_latency->at_most) + ", max-latency is " +
           limit_text(*plan_.max_latency);
  }
  return {};
}

std::string Canary::message(TimePoint now) const {
  const std::string gets = revision_ + " gets " + std::to_string(share()) + " %";
  if (stage_ == Stage::kDone) return gets;
  if (stage_ == Stage::kBack) return revision_ + " rolls back: " + reason_;
  const std::string step =
      " (step " + std::to_string(step_ + 1) + " of " + std::to_string(plan_.shares.size()) + ")";
  if (stage_ == Stage::kShifting) return gets + " next" + step;
  std::string text = gets + step + ": " + std::to_string(seen_.requests) + " requests, " +
                     std::to_string(seen_.errors) + " errors";
  if (plan_.max_latency) text += ", " + std::to_string(seen_.slow) + " slow";
  const Duration left = plan_.step - (now - since_);
  if (left > Duration::zero()) return text + "; " + rounded_duration_text(left) + " left";
  return text + "; waits for " + std::to_string(plan_.min_requests) + " requests";
}

std::string Canary::watches() const {
  const std::string many = "more than ";
  std::string text = many + percent_text(plan_.max_errors) + " of the requests fail";
  if (const auto& limit = plan_.max_latency) {
    text += ", or " + many + percent_text(limit->may_be_slower()) + " take longer than " +
            duration_text(limit->at_most);
  }
  return text;
}

Shares with_share(const Shares& before, Number number, std::int32_t share) {
  Shares shares;
  std::int32_t others = 0;
  for (const auto& [each, had] : before) others += each == number ? 0 : had;
  std::int32_t left = 100 - share;
  for (const auto& [each, had] : before) {
    if (each == number || left == 0) continue;
    const std::int32_t part = others == had ? left : (left * had + others / 2) / others;
    if (part > 0) shares[each] = part;
    left -= part;
    others -= had;
  }
  shares[number] = share + left;
  return shares;
}

}  // namespace bellows::machine
