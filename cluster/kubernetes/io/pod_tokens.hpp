// Verifies the tokens of pods that send stats.
#pragma once

#include <string>

#include "cluster/sender_tokens.hpp"
#include "kubernetes/io/token_verifier.hpp"

namespace bellows::cluster {

/// Owner: the KubernetesCluster. Thread: the io thread.
class PodTokens final : public SenderTokens {
 public:
  /// `activator_ns`: the namespace of the activators.
  PodTokens(kubernetes::TokenVerifier::Parts parts, std::string activator_ns);

  http::Awaitable<Result<TokenSender>> verify(std::string token) override;

 private:
  const sys::Clock& clock_;
  const std::string activator_ns_;
  kubernetes::TokenVerifier verifier_;
};

}  // namespace bellows::cluster
