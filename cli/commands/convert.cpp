// bellows convert maestro FILE: turns a scheduler of Maestro into a bellows.yaml.
#include <iostream>

#include "autoscaler/core/policy/maestro_file.hpp"
#include "base/yaml/document_reader.hpp"
#include "cli/commands.hpp"

namespace bellows::cli {

int convert_maestro(const Invocation& invocation) {
  const auto& files = invocation.arguments.positional;
  if (files.size() != 1) return usage_error(invocation, "want one FILE, a scheduler's YAML");
  const auto document = yaml::read_document(files.front());
  if (!document) return usage_error(invocation, document.error());
  const auto converted = autoscaler::converted_scheduler(*document);
  if (!converted) return usage_error(invocation, std::vector<Error>{converted.error()});
  std::cout << *converted;
  return kSuccess;
}

}  // namespace bellows::cli
