#include "metrics/scrape.hpp"

namespace bellows::metrics {
namespace {

constexpr Duration kLately = std::chrono::milliseconds(1500);

}  // namespace

void Scrape::hear(const PodName& source, const Amounts& amounts, TimePoint end) {
  const auto [place, is_new] = heard_.try_emplace(source, Heard{amounts, end});
  if (!is_new && end >= place->second.end) place->second = {amounts, end};
}

std::optional<Scrape::Sum> Scrape::take(TimePoint now) {
  const Second over = second_of(now) - 1;
  if (!taken_) taken_ = over;  // what was before the first call is nobody's second
  if (over <= *taken_) return std::nullopt;
  taken_ = over;
  const TimePoint end(std::chrono::seconds(over + 1));
  std::erase_if(heard_, [&](const auto& source) { return end - source.second.end > kLately; });
  if (heard_.empty()) return std::nullopt;
  Sum sum{.at = TimePoint(std::chrono::seconds(over)), .amounts = {}};
  for (const auto& [source, heard] : heard_) {
    sum.amounts.concurrency += heard.amounts.concurrency;
    sum.amounts.requests += heard.amounts.requests;
  }
  return sum;
}

}  // namespace bellows::metrics
