// A YAML file as a tree of texts with line numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bellows {

struct DocumentMember;

/// One value. A scalar keeps its text from the file without conversion: 010 is "010", yes is "yes".
struct DocumentNode {
  enum class Kind : std::uint8_t { kNothing, kText, kList, kMap };
  Kind kind = Kind::kNothing;
  int line = 0;  ///< counted from 1
  std::string text;
  std::vector<DocumentNode> items;
  std::vector<DocumentMember> members;  ///< in the file's order; keys are unique
};

struct DocumentMember {
  std::string key;
  int line = 0;
  DocumentNode value;
};

struct Document {
  std::string file;  ///< as the user named it, for errors
  DocumentNode root;
};

}  // namespace bellows
