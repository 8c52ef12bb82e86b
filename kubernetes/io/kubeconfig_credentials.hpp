// The credentials of one context of kubeconfig files. Within kubernetes/io.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "kubernetes/core/kubeconfig.hpp"
#include "kubernetes/io/credentials.hpp"

namespace bellows::kubernetes {

/// `files` names the files in the description and in errors.
Result<std::shared_ptr<Credentials>> load_kubeconfig_credentials(http::net::io_context& io,
                                                                 KubeconfigContext context,
                                                                 const std::string& files);

}  // namespace bellows::kubernetes
