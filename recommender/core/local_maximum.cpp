#include "recommender/core/local_maximum.hpp"

#include <algorithm>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr int kSlices = 64;
constexpr std::size_t kMinRoom = 8;

}  // namespace

LocalMaximum::LocalMaximum(config::MaximumWindow kind, Duration window)
    : kind_(kind), window_(window) {}

Duration LocalMaximum::slice() const {
  return std::max<Duration>(window_ / kSlices, Duration(1));
}

void LocalMaximum::add(double amount, WallTime at) {
  if (gap_free_since_ == WallTime::min()) gap_free_since_ = at;
  if (kind_ == config::MaximumWindow::kTumbling) {
    tumble(amount, at);
  } else {
    slide(amount, at);
  }
}

void LocalMaximum::tumble(double amount, WallTime at) {
  if (!is_empty() && at - newest_.begin < window_) {
    newest_.amount = std::max(newest_.amount, amount);
  } else {
    newest_ = {at, amount};
  }
}

void LocalMaximum::slide(double amount, WallTime at) {
  if (is_empty() || !is_within(newest_, at)) gap_free_since_ = at;
  const WallTime begin(at.time_since_epoch() - at.time_since_epoch() % slice());
  if (begin <= newest_.begin) {
    newest_.amount = std::max(newest_.amount, amount);
    return;
  }
  if (!is_empty()) store(newest_);
  newest_ = {begin, amount};
}

/// Stores an entry without checking whether older entries are still relevant, because that would
/// read them from memory.
void LocalMaximum::store(const Entry& entry) {
  if (earlier_.size() == earlier_.capacity()) {
    prune();
    // With little capacity left the next entries would soon prune again.
    const std::size_t room = earlier_.capacity();
    if (earlier_.size() * 4 >= room * 3) earlier_.reserve(room + std::max(kMinRoom, room / 2));
  }
  earlier_.push_back(entry);
}

/// Removes entries that cannot be the maximum any more: they left the window, or a later one is as
/// high.
void LocalMaximum::prune() {
  double highest = newest_.amount;
  auto kept = earlier_.end();
  for (auto entry = earlier_.end(); entry != earlier_.begin();) {
    --entry;
    if (entry->amount <= highest || !is_within(*entry, newest_.begin)) continue;
    highest = entry->amount;
    *--kept = *entry;
  }
  earlier_.erase(earlier_.begin(), kept);
}

std::optional<double> LocalMaximum::maximum(WallTime now) const {
  if (is_empty()) return std::nullopt;
  if (kind_ == config::MaximumWindow::kTumbling) return newest_.amount;
  if (!is_within(newest_, now)) return std::nullopt;
  double highest = newest_.amount;
  for (const Entry& entry : earlier_) {
    if (is_within(entry, now)) highest = std::max(highest, entry.amount);
  }
  return highest;
}

bool LocalMaximum::has_full_window(WallTime now) const {
  if (gap_free_since_ == WallTime::min() || now - gap_free_since_ < window_) return false;
  return kind_ == config::MaximumWindow::kTumbling || is_within(newest_, now);
}

void LocalMaximum::save(json::Writer& line, std::string_view key) const {
  line.open(key);
  saved::write(line, "watched-since", gap_free_since_);
  line.open_list("entries");
  LocalMaximum relevant = *this;  // the saved state does not depend on when it was pruned
  relevant.prune();
  if (!is_empty()) relevant.earlier_.push_back(newest_);
  for (const Entry& entry : relevant.earlier_) {
    line.open();
    saved::write(line, "begin", entry.begin);
    line.number("amount", entry.amount).close();
  }
  line.close().close();
}

Result<void> LocalMaximum::restore(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const auto saved, object.object(key));
  BELLOWS_TRY(gap_free_since_, saved::read_time(saved, "watched-since"));
  BELLOWS_TRY(const auto entries, saved.objects("entries"));
  newest_ = {};
  earlier_.clear();
  for (const json::Object& entry : entries) {
    if (!is_empty()) earlier_.push_back(newest_);
    BELLOWS_TRY(newest_.begin, saved::read_time(entry, "begin"));
    BELLOWS_TRY(newest_.amount, entry.number("amount", {.min = 0}));
  }
  return {};
}

}  // namespace bellows::recommender
