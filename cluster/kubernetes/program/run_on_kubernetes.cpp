#include "cluster/kubernetes/program/run_on_kubernetes.hpp"

#include <boost/asio/ip/host_name.hpp>

#include "base/sys/file.hpp"
#include "base/version.hpp"
#include "config/sources/environment.hpp"
#include "kubernetes/io/open_client.hpp"

namespace bellows::cluster {

http::Awaitable<Result<std::unique_ptr<kubernetes::ApiClient>>> open_client(
    http::net::io_context& io, Random& random, std::string program,
    const config::KubernetesSettings& settings, double calls_per_second) {
  kubernetes::CredentialsOptions credentials{.kubeconfig = settings.kubeconfig,
                                             .context = settings.context,
                                             .environment = config::read_environment()};
  // It has a name, because GCC 12 destroys an aggregate twice that is made within a co_await.
  kubernetes::ApiClientOptions options{.calls_per_second = calls_per_second,
                                       .burst = static_cast<int>(2 * calls_per_second),
                                       .user_agent = program + "/" + std::string(kVersion)};
  co_return co_await kubernetes::open_client(io, random, std::move(credentials),
                                             std::move(options));
}

/// A pod's name is its host name: DEPLOYMENT-HASH-SUFFIX.
std::string own_deployment() {
  const auto ns =
      sys::read_whole_file(kubernetes::CredentialsOptions().service_account + "/namespace");
  boost::system::error_code unknown;
  std::string name = http::net::ip::host_name(unknown);
  for (int part = 0; part < 2; ++part) {
    const std::size_t dash = name.rfind('-');
    name.resize(dash == std::string::npos ? 0 : dash);
  }
  if (!ns || ns->empty() || unknown || name.empty()) return {};
  return ns->substr(0, ns->find('\n')) + "/" + name;
}

}  // namespace bellows::cluster
