// The help of `bellows inject` and `bellows uninject` besides synopsis and flags.
#pragma once

#include <string_view>

namespace bellows::cli {

inline constexpr std::string_view kInjectDetails =
    R"(Reads manifests from files, folders (.yaml, .yml, .json) or standard input (-), gives the pods of each Deployment,
StatefulSet, ReplicaSet, Pod and Argo Rollout a queue-proxy, and prints them. What it does not change keeps every
byte, comments included. The report goes to standard error.

  bellows inject shop.yaml | kubectl apply -f -
  bellows inject manifests/ --diff
  kubectl get deployment shop -o yaml | bellows inject - | kubectl apply -f -

Workloads that do not speak HTTP, as far as the manifests say, are left out. A second run changes nothing; a newer
version replaces what an older one added. If a workload is refused, the exit code is 1 and nothing is printed, so that
no pipe applies it without a queue-proxy. docs/inject.md describes what is changed, and when not.
)";

inline constexpr std::string_view kUninjectDetails =
    R"(Removes what `bellows inject` added, and restores what it moved: the result is the input of inject, byte for byte.

  bellows uninject shop.yaml | kubectl apply -f -
)";

}  // namespace bellows::cli
