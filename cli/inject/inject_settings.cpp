#include "cli/inject/inject_settings.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::cli {

namespace {

using Settings = InjectSettings;
using Schema = config::Schema<InjectSettings>;

std::optional<std::string> read_selector(std::string_view text) {
  if (!injector::read_selector(text)) return std::nullopt;
  return std::string(text);
}

void add_output(Schema& schema) {
  schema.group("Output");
  schema.add(&Settings::keep_going,
             {.name = "keep-going",
              .help = "Print the manifests although one was refused, which stays unchanged. "
                      "Without this flag nothing is printed then, so that no pipe applies it."});
  schema.add(
      &Settings::diff,
      {.name = "diff", .help = "Print the difference to the input instead of the manifests."});
  schema.add(&Settings::dry_run, {.name = "dry-run", .help = "Print the report only."});
}

void add_workloads(Schema& schema) {
  schema.group("Workloads");
  schema.add(&Settings::only,
             {.name = "only",
              .help = "NAME or KIND/NAME of the workloads to inject, with commas between them. A "
                      "named workload that cannot be injected is an error.",
              .unset = "all of the input"});
  schema.add(&Settings::selector,
             {.name = "selector",
              .format = {.want = "KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between them",
                         .read = read_selector},
              .help = "Labels of the workloads to inject.",
              .unset = "all of the input"});
  schema.add(&Settings::port,
             {.name = "port",
              .help = "Name or number of the app's port, for every workload of the input.",
              .unset = "the annotation inject.bellows.dev/port, the Services of the input, or the "
                       "only port"});
  schema.add_choice(&Settings::services,
                    {{"change", ServiceChange::kChange}, {"keep", ServiceChange::kKeep}},
                    {.name = "services",
                     .help = "keep: a Service with a numeric target port is reported instead of "
                             "changed; its requests bypass the queue-proxy."});
}

void add_policy(Schema& schema) {
  schema.group("Admission");
  schema.add(&Settings::policy,
             {.name = "policy",
              .help = "Print a MutatingAdmissionPolicy (Kubernetes 1.36), by which the API server "
                      "injects labelled pods itself, with the settings of the other flags. "
                      "Without FILE."});
}

}  // namespace

Result<injector::InjectOptions> InjectSettings::options(bool is_native) const {
  BELLOWS_TRY(injector::InjectOptions options, pods.options(is_native));
  options.port = port;
  options.selection.names = injector::read_names(only);
  BELLOWS_TRY(options.selection.labels, injector::read_selector(selector));
  options.changes_services = services == ServiceChange::kChange;
  return options;
}

config::Layer image_variables(const config::Environment& environment) {
  std::vector<config::Declaration> declarations;
  for (const config::Declaration& declared : inject_schema().declarations()) {
    if (declared.name.starts_with("image")) declarations.push_back(declared);
  }
  return config::environment_layer(declarations, environment);
}

const Schema& inject_schema() {
  static const Schema schema = [] {
    Schema made;
    add_workloads(made);
    made.include(&InjectSettings::pods, injector::pod_schema());
    add_policy(made);
    add_output(made);
    return made;
  }();
  return schema;
}

const Schema& uninject_schema() {
  static const Schema schema = [] {
    Schema made;
    add_output(made);
    return made;
  }();
  return schema;
}

}  // namespace bellows::cli
