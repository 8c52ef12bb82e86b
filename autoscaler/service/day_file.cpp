#include "autoscaler/service/day_file.hpp"

#include <unistd.h>

#include <string_view>
#include <utility>

#include "autoscaler/service/checked_text.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "base/sys/file.hpp"
#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "http/io/side_thread.hpp"

namespace bellows::autoscaler {
namespace {

using history::SavedDays;

constexpr std::string_view kDayTitle = "day";
constexpr std::string_view kDayFile = "day file";  // in errors
constexpr mode_t kDayFileMode = 0600;
constexpr Duration kDaySavePeriod = std::chrono::minutes(1);
/// A day of 20 services at zero is 27 MB, its tail of an hour 1.3 MB: so both take 20 KB a second.
constexpr Duration kDayWholePeriod = std::chrono::hours(1);

}  // namespace

Duration DayFile::wall_ahead() const {
  return clock_.wall_now().time_since_epoch() - clock_.now().time_since_epoch();
}

/// A day of another version is not read: its lines may have other members.
Result<SavedDays> DayFile::read_file(const std::string& path) const {
  BELLOWS_TRY(const std::string text, sys::read_whole_file(path, kDayFile));
  BELLOWS_TRY(const std::string_view body, checked_body(text, kDayTitle, kVersion));
  return history::read_days(body, wall_ahead());
}

std::optional<SavedDays> DayFile::read() {
  if (path_.empty()) return std::nullopt;
  auto whole = read_file(path_);
  auto later = read_file(tail());
  for (const auto* const each : {&whole, &later}) {
    if (*each || each->error().kind() == ErrorKind::kNotFound) continue;
    sys::log::warning("the decisions of the last day are not known",
                      {{"error", to_string(each->error())}});
  }
  if (whole) whole_at_ = whole->at;
  if (!whole) return later ? std::optional(std::move(*later)) : std::nullopt;
  if (later) {
    whole->add(std::move(*later));
  } else if (later.error().kind() != ErrorKind::kNotFound) {
    whole->is_stopped = false;
  }
  return std::move(*whole);
}

bool DayFile::is_due(const RevisionRegistry& registry) const {
  return !saved_at_ || clock_.now() - *saved_at_ >= kDaySavePeriod ||
         registry.start_news() != start_news_;
}

http::Awaitable<void> DayFile::save(http::net::io_context& io, const RevisionRegistry& registry) {
  if (path_.empty()) co_return;
  const TimePoint now = clock_.now();
  saved_at_ = now;
  start_news_ = registry.start_news();
  const bool is_whole = !whole_at_ || now - *whole_at_ >= kDayWholePeriod;
  SavedDays days = registry.days(is_whole ? TimePoint::min() : *whole_at_);
  if (days.newest() == newest_) co_return;
  newest_ = days.newest();
  co_await write(io, std::move(days), is_whole);
}

http::Awaitable<void> DayFile::finish(http::net::io_context& io, const RevisionRegistry& registry) {
  if (path_.empty()) co_return;
  SavedDays days = registry.days(TimePoint::min());
  days.is_stopped = true;
  co_await write(io, std::move(days), true);
}

/// Packing and writing 85 MB takes a second, which no request waits for.
http::Awaitable<void> DayFile::write(http::net::io_context& io, SavedDays days, bool is_whole) {
  Result<void> written;
  const Duration ahead = wall_ahead();
  co_await http::on_side_thread(io, [&] { written = write_files(days, ahead, is_whole); });
  if (written && is_whole) whole_at_ = days.at;
  if (!written && !is_broken_) {
    sys::log::warning("the decisions of the last day are not kept",
                      {{"error", to_string(written.error())}});
  }
  is_broken_ = !written;
}

Result<void> DayFile::write_files(const SavedDays& days, Duration wall_ahead, bool is_whole) const {
  const std::string text = checked_text(kDayTitle, kVersion, history::days_text(days, wall_ahead));
  BELLOWS_CHECKED(sys::replace_file(is_whole ? path_ : tail(), text, kDayFile, kDayFileMode));
  // After a crash before this line the tail is older than PATH, and SavedDays::add() ignores it.
  if (is_whole) ::unlink(tail().c_str());
  return {};
}

}  // namespace bellows::autoscaler
