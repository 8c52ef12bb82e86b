// Selects the fields of an object that are kept when it is read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::kubernetes {

/// A set of paths. A path is a JSON pointer (RFC 6901) in which lists have no step of their own:
/// "/spec/containers/ports" is that member of each container. The value at a path is kept whole. A
/// value on the way to it that is no object or list is kept too, so that a wrong type differs from
/// a missing field.
class FieldSet {
 public:
  FieldSet() = default;
  FieldSet(std::initializer_list<std::string_view> paths);

  FieldSet& keep(std::string_view path);
  /// Excludes a member of a whole kept value: keep("/metadata/annotations") and
  /// drop("/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration").
  FieldSet& drop(std::string_view path);
  /// Adds all paths of `other`.
  FieldSet& add(const FieldSet& other);
  /// Adds all paths of `other`, each below `path`.
  FieldSet& add_below(std::string_view path, const FieldSet& other);

  /// One step of a path. Readers follow it from the root, key by key.
  class Node {
   public:
    /// Returns the kept part of the member `key`, or nullptr if it is not kept.
    const Node* find(std::string_view key) const;

   private:
    friend class FieldSet;
    enum class Kind : std::uint8_t { kPartly, kWhole, kDropped };
    Node* child(std::string_view key);
    void add(const Node& other);

    Kind kind_ = Kind::kPartly;
    std::vector<std::pair<std::string, Node>> children_;  // sorted by key
  };
  const Node& root() const { return root_; }

 private:
  Node& walk(std::string_view path);

  Node root_;
};

}  // namespace bellows::kubernetes
