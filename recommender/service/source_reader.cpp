#include "recommender/service/source_reader.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "http/io/task_group.hpp"

namespace bellows::recommender {

SourceReader::SourceReader(std::unique_ptr<UsageSource> source, Duration period,
                           const sys::Clock& clock, Take take)
    : source_(std::move(source)), period_(period), clock_(clock), take_(std::move(take)) {}

http::Awaitable<void> SourceReader::read_once() {
  const auto seen = co_await source_->read(clock_.wall_now());
  if (!seen) {
    if (trouble_.empty()) {
      sys::log::warning("source does not answer", {{"error", to_string(seen.error())}});
    }
    trouble_ = to_string(seen.error());
    co_return;
  }
  if (!trouble_.empty()) sys::log::info("source answers again", {{"source", name()}});
  trouble_.clear();
  last_success_ = clock_.now();
  take_(*seen);
}

http::Awaitable<void> SourceReader::keep_reading() {
  bool has_slept = true;
  while (has_slept) {
    co_await read_once();
    has_slept = co_await http::sleep_for(period_);
  }
}

}  // namespace bellows::recommender
