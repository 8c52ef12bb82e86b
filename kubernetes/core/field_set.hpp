// Which fields of an object are kept when it is read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::kubernetes {

/// A set of paths. A path is a JSON pointer (RFC 6901) in which lists have no step of their own:
/// "/spec/containers/ports" means that member of each container. What stands at a path is kept
/// whole; a value on the way to one that is no object or list is kept too, so that a wrong type can
/// be told from a missing field.
class FieldSet {
 public:
  FieldSet() = default;
  FieldSet(std::initializer_list<std::string_view> paths);

  FieldSet& keep(std::string_view path);
  /// The member of a whole kept value that is not kept: keep("/metadata/annotations") and
  /// drop("/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration").
  FieldSet& drop(std::string_view path);
  /// All paths of `other` too.
  FieldSet& add(const FieldSet& other);
  /// All paths of `other`, each below `path`.
  FieldSet& add_below(std::string_view path, const FieldSet& other);

  /// One step of a path. Readers follow it from the root, a key at a time.
  class Node {
   public:
    /// What is kept of the member `key`, or nullptr if nothing is.
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
