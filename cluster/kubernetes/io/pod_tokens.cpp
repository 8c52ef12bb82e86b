#include "cluster/kubernetes/io/pod_tokens.hpp"

#include <utility>

#include "cluster/kubernetes/core/names.hpp"

namespace bellows::cluster {

PodTokens::PodTokens(kubernetes::TokenVerifier::Parts parts, std::string activator_ns)
    : clock_(parts.clock),
      activator_ns_(std::move(activator_ns)),
      verifier_(parts, std::string(kStatsAudience)) {}

http::Awaitable<Result<TokenSender>> PodTokens::verify(std::string token) {
  BELLOWS_CO_TRY(const kubernetes::ServiceAccountToken verified,
                 co_await verifier_.verify(std::move(token)));
  TokenSender sender{
      .ns = verified.pod.ns, .pod = PodName(verified.pod.name), .uid = verified.pod.uid};
  sender.is_activator =
      sender.ns == activator_ns_ && verified.pod.service_account == kActivatorAccount;
  sender.expires = clock_.now() + (verified.expires - clock_.wall_now()) + verifier_.leeway();
  co_return sender;
}

}  // namespace bellows::cluster
