#include "injector/core/sidecar_resources.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/quantity_text.hpp"
#include "base/text_parts.hpp"
#include "injector/core/names.hpp"

namespace bellows::injector {

namespace {

// Measured (bench/README.md): 5.8 MiB idle, 10 MiB with 500 connections, 13 to 25 us of CPU a
// request: 25m carry a thousand a second. CPU has no limit, because throttling delays every
// request; memory has one above what queued requests may take.
constexpr Millicores kCpuRequest{25};
constexpr Bytes kMemoryRequest = mebibytes(16);
constexpr Bytes kMemoryBesideQueue = mebibytes(64);
/// The least memory limit: with less it is killed as soon as it has connections, over and over.
constexpr Bytes kLeastMemoryLimit = mebibytes(16);
/// Where a CPU limit is needed: it carries ten thousand requests a second.
constexpr const char* kCpuLimitHint = "cpu=250m";

Result<Amounts> annotated(const Resource& workload, std::string_view key) {
  const std::string text = annotation_of(workload, key);
  auto amounts = read_amounts(text);
  if (amounts) return *amounts;
  return fail(ErrorKind::kInvalidSetting, "annotation " + std::string(key),
              "\"" + text + "\": " + amounts.error().message());
}

void fill_in(Amounts& amounts, const Amounts& below) {
  if (!amounts.cpu) amounts.cpu = below.cpu;
  if (!amounts.memory) amounts.memory = below.memory;
}

/// The default, or a limit that is below it.
template <class Amount>
Amount request_of(std::optional<Amount> limit, Amount wanted) {
  return limit ? std::min(*limit, wanted) : wanted;
}

std::string source(bool is_annotated, std::string_view annotation, std::string_view flag) {
  return is_annotated ? "annotation " + std::string(annotation) : std::string(flag);
}

/// One amount and where it is from: the annotation, else the flag or a default.
template <class Amount>
struct Given {
  std::optional<Amount> amount;
  bool is_annotated = false;
};

/// Default amounts are in order, so both are a user's if they are not.
template <class Amount>
Result<void> check_order(const std::string& what, const Given<Amount>& request,
                         const Given<Amount>& limit) {
  if (!request.amount || !limit.amount || *request.amount <= *limit.amount) return {};
  return fail(ErrorKind::kInvalidSetting,
              source(request.is_annotated, kRequestsAnnotation, "--requests"),
              what + "=" + to_string(*request.amount) + ": want at most " + what + "=" +
                  to_string(*limit.amount) + " of " +
                  source(limit.is_annotated, kLimitsAnnotation, "--limits"));
}

const std::vector<Node>& containers_of(const Resource& workload) {
  return pod_of(workload)->at("spec/containers")->items;
}

/// Each container has limits, and requests no less: the class of service that is evicted last.
bool is_guaranteed(const Resource& workload) {
  return std::ranges::all_of(containers_of(workload), [](const Node& container) {
    const auto is_fixed = [&container](const std::string& what) {
      const std::string limit = container.text_at("resources/limits/" + what);
      const std::string request = container.text_at("resources/requests/" + what);
      return !limit.empty() && (request.empty() || request == limit);
    };
    return is_fixed("cpu") && is_fixed("memory");
  });
}

bool has_cpu_limits(const Resource& workload) {
  return std::ranges::all_of(containers_of(workload), [](const Node& container) {
    return !container.text_at("resources/limits/cpu").empty();
  });
}

std::string limits_line() {
  return std::string(kLimitsAnnotation) + ": " + kCpuLimitHint;
}

}  // namespace

Result<Amounts> read_amounts(std::string_view text) {
  Amounts amounts;
  while (!text.empty()) {
    std::string_view part = next_part(text, ',');
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    const auto cpu = parse_cpu(value);
    const auto memory = parse_memory(value);
    if (key == "cpu" && cpu && cpu->value > 0 && !amounts.cpu) {
      amounts.cpu = *cpu;
    } else if (key == "memory" && memory && memory->value > 0 && !amounts.memory) {
      amounts.memory = *memory;
    } else {
      return fail(ErrorKind::kInvalidSetting, std::string(part),
                  "want " + std::string(kWantAmounts));
    }
  }
  return amounts;
}

Result<SidecarResources> sidecar_resources(const Resource& workload, const SidecarResources& flags,
                                           Bytes queue_bytes) {
  SidecarResources made;
  BELLOWS_TRY(made.requests, annotated(workload, kRequestsAnnotation));
  BELLOWS_TRY(made.limits, annotated(workload, kLimitsAnnotation));
  const SidecarResources by_annotation = made;
  fill_in(made.requests, flags.requests);
  fill_in(made.limits, flags.limits);
  if (!made.limits.memory) {
    made.limits.memory =
        std::max(queue_bytes + kMemoryBesideQueue, made.requests.memory.value_or(kMemoryRequest));
  }
  fill_in(made.requests, {.cpu = request_of(made.limits.cpu, kCpuRequest),
                          .memory = request_of(made.limits.memory, kMemoryRequest)});
  if (*made.limits.memory < kLeastMemoryLimit) {
    return fail(ErrorKind::kInvalidSetting,
                source(by_annotation.limits.memory.has_value(), kLimitsAnnotation, "--limits"),
                "memory=" + to_string(*made.limits.memory) + ": want at least " +
                    to_string(kLeastMemoryLimit) +
                    ", because the queue-proxy uses 6 MiB idle and 10 MiB with 500 connections");
  }
  BELLOWS_CHECKED(
      check_order<Millicores>("cpu", {made.requests.cpu, by_annotation.requests.cpu.has_value()},
                              {made.limits.cpu, by_annotation.limits.cpu.has_value()}));
  BELLOWS_CHECKED(check_order<Bytes>(
      "memory", {made.requests.memory, by_annotation.requests.memory.has_value()},
      {made.limits.memory, by_annotation.limits.memory.has_value()}));
  return made;
}

std::vector<std::string> resource_warnings(const Resource& workload,
                                           const SidecarResources& sidecar,
                                           const std::vector<const Resource*>& quotas) {
  std::vector<std::string> warnings;
  if (is_guaranteed(workload) && sidecar.requests != sidecar.limits) {
    const std::string amounts =
        std::string(kCpuLimitHint) + ",memory=" + to_string(*sidecar.limits.memory);
    return {
        "its pods are Guaranteed, and with a queue-proxy Burstable: to keep them so, write the "
        "annotations " +
        std::string(kRequestsAnnotation) + ": " + amounts + " and " +
        std::string(kLimitsAnnotation) + ": " + amounts};
  }
  if (sidecar.limits.cpu) return {};
  for (const Resource* const quota : quotas) {
    const Node* const hard = quota->root->at("spec/hard");
    if (hard == nullptr || hard->find("limits.cpu") == nullptr) continue;
    warnings.push_back(label_of(*quota) +
                       " counts limits.cpu: pods with a container without a CPU limit are not "
                       "made; write the annotation " +
                       limits_line());
  }
  if (warnings.empty() && has_cpu_limits(workload)) {
    warnings.push_back(
        "the queue-proxy is its only container without a CPU limit: if a quota counts limits.cpu, "
        "its pods are not made; write the annotation " +
        limits_line());
  }
  return warnings;
}

}  // namespace bellows::injector
