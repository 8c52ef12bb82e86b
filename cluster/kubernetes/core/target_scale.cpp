#include "cluster/kubernetes/core/target_scale.hpp"

namespace bellows::cluster {

kubernetes::ScaleTarget with_scale(kubernetes::ScaleTarget target, const kubernetes::Scale& scale) {
  target.meta.resource_version = scale.meta.resource_version;
  target.replicas = scale.replicas;
  target.status_replicas = scale.status_replicas;
  target.selector = scale.selector;
  if (target.template_labels.empty()) target.template_labels = scale.selector.pairs();
  return target;
}

}  // namespace bellows::cluster
