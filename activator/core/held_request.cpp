#include "activator/core/held_request.hpp"

#include <utility>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {

void HeldRequest::on_granted() {
  on_settled();
}

void HeldRequest::on_expired() {
  refuse(throttler_->too_old());
}

void HeldRequest::refuse(Error error) {
  state_ = HoldState::kRefused;
  refusal_ = std::move(error);
  on_settled();
}

}  // namespace bellows::activator
