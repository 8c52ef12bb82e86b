// autoscaling.k8s.io/v1 VerticalPodAutoscalerCheckpoint: what VPA keeps of one container.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/custom_object.hpp"
#include "kubernetes/core/resource.hpp"
#include "recommender/core/checkpoint.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// Returns verticalpodautoscalercheckpoints.autoscaling.k8s.io.
kubernetes::Resource vertical_checkpoints();

/// The container that a checkpoint is about.
struct CheckpointOwner {
  std::string autoscaler;  ///< the name of the VerticalPodAutoscaler, in the same namespace
  ContainerName container;
};

/// Reads spec. The errors of both name object, field and value.
Result<CheckpointOwner> owner_of(const kubernetes::CustomObject& object);
/// Reads status; see parse_checkpoint().
Result<Checkpoint> checkpoint_of(const kubernetes::CustomObject& object);

/// Returns the name of the object, as VPA names it.
std::string checkpoint_name(std::string_view autoscaler, const ContainerName& container);

/// The bodies of the two requests that store a checkpoint.
struct CheckpointWrite {
  std::string name;
  std::string patch;   ///< a JSON patch of the object that there is
  std::string object;  ///< a new one
};
CheckpointWrite write_of(std::string_view ns, std::string_view autoscaler,
                         const ContainerName& container, const Checkpoint& checkpoint,
                         WallTime now);

}  // namespace bellows::recommender
