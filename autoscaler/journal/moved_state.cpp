#include "autoscaler/journal/moved_state.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/journal/fields.hpp"

namespace bellows::autoscaler::journal {
namespace {

/// A visitor of fields.hpp.
class Mover {
 public:
  explicit Mover(Duration by) : by_(by) {}

  void operator()(std::string_view, TimePoint& instant) { instant += by_; }
  template <class T>
  void operator()(std::string_view key, std::optional<T>& field) {
    if (field) (*this)(key, *field);
  }
  template <class T>
  void operator()(std::string_view, T& field) {
    if constexpr (requires { for_each_field(field, *this); }) for_each_field(field, *this);
  }

 private:
  Duration by_;
};

void move_delay(DelayWindow& delay, Duration by) {
  std::vector<DelayWindow::Entry> entries = delay.entries();
  for (DelayWindow::Entry& entry : entries) {
    entry.slot = DelayWindow::slot_of(TimePoint(entry.slot * kEvaluationPeriod) + by);
  }
  delay.restore(std::move(entries));
}

}  // namespace

DeciderState moved(const DeciderState& state, Duration by) {
  DeciderState there = state;
  Mover mover(by);
  for_each_field(static_cast<Memory&>(there), mover);
  move_delay(there.delay, by);
  there.policies.move(by);
  if (there.idle_times.has_seen_request()) {
    there.idle_times.restore(there.idle_times.oldest_first(), there.idle_times.busy_since() + by);
  }
  return there;
}

}  // namespace bellows::autoscaler::journal
