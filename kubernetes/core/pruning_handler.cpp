#include "kubernetes/core/pruning_handler.hpp"

#include <boost/json/error.hpp>
#include <utility>

namespace bellows::kubernetes {

namespace {

/// What a value takes beside its text: quotes, colon and comma.
constexpr std::size_t kBytesAround = 4;

}  // namespace

PruningHandler::PruningHandler(const FieldSet& fields, std::string_view elements_of, OnUnit on_unit)
    : root_(&fields.root()),
      elements_(elements_of.empty() ? nullptr : root_->find(elements_of)),
      on_unit_(std::move(on_unit)) {}

std::string PruningHandler::resume() {
  dropped_ = kResuming;
  std::string text;
  for (const Frame& frame : frames_) text += frame.is_list ? "[" : "{\"\":";
  return text + "null";
}

void PruningHandler::take_key(std::string_view key) {
  if (!key_.empty()) key = key_.append(key);
  member_ = place_->problem.empty() ? frames_.back().node->find(key) : nullptr;
  if (member_ != nullptr && !has_room(key.size())) member_ = nullptr;
  if (member_ != nullptr) place_->values.push_key({key.data(), key.size()});
  key_.clear();
}

void PruningHandler::take_part(Text part) {
  if (at_elements()) return;
  is_in_string_ = true;
  if (has_room(part.size())) place_->values.push_chars(part);
}

bool PruningHandler::take_string(Text last, Code& code) {
  is_in_string_ = false;
  begin_value();
  place_->values.push_string(has_room(last.size()) ? last : Text());
  return end_value(code);
}

void PruningHandler::begin_value() {
  if (!frames_.empty() && !at_elements()) {
    ++frames_.back().kept;
    has_room(kBytesAround);
    return;
  }
  place_ = frames_.empty() ? &document_ : &element_;
  place_->values.reset(&place_->memory);
  place_->bytes = 0;
  place_->problem.clear();
}

bool PruningHandler::begin_kept(bool is_list) {
  const FieldSet::Node* node = node_of_value();
  begin_value();
  if (frames_.size() < kMaxKeptDepth) {
    frames_.push_back({.node = node, .is_list = is_list, .kept = 0});
    return true;
  }
  place_->problem = "its fields are nested more than " + std::to_string(kMaxKeptDepth) + " deep";
  place_->values.push_null();
  ++dropped_;
  return true;
}

bool PruningHandler::end_kept(Code& code) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.is_list) {
    place_->values.push_array(frame.kept);
  } else {
    place_->values.push_object(frame.kept);
  }
  return end_value(code);
}

/// Passes on the unit that ends with this value, if one does.
bool PruningHandler::end_value(Code& code) {
  const bool is_element = at_elements();
  if (!frames_.empty() && !is_element) return true;
  Place& place = *std::exchange(place_, &document_);
  bool goes_on = false;
  {
    const boost::json::value value = place.values.release();
    goes_on = on_unit_({.value = value, .problem = place.problem, .is_element = is_element});
  }
  place.memory.release();
  if (!goes_on) code = boost::json::make_error_code(boost::json::error::exception);
  return goes_on;
}

/// Counts kept bytes. Returns false once the unit is too large.
bool PruningHandler::has_room(std::size_t bytes) {
  place_->bytes += bytes;
  if (place_->bytes > kMaxObjectBytes && place_->problem.empty()) {
    place_->problem = "its fields take more than " + std::to_string(kMaxObjectBytes) + " bytes";
  }
  return place_->problem.empty();
}

}  // namespace bellows::kubernetes
