// Manifests in and out, as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "injector/core/inject.hpp"
#include "injector/yaml/read.hpp"

namespace bellows::injector {

inline InjectOptions options_of_tests() {
  InjectOptions options;
  options.image = "bellows/queue-proxy:1";
  options.autoscaler = "ws://bellows-autoscaler.bellows-system:8080";
  return options;
}

inline std::vector<Manifest> manifests_of(const std::string& text) {
  auto manifest = read_manifest("a.yaml", text, read_yaml);
  if (!manifest) {
    ADD_FAILURE() << to_string(manifest.error()) << "\n" << text;
    return {};
  }
  return {std::move(*manifest)};
}

struct Output {
  std::string text;
  std::vector<ReportLine> lines;
  std::string report;  ///< as a user reads it
};

inline Output output_of(const Result<Injection>& injection) {
  if (!injection) {
    ADD_FAILURE() << to_string(injection.error());
    return {};
  }
  if (injection->manifests.empty()) return {};
  return {.text = manifest_text(injection->manifests.front()),
          .lines = injection->report,
          .report = report_text(injection->report)};
}

inline Output injected(const std::string& text, const InjectOptions& options = options_of_tests()) {
  return output_of(inject(manifests_of(text), options, read_yaml));
}

inline Output uninjected(const std::string& text) {
  return output_of(uninject(manifests_of(text), read_yaml));
}

/// A Deployment `shop` whose pods have these lines as spec, with this indentation already:
///         containers: ...
inline std::string deployment_of(const std::string& pod_spec) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n"
         "    metadata:\n      labels:\n        app: shop\n    spec:\n" +
         pod_spec;
}

/// The same with one container `app` that has these lines.
inline std::string app_of(const std::string& lines) {
  return deployment_of("      containers:\n      - name: app\n        image: a\n" + lines);
}

inline const std::string kHttpPort = "        ports:\n        - containerPort: 8080\n";
inline const std::string kNamedPort =
    "        ports:\n        - name: http\n          containerPort: 8080\n";

/// A Service `shop` that selects the pods, with these lines as ports.
inline std::string service_of(const std::string& ports, const std::string& more = "") {
  return "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n" + more +
         "  selector:\n    app: shop\n  ports:\n" + ports;
}

}  // namespace bellows::injector
