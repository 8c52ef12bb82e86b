// Finds records by name: 8 bytes for each, where a map of strings takes 100.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace bellows::slack {

/// Open addressing over ids; the names stay in the records. `name_of(id)` returns the name of an id
/// that was added and not removed. Owner: the owner of the records. Thread: the owner's.
class NameTable {
 public:
  /// Returns the part of a name that the table compares.
  static std::uint32_t hash_of(std::string_view name) {
    const std::uint64_t hash = std::hash<std::string_view>()(name);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U)) & 0x7fffffffU;
  }

  template <class NameOf>
  std::optional<std::uint32_t> find(std::string_view name, std::uint32_t hash,
                                    NameOf name_of) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t at = hash & mask(); slots_[at].is_used; at = (at + 1) & mask()) {
      if (slots_[at].hash == hash && name_of(slots_[at].id) == name) return slots_[at].id;
    }
    return std::nullopt;
  }

  /// Returns the first id with that hash, whatever its name.
  std::optional<std::uint32_t> find(std::uint32_t hash) const {
    return find({}, hash, [](std::uint32_t) { return std::string_view(); });
  }
  /// Starts to load the memory that find() reads.
  void fetch_ahead(std::uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask()]);
  }

  /// Adds a name that is not in the table.
  void add(std::uint32_t hash, std::uint32_t id) {
    if ((count_ + 1) * 3 > slots_.size() * 2) grow();
    ++count_;
    insert({hash, 1, id});
  }

  /// Removes a name that is in the table with this id.
  void remove(std::uint32_t hash, std::uint32_t id) {
    std::size_t hole = hash & mask();
    while (slots_[hole].is_used == 0 || slots_[hole].id != id) hole = (hole + 1) & mask();
    --count_;
    // Backward shift: an entry moves into the hole unless the hole is before its own first slot.
    for (std::size_t at = (hole + 1) & mask(); slots_[at].is_used; at = (at + 1) & mask()) {
      const std::size_t home = slots_[at].hash & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
  }

  std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::uint32_t hash : 31 = 0;
    std::uint32_t is_used : 1 = 0;
    std::uint32_t id = 0;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void insert(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].is_used) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.is_used) insert(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most two thirds used
  std::size_t count_ = 0;
};

}  // namespace bellows::slack
