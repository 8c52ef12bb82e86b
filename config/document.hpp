// A settings file as a tree of texts with line numbers. config/sources/file.hpp makes it from YAML.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bellows::config {

struct NodeMember;

/// One value. Scalars stay the text that stands in the file: 010 is "010", yes is "yes".
struct Node {
  enum class Kind : std::uint8_t { kNothing, kText, kList, kMap };
  Kind kind = Kind::kNothing;
  int line = 0;  ///< from 1
  std::string text;
  std::vector<Node> items;
  std::vector<NodeMember> members;  ///< in the file's order; no key twice
};

struct NodeMember {
  std::string key;
  int line = 0;
  Node value;
};

struct Document {
  std::string file;  ///< as the user named it, for errors
  Node root;
};

}  // namespace bellows::config
