#include "recommender/score/sizers.hpp"

#include <algorithm>
#include <string>

#include "base/check.hpp"

namespace bellows::recommender::score {

namespace {

const ContainerName kContainer("app");

/// Checks the result. The simulation sends only valid events in order, so an error of the policy is
/// a bug.
void expect(bool is_taken) {
  CHECK(is_taken, "the policy accepts every event of the simulation");
}

}  // namespace

void PolicySizer::on_lifetime_begin(std::size_t life, WallTime at) {
  instance_ = policy_->add_instance(PodName("app-" + std::to_string(life)), kContainer, at);
}

void PolicySizer::on_lifetime_end(WallTime /*at*/) {
  policy_->remove_instance(instance_);
}

void PolicySizer::on_request(const Request& request, WallTime at) {
  expect(policy_->set_request(instance_, request, at).has_value());
}

void PolicySizer::on_usage(const Usage& usage) {
  expect(policy_->record(instance_, usage).has_value());
}

void PolicySizer::on_event(const Event& event) {
  expect(policy_->record(instance_, event).has_value());
}

std::optional<Sizes> PolicySizer::recommend(WallTime now) {
  const auto recommendations = policy_->recommend(now);
  if (recommendations.empty()) return std::nullopt;
  return recommendations.front().sizes;
}

std::optional<Sizes> Schedule::recommend(WallTime now) {
  const auto interval = static_cast<std::size_t>((now - kReplayEpoch) / interval_);
  const Request& request = requests_[std::min(interval, requests_.size() - 1)];
  Sizes sizes;
  sizes.target = {.cpu = request.cpu, .memory = request.memory};
  sizes.lower_bound = sizes.upper_bound = sizes.uncapped_target = sizes.target;
  return sizes;
}

}  // namespace bellows::recommender::score
