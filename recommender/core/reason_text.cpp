#include <string>

#include "base/check.hpp"
#include "base/number_text.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

namespace {

/// Returns the text of a stage, before " -> result".
std::string stage_text(const ChainStep& step, Resource resource) {
  const std::string number = readable_text(step.input);
  const std::string amount = amount_text(step.input, resource);
  switch (step.stage) {
    case Stage::kUsage:
      return "highest usage";
    case Stage::kRequest:
      return "request";
    case Stage::kMaximum:
      return "local maximum";
    case Stage::kPercentile:
      return "percentile " + plain_text(step.input);
    case Stage::kMargin:
      return "margin " + plain_text(step.input);
    case Stage::kConfidence:
      return "confidence factor " + number;
    case Stage::kFactor:
      return "times " + number;
    case Stage::kMinimum:
      return "at least " + amount;
    case Stage::kMinAllowed:
      return "min-allowed " + amount;
    case Stage::kMaxAllowed:
      return "max-allowed " + amount;
    case Stage::kThreshold:
      return "threshold " + plain_text(step.input);
    case Stage::kKept:
      return "kept";
    case Stage::kOom:
      return "killed for memory at " + amount;
    case Stage::kCrashes:
      return number + " crashes of";
    case Stage::kChangesLeft:
      return number + " changes in 24h of";
    case Stage::kStartupPeak:
      return "highest usage while starting";
    case Stage::kWhole:
      return "in whole units";
    case Stage::kReleased:
      return "usage " + amount + " is back at its earlier level";
    case Stage::kTarget:
      return "target";
  }
  return {};
}

bool counts(Stage stage) {
  return stage == Stage::kCrashes || stage == Stage::kChangesLeft;
}

}  // namespace

void Chain::add(Stage stage, double input, double result) {
  CHECK(size_ < kMaxSteps, "no chain has more stages than there is room for");
  steps_[size_++] = {stage, input, result};
}

std::string_view to_string(Rule rule) {
  switch (rule) {
    case Rule::kNoSamples:
      return "no-samples";
    case Rule::kPercentile:
      return "percentile";
    case Rule::kScaleUp:
      return "scale-up";
    case Rule::kScaleDown:
      return "scale-down";
    case Rule::kHold:
      return "hold";
    case Rule::kObserving:
      return "observing";
    case Rule::kCrash:
      return "crash";
    case Rule::kOom:
      return "oom";
    case Rule::kFloor:
      return "floor";
    case Rule::kMaximum:
      return "maximum";
    case Rule::kHysteresis:
      return "hysteresis";
    case Rule::kBudget:
      return "budget";
    case Rule::kStartup:
      return "startup";
  }
  return {};
}

std::string amount_text(double amount, Resource resource) {
  const std::string number = readable_text(amount);
  return resource == Resource::kCpu ? number + "m" : number + " bytes";
}

std::string to_string(const Chain& chain, Resource resource) {
  std::string text;
  for (const ChainStep& step : chain) {
    if (!text.empty()) text += ", ";
    text += stage_text(step, resource) + " -> ";
    text += counts(step.stage) ? readable_text(step.result) : amount_text(step.result, resource);
  }
  return text;
}

std::string to_string(const Reason& reason, Resource resource) {
  std::string text(to_string(reason.rule));
  if (!reason.chain.empty()) text += ": " + to_string(reason.chain, resource);
  return text;
}

}  // namespace bellows::recommender
