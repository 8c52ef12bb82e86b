#include "recommender/service/source_reader.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "http/io/task_group.hpp"

namespace bellows::recommender {

SourceReader::SourceReader(std::unique_ptr<UsageSource> source, Duration period,
                           const sys::Clock& clock, Take take)
    : source_(std::move(source)), period_(period), clock_(clock), take_(std::move(take)) {}

http::Awaitable<void> SourceReader::read_once() {
  const auto observations = co_await source_->read(clock_.wall_now());
  if (!observations) {
    if (last_error_.empty()) {
      sys::log::warning("usage source not responding",
                        {{"error", to_string(observations.error())}});
    }
    last_error_ = to_string(observations.error());
    co_return;
  }
  if (!last_error_.empty()) sys::log::info("usage source responding again", {{"source", name()}});
  last_error_.clear();
  last_success_ = clock_.now();
  take_(*observations);
}

http::Awaitable<void> SourceReader::keep_reading() {
  bool has_slept = true;
  while (has_slept) {
    co_await read_once();
    has_slept = co_await http::sleep_for(period_);
  }
}

}  // namespace bellows::recommender
