#include "autoscaler/triggers/maestro_file.hpp"

#include "autoscaler/triggers/trigger_config.hpp"
#include "config/autoscaling_text.hpp"

namespace bellows::autoscaler::triggers {
namespace {

const DocumentNode* member(const DocumentNode& map, std::string_view key) {
  for (const DocumentMember& each : map.members) {
    if (each.key == key) return &each.value;
  }
  return nullptr;
}

std::string text_of(const DocumentNode& map, std::string_view key, const std::string& fallback) {
  const DocumentNode* value = member(map, key);
  return value != nullptr && value->kind == DocumentNode::Kind::kText ? value->text : fallback;
}

/// Returns the program of a scheduler, its `cmd`, or its image without one.
std::string command_of(const DocumentNode& scheduler) {
  const DocumentNode* command = member(scheduler, "cmd");
  if (command != nullptr && command->kind == DocumentNode::Kind::kList) {
    return config::json_text(*command);
  }
  std::string image;
  json::append_string(text_of(scheduler, "image", "PROGRAM"), image);
  return "[" + image + "]";
}

tl::unexpected<Error> at_line(const Document& document, const DocumentNode& node,
                              const Error& error) {
  constexpr std::string_view kPrefix = "autoscaling.";
  const std::string& key = error.culprit();
  const int line = key.starts_with(kPrefix)
                       ? config::line_of(node, std::string_view(key).substr(kPrefix.size()))
                       : node.line;
  return fail(error.kind(), document.file + ":" + std::to_string(line) + ": " + key,
              error.message());
}

}  // namespace

Result<std::string> converted_scheduler(const Document& document) {
  const DocumentNode* autoscaling = member(document.root, "autoscaling");
  if (autoscaling == nullptr) {
    return fail(ErrorKind::kMalformed, document.file + ":1: autoscaling",
                "it is missing; want a scheduler's YAML");
  }
  const auto object = json::parse(config::json_text(*autoscaling), "autoscaling");
  if (!object) return at_line(document, *autoscaling, object.error());
  const auto read = read_config(*object);
  if (!read) return at_line(document, *autoscaling, read.error());
  json::Writer config;
  write_config(config, *read);
  std::string yaml = "services:\n  - name: " + text_of(document.root, "name", "rooms") +
                     "\n    command: " + command_of(document.root) + "\n    policy: triggers\n";
  if (const DocumentNode* requests = member(document.root, "requests")) {
    yaml += "    requests: " + config::json_text(*requests) + "\n";
  }
  return yaml + "    autoscaling: " + config.end() + "\n";
}

}  // namespace bellows::autoscaler::triggers
