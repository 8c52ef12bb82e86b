#include "recommender/score/sizers.hpp"

#include <algorithm>
#include <string>

#include "base/check.hpp"

namespace bellows::recommender::score {

namespace {

const ContainerName kContainer("app");

/// A world tells only what is valid and in order; an error of a policy is our own broken promise.
void expect(bool is_taken) {
  CHECK(is_taken, "a policy takes what a world tells it");
}

}  // namespace

void PolicySizer::life_begins(std::size_t life, WallTime at) {
  instance_ = policy_->enter(PodName("app-" + std::to_string(life)), kContainer, at);
}

void PolicySizer::life_ends(WallTime /*at*/) {
  policy_->leave(instance_);
}

void PolicySizer::given(const Request& request, WallTime at) {
  expect(policy_->set_request(instance_, request, at).has_value());
}

void PolicySizer::measured(const Usage& usage) {
  expect(policy_->record(instance_, usage).has_value());
}

void PolicySizer::happened(const Event& event) {
  expect(policy_->record(instance_, event).has_value());
}

std::optional<Sizes> PolicySizer::ask(WallTime now) {
  const auto recommendations = policy_->recommend(now);
  if (recommendations.empty()) return std::nullopt;
  return recommendations.front().sizes;
}

std::optional<Sizes> Schedule::ask(WallTime now) {
  const auto stretch = static_cast<std::size_t>((now - kReplayEpoch) / stretch_);
  const Request& request = requests_[std::min(stretch, requests_.size() - 1)];
  Sizes sizes;
  sizes.target = {.cpu = request.cpu, .memory = request.memory};
  sizes.lower_bound = sizes.upper_bound = sizes.uncapped_target = sizes.target;
  return sizes;
}

}  // namespace bellows::recommender::score
