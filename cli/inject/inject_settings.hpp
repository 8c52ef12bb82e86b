// Flags of `bellows inject` and `bellows uninject`.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "config/schema.hpp"
#include "injector/service/pod_settings.hpp"

namespace bellows::cli {

enum class ServiceChange : std::uint8_t { kChange, kKeep };

struct InjectSettings {
  injector::PodSettings pods;
  std::string port;
  std::string only;
  std::string selector;
  ServiceChange services = ServiceChange::kChange;
  bool policy = false;
  bool diff = false;
  bool dry_run = false;
  bool keep_going = false;

  /// `is_native`: see native_sidecar.hpp. Reads the file of the image.
  Result<injector::InjectOptions> options(bool is_native) const;
};

const config::Schema<InjectSettings>& inject_schema();
const config::Schema<InjectSettings>& uninject_schema();

/// Returns the variables that `inject` reads: only those of the image, because Kubernetes itself
/// sets BELLOWS_PORT in pods beside a Service of that name.
config::Layer image_variables(const config::Environment& environment);

}  // namespace bellows::cli
