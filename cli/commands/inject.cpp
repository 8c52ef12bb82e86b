// bellows inject and bellows uninject: manifests in, manifests with queue-proxies out, and back.
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/inject/inject_files.hpp"
#include "cli/inject/inject_settings.hpp"
#include "cli/inject/native_sidecar.hpp"
#include "command/input.hpp"
#include "config/sources/environment.hpp"
#include "injector/core/diff.hpp"
#include "injector/core/inject.hpp"
#include "injector/core/policy.hpp"
#include "injector/yaml/read.hpp"

namespace bellows::cli {

namespace {

using injector::Injection;
using injector::Manifest;

using Change = Result<Injection> (*)(std::vector<Manifest>, const InjectSettings&);

/// Compares document by document: few lines differ in each, however long the file is.
void print_diff(const std::vector<Manifest>& before, const std::vector<Manifest>& after) {
  for (std::size_t file = 0; file < after.size(); ++file) {
    for (std::size_t i = 0; i < after[file].documents.size(); ++i) {
      std::cout << injector::unified_diff(
          after[file].file + ":" + std::to_string(after[file].documents[i].first_line),
          before[file].documents[i].text, after[file].documents[i].text);
    }
  }
}

int change_manifests(const Invocation& invocation, const InjectSettings& settings, Change change) {
  const std::vector<std::string>& arguments = invocation.arguments.positional;
  if (arguments.empty()) return usage_error(invocation, "want FILE, FOLDER or - (standard input)");
  const auto of_manifests = std::ranges::count(arguments, command::kStandardInput);
  const bool has_image = settings.pods.image_file == command::kStandardInput;
  if (of_manifests + (has_image ? 1 : 0) > 1) {
    return usage_error(invocation, "want - (standard input) once");
  }
  const auto manifests = read_manifests(arguments);
  if (!manifests) return report_failure(invocation, manifests.error());
  const auto changed = change(*manifests, settings);
  if (!changed) return report_failure(invocation, changed.error());
  const bool is_refused = injector::has_refusal(changed->report);
  const bool is_kept_back = is_refused && !settings.keep_going && !settings.diff;
  if (settings.diff) {
    print_diff(*manifests, changed->manifests);
  } else if (!settings.dry_run && !is_kept_back) {
    std::cout << joined_text(changed->manifests);
  }
  std::cerr << injector::report_text(changed->report);
  if (is_kept_back && !settings.dry_run) {
    std::cerr
        << "nothing is printed, because a workload is refused; --keep-going prints it unchanged\n";
  }
  return is_refused ? kFailure : kSuccess;
}

int print_policy(const Invocation& invocation, const InjectSettings& settings) {
  static constexpr std::string_view kFlags[] = {"policy",     "image",    "image-file",
                                                "autoscaler", "requests", "limits"};
  const auto is_one = [](const config::Entry& flag) {
    return std::ranges::find(kFlags, flag.key) != std::end(kFlags);
  };
  const bool has_others = !std::ranges::all_of(invocation.arguments.flags(), is_one);
  if (has_others || !invocation.arguments.positional.empty()) {
    return usage_error(invocation,
                       "--policy takes --image, --image-file, --autoscaler, --requests and "
                       "--limits, and no FILE");
  }
  const auto options = settings.options(true);
  const auto text =
      options ? injector::policy_text(*options) : Result<std::string>(fail(options.error()));
  if (!text) return report_failure(invocation, text.error());
  std::cout << *text;
  return kSuccess;
}

}  // namespace

int inject_manifests(const Invocation& invocation) {
  std::vector<config::Layer> layers = {image_variables(config::read_environment())};
  layers.insert(layers.end(), invocation.arguments.layers.begin(),
                invocation.arguments.layers.end());
  const auto settings = inject_schema().apply(layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (settings->policy) return print_policy(invocation, *settings);
  return change_manifests(
      invocation, *settings,
      [](std::vector<Manifest> manifests, const InjectSettings& wanted) -> Result<Injection> {
        BELLOWS_TRY(const bool is_native, wants_native_sidecar(wanted));
        BELLOWS_TRY(const injector::InjectOptions options, wanted.options(is_native));
        return injector::inject(std::move(manifests), options, injector::read_yaml);
      });
}

int uninject_manifests(const Invocation& invocation) {
  const auto settings = uninject_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  return change_manifests(invocation, *settings,
                          [](std::vector<Manifest> manifests, const InjectSettings&) {
                            return injector::uninject(std::move(manifests), injector::read_yaml);
                          });
}

}  // namespace bellows::cli
