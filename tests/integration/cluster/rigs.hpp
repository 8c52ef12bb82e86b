// Shared by the rigs of the contract suite and the tests of single implementations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/local/local_cluster.hpp"

namespace bellows::test {

/// "web" at web.example, at most 8 replicas, with this command.
inline config::Service web_service(std::vector<std::string> command) {
  config::Service service;
  service.name = RevisionId("web");
  service.route.host = "web.example";
  service.settings.max_scale = 8;
  service.command = std::move(command);
  return service;
}

/// An app that listens on its $PORT, and answers nothing: asked for its protocol, it would not be
/// ready for seconds.
inline config::Service listening_service() {
  config::Service service = web_service({TEST_APP, "listen", "$PORT", "wait"});
  service.settings.app_protocol = config::AppProtocol::kHttp1;
  return service;
}

/// Another revision of it.
inline config::Service revision_of_web(const RevisionId& revision, std::int32_t share) {
  config::Service service = listening_service();
  service.of = service.name;
  service.name = revision;
  service.share = share;
  return service;
}

inline cluster::LocalClusterOptions stub_options() {
  cluster::LocalClusterOptions options;
  options.queue_proxy = STUB_QUEUE_PROXY;
  options.shim = SHIM;
  return options;
}

}  // namespace bellows::test
