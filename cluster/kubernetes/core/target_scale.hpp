// Targets whose pods only their /scale names.
#pragma once

#include "kubernetes/core/scale.hpp"
#include "kubernetes/core/scale_target.hpp"

namespace bellows::cluster {

/// Returns true for a kind that has /scale but no spec.selector like a Deployment's: a custom
/// resource whose definition names other places for its number and its selector.
inline bool leaves_to_scale(const kubernetes::ScaleTarget& target) {
  return target.selector.empty();
}

/// Returns `target` with the number and the selector of its `scale`. Without labels of a template,
/// the labels that the selector demands stand for those of its pods.
kubernetes::ScaleTarget with_scale(kubernetes::ScaleTarget target, const kubernetes::Scale& scale);

}  // namespace bellows::cluster
