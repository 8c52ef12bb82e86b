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

bool LocalMaximum::add(double amount, WallTime at) {
  if (first_ == WallTime::min()) first_ = watched_since_ = at;
  if (kind_ == config::MaximumWindow::kTumbling) return tumble(amount, at);
  slide(amount, at);
  return false;
}

bool LocalMaximum::tumble(double amount, WallTime at) {
  if (!is_empty() && !is_expired_ && at - newest_.begin < window_) {
    newest_.amount = std::max(newest_.amount, amount);
    return false;
  }
  newest_ = {at, amount};
  is_expired_ = false;
  return true;
}

void LocalMaximum::slide(double amount, WallTime at) {
  if (is_empty() || !is_within(newest_, at)) watched_since_ = at;
  const WallTime begin(at.time_since_epoch() - at.time_since_epoch() % slice());
  if (begin <= newest_.begin) {
    newest_.amount = std::max(newest_.amount, amount);
    return;
  }
  if (!is_empty()) put_away(newest_);
  newest_ = {begin, amount};
}

/// Whether an entry is still relevant is not asked here: that would mean to read what was put away.
void LocalMaximum::put_away(const Entry& entry) {
  if (earlier_.size() == earlier_.capacity()) {
    drop_irrelevant();
    // With little room left the next entries would have to look for more again.
    const std::size_t room = earlier_.capacity();
    if (earlier_.size() * 4 >= room * 3) earlier_.reserve(room + std::max(kMinRoom, room / 2));
  }
  earlier_.push_back(entry);
}

/// What can be no maximum any more: it left the window, or something as high came after it.
void LocalMaximum::drop_irrelevant() {
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

bool LocalMaximum::has_watched_a_window(WallTime now) const {
  if (watched_since_ == WallTime::min() || now - watched_since_ < window_) return false;
  return kind_ == config::MaximumWindow::kTumbling || is_within(newest_, now);
}

void LocalMaximum::save(json::Writer& line, std::string_view key) const {
  line.open(key);
  saved::write(line, "first", first_);
  saved::write(line, "watched-since", watched_since_);
  line.flag("expired", is_expired_).open_list("entries");
  LocalMaximum relevant = *this;  // so that what is saved tells nothing of when there was room
  relevant.drop_irrelevant();
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
  BELLOWS_TRY(first_, saved::read_time(saved, "first"));
  watched_since_ = first_;  // states of before there was such a key
  if (saved.has("watched-since")) {
    BELLOWS_TRY(watched_since_, saved::read_time(saved, "watched-since"));
  }
  BELLOWS_TRY(is_expired_, saved.flag("expired"));
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
