#include "activator/core/held_request.hpp"

#include <utility>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {

void HeldRequest::on_granted() {
  throttler_->again_ages_.leave(again_);
  on_settled();
}

void HeldRequest::on_expired() {
  refuse(again_.is_waiting() ? throttler_->too_late_again() : throttler_->too_old());
}

void HeldRequest::AgainTicket::on_expired() {
  request_.waits_in_->leave(request_);
  request_.refuse(request_.throttler_->too_old_again());
}

void HeldRequest::refuse(Error error) {
  if (throttler_ != nullptr) throttler_->again_ages_.leave(again_);
  state_ = HoldState::kRefused;
  refusal_ = std::move(error);
  on_settled();
}

}  // namespace bellows::activator
