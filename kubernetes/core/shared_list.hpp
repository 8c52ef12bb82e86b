// A list that many objects share.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace bellows::kubernetes {

/// An immutable list, shared by its copies; an empty one takes no memory of its own. The pods of
/// one ReplicaSet have equal owners and containers: see SharePool.
template <class T>
class SharedList {
 public:
  SharedList() = default;
  explicit SharedList(std::vector<T> items) {
    if (items.empty()) return;
    items.shrink_to_fit();
    items_ = std::make_shared<const std::vector<T>>(std::move(items));
  }

  bool empty() const { return items_ == nullptr; }
  std::size_t size() const { return items_ == nullptr ? 0 : items_->size(); }
  const T* data() const { return items_ == nullptr ? nullptr : items_->data(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& front() const { return items_->front(); }
  const T& operator[](std::size_t index) const { return (*items_)[index]; }
  bool operator==(const SharedList& other) const {
    return items_ == other.items_ ||
           (items_ != nullptr && other.items_ != nullptr && *items_ == *other.items_);
  }

  /// Returns true if another copy exists.
  bool is_shared() const { return items_.use_count() > 1; }

 private:
  std::shared_ptr<const std::vector<T>> items_;  // shared by all copies; null if empty
};

}  // namespace bellows::kubernetes
