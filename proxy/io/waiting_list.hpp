// Connections that wait for a request, ordered by the start of their wait. Within proxy/io.
#pragma once

namespace bellows::proxy {

/// A place in a WaitingList, or in none. It leaves its list when it is destroyed. Owner: the object
/// that waits.
class WaitingEntry {
 public:
  WaitingEntry() = default;
  ~WaitingEntry() { leave(); }
  WaitingEntry(const WaitingEntry&) = delete;
  WaitingEntry& operator=(const WaitingEntry&) = delete;

  void leave() {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = this;
  }

 private:
  friend class WaitingList;
  WaitingEntry* previous_ = this;
  WaitingEntry* next_ = this;
};

/// A ring of entries that it does not own. Entering and leaving cost a few stores, because every
/// request does both. Thread: the io thread.
class WaitingList {
 public:
  bool empty() const { return ring_.next_ == &ring_; }
  /// Returns the entry that has waited the longest; nullptr if there is none.
  WaitingEntry* first() const { return empty() ? nullptr : ring_.next_; }
  /// Returns the entry that began to wait after `entry`; nullptr if there is none.
  WaitingEntry* after(const WaitingEntry& entry) const {
    return entry.next_ == &ring_ ? nullptr : entry.next_;
  }
  /// Makes `entry` the last one; it may be in another list.
  void append(WaitingEntry& entry) {
    entry.leave();
    entry.previous_ = ring_.previous_;
    entry.next_ = &ring_;
    ring_.previous_->next_ = &entry;
    ring_.previous_ = &entry;
  }

 private:
  WaitingEntry ring_;
};

}  // namespace bellows::proxy
