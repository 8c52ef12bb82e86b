// The parts that objects of one store share.
#pragma once

#include "kubernetes/core/container.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/share_pool.hpp"
#include "kubernetes/core/shared_list.hpp"
#include "kubernetes/core/string_map.hpp"

namespace bellows::kubernetes {

struct SharedParts {
  SharePool<StringMap> maps;
  SharePool<SharedList<OwnerReference>> owners;
  SharePool<SharedList<Container>> containers;

  void share(ObjectMeta& meta) {
    meta.labels = maps.share(meta.labels);
    meta.annotations = maps.share(meta.annotations);
    meta.owners = owners.share(meta.owners);
  }
};

}  // namespace bellows::kubernetes
