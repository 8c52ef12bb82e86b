#include "metrics/scrape.hpp"

namespace bellows::metrics {
namespace {

constexpr Duration kMaxReportAge = std::chrono::milliseconds(1500);

}  // namespace

void Scrape::record(const PodName& source, const Amounts& amounts, TimePoint end) {
  const auto [place, is_new] = reports_.try_emplace(source, Report{amounts, end});
  if (!is_new && end >= place->second.end) place->second = {amounts, end};
}

std::optional<Scrape::Sum> Scrape::take(TimePoint now) {
  const Second over = second_of(now) - 1;
  if (!taken_) taken_ = over;  // no second ends before the first call
  if (over <= *taken_) return std::nullopt;
  const Second second = *taken_ + 1;
  const TimePoint end(std::chrono::seconds(second + 1));
  std::erase_if(reports_,
                [&](const auto& source) { return end - source.second.end > kMaxReportAge; });
  if (reports_.empty()) {
    taken_ = over;  // nor does any source count in the seconds after this one
    return std::nullopt;
  }
  taken_ = second;
  Sum sum{.at = TimePoint(std::chrono::seconds(second)), .amounts = {}};
  for (const auto& [source, report] : reports_) {
    sum.amounts.concurrency += report.amounts.concurrency;
    sum.amounts.requests += report.amounts.requests;
  }
  return sum;
}

}  // namespace bellows::metrics
