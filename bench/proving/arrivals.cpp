#include "bench/proving/arrivals.hpp"

#include <algorithm>
#include <cmath>

#include "base/time.hpp"
#include "simulator/distribution.hpp"

namespace bellows::proving {
namespace {

void add(Events& events, double second) {
  events.push_back({.at = from_seconds(second), .service = std::nullopt});
}

/// From 1 on, with this mean.
std::int64_t geometric(Random& random, double mean) {
  if (mean <= 1) return 1;
  const double draw = std::log1p(-random.fraction()) / std::log1p(-1 / mean);
  return 1 + static_cast<std::int64_t>(draw);
}

}  // namespace

double uniform(Random& random, double min, double max) {
  return min + (max - min) * random.fraction();
}

double log_uniform(Random& random, double min, double max) {
  return min * std::pow(max / min, random.fraction());
}

double exponential(Random& random) {
  return -std::log1p(-random.fraction());
}

double normal(Random& random) {
  constexpr double kMin = 0x1.0p-53;  // a draw may be zero exactly
  return simulator::normal_quantile(std::max(random.fraction(), kMin));
}

Events clustered_arrivals(Random& random, const Rate& rate, double max_rate, double seconds,
                          double dispersion) {
  const double mean_size = (dispersion + 1) / 2;
  Events events;
  double at = 0;
  while ((at += exponential(random) * mean_size / max_rate) < seconds) {
    if (random.fraction() * max_rate >= rate(at)) continue;
    const std::int64_t size = geometric(random, mean_size);
    for (std::int64_t i = 0; i < size; ++i) add(events, at + (i == 0 ? 0 : random.fraction()));
  }
  put_in_order(events, seconds);
  return events;
}

Events batch_arrivals(const std::function<double()>& gap, std::int64_t size, double seconds) {
  Events events;
  for (double at = gap(); at < seconds; at += gap()) {
    for (std::int64_t i = 0; i < size; ++i) add(events, at);
  }
  return events;
}

Events hawkes_arrivals(Random& random, double rate, double branching, double delay,
                       double seconds) {
  Events events;
  double at = 0;
  while ((at += exponential(random) / rate) < seconds) add(events, at);
  // Each request's own followers, until there are no more: the list grows while it is read.
  for (std::size_t parent = 0; parent < events.size(); ++parent) {
    const double begin = to_seconds(events[parent].at);
    for (double share = exponential(random); share < branching; share += exponential(random)) {
      add(events, begin + delay * exponential(random));
    }
  }
  put_in_order(events, seconds);
  return events;
}

void put_in_order(Events& events, double seconds) {
  const auto is_outside = [&](const simulator::Traffic::Event& event) {
    return event.at < Duration::zero() || event.at >= from_seconds(seconds);
  };
  std::erase_if(events, is_outside);
  std::ranges::stable_sort(events, {}, &simulator::Traffic::Event::at);
}

}  // namespace bellows::proving
