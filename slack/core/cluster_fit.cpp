// Decides which shape may run on which node.
#include <algorithm>

#include "slack/core/cluster.hpp"

namespace bellows::slack {

namespace {

constexpr std::uint8_t kNotAsked = 0;
constexpr std::uint8_t kYes = 1;
constexpr std::uint8_t kNo = 2;

}  // namespace

std::uint32_t Cluster::intern_profile(const Node& node) {
  Labels relevant;
  for (const auto& label : node.labels) {
    const auto& keys = shapes_.relevant_keys();
    if (std::find(keys.begin(), keys.end(), label.first) != keys.end()) relevant.push_back(label);
  }
  std::vector<Taint> taints = node.taints;
  std::sort(taints.begin(), taints.end());
  const std::string text = text_of(relevant) + "\n" + text_of(taints);
  const auto [at, is_new] =
      profile_ids_.try_emplace(text, static_cast<std::uint32_t>(profiles_.size()));
  if (is_new) profiles_.push_back({std::move(relevant), std::move(taints), {}});
  return at->second;
}

void Cluster::reprofile() {
  relevant_keys_seen_ = shapes_.relevant_keys().size();
  terms_seen_ = shapes_.terms();
  profile_ids_.clear();
  profiles_.clear();
  rivals_.clear();
  for (auto& row : permitted_) row.clear();
  ++version_;
  for (Node& node : nodes_) {
    if (node.is_there) node.profile = intern_profile(node);
  }
  if (terms_seen_ == 0) return;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    for (const PodId pod : nodes_[id].pods) count_rivals(pods_[pod].shape, id, Holder::kPod, 1);
    for (const ShapeId shape : nodes_[id].held_shapes)
      count_rivals(shape, id, Holder::kPlaceholder, 1);
  }
}

bool Cluster::is_permitted(ShapeId shape, NodeId node) const {
  auto& row = permitted_[shape];
  if (row.size() < profiles_.size()) row.resize(profiles_.size(), kNotAsked);
  std::uint8_t& known = row[nodes_[node].profile];
  if (known == kNotAsked) {
    const Profile& profile = profiles_[nodes_[node].profile];
    known = may_run_on(shapes_[shape], profile.labels, profile.taints) ? kYes : kNo;
  }
  return known == kYes;
}

std::uint32_t Cluster::domain_of(TermId term, NodeId node) const {
  if (shapes_.term(term).topology_key == kHostname) return node;
  Profile& profile = profiles_[nodes_[node].profile];
  constexpr std::uint32_t kNotAskedYet = kNoDomain - 1;
  if (profile.domains.size() <= term) profile.domains.resize(term + 1, kNotAskedYet);
  std::uint32_t& domain = profile.domains[term];
  if (domain == kNotAskedYet) {
    const auto value = find_label(profile.labels, shapes_.term(term).topology_key);
    domain = kNoDomain;
    if (value) {
      domain = domain_ids_
                   .try_emplace(std::string(*value), static_cast<std::uint32_t>(domain_ids_.size()))
                   .first->second;
    }
  }
  return domain;
}

std::uint64_t Cluster::domain_key(TermId term, NodeId node) const {
  return (static_cast<std::uint64_t>(term) << 32U) | domain_of(term, node);
}

const Cluster::Rivals* Cluster::rivals(TermId term, NodeId node) const {
  const auto at = rivals_.find(domain_key(term, node));
  return at == rivals_.end() ? nullptr : &at->second;
}

void Cluster::count_rivals(ShapeId shape, NodeId node, Holder holder, std::int32_t sign) {
  const auto& carried = shapes_.carried(shape);
  const auto& matched = shapes_.matched(shape);
  if (carried.empty() && matched.empty()) return;
  const bool is_pod = holder == Holder::kPod;
  // Placeholders affect only other placeholders, and these are placed anyway.
  if (is_pod) ++rivalry_version_;
  for (const TermId term : carried) {
    if (domain_of(term, node) == kNoDomain) continue;
    Rivals& one = rivals_[domain_key(term, node)];
    (is_pod ? one.pods_with : one.held_with) += sign;
  }
  for (const TermId term : matched) {
    if (domain_of(term, node) == kNoDomain) continue;
    Rivals& one = rivals_[domain_key(term, node)];
    (is_pod ? one.pods_matching : one.held_matching) += sign;
  }
}

bool Cluster::has_no_rival(ShapeId shape, NodeId node, Holder holder) const {
  const bool with_held = holder == Holder::kPlaceholder;
  for (const TermId term : shapes_.carried(shape)) {
    if (domain_of(term, node) == kNoDomain) {
      // The zone of an ordered node is unknown, so there is no guarantee.
      if (nodes_[node].is_upcoming) return false;
      continue;
    }
    const Rivals* one = rivals(term, node);
    if (one == nullptr) continue;
    if (one->pods_matching + (with_held ? one->held_matching : 0) > 0) return false;
  }
  for (const TermId term : shapes_.matched(shape)) {
    if (domain_of(term, node) == kNoDomain) continue;
    const Rivals* one = rivals(term, node);
    if (one == nullptr) continue;
    if (one->pods_with + (with_held ? one->held_with : 0) > 0) return false;
  }
  return true;
}

std::vector<std::uint64_t> Cluster::exclusive_domains(ShapeId shape, NodeId node) const {
  std::vector<std::uint64_t> domains;
  const auto& matched = shapes_.matched(shape);
  for (const TermId term : shapes_.carried(shape)) {
    const bool excludes_itself = std::find(matched.begin(), matched.end(), term) != matched.end();
    if (!excludes_itself || shapes_.term(term).topology_key == kHostname) continue;
    if (domain_of(term, node) != kNoDomain) domains.push_back(domain_key(term, node));
  }
  return domains;
}

std::int64_t Cluster::fitting(ShapeId shape, NodeId id, Holder holder, std::int64_t most) const {
  ++work.nodes_visited;
  const Node& node = nodes_[id];
  const Resources& requests = shapes_[shape].requests;
  const Resources room = holder == Holder::kPod ? node.free_for_pods() : node.free();
  if (most <= 0 || !fits(requests, room)) return 0;
  if (!node.is_open() || !is_permitted(shape, id) || !has_no_rival(shape, id, holder)) return 0;
  const auto& matched = shapes_.matched(shape);
  for (const TermId term : shapes_.carried(shape)) {
    if (std::find(matched.begin(), matched.end(), term) != matched.end() &&
        domain_of(term, id) != kNoDomain)
      return 1;
  }
  return std::min(most, how_many(requests, room));
}

bool Cluster::is_memory_bound(ShapeId shape) const {
  using Product = __int128;
  const Resources& requests = shapes_[shape].requests;
  return static_cast<Product>(requests.memory_bytes) * capacity_.cpu_millicores >
         static_cast<Product>(requests.cpu_millicores) * capacity_.memory_bytes;
}

}  // namespace bellows::slack
