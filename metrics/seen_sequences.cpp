#include "metrics/seen_sequences.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace bellows::metrics {

SeenSequences::SeenSequences(std::size_t span)
    : span_(std::bit_ceil(std::max(span, kWordBits))), bits_(kBoots * span_ / kWordBits) {}

SeenSequences::Outcome SeenSequences::mark_any(std::uint64_t boot_id, std::uint64_t sequence) {
  Boot& boot = boot_of(boot_id, sequence);
  if (sequence > boot.newest) {
    move_newest(boot, sequence);
  } else if (boot.newest - sequence >= span_) {
    return Outcome::kTooFarBack;
  } else if (test(boot, sequence)) {
    return Outcome::kSeen;
  }
  boot.marked_at = ++marks_;
  last_ = static_cast<std::size_t>(&boot - boots_);
  write(boot, sequence, true);
  return Outcome::kNew;
}

SeenSequences::Boot& SeenSequences::boot_of(std::uint64_t id, std::uint64_t sequence) {
  Boot* oldest = &boots_[0];
  for (Boot& boot : boots_) {
    if (boot.marked_at != 0 && boot.id == id) return boot;
    if (boot.marked_at < oldest->marked_at) oldest = &boot;
  }
  *oldest = {id, sequence, 0};
  const auto words = bits_.begin() + static_cast<std::ptrdiff_t>(row(*oldest));
  std::fill(words, words + static_cast<std::ptrdiff_t>(span_ / kWordBits), 0);
  return *oldest;
}

void SeenSequences::move_newest(Boot& boot, std::uint64_t sequence) {
  const std::uint64_t first_cleared =
      sequence - boot.newest >= span_ ? sequence - span_ + 1 : boot.newest + 1;
  for (std::uint64_t q = first_cleared; q != sequence; ++q) write(boot, q, false);
  boot.newest = sequence;
}

bool SeenSequences::test(const Boot& boot, std::uint64_t sequence) const {
  const std::uint64_t at = sequence & (span_ - 1);
  return ((bits_[row(boot) + at / kWordBits] >> (at % kWordBits)) & 1U) != 0;
}

void SeenSequences::resize(std::size_t span) {
  SeenSequences resized(span);
  for (std::size_t i = 0; i < kBoots; ++i) {
    const Boot& boot = boots_[i];
    resized.boots_[i] = boot;
    if (boot.marked_at == 0) continue;
    const std::uint64_t kept = std::min<std::uint64_t>({span_, resized.span_, boot.newest + 1});
    for (std::uint64_t back = 0; back < kept; ++back) {
      if (test(boot, boot.newest - back)) {
        resized.write(resized.boots_[i], boot.newest - back, true);
      }
    }
  }
  resized.marks_ = marks_;
  resized.last_ = last_;
  *this = std::move(resized);
}

}  // namespace bellows::metrics
