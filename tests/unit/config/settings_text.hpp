// Settings as a test writes them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.hpp"

namespace bellows::config {

using Pairs = std::initializer_list<std::pair<std::string, std::string>>;

inline Layer flags(Pairs pairs) {
  Layer layer;
  for (const auto& [key, value] : pairs) layer.push_back(flag(key, value));
  return layer;
}

/// The pairs from line 1 on of "b.yaml".
inline Layer file(Pairs pairs) {
  Layer layer;
  for (const auto& [key, value] : pairs) {
    layer.push_back({.source = Source::kFile,
                     .key = key,
                     .value = value,
                     .place = "b.yaml:" + std::to_string(layer.size() + 1)});
  }
  return layer;
}

template <class T>
std::vector<std::string> problems(const Checked<T>& checked) {
  std::vector<std::string> texts;
  if (checked) return texts;
  for (const Error& error : checked.error()) texts.push_back(to_string(error));
  return texts;
}

}  // namespace bellows::config
