#include "slack/core/shape.hpp"

#include <algorithm>

namespace bellows::slack {

namespace {

std::string key_of(const Shape& shape) {
  std::string out = shape.name + "\n" + shape.space + "\n" + text_of(shape.labels) + "\n" +
                    std::to_string(shape.requests.cpu_millicores) + " " +
                    std::to_string(shape.requests.memory_bytes) + " " +
                    std::to_string(shape.requests.pods) + "\n";
  for (const Selector& selector : shape.node_selectors) out += text_of(selector) + "|";
  out += "\n" + text_of(shape.tolerations) + "\n";
  for (const AntiAffinity& term : shape.anti_affinity) out += text_of(term) + "|";
  out += shape.is_daemon ? "d" : "";
  out += shape.can_move ? "m" : "";
  out += shape.is_exempt ? "e" : "";
  out += std::to_string(shape.mirrors);
  return out + shape.unchecked;
}

}  // namespace

bool applies_to(const AntiAffinity& term, const Shape& shape) {
  return std::binary_search(term.namespaces.begin(), term.namespaces.end(), shape.space) &&
         matches(term.selector, shape.labels);
}

bool may_run_on(const Shape& shape, const Labels& labels, const std::vector<Taint>& taints) {
  const bool is_selected =
      shape.node_selectors.empty() ||
      std::any_of(shape.node_selectors.begin(), shape.node_selectors.end(),
                  [&labels](const Selector& one) { return matches(one, labels); });
  return is_selected && tolerates(shape.tolerations, taints);
}

void Shapes::add_relevant(std::string_view key) {
  if (std::find(relevant_keys_.begin(), relevant_keys_.end(), key) == relevant_keys_.end())
    relevant_keys_.emplace_back(key);
}

TermId Shapes::intern_term(const AntiAffinity& term) {
  const auto [at, is_new] =
      term_by_text_.try_emplace(slack::text_of(term), static_cast<TermId>(terms_.size()));
  if (!is_new) return at->second;
  terms_.push_back(term);
  if (term.topology_key != kHostname) add_relevant(term.topology_key);
  for (Entry& entry : shapes_) {
    if (applies_to(term, entry.shape)) entry.matched.push_back(at->second);
  }
  return at->second;
}

ShapeId Shapes::intern(Shape shape) {
  const auto [at, is_new] =
      by_text_.try_emplace(key_of(shape), static_cast<ShapeId>(shapes_.size()));
  if (!is_new) return at->second;
  for (const Selector& selector : shape.node_selectors) {
    for (const Requirement& one : selector) add_relevant(one.key);
  }
  Entry entry;
  for (const AntiAffinity& term : shape.anti_affinity) entry.carried.push_back(intern_term(term));
  std::sort(entry.carried.begin(), entry.carried.end());
  entry.carried.erase(std::unique(entry.carried.begin(), entry.carried.end()), entry.carried.end());
  for (TermId term = 0; term < terms_.size(); ++term) {
    if (applies_to(terms_[term], shape)) entry.matched.push_back(term);
  }
  entry.shape = std::move(shape);
  shapes_.push_back(std::move(entry));
  return at->second;
}

}  // namespace bellows::slack
