// Detects reports of one source that were recorded already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bellows::metrics {

/// Remembers, for the last kBoots boots of one source, the newest `span` sequence numbers as bits.
/// A further boot replaces the one that reported longest ago, because a process that has ended
/// repeats nothing. It allocates only when constructed or resized.
class SeenSequences {
 public:
  static constexpr std::size_t kBoots = 4;

  enum class Outcome : std::uint8_t { kNew, kSeen, kTooFarBack };

  /// `span` is rounded up to a power of two.
  explicit SeenSequences(std::size_t span);

  /// Marks a sequence number as seen. Returns kTooFarBack if it is `span` or more below the newest
  /// of this boot.
  Outcome mark(std::uint64_t boot, std::uint64_t sequence) {
    // Usually it is the one after the newest of the boot that reported last.
    Boot& last = boots_[last_];
    const bool is_next = last.id == boot && sequence > last.newest && sequence - last.newest == 1;
    if (!is_next || last.marked_at == 0) return mark_any(boot, sequence);
    last.newest = sequence;
    last.marked_at = ++marks_;
    write(last, sequence, true);
    return Outcome::kNew;
  }

  void resize(std::size_t span);

 private:
  struct Boot {
    std::uint64_t id = 0;
    std::uint64_t newest = 0;
    std::uint64_t marked_at = 0;  // count of marks; 0: never used
  };

  Outcome mark_any(std::uint64_t boot, std::uint64_t sequence);
  Boot& boot_of(std::uint64_t id, std::uint64_t sequence);
  void move_newest(Boot& boot, std::uint64_t sequence);
  bool test(const Boot& boot, std::uint64_t sequence) const;
  void write(const Boot& boot, std::uint64_t sequence, bool seen) {
    const std::uint64_t at = sequence & (span_ - 1);
    std::uint64_t& word = bits_[row(boot) + at / kWordBits];
    const std::uint64_t mask = std::uint64_t{1} << (at % kWordBits);
    word = seen ? (word | mask) : (word & ~mask);
  }
  std::size_t row(const Boot& boot) const {
    return static_cast<std::size_t>(&boot - boots_) * (span_ / kWordBits);
  }

  static constexpr std::size_t kWordBits = 64;

  std::size_t span_;  // bits per boot, a power of two, 64 or more
  std::uint64_t marks_ = 0;
  std::size_t last_ = 0;  // index in boots_ of the one marked last
  Boot boots_[kBoots];
  std::vector<std::uint64_t> bits_;  // kBoots rows; sequence q is bit q modulo span_
};

}  // namespace bellows::metrics
