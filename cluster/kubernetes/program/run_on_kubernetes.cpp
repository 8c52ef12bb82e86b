#include "cluster/kubernetes/program/run_on_kubernetes.hpp"

#include "base/version.hpp"
#include "config/sources/environment.hpp"
#include "kubernetes/io/open_client.hpp"

namespace bellows::cluster {

http::Awaitable<Result<std::unique_ptr<kubernetes::ApiClient>>> open_client(
    http::net::io_context& io, Random& random, std::string program,
    const config::KubernetesSettings& settings) {
  kubernetes::CredentialsOptions credentials{.kubeconfig = settings.kubeconfig,
                                             .context = settings.context,
                                             .environment = config::read_environment()};
  // It has a name, because GCC 12 destroys an aggregate twice that is made within a co_await.
  kubernetes::ApiClientOptions options{.user_agent = program + "/" + std::string(kVersion)};
  co_return co_await kubernetes::open_client(io, random, std::move(credentials),
                                             std::move(options));
}

}  // namespace bellows::cluster
