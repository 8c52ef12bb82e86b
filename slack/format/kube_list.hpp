// `kubectl get nodes,pods -A -o json`, read as it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "slack/format/snapshot.hpp"

namespace bellows::slack {

struct KubeListOptions {
  std::string name;  ///< of the file, for messages
  /// The label of nodes that names their group; empty: the first of the well-known ones.
  std::string group_label;
};

/// Nodes, pods, and annotated Deployments, ReplicaSets, StatefulSets and Jobs; other kinds are
/// skipped, and so are pods that have ended. Takes the text in chunks that may be cut anywhere and
/// holds one object at a time: the list of 150,000 pods is about a gigabyte. kMalformed: no list,
/// or a value that cannot be read; the error names the object, the field and the value, and later
/// calls return it again.
class KubeListReader {
 public:
  explicit KubeListReader(KubeListOptions options);
  ~KubeListReader();
  KubeListReader(KubeListReader&&) noexcept;
  KubeListReader& operator=(KubeListReader&&) noexcept;

  Result<void> feed(std::string_view chunk);
  /// The text is over.
  Result<Snapshot> finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::slack
