// The help of `bellows inject` and `bellows uninject` besides synopsis and flags.
#pragma once

#include <string_view>

namespace bellows::cli {

inline constexpr std::string_view kInjectDetails =
    R"(Reads manifests from files, folders (.yaml, .yml, .json) or standard input (-), gives the pods of each Deployment,
StatefulSet, ReplicaSet, Pod and Argo Rollout a queue-proxy, and prints them. Unchanged parts keep every
byte, comments included. The report goes to standard error.

  bellows inject shop.yaml | kubectl apply -f -
  bellows inject manifests/ --diff
  kubectl get deployment shop -o yaml | bellows inject - | kubectl apply -f -
  bellows inject --policy | kubectl apply -f -      labelled pods are injected as they are made

Workloads without HTTP in their manifests are skipped. A second run changes nothing; a newer version replaces the
additions of an older one. If a workload is refused, the exit code is 1 and the output is empty, so that no pipe
applies it without a queue-proxy. docs/inject.md describes the changes and refusals.
)";

inline constexpr std::string_view kUninjectDetails =
    R"(Reverts `bellows inject`: the result is its input, byte for byte.

  bellows uninject shop.yaml | kubectl apply -f -
)";

}  // namespace bellows::cli
