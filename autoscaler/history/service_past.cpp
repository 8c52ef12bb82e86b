#include "autoscaler/history/service_past.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler::history {

namespace {

constexpr Duration kDropPeriod = std::chrono::minutes(10);

/// A deploy gives the new revision its share, then takes that of the old one, within this time.
constexpr Duration kDeployTime = std::chrono::seconds(1);

/// Returns false between the two steps of a deploy, when the shares are not yet those of all
/// requests.
bool is_whole(const journal::ShareChange& change) {
  std::int32_t sum = 0;
  for (const auto& [revision, share] : change.shares) sum += share;
  return sum == 100;
}

}  // namespace

void ServicePast::set_share(const RevisionId& revision, std::optional<std::int32_t> share,
                            TimePoint at) {
  const bool goes_on =
      !changes_.empty() && !is_whole(changes_.back()) && at - changes_.back().at < kDeployTime;
  if (!goes_on && (changes_.empty() || changes_.back().at != at)) {
    changes_.push_back({.at = at, .shares = {}});
    if (changes_.size() > 1) changes_.back().shares = changes_[changes_.size() - 2].shares;
  }
  auto& shares = changes_.back().shares;
  if (share) {
    shares.insert_or_assign(revision, *share);
  } else {
    shares.erase(revision);
  }
  const bool is_same = changes_.size() > 1 && changes_[changes_.size() - 2].shares == shares;
  if (is_same) changes_.pop_back();
}

void ServicePast::restore(std::vector<journal::ShareChange> changes, TimePoint at) {
  changes_ = std::move(changes);
  if (changes_.empty()) return;
  const auto shares = changes_.back().shares;
  for (const auto& [revision, share] : shares) set_share(revision, std::nullopt, at);
}

void ServicePast::keep(PastRevision revision) {
  if (revision.day && revision.day->oldest()) removed_.push_back(std::move(revision));
}

void ServicePast::drop_old(TimePoint now, Bytes limit) {
  std::size_t size = 0;
  for (const PastRevision& each : removed_) size += each.day->size();
  const auto is_over = [&](const PastRevision& oldest) {
    return size > static_cast<std::size_t>(limit.value) || now - oldest.day->newest() > kDay;
  };
  while (!removed_.empty() && is_over(removed_.front())) {
    size -= removed_.front().day->size();
    removed_.pop_front();
  }
  // The last change before a day ago tells who had the requests since.
  std::size_t unneeded = changes_.size() > kMaxChanges ? changes_.size() - kMaxChanges : 0;
  while (unneeded + 1 < changes_.size() && now - changes_[unneeded + 1].at > kDay) ++unneeded;
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(unneeded));
}

void ServicePasts::set_share(const RevisionId& service, const RevisionId& revision,
                             std::optional<std::int32_t> share, TimePoint at) {
  if (!service.empty()) pasts_[service].set_share(revision, share, at);
}

void ServicePasts::take(const RevisionId& service, PastRevision revision, TimePoint now,
                        Bytes limit) {
  const auto found = pasts_.find(service);
  if (found == pasts_.end()) return;
  ServicePast& past = found->second;
  const bool had_days = !past.removed().empty();
  if (past.is_listed()) {
    past.keep(std::move(revision));
    past.drop_old(now, limit);
  }
  const bool has_days = past.is_listed() && !past.removed().empty();
  if (has_days && !had_days) ++with_days_;
  if (had_days && !has_days) --with_days_;
  if (!past.is_listed()) pasts_.erase(found);
}

void ServicePasts::drop_old(TimePoint now, Bytes limit) {
  if (now - dropped_at_ < kDropPeriod) return;
  dropped_at_ = now;
  with_days_ = 0;
  for (auto& [service, past] : pasts_) {
    past.drop_old(now, limit);
    if (!past.removed().empty()) ++with_days_;
  }
}

std::optional<RevisionId> ServicePasts::service_of_removed(const RevisionId& revision) const {
  for (const auto& [service, past] : pasts_) {
    const bool has_it =
        std::ranges::find(past.removed(), revision, &PastRevision::id) != past.removed().end();
    if (has_it && past.is_listed()) return service;
  }
  return std::nullopt;
}

const ServicePast* ServicePasts::find(const RevisionId& service) const {
  const auto past = pasts_.find(service);
  return past == pasts_.end() || !past->second.is_listed() ? nullptr : &past->second;
}

}  // namespace bellows::autoscaler::history
