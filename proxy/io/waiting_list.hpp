// Connections that wait for a request, in the order in which they began to wait. Within proxy/io.
#pragma once

namespace bellows::proxy {

/// A place in a WaitingList, or in none. Owner: what waits; leaves its list when it is destroyed.
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

/// A ring of entries that it does not own: to enter and to leave costs a few stores, because every
/// request does both. Thread: the io thread.
class WaitingList {
 public:
  bool empty() const { return ring_.next_ == &ring_; }
  /// The one that has waited the longest; nullptr if there is none.
  WaitingEntry* first() const { return empty() ? nullptr : ring_.next_; }
  /// The one that began to wait after `entry`; nullptr if there is none.
  WaitingEntry* after(const WaitingEntry& entry) const {
    return entry.next_ == &ring_ ? nullptr : entry.next_;
  }
  /// Makes it the last one; it may be in another list.
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
