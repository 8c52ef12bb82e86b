#include "activator/core/held_request.hpp"

#include <utility>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {

void HeldRequest::on_granted() {
  on_settled();
}

void HeldRequest::on_expired() {
  reject(throttler_->expiry_error(*this));
}

void HeldRequest::RequeueEntry::on_expired() {
  request_.reject(request_.throttler_->requeue_expiry_error());
}

void HeldRequest::reject(Error error) {
  if (throttler_ != nullptr) throttler_->queue_.remove(*this);
  state_ = HoldState::kRejected;
  rejection_ = std::make_unique<const Error>(std::move(error));
  on_settled();
}

}  // namespace bellows::activator
