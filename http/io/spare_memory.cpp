#include "http/io/spare_memory.hpp"

#include <chrono>
#include <utility>

#include "base/frame_pool.hpp"
#include "base/sys/free_memory.hpp"

namespace bellows::http {

namespace {

constexpr Duration kInterval = std::chrono::seconds(10);
// A trim of 100,000 pieces takes some ten milliseconds, so it is done in steps.
constexpr Duration kMostAtOnce = std::chrono::milliseconds(1);
constexpr Duration kPause = std::chrono::milliseconds(100);
constexpr std::size_t kPieces = 256;
// Returning memory stops all threads that allocate, for a millisecond per 10 MB. Therefore it needs
// at least kLeast bytes and waits until a round has freed at most 1/kPart of them.
constexpr std::size_t kLeast = std::size_t{1} << 20U;
constexpr std::size_t kPart = 8;

}  // namespace

void SpareMemory::start() {
  set_deadline(clock_.now() + kInterval);
}

void SpareMemory::on_expiry() {
  const TimePoint began = clock_.now();
  if (!std::exchange(is_in_round_, true)) freed_in_round_ = buffers_.trim();
  const bool is_through = trim_frames(began + kMostAtOnce);
  if (is_through) end_round();
  set_deadline(began + (is_through ? kInterval : kPause));
}

/// Returns false if there is more.
bool SpareMemory::trim_frames(TimePoint end) {
  do {
    const std::size_t bytes = FramePool::trim(kPieces);
    if (bytes == 0) return true;
    freed_in_round_ += bytes;
  } while (clock_.now() < end);
  return false;
}

void SpareMemory::end_round() {
  is_in_round_ = false;
  freed_ += freed_in_round_;
  if (freed_ < kLeast || freed_in_round_ > freed_ / kPart) return;
  freed_ = 0;
  sys::give_back_free_memory();
}

}  // namespace bellows::http
