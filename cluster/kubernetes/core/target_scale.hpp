// Targets that leave to their /scale which pods are theirs.
#pragma once

#include "kubernetes/core/scale.hpp"
#include "kubernetes/core/scale_target.hpp"

namespace bellows::cluster {

/// True for a kind that has /scale but no spec.selector as a Deployment has it: a custom resource
/// whose definition names other places for its number and its selector.
inline bool leaves_to_scale(const kubernetes::ScaleTarget& target) {
  return target.selector.empty();
}

/// `target` with the number and the selector that its `scale` says. Without labels of a template,
/// the labels that the selector demands stand for those of its pods.
kubernetes::ScaleTarget with_scale(kubernetes::ScaleTarget target, const kubernetes::Scale& scale);

}  // namespace bellows::cluster
