#include "recommender/replay/config_line.hpp"

#include "base/quantity_text.hpp"
#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

namespace {

/// Reads {"cpu":"250m","memory":"64Mi"}, both optional.
Result<Amounts> read_amounts(const json::Object& policy, std::string_view key) {
  Amounts amounts;
  if (!policy.has(key)) return amounts;
  BELLOWS_TRY(const auto object, policy.object(key));
  for (const std::string_view resource : object.keys()) {
    BELLOWS_TRY(const std::string text, object.setting_text(resource));
    if (resource == "cpu") {
      const auto cpu = parse_cpu(text);
      if (!cpu) return fail(object.invalid(resource, "an amount of CPU such as \"250m\" or 0.25"));
      amounts.cpu = *cpu;
    } else if (resource == "memory") {
      const auto memory = parse_memory(text);
      if (!memory) return fail(object.invalid(resource, "an amount of memory such as \"64Mi\""));
      amounts.memory = *memory;
    } else {
      return fail(object.invalid(resource, "the keys cpu and memory only"));
    }
  }
  return amounts;
}

Result<bool> read_mode(const json::Object& policy) {
  BELLOWS_TRY(const std::string mode, policy.text("mode"));
  if (mode == "off" || mode == "Off") return true;
  if (mode == "auto" || mode == "Auto") return false;
  return fail(policy.invalid("mode", "auto or off"));
}

/// Reads a list in one text: "cpu", "memory", "cpu,memory".
Result<void> read_controlled(const json::Object& object, ContainerPolicy& policy) {
  BELLOWS_TRY(const std::string text, object.text("controlled-resources"));
  if (text != "cpu" && text != "memory" && text != "cpu,memory" && text != "memory,cpu") {
    return fail(object.invalid("controlled-resources", R"("cpu", "memory" or "cpu,memory")"));
  }
  policy.controls_cpu = text.find("cpu") != std::string::npos;
  policy.controls_memory = text.find("memory") != std::string::npos;
  return {};
}

Result<ContainerPolicy> read_policy(const json::Object& object) {
  ContainerPolicy policy;
  BELLOWS_TRY(const std::string name, object.text("container"));
  policy.container = ContainerName(name);
  for (const std::string_view key : object.keys()) {
    if (key == "container") continue;
    if (key == "mode") {
      BELLOWS_TRY(policy.is_off, read_mode(object));
    } else if (key == "min-allowed") {
      BELLOWS_TRY(policy.min_allowed, read_amounts(object, key));
    } else if (key == "max-allowed") {
      BELLOWS_TRY(policy.max_allowed, read_amounts(object, key));
    } else if (key == "controlled-resources") {
      BELLOWS_CHECKED(read_controlled(object, policy));
    } else {
      return fail(object.invalid(
          key, "one of container, mode, min-allowed, max-allowed, controlled-resources as key"));
    }
  }
  return policy;
}

/// Makes the error with which a replay stops.
Error malformed(const Error& problem, std::size_t line) {
  std::string culprit = problem.culprit();
  if (!culprit.starts_with("line ") && !culprit.starts_with("--")) {
    culprit = "line " + std::to_string(line) + ": config: " + culprit;
  }
  return {ErrorKind::kMalformed, culprit, problem.message()};
}

}  // namespace

Result<void> ReplayConfig::take(const json::Object& config) {
  ReplayConfig next = *this;
  config::Layer layer;
  for (const std::string_view key : config.keys()) {
    if (key == "container-policies") {
      next.containers_.clear();
      BELLOWS_TRY(const auto policies, config.objects(key));
      for (const json::Object& object : policies) {
        BELLOWS_TRY(ContainerPolicy policy, read_policy(object));
        next.containers_.push_back(std::move(policy));
      }
    } else if (key == "annotations") {
      next.annotations_.clear();
      BELLOWS_TRY(const auto annotations, config.object(key));
      for (const std::string_view name : annotations.keys()) {
        BELLOWS_TRY(next.annotations_[std::string(name)], annotations.setting_text(name));
      }
    } else {
      BELLOWS_TRY(std::string text, config.setting_text(key));
      layer.push_back({.source = config::Source::kFile,
                       .key = std::string(key),
                       .value = std::move(text),
                       .place = "line " + std::to_string(config.line()) + ": config",
                       .problem = {}});
    }
  }
  next.lines_.push_back(std::move(layer));
  const auto settings = next.settings();
  if (!settings) return fail(malformed(settings.error(), config.line()));
  const auto errors = validation_errors(*settings);
  if (!errors.empty()) return fail(malformed(errors.front(), config.line()));
  *this = std::move(next);
  return {};
}

Result<WorkloadSettings> ReplayConfig::settings() const {
  std::vector<config::Layer> layers = lines_;
  layers.push_back(flags_);
  auto settings = config::recommender_schema().apply(layers);
  if (!settings) return fail(settings.error().front());
  return WorkloadSettings{*std::move(settings), containers_, annotations_};
}

}  // namespace bellows::recommender
