#include "simulator/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::simulator {
namespace {

constexpr Duration kMinute = std::chrono::minutes(1);
constexpr Duration kSecond = std::chrono::seconds(1);
constexpr std::size_t kSecondsPerMinute = 60;

/// Independent streams of random numbers, one per purpose.
constexpr std::uint64_t kWhen = 0x5851f42d4c957f2dULL;
constexpr std::uint64_t kHowLong = 0x14057b7ef767814fULL;

/// Never zero, so that its logarithm is finite.
double positive_fraction(SeededRandom& random) {
  return 1 - random.fraction();
}

/// Gamma with mean `shape` and scale 1 (G. Marsaglia and W. W. Tsang, "A simple method for
/// generating gamma variables", 2000; shapes below 1 through shape + 1, in logarithms since tiny
/// shapes give numbers below the range of a double).
double log_gamma_draw(double shape, SeededRandom& random) {
  const bool is_small = shape < 1;
  const double d = (is_small ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal_quantile(positive_fraction(random) * (1 - 0x1.0p-53));
    const double cube = 1 + c * x;
    if (cube <= 0) continue;
    const double v = cube * cube * cube;
    const double u = positive_fraction(random);
    if (std::log(u) >= x * x / 2 + d - d * v + d * std::log(v)) continue;
    const double log_draw = std::log(d * v);
    return is_small ? log_draw + std::log(positive_fraction(random)) / shape : log_draw;
  }
}

}  // namespace

OwnTimes own_times(const Traffic& traffic) {
  if (traffic.service) return OwnTimes::kAll;
  const auto known = std::ranges::count_if(
      traffic.events, [](const Traffic::Event& event) { return event.service.has_value(); });
  if (known == 0) return OwnTimes::kNone;
  return known == std::ssize(traffic.events) ? OwnTimes::kAll : OwnTimes::kSome;
}

ArrivalStream::ArrivalStream(const Traffic& traffic, const TrafficOptions& options,
                             const Distribution& service, std::uint64_t seed)
    : traffic_(traffic),
      options_(options),
      service_(traffic.service.value_or(service)),
      when_(seed ^ kWhen),
      how_long_(seed ^ kHowLong),
      begin_(std::clamp(options.from, Duration::zero(), traffic.length)),
      end_(std::clamp(options.to, begin_, traffic.length)),
      counts_(traffic.per_second.empty() ? traffic.per_minute : traffic.per_second),
      each_(traffic.per_second.empty() ? kMinute : kSecond),
      next_count_(static_cast<std::size_t>(begin_ / each_)),
      share_before_(kSecondsPerMinute + 1) {}

std::span<const Arrival> ArrivalStream::next() {
  arrivals_.clear();
  if (!traffic_.events.empty()) {
    if (!events_taken_) take_events();
    events_taken_ = true;
    return arrivals_;
  }
  while (arrivals_.empty() && next_count_ < counts_.size()) {
    const Duration begin = static_cast<Duration::rep>(next_count_) * each_;
    if (begin >= end_) break;
    spread(scaled(counts_[next_count_]), begin);
    ++next_count_;
  }
  return arrivals_;
}

std::uint64_t ArrivalStream::scaled(std::uint64_t count) {
  if (options_.scale == 1) return count;
  const double whole = std::floor(options_.scale);
  const double rest = options_.scale - whole;
  std::uint64_t kept = count * static_cast<std::uint64_t>(whole);
  if (rest == 0) return kept;
  // Normal approximation of the binomial distribution for large counts.
  constexpr std::uint64_t kLarge = 10'000;
  if (count >= kLarge) {
    const auto n = static_cast<double>(count);
    const double spread = std::sqrt(n * rest * (1 - rest));
    const double drawn = n * rest + spread * normal_quantile(positive_fraction(when_) - 0x1.0p-54);
    return kept + static_cast<std::uint64_t>(std::clamp(std::round(drawn), 0.0, n));
  }
  for (std::uint64_t i = 0; i < count; ++i) kept += when_.fraction() < rest ? 1 : 0;
  return kept;
}

/// Generates sorted uniform positions: partial sums of n + 1 exponential variables, divided by
/// their total.
void ArrivalStream::spread(std::uint64_t count, Duration begin) {
  if (count == 0) return;
  if (options_.dispersion > 1) draw_shares(count);
  positions_.resize(count);
  double sum = 0;
  for (double& position : positions_) position = sum -= std::log(positive_fraction(when_));
  sum -= std::log(positive_fraction(when_));
  arrivals_.reserve(count);
  const auto each = static_cast<double>(each_.count());
  for (const double position : positions_) {
    const double share = options_.dispersion > 1 ? warped(position / sum) : position / sum;
    const Duration into(static_cast<Duration::rep>(share * each));
    add(begin + std::min(into, each_ - Duration(1)), std::nullopt);
  }
}

/// Counts n over 60 seconds with concentration A have the variance-to-mean ratio
/// (1 - 1/60) (n + A) / (1 + A); Poisson given the count has 1 - 1/60. So A = (n - d) / (d - 1).
void ArrivalStream::draw_shares(std::uint64_t count) {
  constexpr double kMinConcentration = 1e-3;  // nearly all requests in one second
  const double d = options_.dispersion;
  const double concentration =
      std::max((static_cast<double>(count) - d) / (d - 1), kMinConcentration);
  const double shape = concentration / kSecondsPerMinute;
  std::vector<double>& shares = share_before_;
  double largest = -HUGE_VAL;
  for (std::size_t s = 1; s <= kSecondsPerMinute; ++s) {
    shares[s] = log_gamma_draw(shape, when_);
    largest = std::max(largest, shares[s]);
  }
  double sum = 0;
  for (std::size_t s = 1; s <= kSecondsPerMinute; ++s) {
    sum += std::exp(shares[s] - largest);
    shares[s] = sum;
  }
  for (std::size_t s = 1; s <= kSecondsPerMinute; ++s) shares[s] /= sum;
}

/// The position in the minute at which the given share of its requests has arrived.
double ArrivalStream::warped(double share) const {
  const auto above = std::upper_bound(share_before_.begin() + 1, share_before_.end() - 1, share);
  const auto below = above - 1;
  const double width = *above - *below;
  const double part = width > 0 ? std::clamp((share - *below) / width, 0.0, 1.0) : 0.5;
  return (static_cast<double>(below - share_before_.begin()) + part) / kSecondsPerMinute;
}

void ArrivalStream::take_events() {
  for (const Traffic::Event& event : traffic_.events) {
    const std::uint64_t copies = scaled(1);
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      const Duration later = copy == 0 ? Duration::zero() : from_seconds(when_.fraction());
      add(event.at + later, event.service);
    }
  }
  std::stable_sort(arrivals_.begin(), arrivals_.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
}

void ArrivalStream::add(Duration at, const std::optional<Duration>& service) {
  // Drawn for every request of the trace, so that a part of the trace gets the same service times
  // as in the whole.
  const Duration duration = service ? *service : service_.draw(how_long_);
  if (at < begin_ || at >= end_) return;
  arrivals_.push_back({.at = at - begin_, .service = duration});
}

}  // namespace bellows::simulator
