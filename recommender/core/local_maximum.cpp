#include "recommender/core/local_maximum.hpp"

#include <algorithm>

#include "recommender/core/saved.hpp"
#include "replay/json_line.hpp"
#include "replay/json_object.hpp"

namespace bellows::recommender {

namespace {

constexpr int kSlices = 64;

}  // namespace

LocalMaximum::LocalMaximum(config::MaximumWindow kind, Duration window)
    : kind_(kind), window_(window), slice_(std::max<Duration>(window / kSlices, Duration(1))) {}

bool LocalMaximum::add(double amount, WallTime at) {
  if (first_ == WallTime::min()) first_ = watched_since_ = at;
  if (kind_ == config::MaximumWindow::kTumbling) {
    if (!entries_.empty() && !is_expired_ && at - entries_.front().begin < window_) {
      entries_.front().amount = std::max(entries_.front().amount, amount);
      return false;
    }
    entries_.assign(1, {at, amount});
    is_expired_ = false;
    return true;
  }
  if (!maximum(at)) watched_since_ = at;
  WallTime begin(at.time_since_epoch() - at.time_since_epoch() % slice_);
  if (!entries_.empty()) begin = std::max(begin, entries_.back().begin);
  const auto gone = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return at - entry.begin <= window_ + slice_;
  });
  entries_.erase(entries_.begin(), gone);
  while (!entries_.empty() && entries_.back().amount <= amount) entries_.pop_back();
  if (entries_.empty() || entries_.back().begin < begin) entries_.push_back({begin, amount});
  return false;
}

std::optional<double> LocalMaximum::maximum(WallTime now) const {
  const Duration longest = kind_ == config::MaximumWindow::kTumbling ? window_ : window_ + slice_;
  for (const Entry& entry : entries_) {
    if (now - entry.begin <= longest) return entry.amount;
  }
  return std::nullopt;
}

bool LocalMaximum::has_watched_a_window(WallTime now) const {
  if (watched_since_ == WallTime::min() || now - watched_since_ < window_) return false;
  return kind_ == config::MaximumWindow::kTumbling || maximum(now).has_value();
}

void LocalMaximum::save(replay::JsonLine& line, std::string_view key) const {
  line.open(key);
  saved::write(line, "first", first_);
  saved::write(line, "watched-since", watched_since_);
  line.flag("expired", is_expired_).open_list("entries");
  for (const Entry& entry : entries_) {
    line.open("");
    saved::write(line, "begin", entry.begin);
    line.number("amount", entry.amount).close();
  }
  line.close().close();
}

Result<void> LocalMaximum::restore(const replay::Object& object, std::string_view key) {
  BELLOWS_TRY(const auto saved, object.object(key));
  BELLOWS_TRY(first_, saved::read_time(saved, "first"));
  watched_since_ = first_;  // states of before there was such a key
  if (saved.has("watched-since")) {
    BELLOWS_TRY(watched_since_, saved::read_time(saved, "watched-since"));
  }
  BELLOWS_TRY(is_expired_, saved.flag("expired"));
  BELLOWS_TRY(const auto entries, saved.objects("entries"));
  entries_.clear();
  for (const replay::Object& entry : entries) {
    BELLOWS_TRY(const WallTime begin, saved::read_time(entry, "begin"));
    BELLOWS_TRY(const double amount, entry.number("amount", {.least = 0}));
    entries_.push_back({begin, amount});
  }
  return {};
}

}  // namespace bellows::recommender
