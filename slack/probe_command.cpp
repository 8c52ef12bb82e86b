// slack probe: checks whether a pod would find room now.
#include <iostream>

#include "base/quantity_text.hpp"
#include "slack/commands.hpp"
#include "slack/format/report_text.hpp"
#include "slack/input.hpp"

namespace bellows::slack {

namespace {

constexpr int kGridSteps = 4;

Result<void> add_part(std::string_view key, const std::string& value, Shape& shape) {
  if (key == "cpu") {
    BELLOWS_TRY(const Millicores cpu, parse_cpu(value));
    shape.requests.cpu_millicores = cpu.value;
  } else if (key == "mem" || key == "memory") {
    BELLOWS_TRY(const Bytes memory, parse_memory(value));
    shape.requests.memory_bytes = memory.value;
  } else if (key.starts_with("node.")) {
    if (shape.node_selectors.empty()) shape.node_selectors.emplace_back();
    shape.node_selectors.front().push_back(
        {std::string(key.substr(5)), Requirement::Operator::kIn, {value}});
  } else if (key == "tolerate") {
    shape.tolerations.push_back({value, "", "", true});
  } else if (key == "spread" && value == "host") {
    shape.labels = {{"probe", "probe"}};
    shape.anti_affinity = {{.selector = {{"probe", Requirement::Operator::kIn, {"probe"}}},
                            .namespaces = {shape.space},
                            .topology_key = std::string(kHostname)}};
  } else {
    return fail(ErrorKind::kInvalidSetting, "argument " + std::string(key),
                "\"" + value +
                    "\": want cpu=AMOUNT, mem=AMOUNT, node.KEY=VALUE, tolerate=KEY or "
                    "spread=host");
  }
  return {};
}

struct Question {
  Shape shape;
  std::vector<std::string> files;
};

Result<Question> read_question(const std::vector<std::string>& arguments) {
  Question question{probe_shape({0, 0, 1}), {}};
  bool has_size = false;
  for (const std::string& one : arguments) {
    const auto equals = one.find('=');
    if (equals == std::string::npos) {
      question.files.push_back(one);
      continue;
    }
    BELLOWS_CHECKED(
        add_part(std::string_view(one).substr(0, equals), one.substr(equals + 1), question.shape));
    has_size = true;
  }
  if (!has_size)
    return fail(ErrorKind::kInvalidSetting, "arguments",
                "none: want a size, such as cpu=500m mem=5Gi");
  return question;
}

}  // namespace

int run_probe(const command::Invocation& invocation) {
  const auto settings = plan_schema().apply({invocation.arguments.flags()});
  if (!settings) return command::usage_error(invocation, settings.error());
  const auto question = read_question(invocation.arguments.positional);
  if (!question) return report_error(invocation, question.error());
  auto loaded = load_input(*settings, question->files);
  if (!loaded) return report_error(invocation, loaded.error());
  loaded->plan();
  Planner& planner = *loaded->planner;
  const ShapeId probe = planner.cluster().intern(question->shape);
  const Guarantee answer = guarantee(planner.cluster(), probe, kMostCounted);
  const auto grid = probe_grid(planner, kGridSteps);
  std::cout << probe_json(question->shape, answer, grid, report_shapes(planner, kMostCounted));
  return command::kSuccess;
}

}  // namespace bellows::slack
