// Reads the output of `kubectl get nodes,pods -A -o json`.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "slack/format/snapshot.hpp"

namespace bellows::slack {

struct KubeListOptions {
  std::string name;  ///< of the file, in messages
  /// Label of nodes that names their group; empty: the first of the well-known ones.
  std::string group_label;
};

/// Reads nodes, pods, and annotated Deployments, ReplicaSets, StatefulSets and Jobs; skips other
/// kinds and pods that have ended. It takes the text in chunks that may be cut anywhere and holds
/// one object at a time, because the list of 150,000 pods is about a gigabyte. kMalformed: no list,
/// or a value that cannot be read; the error names the object, the field and the value, and later
/// calls return it again.
class KubeListReader {
 public:
  explicit KubeListReader(KubeListOptions options);
  KubeListReader(const KubeListReader&) = delete;
  KubeListReader& operator=(const KubeListReader&) = delete;

  Result<void> feed(std::string_view chunk);
  /// Ends the text.
  Result<Snapshot> finish();

 private:
  Error no_list(const Error& cause) const;
  Result<void> take(const boost::json::object& item);
  void add(const kubernetes::Fields& object, const std::string& kind);

  KubeListOptions options_;
  Snapshot snapshot_;
  std::vector<WallTime> created_;  // of the nodes
  WallTime newest_{};              // of all times of nodes: the list is hardly younger
  std::optional<Error> problem_;
  kubernetes::ItemReader items_;
};

}  // namespace bellows::slack
